//! By path: another user cannot change what lies in a user's own folders.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What a file or folder was at some time, of which there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stamp {}

impl Stamp {
    /// When something was done to it last.
    pub fn changed(&self) -> SystemTime {
        match *self {}
    }
}

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
    pub fn size_and_time(&self, name: impl AsRef<OsStr>) -> io::Result<Option<(u64, SystemTime)>> {
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

    /// Windows does not say when something was done to a file last.
    pub fn stamp(&self, _place: &Path) -> io::Result<Stamp> {
        Err(io::ErrorKind::Unsupported.into())
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
