//! The private home of a check: an empty folder at the same path in every run of a root.
//!
//! `<temp>/check-<uid>/<16 hex of SHA-256 of the root's real path>/<id>`. The path is stable so
//! that caches which hold it (Go's test cache, for one) hit again; the folder is emptied before
//! and after. Where any level of it is not safely ours, a fresh folder stands in, and that is said.
//!
//! A home that is ready is not made for each check: making and removing folders and files costs
//! more than all else that a short check needs. It is a [spare](super::spares) that changes places
//! with the empty folder at the path, and back afterwards.

mod names;

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::layout::Layout;
use super::linking::link_toolchains;
use super::spares::{Returned, Spare, Spares};
use super::{Caller, Folder};
use names::Names;
pub use names::is_home_of;

/// Where the homes of one run are made.
#[derive(Debug)]
pub struct HomePlace {
    /// `None` where fresh folders are used.
    stable: Option<Stable>,
    temp: PathBuf,
    /// What the name of a fresh folder begins with.
    fresh: String,
    layout: Layout,
    uid: u32,
    path: PathBuf,
    /// Names that are in a folder for temporary files because something is mounted below them.
    mounted: Vec<OsString>,
    /// Why homes are not at their stable path.
    pub note: Option<String>,
}

/// The root's own folder, and the homes that take their places in it.
#[derive(Debug)]
struct Stable {
    folder: Folder,
    spares: Spares,
}

impl HomePlace {
    /// Prepares the place for `root` (absolute, links resolved). `locked`: no other run of this
    /// root can be using it. `safe`: folders whose git repositories the check may trust although
    /// the home is new.
    pub fn new(caller: &Caller, root: &Path, locked: bool, safe: &[&Path]) -> Self {
        let names = Names::new(caller, root);
        let mounted = [Path::new(&names.user), &below_temp(root)]
            .into_iter()
            .filter_map(|path| path.iter().next().map(OsStr::to_owned))
            .collect();
        let mut layout = Layout::default();
        layout.file(".gitconfig", git_config(safe));
        link_toolchains(caller, &mut layout);
        let (stable, note) = if locked {
            match Stable::open(caller, &names, &layout) {
                Ok(stable) => (Some(stable), None),
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
            fresh: names.fresh,
            layout,
            uid: caller.uid(),
            path: caller.temp().join(&names.user).join(&names.root),
            mounted,
            note,
        }
    }

    /// Where the homes of this root stand when nothing is in the way.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the homes of checks have links, from the home, and what those lead to.
    pub fn toolchains(&self) -> Vec<(PathBuf, PathBuf)> {
        self.layout.links()
    }

    /// An empty folder for the temporary files of the check whose home this is.
    pub fn make_temp(&self, home: &Home) -> io::Result<Temp> {
        let mut name = home.path.file_name().unwrap_or_default().to_owned();
        // No id makes a file name with this in it.
        name.push("~tmp");
        let (Some(stable), Place::Stable(_)) = (&self.stable, &home.place) else {
            let path = home.path.with_file_name(name);
            fs::create_dir(&path)?;
            return Ok(Temp::Fresh(FreshFolder(path)));
        };
        let folder = private(&stable.folder, &name.to_string_lossy(), self.uid)?;
        if !folder.names()?.is_empty() {
            // The run before was killed.
            folder.clear()?;
        }
        Ok(Temp::Stable(folder))
    }

    /// Takes the temporary files of a check of which nothing is alive. What was left in it may have
    /// to be removed yet.
    pub fn take_back_temp(&self, temp: Temp) -> Option<Remains> {
        let folder = match temp {
            Temp::Fresh(folder) => return Some(Remains::Fresh(folder)),
            Temp::Stable(folder) => folder,
        };
        let names = folder.names().unwrap_or_default();
        let is_ours = |name: &OsString| self.mounted.contains(name);
        if names.iter().all(is_ours) && folder.clear().is_ok() {
            return None;
        }
        Some(Remains::Temp(folder))
    }

    /// An empty home for the check whose id makes `file_name`, links and git configuration inside.
    pub fn make(&self, file_name: &str) -> io::Result<Home> {
        let Some(stable) = &self.stable else {
            return self.fresh(None);
        };
        let path = self.path.join(file_name);
        match stable.make(file_name, self.uid) {
            Ok(spare) => Ok(Home {
                path,
                note: None,
                place: Place::Stable(spare),
            }),
            // It is another's, or something in it cannot be removed: it is left alone.
            Err(error) => {
                let path = path.display();
                let note = format!("the home is a fresh folder this time ({path}): {error}");
                self.fresh(Some(note))
            }
        }
    }

    /// Takes the home of a check of which nothing is alive: the folder at its path is empty again.
    /// What was in it may have to be removed yet.
    pub fn take_back(&self, home: Home) -> Option<Remains> {
        match (home.place, &self.stable) {
            (Place::Fresh(folder), _) => Some(Remains::Fresh(folder)),
            (Place::Stable(spare), Some(stable)) => {
                let name = home.path.file_name()?;
                match stable.spares.take_back(spare, &stable.folder, name) {
                    Returned::Ready => None,
                    Returned::Changed(spare) => Some(Remains::Stable(spare, None)),
                    Returned::Stuck(spare, error) => {
                        Some(Remains::Stable(spare, Some((home.path, error))))
                    }
                }
            }
            (Place::Stable(_), None) => None,
        }
    }

    fn fresh(&self, note: Option<String>) -> io::Result<Home> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(&self.fresh);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = FreshFolder(builder.tempdir_in(&self.temp)?.keep());
        self.layout.make_in(&Folder::open(&folder.0)?)?;
        Ok(Home {
            path: folder.0.clone(),
            note,
            place: Place::Fresh(folder),
        })
    }
}

