//! Where everything is: the root, its repository, and what says what to run.

use std::path::{Path, PathBuf};

use crate::detect::{self, DetectError, NothingFound};
use crate::launch::Caller;
use crate::manifest::{self, Context, Form, Found, Manifest, NAMES};
use crate::model::{CheckSpec, Diagnostic, HostFacts, ManifestFacts, RunSettings};
use crate::parse;
use crate::report::Detected;
use crate::vcs::Repository;

use super::args::PlaceArgs;

/// The tree, and what is to be run in it.
pub struct Place {
    /// Absolute, links resolved.
    pub root: PathBuf,
    /// The repository that the root is in.
    pub repository: Option<Repository>,
    /// In manifest order.
    pub checks: Vec<CheckSpec>,
    /// See [`RunSettings`].
    pub settings: RunSettings,
    /// See [`ManifestFacts`].
    pub manifest: ManifestFacts,
    /// The manifest's file.
    pub file: Option<PathBuf>,
    /// What detection found, where there is no manifest.
    pub detected: Option<Detected>,
}

/// Why there is nothing to run.
pub enum NoPlace {
    /// The folder or file that was named is not there, or the like.
    Usage(String, Vec<String>),
    /// The manifest has problems.
    BadManifest(Vec<Diagnostic>),
}

/// Finds the manifest (or what to run without one) from the working directory.
pub fn find(args: &PlaceArgs, caller: &Caller, host: &HostFacts) -> Result<Place, NoPlace> {
    let here = working_directory(args)?;
    let repository = Repository::discover(&here);
    let top = top_or(&here, repository.as_ref());
    if let Some(found) = named(args, &here, &top, caller)? {
        return from_manifest(&found, top, repository, caller, host);
    }
    if let Some(found) = manifest::find(&here).map_err(NoPlace::BadManifest)? {
        let root = found.folder.clone();
        return from_manifest(&found, root, repository, caller, host);
    }
    detected(top, repository, host)
}

/// The manifest alone: the one that `check` would use, or `file` as it is in its own folder.
pub fn declared(
    args: &PlaceArgs,
    file: Option<&Path>,
    caller: &Caller,
    host: &HostFacts,
) -> Result<Place, NoPlace> {
    let here = working_directory(args)?;
    let repository = Repository::discover(&here);
    if let Some(file) = file {
        let found = one_named(file, &here, &here, caller)?;
        let root = found.folder.canonicalize();
        let root = root.unwrap_or_else(|_| found.folder.clone());
        return from_manifest(&found, root, repository, caller, host);
    }
    let top = top_or(&here, repository.as_ref());
    if let Some(found) = named(args, &here, &top, caller)? {
        return from_manifest(&found, top, repository, caller, host);
    }
    let Some(found) = manifest::find(&here).map_err(NoPlace::BadManifest)? else {
        let looked_for = NAMES.join(" and ");
        return Err(NoPlace::Usage(
            format!("there is no manifest here: looked for {looked_for}"),
            vec!["name one: check validate FILE    write one: check init".to_owned()],
        ));
    };
    let root = found.folder.clone();
    from_manifest(&found, root, repository, caller, host)
}

/// Where a manifest will be.
pub struct Unwritten {
    /// As [`Place::root`].
    pub root: PathBuf,
    /// As [`Place::repository`].
    pub repository: Option<Repository>,
    /// Its file.
    pub file: PathBuf,
    here: PathBuf,
}

impl Unwritten {
    /// The manifest that it would stand beside or before, of this tree or of one around it.
    pub fn beside(&self) -> Result<Option<PathBuf>, NoPlace> {
        let folder = self.file.parent().unwrap_or(&self.here);
        match around(folder)? {
            None => around(&self.here),
            found => Ok(found),
        }
    }
}

