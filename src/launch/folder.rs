//! A folder held open, in which nothing is reached through a symbolic link.

pub use platform::Folder;

#[cfg(unix)]
mod platform {
    use std::ffi::{OsStr, OsString};
    use std::fs::File;
    use std::io::{self, Read as _, Write as _};
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, SystemTime};

    use nix::dir::Dir;
    use nix::errno::Errno;
    use nix::fcntl::{AtFlags, OFlag, open, openat, readlinkat, renameat};
    use nix::sys::stat::{Mode, SFlag, fstat, fstatat, mkdirat};
    use nix::unistd::{AccessFlags, UnlinkatFlags, faccessat, symlinkat, unlinkat};

    /// A folder held by descriptor: what is done in it stays in it, whatever its path comes to
    /// lead to meanwhile.
    #[derive(Debug)]
    pub struct Folder {
        fd: OwnedFd,
        path: PathBuf,
    }

    impl Folder {
        /// Opens a folder that is trusted to be where its path leads.
        pub fn open(path: &Path) -> io::Result<Self> {
            let fd = open(path, OFlag::O_DIRECTORY | OFlag::O_CLOEXEC, Mode::empty())?;
            Ok(Self {
                fd,
                path: path.to_owned(),
            })
        }

        /// Its path when it was opened.
        pub fn path(&self) -> &Path {
            &self.path
        }

        /// The folder `name` in this one, which may not be a link; made, 0700, where it is absent.
        pub fn enter(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
            let name = name.as_ref();
            match self.enter_existing(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match mkdirat(&self.fd, name, Mode::S_IRWXU) {
                        Ok(()) | Err(Errno::EEXIST) => self.enter_existing(name),
                        Err(errno) => Err(errno.into()),
                    }
                }
                entered => entered,
            }
        }

        /// As [`Folder::enter`], but an absent one is an error.
        pub fn enter_existing(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
            let name = name.as_ref();
            let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
            let fd = openat(&self.fd, name, flags, Mode::empty())?;
            Ok(Self {
                fd,
                path: self.path.join(name),
            })
        }

        /// Whether the folder belongs to `uid` and nobody else may even look.
        pub fn is_private_to(&self, uid: u32) -> io::Result<bool> {
            let stat = fstat(&self.fd)?;
            // A folder in one with the set-group-id bit gets it too, which opens it to nobody.
            Ok(stat.st_uid == uid && stat.st_mode & 0o777 == 0o700)
        }

        /// Whether files can be made in it: it may be another user's, or on a file system that is
        /// mounted read-only.
        pub fn is_writable(&self) -> bool {
            let wanted = AccessFlags::W_OK | AccessFlags::X_OK;
            faccessat(&self.fd, ".", wanted, AtFlags::AT_EACCESS).is_ok()
        }

        /// The names of all that is in it, in no order.
        pub fn names(&self) -> io::Result<Vec<OsString>> {
            let mut names = Vec::new();
            for entry in self.entries()?.iter() {
                let entry = entry?;
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name != "." && name != ".." {
                    names.push(name.to_owned());
                }
            }
            Ok(names)
        }

        /// How long a regular file is and when it was last written to; `None` for anything else.
        pub fn size_and_time(
            &self,
            name: impl AsRef<OsStr>,
        ) -> io::Result<Option<(u64, SystemTime)>> {
            let stat = fstatat(&self.fd, name.as_ref(), AtFlags::AT_SYMLINK_NOFOLLOW)?;
            let is_file = stat.st_mode & SFlag::S_IFMT.bits() == SFlag::S_IFREG.bits();
            let seconds = u64::try_from(stat.st_mtime).unwrap_or(0);
            let nanoseconds = u32::try_from(stat.st_mtime_nsec).unwrap_or(0);
            let time = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
            Ok(is_file.then(|| (u64::try_from(stat.st_size).unwrap_or(0), time)))
        }

        /// A file for reading and writing, as it is; made where it is absent, a link is refused.
        pub fn open_or_create(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
            self.open_file(name.as_ref(), OFlag::O_RDWR | OFlag::O_CREAT)
        }

        /// A new, empty file for writing; what stood there is emptied, a link is refused.
        pub fn create(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
            self.open_file(
                name.as_ref(),
                OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_TRUNC,
            )
        }

        /// A new file for writing; refused where anything stands there.
        pub fn create_new(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
            self.open_file(
                name.as_ref(),
                OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL,
            )
        }

        /// A file for writing at its end; made where it is absent, a link is refused.
        pub fn append(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
            self.open_file(
                name.as_ref(),
                OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_APPEND,
            )
        }

        /// At most `limit` bytes of a regular file; a link is refused.
        pub fn read(&self, name: impl AsRef<OsStr>, limit: u64) -> io::Result<Vec<u8>> {
            let file = self.open_file(name.as_ref(), OFlag::O_RDONLY | OFlag::O_NONBLOCK)?;
            let mut bytes = Vec::new();
            file.take(limit).read_to_end(&mut bytes)?;
            Ok(bytes)
        }

        fn open_file(&self, name: &OsStr, flags: OFlag) -> io::Result<File> {
            let flags = flags | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
            let mode = Mode::S_IRUSR | Mode::S_IWUSR;
            Ok(File::from(openat(&self.fd, name, flags, mode)?))
        }

        /// Puts a whole file in place at once: a reader sees the old one or the new one.
        pub fn replace(&self, name: impl AsRef<OsStr>, bytes: &[u8]) -> io::Result<()> {
            let name = name.as_ref();
            let mut partial = name.to_owned();
            partial.push(".part");
            let replaced = self
                .create(&partial)
                .and_then(|mut file| file.write_all(bytes))
                .and_then(|()| self.rename(&partial, name));
            if replaced.is_err() {
                // A disk that was too full for it is not to stay so because of half of it.
                let _ = self.remove_file(&partial);
            }
            replaced
        }

        /// Renames a file within the folder.
        pub fn rename(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
            Ok(renameat(&self.fd, from.as_ref(), &self.fd, to.as_ref())?)
        }

        /// Removes a file or link; its absence is no error.
        pub fn remove_file(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
            match unlinkat(&self.fd, name.as_ref(), UnlinkatFlags::NoRemoveDir) {
                Ok(()) | Err(Errno::ENOENT) => Ok(()),
                Err(errno) => Err(errno.into()),
            }
        }

        /// Removes an empty folder.
        pub fn remove_folder(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
            Ok(unlinkat(&self.fd, name.as_ref(), UnlinkatFlags::RemoveDir)?)
        }

        /// Makes a symbolic link.
        pub fn link(&self, name: impl AsRef<OsStr>, target: &Path) -> io::Result<()> {
            Ok(symlinkat(target, &self.fd, name.as_ref())?)
        }

        /// Where a link leads, as it is written.
        pub fn link_target(&self, name: impl AsRef<OsStr>) -> io::Result<PathBuf> {
            Ok(readlinkat(&self.fd, name.as_ref())?.into())
        }

        /// Whether `name` is a file with these bytes, of this one name, that nobody else may read.
        pub fn holds(&self, name: impl AsRef<OsStr>, bytes: &[u8]) -> io::Result<bool> {
            let file = self.open_file(name.as_ref(), OFlag::O_RDONLY | OFlag::O_NONBLOCK)?;
            let meta = file.metadata()?;
            let as_made = meta.is_file() && meta.nlink() == 1 && meta.mode() & 0o7777 == 0o600;
            if !as_made || meta.len() != bytes.len() as u64 {
                return Ok(false);
            }
            let mut held = Vec::with_capacity(bytes.len() + 1);
            file.take(bytes.len() as u64 + 1).read_to_end(&mut held)?;
            Ok(held == bytes)
        }

        /// Puts what is `name` here in the place of what is `other` in `folder`, and that here.
        /// Both have to be there.
        pub fn swap(
            &self,
            name: impl AsRef<OsStr>,
            folder: &Self,
            other: impl AsRef<OsStr>,
        ) -> io::Result<()> {
            let (name, other) = (name.as_ref(), other.as_ref());
            match exchange(&self.fd, name, &folder.fd, other) {
                Err(Errno::EINVAL | Errno::ENOSYS) => {
                    let mut aside = other.to_owned();
                    aside.push(".aside");
                    renameat(&self.fd, name, &folder.fd, aside.as_os_str())?;
                    renameat(&folder.fd, other, &self.fd, name)?;
                    Ok(renameat(&folder.fd, aside.as_os_str(), &folder.fd, other)?)
                }
                swapped => Ok(swapped?),
            }
        }

        /// Renames `name` here to `other` in `folder`.
        pub fn move_to(
            &self,
            name: impl AsRef<OsStr>,
            folder: &Self,
            other: impl AsRef<OsStr>,
        ) -> io::Result<()> {
            Ok(renameat(
                &self.fd,
                name.as_ref(),
                &folder.fd,
                other.as_ref(),
            )?)
        }

        /// All that is in it, `.` and `..` too, from the beginning.
        pub(in crate::launch) fn entries(&self) -> io::Result<Dir> {
            let flags = OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
            let own = openat(&self.fd, ".", flags, Mode::empty())?;
            Ok(Dir::from_fd(own)?)
        }
    }

    impl AsFd for Folder {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.fd.as_fd()
        }
    }

    /// Not every file system knows how.
    #[cfg(target_env = "gnu")]
    fn exchange(from: &OwnedFd, name: &OsStr, to: &OwnedFd, other: &OsStr) -> Result<(), Errno> {
        use nix::fcntl::{RenameFlags, renameat2};
        renameat2(from, name, to, other, RenameFlags::RENAME_EXCHANGE)
    }

    #[cfg(not(target_env = "gnu"))]
    fn exchange(_: &OwnedFd, _: &OsStr, _: &OwnedFd, _: &OsStr) -> Result<(), Errno> {
        Err(Errno::ENOSYS)
    }
}

