//! Emptying a folder whatever a check has made of it: any depth, any number, closed folders; no
//! link is followed and no mount is crossed.
//!
//! Every folder inside is first moved to the top, where it is emptied and removed. So three
//! descriptors do for a tree of any depth, and a mount is met before anything in it: the kernel
//! does not move one (`EBUSY`, see rename(2)).

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;

use nix::errno::Errno;
use nix::fcntl::renameat;
use nix::sys::stat::{FchmodatFlags, Mode, fchmod, fchmodat};
use nix::unistd::{UnlinkatFlags, unlinkat};

use super::Folder;

impl Folder {
    /// Makes the folder `name` private to its owner, who can then change it.
    pub fn open_up(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        let follow = FchmodatFlags::NoFollowSymlink;
        Ok(fchmodat(self, name.as_ref(), Mode::S_IRWXU, follow)?)
    }

    /// Removes all that is in the folder. What cannot be removed (a mount, another user's file)
    /// stays, under some name, and the first such is the error; all else is gone then too.
    pub fn clear(&self) -> io::Result<()> {
        let mut emptying = Emptying {
            top: self,
            moved: Vec::new(),
            last_name: 0,
            fault: None,
        };
        for name in emptying.strip(self)? {
            emptying.move_up(self, &name);
        }
        while let Some(name) = emptying.moved.pop() {
            if let Err(errno) = emptying.remove(&name) {
                emptying.fault.get_or_insert(errno);
            }
        }
        emptying.fault.map_or(Ok(()), |errno| Err(reason(errno)))
    }
}

fn reason(errno: Errno) -> io::Error {
    if errno == Errno::EBUSY {
        io::Error::other("another file system is mounted inside")
    } else {
        errno.into()
    }
}

struct Emptying<'a> {
    top: &'a Folder,
    /// The names at the top of what has been moved there.
    moved: Vec<OsString>,
    /// The number in the last of them.
    last_name: u64,
    /// Why something could not be removed.
    fault: Option<Errno>,
}

impl Emptying<'_> {
    /// Removes all of `folder` that is no folder; gives the names of the rest.
    fn strip(&mut self, folder: &Folder) -> Result<Vec<OsString>, Errno> {
        let mut entries = folder.entries().map_err(|error| errno_of(&error))?;
        let mut folders = Vec::new();
        for entry in entries.iter() {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            match unlinkat(folder, name, UnlinkatFlags::NoRemoveDir) {
                Ok(()) | Err(Errno::ENOENT) => {}
                Err(Errno::EISDIR) => folders.push(name.to_owned()),
                Err(errno) => {
                    self.fault.get_or_insert(errno);
                }
            }
        }
        Ok(folders)
    }

    /// Moves the folder `name` of `from` to the top.
    fn move_up(&mut self, from: &Folder, name: &OsStr) {
        loop {
            self.last_name += 1;
            let new = OsString::from(format!(".emptying-{}", self.last_name));
            let mut moved = renameat(from, name, self.top, new.as_os_str());
            if moved == Err(Errno::EACCES) {
                // Moved to another folder, it has to be written to: it knows what it is in.
                let _ = from.open_up(name);
                moved = renameat(from, name, self.top, new.as_os_str());
            }
            match moved {
                Ok(()) => return self.moved.push(new),
                // It stood at the top, empty, and another has taken its place.
                Err(Errno::ENOENT) => return,
                // Somebody has that name.
                Err(Errno::EEXIST | Errno::ENOTEMPTY | Errno::ENOTDIR) => {}
                Err(errno) => {
                    self.fault.get_or_insert(errno);
                    return;
                }
            }
        }
    }

    /// Removes a folder at the top; what is in it that is a folder comes to the top first.
    fn remove(&mut self, name: &OsStr) -> Result<(), Errno> {
        let inner = match self.top.enter_existing(name) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => self
                .top
                .open_up(name)
                .and_then(|()| self.top.enter_existing(name)),
            entered => entered,
        };
        let inner = match inner.map_err(|error| errno_of(&error)) {
            // Another that was moved here has taken its place, and its second name is in the list.
            Err(Errno::ENOENT) => return Ok(()),
            inner => inner?,
        };
        // Go makes its module folders read-only, and nothing can be removed from one. Where it is
        // another user's, removing shows what is wrong.
        let _ = fchmod(&inner, Mode::S_IRWXU);
        for below in self.strip(&inner)? {
            self.move_up(&inner, &below);
        }
        unlinkat(self.top, name, UnlinkatFlags::RemoveDir)
    }
}

fn errno_of(error: &io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}

#[cfg(test)]
mod tests {
    use super::Folder;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    fn left(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn no_link_is_followed_and_what_is_closed_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        let outside = dir.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("keep"), "x").unwrap();
        let inside = dir.path().join("inside");
        fs::create_dir_all(inside.join("a/b/c")).unwrap();
        fs::write(inside.join("a/b/f"), "x").unwrap();
        symlink(&outside, inside.join("a/link")).unwrap();
        for (folder, mode) in [("a/b/c", 0o000), ("a/b", 0o555), ("a", 0o000)] {
            fs::set_permissions(inside.join(folder), fs::Permissions::from_mode(mode)).unwrap();
        }
        Folder::open(&inside).unwrap().clear().unwrap();
        assert_eq!(left(&inside), 0);
        assert!(outside.join("keep").exists());
    }

    #[test]
    fn names_that_emptying_gives_may_be_taken() {
        let dir = tempfile::tempdir().unwrap();
        for folder in [".emptying-1/a", ".emptying-2", "x/.emptying-1/b"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        fs::write(dir.path().join(".emptying-3"), "x").unwrap();
        Folder::open(dir.path()).unwrap().clear().unwrap();
        assert_eq!(left(dir.path()), 0);
    }

    #[test]
    fn no_depth_is_too_deep() {
        let dir = tempfile::tempdir().unwrap();
        let mut folder = Folder::open(dir.path()).unwrap();
        // Far longer than a path may be, and than descriptors go round.
        for _ in 0..3000 {
            folder = folder.enter("deep").unwrap();
        }
        folder.replace("bottom", b"x").unwrap();
        Folder::open(dir.path()).unwrap().clear().unwrap();
        assert_eq!(left(dir.path()), 0);
    }
}
