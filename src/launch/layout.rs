//! What a folder holds, to be made and to be found again just so.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::folder::{Folder, Stamp};

/// Two changes that are this far apart have been made at different times by any clock of a kernel.
const TICK: Duration = Duration::from_millis(100);

/// All that is in one folder, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout(BTreeMap<OsString, Entry>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    File(Vec<u8>),
    Link(PathBuf),
    Folder(Layout),
}

impl Layout {
    /// A file, which its owner alone may read.
    pub fn file(&mut self, name: &str, bytes: Vec<u8>) {
        self.0.insert(name.into(), Entry::File(bytes));
    }

    /// A link at `place`, in folders that are made where need be; it takes the place of another.
    pub fn link(&mut self, place: &Path, target: PathBuf) {
        let (Some(name), Some(parent)) = (place.file_name(), place.parent()) else {
            return;
        };
        if let Some(folder) = self.folder(parent) {
            folder.0.insert(name.to_owned(), Entry::Link(target));
        }
    }

    /// The folder at `place`, made where need be; `None` where something else is in the way.
    fn folder(&mut self, place: &Path) -> Option<&mut Self> {
        let mut folder = self;
        for name in place {
            let empty = || Entry::Folder(Self::default());
            let entry = folder.0.entry(name.to_owned()).or_insert_with(empty);
            let Entry::Folder(inner) = entry else {
                return None;
            };
            folder = inner;
        }
        Some(folder)
    }

    /// Where each link is and where it leads, in order.
    pub fn links(&self) -> Vec<(PathBuf, PathBuf)> {
        let mut links = Vec::new();
        for (name, entry) in &self.0 {
            match entry {
                Entry::File(_) => {}
                Entry::Link(target) => links.push((name.into(), target.clone())),
                Entry::Folder(inner) => {
                    let below = inner.links().into_iter();
                    links
                        .extend(below.map(|(place, target)| (Path::new(name).join(place), target)));
                }
            }
        }
        links
    }

    /// Makes it in an empty folder.
    pub fn make_in(&self, folder: &Folder) -> io::Result<()> {
        for (name, entry) in &self.0 {
            match entry {
                Entry::File(bytes) => folder.create(name)?.write_all(bytes)?,
                Entry::Link(target) => folder.link(name, target)?,
                Entry::Folder(inner) => inner.make_in(&folder.enter(name)?)?,
            }
        }
        Ok(())
    }