#[cfg(windows)]
mod platform {
    use std::ffi::{OsStr, OsString};
    use std::fs::{self, File, OpenOptions};
    use std::io::{self, Read as _};
    use std::path::{Path, PathBuf};
    use std::time::SystemTime;

    /// A folder by its path. Making a link needs a privilege on Windows, so a link is rare there;
    /// one in place of a folder or file is refused all the same.
    #[derive(Debug)]
    pub struct Folder {
        path: PathBuf,
    }

    impl Folder {
        /// Opens a folder that is trusted to be where its path leads.
        pub fn open(path: &Path) -> io::Result<Self> {
            if !fs::metadata(path)?.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            Ok(Self {
                path: path.to_owned(),
            })
        }

        /// Its path when it was opened.
        pub fn path(&self) -> &Path {
            &self.path
        }

        /// The folder `name` in this one, which may not be a link; made where it is absent.
        pub fn enter(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
            match fs::create_dir(self.path.join(name.as_ref())) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
                _ => self.enter_existing(name),
            }
        }

        /// As [`Folder::enter`], but an absent one is an error.
        pub fn enter_existing(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
            let path = self.path.join(name.as_ref());
            if !fs::symlink_metadata(&path)?.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            Ok(Self { path })
        }

        /// A user's temporary folder is private to the user.
        pub fn is_private_to(&self, _uid: u32) -> io::Result<bool> {
            Ok(true)
        }