/// The file that the manifest of a root will be, where there is none yet.
pub fn unwritten(args: &PlaceArgs, caller: &Caller) -> Result<Unwritten, NoPlace> {
    let here = working_directory(args)?;
    let repository = Repository::discover(&here);
    let root = top_or(&here, repository.as_ref());
    let already = |found: Found| already(&shown(&found.file, &root, caller));
    let find = |from: &Path| manifest::find(from).map_err(NoPlace::BadManifest);
    let file = match &args.manifest {
        None => match find(&here)? {
            Some(found) => return Err(already(found)),
            None => root.join(NAMES[0]),
        },
        Some(named) => {
            let Found { file, folder, form } = Found::of(&real_folder(here.join(named)));
            if form != Form::Json {
                let message = format!("init writes a harness.json, not {}", named.display());
                let hint = "name the file harness.json".to_owned();
                return Err(NoPlace::Usage(message, vec![hint]));
            }
            // Two in one folder would be no manifest at all.
            let is_found = file.file_name() == Some(NAMES[0].as_ref());
            match find(&folder)? {
                Some(other) if is_found && other.folder == folder => return Err(already(other)),
                Some(_) | None => file,
            }
        }
    };
    Ok(Unwritten {
        root,
        repository,
        file,
        here,
    })
}

/// The manifest for work in `from`, or for work in what the repository of `from` lies in: a
/// repository is quickly made in another.
fn around(from: &Path) -> Result<Option<PathBuf>, NoPlace> {
    let mut from = from.to_owned();
    loop {
        if let Some(found) = manifest::find(&from).map_err(NoPlace::BadManifest)? {
            return Ok(Some(found.file));
        }
        let above = Repository::discover(&from).and_then(|it| Some(it.top().parent()?.to_owned()));
        match above {
            Some(above) if Repository::discover(&above).is_some() => from = above,
            Some(_) | None => return Ok(None),
        }
    }
}

/// A manifest is never written over.
pub fn already(shown: &str) -> NoPlace {
    NoPlace::Usage(
        format!("{shown} is there already, and init writes over nothing"),
        vec!["change it by hand, or move it away first".to_owned()],
    )
}

/// The manifest or record file that was typed, if one was.
fn named(
    args: &PlaceArgs,
    here: &Path,
    root: &Path,
    caller: &Caller,
) -> Result<Option<Found>, NoPlace> {
    if let Some(records) = &args.record_file {
        let found = Found::of(&here.join(records));
        return Ok(Some(Found {
            form: Form::Records,
            ..found
        }));
    }
    let named = args.manifest.as_deref();
    named
        .map(|named| one_named(named, here, root, caller))
        .transpose()
}

/// The manifest `named`, a file or a harness's folder.
fn one_named(named: &Path, here: &Path, root: &Path, caller: &Caller) -> Result<Found, NoPlace> {
    let path = real_folder(here.join(named));
    manifest::named(&path).map_err(|problems| rename(problems, &shown(&path, root, caller)))
}

/// `..` in what was typed says nothing to whoever reads the report; a link keeps its name.
fn real_folder(path: PathBuf) -> PathBuf {
    match (path.parent().map(Path::canonicalize), path.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => path.canonicalize().unwrap_or(path),
    }
}

/// The repository's top, or the folder itself outside one.
fn top_or(here: &Path, repository: Option<&Repository>) -> PathBuf {
    repository.map_or(here, Repository::top).to_owned()
}

/// Where the root is unless a manifest says otherwise, and its repository.
pub fn top(args: &PlaceArgs) -> Result<(PathBuf, Option<Repository>), NoPlace> {
    let here = working_directory(args)?;
    let repository = Repository::discover(&here);
    Ok((top_or(&here, repository.as_ref()), repository))
}

/// Only the root and its repository, for commands that run nothing.
pub fn root(args: &PlaceArgs) -> Result<(PathBuf, Option<Repository>), NoPlace> {
    let here = working_directory(args)?;
    let repository = Repository::discover(&here);
    let top = top_or(&here, repository.as_ref());
    if args.manifest.is_some() || args.record_file.is_some() {
        return Ok((top, repository));
    }
    let found = manifest::find(&here).map_err(NoPlace::BadManifest)?;
    Ok((found.map_or(top, |found| found.folder), repository))
}

