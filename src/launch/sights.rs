//! What a check sees of the file system: its tree, its home, its tools, the system; nothing of the
//! real home but what a tool in use is made of.
//!
//! Most of it is the same for every check of a run and found once. Where a program's links, its
//! `#!` line and its virtual environment lead is found for each program once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::model::{Network, View};

use super::hops::hops;
use super::{Caller, SearchPath};

/// Homes of others, and what listens for everybody: both buses, container engines.
const HIDDEN: [&str; 4] = ["/home", "/root", "/run", "/var/run"];
/// A check has its own.
const TEMPS: [&str; 2] = ["/tmp", "/var/tmp"];
/// Who resolves names for the host.
const RESOLVERS: [&str; 3] = ["/etc/resolv.conf", "/run/nscd", "/run/systemd/resolve"];
/// Caches that a Go tool fills, by variable.
const GO_CACHES: [&str; 3] = ["GOCACHE", "GOLANGCI_LINT_CACHE", "GOMODCACHE"];
/// Caches of tools that do nothing where they cannot write to them.
const LAYERED: [&str; 5] = [
    ".cache/uv",
    ".gradle/caches",
    ".gradle/native",
    ".gradle/wrapper",
    ".m2/repository",
];
/// For whom absent caches are made.
const GO_TOOLS: [&str; 3] = ["go", "golangci-lint", "gotestsum"];
/// Beside `bin`, what tells that a folder is a tool's own and not a person's.
const PREFIX_SIGNS: [&str; 7] = [
    "include",
    "lib",
    "lib64",
    "libexec",
    "pkg",
    "pyvenv.cfg",
    "share",
];

/// Whereabouts that a run knows; none need exist, and none need be free of links.
#[derive(Debug, Clone, Default)]
pub struct Whereabouts {
    /// The tree under test.
    pub root: PathBuf,
    /// The top of its repository.
    pub top: Option<PathBuf>,
    /// The git folder of its work tree.
    pub git: Option<PathBuf>,
    /// The git folder that all work trees share.
    pub common_git: Option<PathBuf>,
    /// Where `check` keeps its state.
    pub state: Option<PathBuf>,
    /// The manifest.
    pub manifest: Option<PathBuf>,
    /// The folder of manifest and scripts.
    pub harness: Option<PathBuf>,
}

/// What is the same for every check of a run.
#[derive(Debug)]
pub struct Sights {
    hidden: Vec<PathBuf>,
    temps: Vec<PathBuf>,
    holds_home: bool,
    shown: Vec<PathBuf>,
    layered: Vec<PathBuf>,
    writable: Vec<PathBuf>,
    frozen: Vec<PathBuf>,
    path: SearchPath,
    /// What was found of each program.
    programs: RefCell<HashMap<PathBuf, Vec<PathBuf>>>,
}

/// One launch.
#[derive(Debug, Clone, Copy)]
pub struct Glance<'a> {
    /// Absolute.
    pub program: &'a Path,
    /// As the manifest has it.
    pub executable: &'a str,
    /// The whole environment.
    pub env: &'a [(OsString, OsString)],
    /// The check's home.
    pub home: &'a Path,
    /// See [`View::temp`].
    pub temp: &'a Path,
    /// Whether it has the host's network.
    pub network: Network,
}

impl Sights {
    /// What every check of `whereabouts` sees of `caller`'s host. `toolchains`: what the homes of checks
    /// link to.
    pub fn new(
        caller: &Caller,
        path: &SearchPath,
        toolchains: &[(PathBuf, PathBuf)],
        whereabouts: &Whereabouts,
    ) -> Self {
        let root = real(&whereabouts.root).unwrap_or_else(|| whereabouts.root.clone());
        let home = caller.home().and_then(real);
        let hidden = HIDDEN.iter().map(Path::new).filter(|path| is_folder(path));
        let mut hidden: Vec<PathBuf> = hidden.map(Path::to_owned).chain(home.clone()).collect();
        hidden.sort_unstable();
        hidden.dedup();
        // What the tree holds cannot be hidden from it.
        hidden.retain(|folder| !folder.starts_with(&root));
        let temps = TEMPS.iter().map(Path::new).filter(|path| is_folder(path));
        let mut sights = Self {
            hidden,
            temps: temps.map(Path::to_owned).collect(),
            holds_home: home.is_some_and(|home| home.starts_with(&root)),
            shown: Vec::new(),
            layered: Vec::new(),
            writable: vec![root.clone()],
            frozen: Vec::new(),
            path: path.clone(),
            programs: RefCell::default(),
        };
        let also = [
            &whereabouts.top,
            &whereabouts.common_git,
            &whereabouts.harness,
        ];
        let also = also.into_iter().flatten().map(PathBuf::as_path);
        let tools = toolchains.iter().map(|(_, target)| target.as_path());
        let shown: Vec<PathBuf> = path
            .entries()
            .iter()
            .flat_map(|folder| with_prefix(folder))
            .chain(also.chain(tools).map(Path::to_owned))
            .filter(|path| sights.is_needed(path))
            .collect();
        sights.shown = shown;
        let caches = toolchains.iter().filter(|(place, target)| {
            LAYERED.iter().any(|cache| place == Path::new(cache)) && target.is_dir()
        });
        let caches = caches.map(|(_, target)| target.clone());
        sights.layered = caches.filter(|path| sights.is_needed(path)).collect();
        if let Some(git) = whereabouts.git.as_deref().and_then(real)
            && !git.starts_with(&root)
            && whereabouts.common_git.as_deref().and_then(real).as_ref() != Some(&git)
        {
            sights.writable.push(git);
        }
        sights.freeze(whereabouts, &root);
        sights
    }