        /// Whether files can be made in it. Only an attempt would tell, and this is none.
        pub fn is_writable(&self) -> bool {
            true
        }

        /// The names of all that is in it, in no order.
        pub fn names(&self) -> io::Result<Vec<OsString>> {
            let entries = fs::read_dir(&self.path)?;
            entries.map(|entry| Ok(entry?.file_name())).collect()
        }

        /// How long a regular file is and when it was last written to; `None` for anything else.
        pub fn size_and_time(
            &self,
            name: impl AsRef<OsStr>,
        ) -> io::Result<Option<(u64, SystemTime)>> {
            let meta = fs::symlink_metadata(self.path.join(name.as_ref()))?;
            let time = meta.modified()?;
            Ok(meta.is_file().then(|| (meta.len(), time)))
        }

        /// A file for reading and writing, as it is; made where it is absent, a link is refused.
        pub fn open_or_create(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
            OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(self.no_link(name.as_ref())?)
        }

        /// A new, empty file for writing; what stood there is emptied, a link is refused.
        pub fn create(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
            File::create(self.no_link(name.as_ref())?)
        }

        /// A new file for writing; refused where anything stands there.
        pub fn create_new(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
            File::create_new(self.path.join(name.as_ref()))
        }

        /// A file for writing at its end; made where it is absent, a link is refused.
        pub fn append(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
            OpenOptions::new()
                .append(true)
                .create(true)
                .open(self.no_link(name.as_ref())?)
        }

