//! The private home of a check: an empty folder at the same path in every run of a root.
//!
//! `<temp>/check-<uid>/<16 hex of SHA-256 of the root's real path>/<id>`. The path is stable so
//! that caches which hold it (Go's test cache, for one) hit again; the folder is emptied before
//! and after. Where any level of it is not safely ours, a fresh folder stands in, and that is said.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::toolchains::{self, Link};
use super::{Caller, Folder};

/// What the name of a user's folder of homes begins with.
const USER: &str = "check-";
/// What the name of a home that stands in for the stable one begins with.
const FRESH: &str = "check-home-";

/// Whether `home` is one that a check of `root` gets, stable or fresh: whoever has it was started
/// by such a check. Only names are compared: a check need not see the temp folder that its home was
/// made in, and may have become another user.
pub fn is_home_of(home: &Path, root: &Path) -> bool {
    let hash = name_of(root);
    let name = |path: Option<&Path>| {
        path.and_then(Path::file_name)
            .unwrap_or_default()
            .to_owned()
    };
    let begins = |name: OsString, with: &str| name.as_encoded_bytes().starts_with(with.as_bytes());
    let parent = home.parent();
    let is_stable = name(parent) == *hash && begins(name(parent.and_then(Path::parent)), USER);
    is_stable || begins(name(Some(home)), &format!("{FRESH}{hash}-"))
}

/// Where the homes of one run are made.
#[derive(Debug)]
pub struct HomePlace {
    /// The root's own folder; `None` where fresh folders are used.
    stable: Option<Folder>,
    temp: PathBuf,
    /// What the name of a fresh folder begins with.
    fresh: String,
    links: Vec<Link>,
    git_config: Vec<u8>,
    path: PathBuf,
    /// Why homes are not at their stable path.
    pub note: Option<String>,
}

impl HomePlace {
    /// Prepares the place for `root` (absolute, links resolved). `locked`: no other run of this
    /// root can be using it. `safe`: folders whose git repositories the check may trust although
    /// the home is new.
    pub fn new(caller: &Caller, root: &Path, locked: bool, safe: &[&Path]) -> Self {
        let names = stable_names(caller, root);
        let (stable, note) = if locked {
            match stable_folder(caller, &names) {
                Ok(folder) => (Some(folder), None),
                Err(error) => (
                    None,
                    Some(format!("homes are in fresh folders this time: {error}")),
                ),
            }
        } else {
            let note = "homes are in fresh folders this time: the root could not be locked";
            (None, Some(note.to_owned()))
        };
        Self {
            stable,
            temp: caller.temp().to_owned(),
            path: caller.temp().join(&names[0]).join(&names[1]),
            fresh: format!("{FRESH}{}-", names[1]),
            links: toolchains::links(caller),
            git_config: git_config(safe),
            note,
        }
    }

    /// Where the homes of this root stand when nothing is in the way.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An empty home for the check whose id makes `file_name`, links and git configuration inside.
    pub fn make(&self, file_name: &str) -> io::Result<Home> {
        let home = match &self.stable {
            Some(parent) => match emptied(parent, file_name) {
                Ok(folder) => Home {
                    folder,
                    fresh: None,
                },
                // Something in it cannot be removed (a mount, another user's file): leave it.
                Err(_) => self.fresh()?,
            },
            None => self.fresh()?,
        };
        home.folder
            .create(".gitconfig")?
            .write_all(&self.git_config)?;
        let mut parent: Option<(&Path, Folder)> = None;
        for link in &self.links {
            if link.parent.as_os_str().is_empty() {
                home.folder.link(&link.name, &link.target)?;
                continue;
            }
            if parent.as_ref().is_none_or(|(path, _)| *path != link.parent) {
                let mut names = link.parent.iter();
                let first = names.next().unwrap_or_default();
                let mut folder = home.folder.enter(first)?;
                for name in names {
                    folder = folder.enter(name)?;
                }
                parent = Some((&link.parent, folder));
            }
            if let Some((_, folder)) = &parent {
                folder.link(&link.name, &link.target)?;
            }
        }
        Ok(home)
    }

    /// Empties the home of a check that is over. The empty folder stays: making and removing one
    /// costs more than all else that is done here.
    pub fn clear(home: Home) -> io::Result<()> {
        match home.fresh {
            Some(fresh) => fresh.close(),
            None => home.folder.clear(),
        }
    }

    fn fresh(&self) -> io::Result<Home> {
        let dir = tempfile::Builder::new()
            .prefix(&self.fresh)
            .tempdir_in(&self.temp)?;
        Ok(Home {
            folder: Folder::open(dir.path())?,
            fresh: Some(dir),
        })
    }
}

/// A check's home while it runs.
#[derive(Debug)]
pub struct Home {
    folder: Folder,
    fresh: Option<TempDir>,
}

