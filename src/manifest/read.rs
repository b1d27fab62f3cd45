//! The bytes of a manifest, read once: what is judged by, hashed and shown is one copy.

use std::fs;
use std::io;
use std::path::Path;

use crate::model::Diagnostic;
use crate::text::{NotRead, read_at_most, sha256_hex};

/// Larger files are refused.
pub const MAX_BYTES: u64 = 16 << 20;

/// A file's bytes and their digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// As read.
    pub bytes: Vec<u8>,
    /// In hex.
    pub sha256: String,
}

impl Source {
    /// `bytes` with their digest.
    pub fn new(bytes: Vec<u8>) -> Self {
        let sha256 = sha256_hex(&bytes);
        Self { bytes, sha256 }
    }
}

/// Reads `file`, a regular file of at most [`MAX_BYTES`].
pub fn read(file: &Path) -> Result<Source, Vec<Diagnostic>> {
    let refuse = |message: &str, hint: Option<&str>| {
        let path = file.display().to_string();
        vec![Diagnostic::of_file(path, message, hint.map(str::to_owned))]
    };
    let failed = |error: &io::Error| {
        if error.kind() != io::ErrorKind::NotFound {
            refuse(&format!("cannot be read: {error}"), None)
        } else if let Ok(target) = fs::read_link(file) {
            let target = target.display();
            refuse(&format!("is a link to {target}, which is not there"), None)
        } else {
            refuse("no such file", Some("name one that is there"))
        }
    };
    let bytes = read_at_most(file, MAX_BYTES).map_err(|error| match error {
        NotRead::System(error) => failed(&error),
        NotRead::NoFile if file.is_dir() => {
            refuse("is a folder, not a file", Some("name the manifest in it"))
        }
        NotRead::NoFile => refuse("is no regular file", None),
        NotRead::TooLarge(_) => refuse(
            "is larger than 16 MiB",
            Some("a manifest is written by hand"),
        ),
    })?;
    Ok(Source::new(bytes))
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, read};
    use std::fs::{self, File};

    #[test]
    fn what_is_no_readable_file_is_told_in_words() {
        let dir = tempfile::tempdir().unwrap();
        let message = |name: &str| read(&dir.path().join(name)).unwrap_err()[0].message.clone();
        assert_eq!(message("none"), "no such file");
        assert_eq!(message("."), "is a folder, not a file");
        File::create(dir.path().join("big"))
            .unwrap()
            .set_len(MAX_BYTES + 1)
            .unwrap();
        assert_eq!(message("big"), "is larger than 16 MiB");
        File::create(dir.path().join("most"))
            .unwrap()
            .set_len(MAX_BYTES)
            .unwrap();
        assert_eq!(
            read(&dir.path().join("most")).unwrap().bytes.len() as u64,
            MAX_BYTES
        );
        fs::write(dir.path().join("ok"), "{}").unwrap();
        let source = read(&dir.path().join("ok")).unwrap();
        assert_eq!(&source.sha256[..8], "44136fa3");
    }

    #[cfg(unix)]
    #[test]
    fn a_fifo_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert_eq!(read(&fifo).unwrap_err()[0].message, "is no regular file");
    }
}
