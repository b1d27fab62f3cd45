//! The folder that a run leaves its traces in, always outside what tools scan.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::launch::{Caller, Folder};
use crate::text::sha256_hex;
use crate::vcs::Repository;

/// Where the last verdict, the logs and the present run's name are kept.
#[derive(Debug)]
pub struct State {
    /// Held open; nothing below it is reached through a link.
    pub folder: Folder,
    /// As people see it: from the root where it lies inside, else whole.
    pub shown: PathBuf,
    /// Why it is not where it should be.
    pub note: Option<String>,
}

impl State {
    /// Opens the folder for `root`, making it where it is absent: in the git folder, else in the
    /// user's state folder, else in the temp folder. `None` where none of them can be written.
    pub fn open(root: &Path, repository: Option<&Repository>, caller: &Caller) -> Option<Self> {
        let in_git = repository.and_then(|repository| {
            let base = repository.git_dir()?.to_owned();
            let below = repository
                .state_dir(root)?
                .strip_prefix(&base)
                .ok()?
                .to_owned();
            Some((base, below))
        });
        let name = &sha256_hex(root.as_os_str().as_encoded_bytes())[..16];
        let user = caller
            .path_var("XDG_STATE_HOME")
            .or_else(|| caller.home().map(|home| home.join(".local").join("state")))
            .map(|base| (base, Path::new("check").join("roots").join(name)));
        for (base, below) in [in_git, user].into_iter().flatten() {
            // A folder that is there and cannot be written to is no place for state.
            if let Some(folder) = enter(&base, &below).ok().filter(Folder::is_writable) {
                return Some(Self::at(folder, root, None));
            }
        }
        let own = [format!("check-{}", caller.uid()), format!("state-{name}")];
        let folder = enter_private(caller, &own).ok()?;
        let note = format!("state is kept in {}", folder.path().display());
        Some(Self::at(folder, root, Some(note)))
    }

    fn at(folder: Folder, root: &Path, note: Option<String>) -> Self {
        let path = folder.path();
        let shown = path.strip_prefix(root).unwrap_or(path).to_owned();
        Self {
            folder,
            shown,
            note,
        }
    }
}

/// Enters folders in the temp folder, where anybody may have made them.
fn enter_private(caller: &Caller, names: &[String]) -> io::Result<Folder> {
    let mut folder = Folder::open(caller.temp())?;
    for name in names {
        folder = folder.enter(name)?;
        if !folder.is_private_to(caller.uid())? {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
    }
    Ok(folder)
}

/// Enters `below` under `base`, each level of it made where it is absent and never a link.
fn enter(base: &Path, below: &Path) -> io::Result<Folder> {
    fs::create_dir_all(base)?;
    let mut folder = Folder::open(base)?;
    for name in below {
        folder = folder.enter(name)?;
    }
    Ok(folder)
}