impl Home {
    /// Absolute.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn emptied(parent: &Folder, name: &str) -> io::Result<Folder> {
    let folder = parent.enter(name)?;
    folder.clear()?;
    Ok(folder)
}

/// The two levels between the temp folder and a home.
fn stable_names(caller: &Caller, root: &Path) -> [String; 2] {
    [format!("{USER}{}", caller.uid()), name_of(root)]
}

/// What stands for `root` in names: 16 hex digits.
fn name_of(root: &Path) -> String {
    let mut hash = String::with_capacity(16);
    for byte in &Sha256::digest(root.as_os_str().as_encoded_bytes())[..8] {
        // Writing to a string cannot fail.
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}

fn stable_folder(caller: &Caller, names: &[String; 2]) -> io::Result<Folder> {
    let mut folder = Folder::open(caller.temp())?;
    for name in names {
        let inner = folder.enter(name)?;
        if !inner.is_private_to(caller.uid())? {
            let path = inner.path().display();
            return Err(io::Error::other(format!(
                "{path} is not a private folder of this user"
            )));
        }
        folder = inner;
    }
    Ok(folder)
}

/// Git refuses a repository of another owner unless the home's configuration trusts it; see
/// `safe.directory` in git-config(1).
fn git_config(safe: &[&Path]) -> Vec<u8> {
    let mut text = String::from("[safe]\n");
    for path in safe {
        let escaped = path
            .display()
            .to_string()
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n");
        let _ = writeln!(text, "\tdirectory = \"{escaped}\"");
    }
    text.into_bytes()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{Caller, HomePlace, is_home_of};
    use std::collections::BTreeMap;
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    fn caller(temp: &Path) -> Caller {
        let vars = BTreeMap::from([(OsString::from("TMPDIR"), temp.as_os_str().to_owned())]);
        Caller::new(
            vars,
            Some("/nonexistent".into()),
            nix::unistd::getuid().as_raw(),
        )
    }

    #[test]
    fn the_same_root_has_the_same_empty_home_in_every_run() {
        let temp = tempfile::tempdir().unwrap();
        let caller = caller(temp.path());
        let root = Path::new("/src/tern");
        let place = HomePlace::new(&caller, root, true, &[root]);
        let home = place.make("test").unwrap();
        let path = home.path().to_owned();
        let config = fs::read_to_string(path.join(".gitconfig")).unwrap();
        assert_eq!(config, "[safe]\n\tdirectory = \"/src/tern\"\n");
        fs::write(path.join("left"), "x").unwrap();
        drop(home);

        let again = HomePlace::new(&caller, root, true, &[root]);
        let home = again.make("test").unwrap();
        assert_eq!(home.path(), path);
        assert!(!path.join("left").exists());
        HomePlace::clear(home).unwrap();
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
        let other = HomePlace::new(&caller, Path::new("/src/other"), true, &[]);
        assert_ne!(other.make("test").unwrap().path(), path);
    }

    #[test]
    fn every_home_tells_which_root_it_is_of() {
        let temp = tempfile::tempdir().unwrap();
        let caller = caller(temp.path());
        let root = Path::new("/src/tern");
        for locked in [true, false] {
            let place = HomePlace::new(&caller, root, locked, &[]);
            let home = place.make("test").unwrap();
            assert!(is_home_of(home.path(), root), "{home:?}");
            assert!(!is_home_of(home.path(), Path::new("/src/other")));
            HomePlace::clear(home).unwrap();
        }
        for other in ["/home/somebody", "/", "", "/tmp/check-home-x"] {
            assert!(!is_home_of(Path::new(other), root), "{other}");
        }
    }

    #[test]
    fn a_place_that_is_not_ours_is_not_used_and_that_is_said() {
        let temp = tempfile::tempdir().unwrap();
        let caller = caller(temp.path());
        let own = temp.path().join(format!("check-{}", caller.uid()));
        fs::create_dir(&own).unwrap();
        fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).unwrap();
        let open = HomePlace::new(&caller, Path::new("/r"), true, &[]);
        assert!(
            open.note
                .as_deref()
                .unwrap()
                .contains("not a private folder")
        );
        assert!(!open.make("test").unwrap().path().starts_with(&own));

        fs::remove_dir(&own).unwrap();
        symlink(temp.path(), &own).unwrap();
        assert!(
            HomePlace::new(&caller, Path::new("/r"), true, &[])
                .note
                .is_some()
        );
        fs::remove_file(&own).unwrap();
        let unlocked = HomePlace::new(&caller, Path::new("/r"), false, &[]);
        assert!(
            unlocked
                .note
                .as_deref()
                .unwrap()
                .contains("could not be locked")
        );
    }
}
