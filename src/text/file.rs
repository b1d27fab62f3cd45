//! The one reader of small files that anybody may have written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum NotRead {
    /// The system refuses it.
    #[error("cannot be read: {0}")]
    System(#[from] io::Error),
    /// A folder, FIFO, device or the like.
    #[error("is no regular file")]
    NoFile,
    /// It holds more than was asked for.
    #[error("is larger than {}", size(*.0))]
    TooLarge(u64),
}

/// The whole of a regular file of at most `most` bytes. Never waits for the writer of a FIFO.
pub fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, NotRead> {
    // Asked before opening, since some devices act on that, and after it, since what stands there
    // may be another by then.
    let meta = fs::metadata(path)?;
    if !meta.is_file() {
        return Err(NotRead::NoFile);
    }
    let file = open_without_waiting(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(NotRead::NoFile);
    }
    if meta.len() > most {
        return Err(NotRead::TooLarge(most));
    }
    // One more, so that the end is seen without asking for more memory.
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(NotRead::TooLarge(most));
    }
    Ok(bytes)
}

/// Opens a file to be read; what stands there may have become a FIFO since it was looked at.
#[cfg(unix)]
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    // Of a regular file this changes nothing.
    let flags = nix::libc::O_NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Opens a file to be read.
#[cfg(not(unix))]
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

fn size(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{} KiB", bytes >> 10),
        mebibytes => format!("{mebibytes} MiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::{NotRead, fs, read_at_most};

    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let refused = |most| read_at_most(&path, most).unwrap_err().to_string();
        assert!(refused(9).starts_with("cannot be read: "), "{}", refused(9));
        fs::write(&path, "four").unwrap();
        assert_eq!(read_at_most(&path, 4).unwrap(), b"four");
        assert!(matches!(read_at_most(&path, 3), Err(NotRead::TooLarge(3))));
        fs::write(&path, vec![0; 3 << 20]).unwrap();
        assert_eq!(refused(2 << 20), "is larger than 2 MiB");
        assert_eq!(refused(2 << 10), "is larger than 2 KiB");
        let folder = read_at_most(dir.path(), 9).unwrap_err();
        assert_eq!(folder.to_string(), "is no regular file");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(matches!(read_at_most(&fifo, 9), Err(NotRead::NoFile)));
        // What claims to be empty and is not.
        let cmdline = read_at_most("/proc/self/cmdline".as_ref(), 9);
        assert!(matches!(cmdline, Err(NotRead::TooLarge(9))));
    }
}
