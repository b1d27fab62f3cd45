//! Where the manifest is, and which form it has.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::read::read;
use super::syntax::Syntax;
use crate::model::Diagnostic;
use crate::text::{decode, parse_json};

/// What a manifest is called; the same schema in two spellings.
pub const NAMES: [&str; 2] = ["harness.json", "harness.toml"];

/// Folders whose `plugin.json` may hold sensors.
const PLUGIN_FOLDERS: [&str; 2] = [".agents/harness", ".ynh-plugin"];

/// The file in such a folder.
const PLUGIN: &str = "plugin.json";

/// What a file is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A whole manifest, in JSON.
    Json,
    /// A whole manifest, in TOML.
    Toml,
    /// A plugin's file, of which only `sensors` is ours.
    Plugin,
    /// A tracker's list of records.
    Records,
}

impl Form {
    pub(super) fn syntax(self) -> Syntax {
        match self {
            Self::Toml => Syntax::Toml,
            Self::Json | Self::Plugin | Self::Records => Syntax::Json,
        }
    }
}

/// A manifest's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The file itself.
    pub file: PathBuf,
    /// The harness's folder: the one that holds `harness.json`, or `.agents` or `.ynh-plugin`.
    pub folder: PathBuf,
    /// See [`Form`].
    pub form: Form,
}

impl Found {
    /// What `file` is by its name and place.
    pub fn of(file: &Path) -> Self {
        let folder = file.parent().unwrap_or(Path::new("/"));
        let plugin = (file.file_name() == Some(OsStr::new(PLUGIN)))
            .then(|| PLUGIN_FOLDERS.iter().find_map(|below| above(folder, below)))
            .flatten();
        let is_toml = file
            .extension()
            .is_some_and(|ext| ext.eq_ignore_ascii_case("toml"));
        let form = match plugin {
            Some(_) => Form::Plugin,
            None if is_toml => Form::Toml,
            None => Form::Json,
        };
        Self {
            file: file.to_owned(),
            folder: plugin.unwrap_or(folder).to_owned(),
            form,
        }
    }
}

/// The folder that `folder` is `below` in.
fn above<'f>(folder: &'f Path, below: &str) -> Option<&'f Path> {
    let depth = Path::new(below).components().count();
    folder
        .ends_with(below)
        .then(|| folder.ancestors().nth(depth))?
}

/// The manifest for work in `from` (absolute): the nearest one upwards, not past the repository's
/// root, which a `.git` file or folder marks. Outside a repository only `from` itself is looked
/// in, since whoever owns the folders above may be anyone.
pub fn find(from: &Path) -> Result<Option<Found>, Vec<Diagnostic>> {
    let mut repository = None;
    for folder in from.ancestors() {
        if exists(&folder.join(".git"))? {
            repository = Some(folder);
            break;
        }
    }
    for folder in from.ancestors() {
        if let Some(found) = in_folder(folder)? {
            return Ok(Some(found));
        }
        if repository.is_none_or(|top| top == folder) {
            break;
        }
    }
    Ok(None)
}

/// The manifest that a person names: a file, or the folder of a harness.
pub fn named(path: &Path) -> Result<Found, Vec<Diagnostic>> {
    if !path.is_dir() {
        return Ok(Found::of(path));
    }
    in_folder(path)?.ok_or_else(|| {
        let plugins = PLUGIN_FOLDERS.map(|folder| format!("{folder}/{PLUGIN}"));
        let looked_for = [NAMES.map(str::to_owned), plugins].concat().join(", ");
        let hint = format!("looked for {looked_for}");
        let message = "is a folder that holds no manifest".to_owned();
        vec![Diagnostic::of_file(
            path.display().to_string(),
            message,
            Some(hint),
        )]
    })
}

/// The one manifest in `folder`: a `harness.*`, else a plugin's file with sensors.
fn in_folder(folder: &Path) -> Result<Option<Found>, Vec<Diagnostic>> {
    let manifests = NAMES.map(str::to_owned);
    if let Some(file) = only_one(folder, &manifests, exists)? {
        return Ok(Some(Found::of(&file)));
    }
    let plugins = PLUGIN_FOLDERS.map(|below| format!("{below}/{PLUGIN}"));
    let found = only_one(folder, &plugins, |file| {
        Ok(exists(file)? && may_have_sensors(file))
    })?;
    Ok(found.map(|file| Found::of(&file)))
}

/// The file that is there; two are refused, since which of them counts would be a guess.
fn only_one(
    folder: &Path,
    names: &[String],
    counts: impl Fn(&Path) -> Result<bool, Vec<Diagnostic>>,
) -> Result<Option<PathBuf>, Vec<Diagnostic>> {
    let mut found: Option<(&String, PathBuf)> = None;
    for name in names {
        let file = folder.join(name);
        if !counts(&file)? {
            continue;
        }
        if let Some((first, _)) = found {
            let shown = folder.display();
            let message = format!("{first} and {name} both stand in {shown}");
            return Err(vec![Diagnostic::of_file(
                name,
                message,
                Some("keep one".to_owned()),
            )]);
        }
        found = Some((name, file));
    }
    Ok(found.map(|(_, file)| file))
}