        /// At most `limit` bytes of a regular file; a link is refused.
        pub fn read(&self, name: impl AsRef<OsStr>, limit: u64) -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            File::open(self.no_link(name.as_ref())?)?
                .take(limit)
                .read_to_end(&mut bytes)?;
            Ok(bytes)
        }

        fn no_link(&self, name: &OsStr) -> io::Result<PathBuf> {
            let path = self.path.join(name);
            match fs::symlink_metadata(&path) {
                Ok(meta) if meta.is_symlink() => Err(io::Error::other("a link stands there")),
                _ => Ok(path),
            }
        }

        /// Puts a whole file in place at once: a reader sees the old one or the new one.
        pub fn replace(&self, name: impl AsRef<OsStr>, bytes: &[u8]) -> io::Result<()> {
            let mut partial = name.as_ref().to_owned();
            partial.push(".part");
            let replaced = self
                .no_link(&partial)
                .and_then(|path| fs::write(path, bytes))
                .and_then(|()| self.rename(&partial, name.as_ref()));
            if replaced.is_err() {
                // A disk that was too full for it is not to stay so because of half of it.
                let _ = self.remove_file(&partial);
            }
            replaced
        }

        /// Renames a file within the folder.
        pub fn rename(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
            fs::rename(self.path.join(from.as_ref()), self.path.join(to.as_ref()))
        }

        /// Removes a file or link; its absence is no error.
        pub fn remove_file(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
            match fs::remove_file(self.path.join(name.as_ref())) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        }

        /// Removes an empty folder.
        pub fn remove_folder(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
            fs::remove_dir(self.path.join(name.as_ref()))
        }

        /// Makes a link to a folder, where the user may.
        pub fn link(&self, name: impl AsRef<OsStr>, target: &Path) -> io::Result<()> {
            std::os::windows::fs::symlink_dir(target, self.path.join(name.as_ref()))
        }

        /// Where a link leads, as it is written.
        pub fn link_target(&self, name: impl AsRef<OsStr>) -> io::Result<PathBuf> {
            fs::read_link(self.path.join(name.as_ref()))
        }

        /// Whether `name` is a file with these bytes.
        pub fn holds(&self, name: impl AsRef<OsStr>, bytes: &[u8]) -> io::Result<bool> {
            Ok(self.read(name, bytes.len() as u64 + 1)? == bytes)
        }

        /// Puts what is `name` here in the place of what is `other` in `folder`, and that here.
        /// Both have to be there.
        pub fn swap(
            &self,
            name: impl AsRef<OsStr>,
            folder: &Self,
            other: impl AsRef<OsStr>,
        ) -> io::Result<()> {
            let (own, other) = (self.path.join(name.as_ref()), other.as_ref());
            let mut aside = other.to_owned();
            aside.push(".aside");
            let (aside, other) = (folder.path.join(aside), folder.path.join(other));
            fs::rename(&own, &aside)?;
            fs::rename(&other, &own)?;
            fs::rename(&aside, &other)
        }

        /// Renames `name` here to `other` in `folder`.
        pub fn move_to(
            &self,
            name: impl AsRef<OsStr>,
            folder: &Self,
            other: impl AsRef<OsStr>,
        ) -> io::Result<()> {
            let from = self.path.join(name.as_ref());
            fs::rename(from, folder.path.join(other.as_ref()))
        }

        /// No folder of a user's own temporary folder is closed to the user.
        pub fn open_up(&self, _name: impl AsRef<OsStr>) -> io::Result<()> {
            Ok(())
        }

        /// Removes all that is in the folder, following no link.
        pub fn clear(&self) -> io::Result<()> {
            for entry in fs::read_dir(&self.path)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    fs::remove_dir_all(entry.path())?;
                } else {
                    fs::remove_file(entry.path())?;
                }
            }
            Ok(())
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::Folder;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_is_no_folder_and_no_file() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("real")).unwrap();
        fs::write(dir.path().join("victim"), "x").unwrap();
        symlink("real", dir.path().join("link")).unwrap();
        symlink("victim", dir.path().join("file")).unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        assert!(folder.enter("link").is_err());
        assert!(folder.create("file").is_err());
        assert!(folder.read("file", 10).is_err());
        folder.replace("file", b"new").unwrap();
        assert_eq!(fs::read(dir.path().join("victim")).unwrap(), b"x");
        assert_eq!(folder.read("file", 10).unwrap(), b"new");
    }

    #[test]
    fn a_file_is_held_only_as_it_was_made() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        folder.replace("file", b"text").unwrap();
        assert!(folder.holds("file", b"text").unwrap());
        assert!(!folder.holds("file", b"test").unwrap());
        assert!(!folder.holds("file", b"texts").unwrap());
        fs::hard_link(dir.path().join("file"), dir.path().join("second")).unwrap();
        assert!(!folder.holds("file", b"text").unwrap());
        symlink("second", dir.path().join("link")).unwrap();
        assert!(folder.holds("link", b"text").is_err());
    }

    #[test]
    fn what_is_swapped_changes_places_between_folders() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let (here, there) = (
            folder.enter("here").unwrap(),
            folder.enter("there").unwrap(),
        );
        here.enter("a").unwrap().replace("f", b"a").unwrap();
        there.enter("b").unwrap().replace("f", b"b").unwrap();
        here.swap("a", &there, "b").unwrap();
        assert_eq!(here.enter("a").unwrap().read("f", 9).unwrap(), b"b");
        assert_eq!(there.enter("b").unwrap().read("f", 9).unwrap(), b"a");
        assert!(here.swap("none", &there, "b").is_err());
    }
}
