//! One run a root at a time: a lock on the root folder itself, so that nothing is left behind
//! when its holder dies, however it dies.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Who runs here, as the holder wrote it into the state folder. Only ever shown: the lock is what
/// decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// Milliseconds since 1970.
    pub started_ms: u64,
    /// The check it launched last.
    pub check: Option<String>,
}

/// Why the root is not ours.
#[derive(Debug)]
pub enum LockError {
    /// Another run holds it.
    Busy,
    /// It cannot be locked at all here.
    Unsupported(io::Error),
}

/// Held while it lives.
#[derive(Debug)]
pub struct RootLock {
    _held: platform::Held,
}

impl RootLock {
    /// Takes the lock on `root`, or says at once why not.
    pub fn take(root: &Path) -> Result<Self, LockError> {
        platform::take(root).map(|held| Self { _held: held })
    }
}

#[cfg(unix)]
mod platform {
    use std::fs::File;
    use std::path::Path;

    use nix::errno::Errno;
    use nix::fcntl::{Flock, FlockArg};

    use super::LockError;

    pub type Held = Flock<File>;

    pub fn take(root: &Path) -> Result<Held, LockError> {
        // Close-on-exec, as every file of the standard library: no child holds the lock on.
        let folder = File::open(root).map_err(LockError::Unsupported)?;
        Flock::lock(folder, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| {
            if errno == Errno::EWOULDBLOCK {
                LockError::Busy
            } else {
                LockError::Unsupported(errno.into())
            }
        })
    }
}

#[cfg(windows)]
mod platform {
    use std::fs::{File, OpenOptions};
    use std::os::windows::fs::OpenOptionsExt as _;
    use std::path::Path;

    use super::LockError;

    pub type Held = File;

    /// A folder is opened with this flag only (`FILE_FLAG_BACKUP_SEMANTICS`).
    const BACKUP_SEMANTICS: u32 = 0x0200_0000;
    /// Another handle with other sharing (`ERROR_SHARING_VIOLATION`).
    const SHARING_VIOLATION: i32 = 32;

    pub fn take(root: &Path) -> Result<Held, LockError> {
        // Shared for reading alone: a second run asks to write and is refused.
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .share_mode(1)
            .custom_flags(BACKUP_SEMANTICS)
            .open(root);
        opened.map_err(|error| match error.raw_os_error() {
            Some(SHARING_VIOLATION) => LockError::Busy,
            _ => LockError::Unsupported(error),
        })
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{LockError, RootLock};

    #[test]
    fn a_second_run_is_refused_until_the_first_is_over() {
        let dir = tempfile::tempdir().unwrap();
        let held = RootLock::take(dir.path()).unwrap();
        assert!(matches!(RootLock::take(dir.path()), Err(LockError::Busy)));
        drop(held);
        assert!(RootLock::take(dir.path()).is_ok());
    }
}