    /// What is part of the bar, or tells git to run something.
    fn freeze(&mut self, whereabouts: &Whereabouts, root: &Path) {
        let git = [&whereabouts.git, &whereabouts.common_git];
        let git = git.into_iter().flatten();
        let of_git = git.flat_map(|git| ["hooks", "config"].map(|name| git.join(name)));
        let manifest = whereabouts.manifest.clone();
        let state = whereabouts.state.clone();
        let all = [Some(root.join(".check")), manifest, state];
        let mut frozen: Vec<PathBuf> = all
            .into_iter()
            .flatten()
            .chain(of_git)
            .filter_map(|path| real(&path))
            .filter(|path| self.is_writable(path))
            .collect();
        frozen.sort_unstable();
        frozen.dedup();
        self.frozen = frozen;
    }

    /// What the launch of `glance` sees.
    pub fn view(&self, glance: &Glance<'_>) -> View {
        let mut shown = self.shown.clone();
        let mut programs = self.programs.borrow_mut();
        let of_program = programs
            .entry(glance.program.to_owned())
            .or_insert_with(|| hops(glance.program, &self.path));
        shown.extend(of_program.iter().flat_map(|file| {
            let folder = file.parent().map(with_prefix).unwrap_or_default();
            folder.into_iter().chain([file.clone()])
        }));
        let value = |name: &str| {
            let found = glance.env.iter().find(|(other, _)| other == name);
            found.map(|(_, value)| PathBuf::from(value))
        };
        shown.extend(value("NPM_CONFIG_CACHE"));
        if glance.network == Network::Host {
            for path in RESOLVERS.map(Path::new) {
                shown.push(path.to_owned());
                shown.extend(real(path));
            }
        }
        shown.retain(|path| self.is_needed(path));
        let mut writable = Vec::new();
        let makes = Path::new(glance.executable).file_name();
        let makes = makes.is_some_and(|name| GO_TOOLS.iter().any(|tool| name == *tool));
        for cache in GO_CACHES.iter().filter_map(|name| value(name)) {
            if makes && cache.is_absolute() && !cache.exists() {
                // What cannot be made is the tool's to say.
                let _ = std::fs::create_dir_all(&cache);
            }
            writable.extend(real(&cache));
        }
        writable.extend(value("TMPDIR").as_deref().and_then(real));
        writable.push(glance.home.to_owned());
        writable.retain(|path| path.is_absolute() && !self.opens_what_is_hidden(path));
        writable.extend(self.writable.iter().cloned());
        let unlike: Vec<PathBuf> = writable.iter().chain(&self.layered).cloned().collect();
        View {
            hidden: self.hidden.clone(),
            shown: tops(shown, &unlike),
            layered: self.layered.clone(),
            writable: tops(writable, &[]),
            frozen: self.frozen.clone(),
            temp: glance.temp.to_owned(),
            holds_home: self.holds_home,
        }
    }

    /// Whether `path` is there, would be gone without being shown, and shows nothing that is to be
    /// hidden.
    fn is_needed(&self, path: &Path) -> bool {
        let covered = self.hidden.iter().chain(&self.temps);
        let mut covered = covered.filter(|top| path.starts_with(top));
        path.is_absolute()
            && covered.next().is_some()
            && !self.is_writable(path)
            && !self.opens_what_is_hidden(path)
            && real(path).is_some_and(|real| !self.opens_what_is_hidden(&real))
    }

    fn opens_what_is_hidden(&self, path: &Path) -> bool {
        let mut closed = self.hidden.iter().chain(&self.temps);
        closed.any(|top| top.starts_with(path))
    }

    fn is_writable(&self, path: &Path) -> bool {
        self.writable.iter().any(|folder| path.starts_with(folder))
    }
}

/// `folder` and, where it is the `bin` of a tool's own folder, that.
fn with_prefix(folder: &Path) -> Vec<PathBuf> {
    let mut all = vec![folder.to_owned()];
    let is_bin = folder.file_name().is_some_and(|name| name == "bin");
    if let Some(prefix) = folder.parent()
        && is_bin
        // What is in there is of many tools, and of their secrets.
        && prefix.file_name().is_some_and(|name| name != ".local")
        && PREFIX_SIGNS.iter().any(|sign| prefix.join(sign).exists())
    {
        all.push(prefix.to_owned());
    }
    all
}

/// Sorted, without what is below another or below one of `wider`.
fn tops(mut paths: Vec<PathBuf>, wider: &[PathBuf]) -> Vec<PathBuf> {
    paths.sort_unstable();
    paths.dedup();
    let mut tops: Vec<PathBuf> = Vec::with_capacity(paths.len());
    for path in paths {
        let is_below = |others: &[PathBuf]| others.iter().any(|other| path.starts_with(other));
        if !is_below(&tops) && !is_below(wider) {
            tops.push(path);
        }
    }
    tops
}

fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|facts| facts.is_dir())
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
