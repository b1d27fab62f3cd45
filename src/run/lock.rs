//! One run a root at a time: a lock on the root folder itself, so that nothing is left behind
//! when its holder dies, however it dies.
//!
//! The lock is the kernel's, and on a folder it is the kernel's alone: a file system that lies on
//! another machine is not asked (Ceph's is), so that machine's runs are not seen from here.

use std::io;
use std::path::Path;

/// Why a folder is not ours.
#[derive(Debug)]
pub enum LockError {
    /// Another process holds it.
    Busy,
    /// It cannot be locked at all here.
    Unsupported(io::Error),
}

/// Held while it lives.
#[derive(Debug)]
pub struct FolderLock {
    _held: platform::Held,
}

impl FolderLock {
    /// Takes the lock on `folder`, or says at once why not.
    pub fn take(folder: &Path) -> Result<Self, LockError> {
        platform::take(folder).map(|held| Self { _held: held })
    }
}

/// The process that holds the lock on `folder`, as the kernel names it; `None` where it does not
/// say, as for a holder in a PID namespace that cannot be seen from this one.
pub fn holder_of(folder: &Path) -> Option<u32> {
    platform::holder_of(folder)
}

/// Whether a lock on `folder` was taken by a process that has ended. Then a fork of it holds it on,
/// which is just becoming another program and lets go of it with that.
pub fn is_left_over(folder: &Path) -> bool {
    holder_of(folder).is_some_and(platform::has_ended)
}

#[cfg(unix)]
mod platform {
    use std::fs::{self, File};
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    use nix::errno::Errno;
    use nix::fcntl::{Flock, FlockArg};
    use nix::sys::stat::{major, minor};

    use super::LockError;

    pub type Held = Flock<File>;

    pub fn take(folder: &Path) -> Result<Held, LockError> {
        // Close-on-exec, as every file of the standard library: no child holds the lock on.
        let folder = File::open(folder).map_err(LockError::Unsupported)?;
        Flock::lock(folder, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| {
            if errno == Errno::EWOULDBLOCK {
                LockError::Busy
            } else {
                LockError::Unsupported(errno.into())
            }
        })
    }

    pub fn holder_of(folder: &Path) -> Option<u32> {
        let meta = fs::metadata(folder).ok()?;
        let (device, inode) = (meta.dev(), meta.ino());
        let file = format!("{:02x}:{:02x}:{inode}", major(device), minor(device));
        let locks = fs::read_to_string("/proc/locks").ok()?;
        locks.lines().find_map(|line| holder_in(line, &file))
    }

    pub fn has_ended(pid: u32) -> bool {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
        state.is_empty() || state.starts_with(['Z', 'X'])
    }

    /// The process in a line of `/proc/locks` (proc(5)) that says that `file` is locked by flock(2).
    /// A line with an arrow is one that waits.
    pub fn holder_in(line: &str, file: &str) -> Option<u32> {
        let mut words = line.split_ascii_whitespace().skip(1);
        let mut next = || words.next();
        let (kind, _, access, pid) = (next()?, next()?, next()?, next()?);
        let is_it = kind == "FLOCK" && access == "WRITE" && next()? == file;
        is_it.then(|| pid.parse().ok()).flatten()
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

    pub fn take(folder: &Path) -> Result<Held, LockError> {
        // Shared for reading alone: a second run asks to write and is refused.
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .share_mode(1)
            .custom_flags(BACKUP_SEMANTICS)
            .open(folder);
        opened.map_err(|error| match error.raw_os_error() {
            Some(SHARING_VIOLATION) => LockError::Busy,
            _ => LockError::Unsupported(error),
        })
    }

    pub fn holder_of(_folder: &Path) -> Option<u32> {
        None
    }

    pub fn has_ended(_pid: u32) -> bool {
        false
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::platform::holder_in;
    use super::{FolderLock, LockError, holder_of, is_left_over};

    #[test]
    fn a_second_run_is_refused_until_the_first_is_over() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(holder_of(dir.path()), None);
        let held = FolderLock::take(dir.path()).unwrap();
        assert!(matches!(FolderLock::take(dir.path()), Err(LockError::Busy)));
        if cfg!(target_os = "linux") {
            assert_eq!(holder_of(dir.path()), Some(std::process::id()));
        }
        drop(held);
        assert!(FolderLock::take(dir.path()).is_ok());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_lock_that_a_dead_process_took_is_told_from_one_of_the_living() {
        use std::io::Read as _;
        use std::process::{Command, Stdio};
        let dir = tempfile::tempdir().unwrap();
        let held = FolderLock::take(dir.path()).unwrap();
        assert!(!is_left_over(dir.path()));
        drop(held);
        assert!(!is_left_over(dir.path()));
        // flock(1) takes it and ends; the shell holds on what it took.
        let mut shell = Command::new("sh")
            .args(["-c", "exec 9< \"$1\"; flock 9; echo held; read line", "sh"])
            .arg(dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut word = [0; 5];
        shell.stdout.take().unwrap().read_exact(&mut word).unwrap();
        assert!(is_left_over(dir.path()));
        assert!(matches!(FolderLock::take(dir.path()), Err(LockError::Busy)));
        drop(shell.stdin.take());
        shell.wait().unwrap();
        assert!(FolderLock::take(dir.path()).is_ok());
    }

    #[test]
    fn only_a_lock_of_this_kind_on_this_very_file_names_its_holder() {
        let of = |line| holder_in(line, "fe:00:77");
        assert_eq!(of("1: FLOCK  ADVISORY  WRITE 42 fe:00:77 0 EOF"), Some(42));
        for other in [
            "1: FLOCK  ADVISORY  WRITE 42 fe:00:777 0 EOF",
            "1: FLOCK  ADVISORY  WRITE 42 fe:01:77 0 EOF",
            "1: FLOCK  ADVISORY  READ  42 fe:00:77 0 EOF",
            "1: POSIX  ADVISORY  WRITE 42 fe:00:77 0 EOF",
            "1: -> FLOCK  ADVISORY  WRITE 42 fe:00:77 0 EOF",
            "1: FLOCK  ADVISORY  WRITE -1 fe:00:77 0 EOF",
            "1: FLOCK  ADVISORY",
            "",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