fn working_directory(args: &PlaceArgs) -> Result<PathBuf, NoPlace> {
    let asked = args.directory.as_deref().unwrap_or(Path::new("."));
    // By the kernel alone: a folder that is named whole is there, also where ours is gone.
    let real = asked.canonicalize();
    let refused = |why: &dyn std::fmt::Display| {
        NoPlace::Usage(
            format!("cannot work in {}: {why}", asked.display()),
            Vec::new(),
        )
    };
    match real {
        Ok(here) if here.is_dir() => Ok(here),
        Ok(_) => Err(refused(&"it is not a folder")),
        Err(error) => Err(refused(&error)),
    }
}

fn from_manifest(
    found: &Found,
    root: PathBuf,
    repository: Option<Repository>,
    caller: &Caller,
    host: &HostFacts,
) -> Result<Place, NoPlace> {
    let file = &found.file;
    let shown = shown(file, &root, caller);
    let source = manifest::read(file).map_err(|problems| rename(problems, &shown))?;
    let formats: Vec<&str> = parse::formats().iter().map(|format| format.name).collect();
    // As a script will see it, whatever links lead there.
    let harness = found.folder.canonicalize();
    let harness = harness.as_deref().unwrap_or(&found.folder);
    let context = Context {
        root: &root,
        harness,
        shown: &shown,
        host,
        known_formats: &formats,
    };
    let Manifest { checks, settings } =
        manifest::parse(&source, found.form, &context).map_err(NoPlace::BadManifest)?;
    Ok(Place {
        checks,
        settings,
        manifest: ManifestFacts {
            path: Some(shown),
            sha256: Some(source.sha256),
        },
        file: Some(file.to_owned()),
        detected: None,
        root,
        repository,
    })
}

/// The path from the root where it lies inside, else from the home, else whole.
pub fn shown(file: &Path, root: &Path, caller: &Caller) -> String {
    if let Ok(inside) = file.strip_prefix(root) {
        let is_root = inside.as_os_str().is_empty();
        return if is_root {
            ".".to_owned()
        } else {
            inside.display().to_string()
        };
    }
    match caller.home().and_then(|home| file.strip_prefix(home).ok()) {
        Some(below) => format!("~/{}", below.display()),
        None => file.display().to_string(),
    }
}

fn rename(problems: Vec<Diagnostic>, shown: &str) -> NoPlace {
    let named = |problem| Diagnostic {
        path: shown.to_owned(),
        ..problem
    };
    NoPlace::BadManifest(problems.into_iter().map(named).collect())
}

fn detected(
    root: PathBuf,
    repository: Option<Repository>,
    host: &HostFacts,
) -> Result<Place, NoPlace> {
    let found = detect::detect(&root, host).map_err(not_detected)?;
    Ok(Place {
        checks: found.checks,
        settings: found.settings,
        manifest: ManifestFacts::default(),
        file: None,
        detected: Some(Detected {
            family: found.family,
            also: found.also,
        }),
        root,
        repository,
    })
}

/// Why detection has nothing to run.
pub fn not_detected(error: DetectError) -> NoPlace {
    match error {
        DetectError::NothingFound(nothing) => nowhere(nothing),
        DetectError::Unreadable(problems) => NoPlace::BadManifest(problems),
    }
}

/// What was looked for, and a manifest to begin with.
fn nowhere(nothing: NothingFound) -> NoPlace {
    let message = nothing.to_string();
    let mut hints = nothing.notes;
    hints.push("write a harness.json, for example:".to_owned());
    hints.extend(
        NothingFound::example()
            .lines()
            .map(|line| format!("  {line}")),
    );
    NoPlace::Usage(message, hints)
}