    /// Whether this and nothing else is in `folder`, which is private to `uid`, as are those in it.
    pub fn is_all_of(&self, folder: &Folder, uid: u32) -> io::Result<bool> {
        if !folder.is_private_to(uid)? {
            return Ok(false);
        }
        let names = folder.names()?;
        if names.len() != self.0.len() {
            return Ok(false);
        }
        for name in &names {
            if !self.has(folder, name, uid)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What is in `folder` at this moment, where all of this layout is, to be compared later.
    pub fn stamps(&self, folder: &Folder) -> io::Result<Stamps> {
        let mut stamps = Vec::new();
        self.stamp(folder, Path::new(""), &mut stamps)?;
        Ok(Stamps(stamps))
    }

    fn stamp(
        &self,
        top: &Folder,
        below: &Path,
        stamps: &mut Vec<(PathBuf, Stamp)>,
    ) -> io::Result<()> {
        for (name, entry) in &self.0 {
            let place = below.join(name);
            match entry {
                // Another link is another entry of the folder that it is in.
                Entry::Link(_) => {}
                Entry::File(_) => stamps.push((place.clone(), top.stamp(&place)?)),
                Entry::Folder(inner) => {
                    stamps.push((place.clone(), top.stamp(&place)?));
                    inner.stamp(top, &place, stamps)?;
                }
            }
        }
        Ok(())
    }

    /// As [`Layout::is_all_of`], for a folder that was found so when these stamps were taken.
    pub fn is_still_all_of(&self, folder: &Folder, uid: u32, stamps: &Stamps) -> io::Result<bool> {
        if !folder.is_private_to(uid)? {
            return Ok(false);
        }
        // A folder comes before those in it, so that none is reached through a link.
        for (place, stamp) in &stamps.0 {
            if folder.stamp(place)? != *stamp {
                return Ok(false);
            }
        }
        // When something was done to the folder itself says nothing: it was moved.
        for (name, entry) in &self.0 {
            if let Entry::Link(target) = entry
                && folder.link_target(name)? != *target
            {
                return Ok(false);
            }
        }
        let names = folder.names()?;
        Ok(names.len() == self.0.len() && names.iter().all(|name| self.0.contains_key(name)))
    }

    fn has(&self, folder: &Folder, name: &OsStr, uid: u32) -> io::Result<bool> {
        match self.0.get(name) {
            None => Ok(false),
            Some(Entry::File(bytes)) => folder.holds(name, bytes),
            Some(Entry::Link(target)) => Ok(folder.link_target(name)? == *target),
            Some(Entry::Folder(inner)) => inner.is_all_of(&folder.enter_existing(name)?, uid),
        }
    }
}

/// When something was done last to all in a folder.
#[derive(Debug, Clone)]
pub struct Stamps(Vec<(PathBuf, Stamp)>);

impl Stamps {
    /// Whether what is done from `now` on is told by them: it might have been done at the very
    /// time of a stamp else.
    pub fn tell_from(&self, now: SystemTime) -> bool {
        self.0.iter().all(|(_, stamp)| {
            let since = now.duration_since(stamp.changed());
            since.is_ok_and(|since| since > TICK)
        })
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::Layout;
    use crate::launch::Folder;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    fn layout() -> Layout {
        let mut layout = Layout::default();
        layout.file(".config", b"text".to_vec());
        layout.link(Path::new(".tool"), "/opt/tool".into());
        layout.link(Path::new(".local/share/deep"), "/opt/deep".into());
        layout.link(Path::new(".local/share/deep"), "/opt/deeper".into());
        layout.link(Path::new(".tool/below/a/link"), "/never".into());
        layout
    }

    /// What a check may do to its home.
    type Change = fn(&Path);

    #[test]
    fn whatever_was_changed_is_seen() {
        let changes: [(&str, Change); 12] = [
            ("a second name", |home| {
                fs::hard_link(home.join(".config"), home.join("../second")).unwrap();
            }),
            ("another link deep", |home| {
                fs::remove_file(home.join(".local/share/deep")).unwrap();
                symlink("/opt/deepex", home.join(".local/share/deep")).unwrap();
            }),
            ("a file more", |home| {
                fs::write(home.join("new"), "").unwrap();
            }),
            ("a file less", |home| {
                fs::remove_file(home.join(".config")).unwrap();
            }),
            ("another text", |home| {
                fs::write(home.join(".config"), "test").unwrap();
            }),
            ("another link", |home| {
                fs::remove_file(home.join(".tool")).unwrap();
                symlink("/opt/toox", home.join(".tool")).unwrap();
            }),
            ("a file for a link", |home| {
                fs::remove_file(home.join(".tool")).unwrap();
                fs::write(home.join(".tool"), "").unwrap();
            }),
            ("something deep", |home| {
                fs::write(home.join(".local/share/x"), "").unwrap();
            }),
            ("nothing deep", |home| {
                fs::remove_file(home.join(".local/share/deep")).unwrap();
            }),
            ("an open home", |home| {
                fs::set_permissions(home, fs::Permissions::from_mode(0o755)).unwrap();
            }),
            ("an open folder", |home| {
                let open = fs::Permissions::from_mode(0o777);
                fs::set_permissions(home.join(".local"), open).unwrap();
            }),
            ("a link for a folder", |home| {
                fs::rename(home.join(".local"), home.join("../moved")).unwrap();
                symlink("../moved", home.join(".local")).unwrap();
            }),
        ];
        let uid = nix::unistd::getuid().as_raw();
        for (what, change) in changes {
            let dir = tempfile::tempdir().unwrap();
            let home = Folder::open(dir.path()).unwrap().enter("home").unwrap();
            layout().make_in(&home).unwrap();
            assert!(layout().is_all_of(&home, uid).unwrap());
            let stamps = layout().stamps(&home).unwrap();
            assert!(layout().is_still_all_of(&home, uid, &stamps).unwrap());
            while !stamps.tell_from(SystemTime::now()) {
                std::thread::sleep(Duration::from_millis(5));
            }
            change(home.path());
            assert!(!layout().is_all_of(&home, uid).unwrap_or(false), "{what}");
            let still = layout().is_still_all_of(&home, uid, &stamps);
            assert!(!still.unwrap_or(false), "{what}");
        }
    }

    #[test]
    fn the_last_link_counts_and_none_is_put_into_a_link() {
        let expected = [(".local/share/deep", "/opt/deeper"), (".tool", "/opt/tool")];
        let expected = expected.map(|(place, target)| (place.into(), target.into()));
        assert_eq!(layout().links(), expected);
    }
}