impl Stable {
    fn open(caller: &Caller, names: &Names, layout: &Layout) -> io::Result<Self> {
        let uid = caller.uid();
        let user = private(&Folder::open(caller.temp())?, &names.user, uid)?;
        let spares = private(&user, &names.spares, uid)?;
        Ok(Self {
            folder: private(&user, &names.root, uid)?,
            spares: Spares::new(spares, layout.clone(), uid),
        })
    }

    fn make(&self, name: &str, uid: u32) -> io::Result<Spare> {
        let empty = private(&self.folder, name, uid)?;
        if !empty.names()?.is_empty() {
            // The run before was killed.
            empty.clear()?;
        }
        self.spares.put(&self.folder, name)
    }
}

/// `path` from the folder for temporary files that it is in; empty where it is in none.
fn below_temp(path: &Path) -> PathBuf {
    let below = ["/tmp", "/var/tmp"]
        .iter()
        .find_map(|temp| path.strip_prefix(temp).ok());
    below.map(Path::to_owned).unwrap_or_default()
}

/// A folder for a check's temporary files while it runs.
#[derive(Debug)]
pub enum Temp {
    /// At the same path in every run of the root.
    Stable(Folder),
    /// For this run alone.
    Fresh(FreshFolder),
}

impl Temp {
    /// Absolute.
    pub fn path(&self) -> &Path {
        match self {
            Self::Stable(folder) => folder.path(),
            Self::Fresh(folder) => &folder.0,
        }
    }
}

/// A check's home while it runs.
#[derive(Debug)]
pub struct Home {
    path: PathBuf,
    /// Why it is not at its stable path, where that is not so of all.
    pub note: Option<String>,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Stable(Spare),
    Fresh(FreshFolder),
}

impl Home {
    /// Absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A folder for one check alone, at the path. It goes with this.
#[derive(Debug)]
pub struct FreshFolder(PathBuf);

impl FreshFolder {
    fn remove(&self) -> io::Result<()> {
        Folder::open(&self.0)?.clear()?;
        fs::remove_dir(&self.0)
    }
}

impl Drop for FreshFolder {
    fn drop(&mut self) {
        // It is removed before, unless something went wrong.
        let _ = self.remove();
    }
}

/// What a check has made of its home, when it is over.
#[derive(Debug)]
pub enum Remains {
    /// No longer at its path, unless there is a reason why it could not be moved from there.
    Stable(Spare, Option<(PathBuf, io::Error)>),
    /// At its own path.
    Fresh(FreshFolder),
    /// Temporary files, at their path.
    Temp(Folder),
}

impl Remains {
    /// Removes it, however much it is. What cannot be removed is named in the error.
    pub fn remove(&self) -> io::Result<()> {
        let named = |path: &Path, error: &io::Error| {
            let path = path.display();
            io::Error::other(format!("{path} cannot be emptied: {error}"))
        };
        match self {
            Self::Stable(spare, stuck) => {
                let restored = spare.restore();
                if let Some((path, error)) = stuck {
                    return Err(named(path, error));
                }
                restored.map_err(|error| named(&spare.path(), &error))
            }
            Self::Temp(folder) => {
                let cleared = folder.clear();
                cleared.map_err(|error| named(folder.path(), &error))
            }
            Self::Fresh(folder) => folder.remove().map_err(|error| named(&folder.0, &error)),
        }
    }
}

/// The folder `name` in `parent`, made where it is absent: ours alone, and no link.
fn private(parent: &Folder, name: &str, uid: u32) -> io::Result<Folder> {
    let not_private = || {
        let path = parent.path().join(name);
        let path = path.display();
        io::Error::other(format!("{path} is not a private folder of this user"))
    };
    match parent.enter(name) {
        Ok(folder) if folder.is_private_to(uid)? => Ok(folder),
        Ok(_) => Err(not_private()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Err(not_private()),
        Err(error) => Err(error),
    }
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
mod tests;