/// Whether a plugin's file is a manifest. One that cannot be read counts as one, so that what is
/// wrong with it is told: to pass over it would be to judge by another.
fn may_have_sensors(file: &Path) -> bool {
    let Ok(source) = read(file) else {
        return true;
    };
    let Ok(text) = decode(&source.bytes) else {
        return true;
    };
    match parse_json(text).root {
        Some(root) => root.value.get("sensors").is_some(),
        None => true,
    }
}

/// A name that is there counts, whatever it names: to pass over a manifest that cannot be read
/// would be to judge by another.
fn exists(path: &Path) -> Result<bool, Vec<Diagnostic>> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(false)
        }
        Err(error) => {
            let message = format!("cannot be looked for: {error}");
            Err(vec![Diagnostic::of_file(
                path.display().to_string(),
                message,
                None,
            )])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Found, find, named};
    use std::fs;
    use std::path::{Path, PathBuf};

    fn found(from: &Path) -> Option<PathBuf> {
        find(from).unwrap().map(|found| found.file)
    }

    #[test]
    fn the_nearest_one_counts_and_the_repository_is_the_limit() {
        let dir = tempfile::tempdir().unwrap();
        let outer = dir.path();
        let deep = outer.join("repo/a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::write(outer.join("harness.json"), "{}").unwrap();
        assert_eq!(
            found(&deep),
            None,
            "outside a repository nothing above is looked in"
        );
        fs::write(outer.join("repo/.git"), "gitdir: elsewhere\n").unwrap();
        assert_eq!(found(&deep), None, "nor above a repository");
        fs::write(outer.join("repo/harness.toml"), "").unwrap();
        assert_eq!(found(&deep), Some(outer.join("repo/harness.toml")));
        fs::write(outer.join("repo/a/harness.json"), "").unwrap();
        assert_eq!(found(&deep), Some(outer.join("repo/a/harness.json")));
        assert_eq!(
            found(&outer.join("repo")),
            Some(outer.join("repo/harness.toml"))
        );
        assert_eq!(found(outer), Some(outer.join("harness.json")));
    }

    #[test]
    fn two_in_one_folder_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("harness.json"), "{}").unwrap();
        fs::create_dir(dir.path().join("harness.toml")).unwrap();
        let told = find(dir.path()).unwrap_err();
        assert!(
            told[0]
                .message
                .starts_with("harness.json and harness.toml both stand in ")
        );
        assert_eq!(
            told[0].path, "harness.toml",
            "as seen from the root that it would be"
        );
        assert_eq!(told[0].hint.as_deref(), Some("keep one"));
    }

    #[test]
    fn a_plugin_with_sensors_is_a_manifest_after_the_others() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        let (agents, ynh) = (
            top.join(".agents/harness/plugin.json"),
            top.join(".ynh-plugin/plugin.json"),
        );
        for file in [&agents, &ynh] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "{\"name\": \"x\"}").unwrap();
        }
        assert_eq!(find(top), Ok(None), "somebody else's plugin");
        fs::write(&ynh, "{\"sensors\": {}}").unwrap();
        let expected = Found {
            file: ynh.clone(),
            folder: top.to_owned(),
            form: Form::Plugin,
        };
        assert_eq!(find(top), Ok(Some(expected.clone())));
        assert_eq!(named(top), Ok(expected));
        fs::write(&agents, "{\"sensors\":").unwrap();
        let told = find(top).unwrap_err();
        assert!(told[0].message.contains("both stand in"), "{told:?}");
        fs::remove_file(&ynh).unwrap();
        assert_eq!(
            find(top).unwrap().map(|found| (found.file, found.folder)),
            Some((agents, top.to_owned())),
            "what cannot be read may have been meant"
        );
        fs::write(top.join("harness.json"), "{}").unwrap();
        assert_eq!(found(top), Some(top.join("harness.json")));
    }

    #[test]
    fn what_is_named_is_a_file_or_a_folder_with_one() {
        let dir = tempfile::tempdir().unwrap();
        let told = named(dir.path()).unwrap_err();
        assert_eq!(told[0].message, "is a folder that holds no manifest");
        let of = |file: &str| {
            let found = Found::of(Path::new(file));
            (found.folder, found.form)
        };
        assert_eq!(of("/a/b.TOML"), ("/a".into(), Form::Toml));
        assert_eq!(of("/a/plugin.json"), ("/a".into(), Form::Json));
        assert_eq!(
            of("/a/.agents/harness/plugin.json"),
            ("/a".into(), Form::Plugin)
        );
        assert_eq!(of("/.ynh-plugin/plugin.json"), ("/".into(), Form::Plugin));
    }
}
