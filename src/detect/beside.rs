//! The files that a family's first file includes or imports: read within bounds, whatever names
//! what.

use std::path::Path;

use crate::text::read_at_most;

/// How many names are looked up and files read.
const MAX_LOOKS: usize = 256;

/// Larger ones are not read.
const MAX_FILE: u64 = 1 << 20;

/// No more than this is read of all of them.
const MAX_BYTES: u64 = 16 << 20;

/// What may still be looked up and read.
#[derive(Debug)]
pub(super) struct Beside {
    looks_left: usize,
    bytes_left: u64,
}

impl Beside {
    /// Nothing has been looked up.
    pub(super) fn new() -> Self {
        Self {
            looks_left: MAX_LOOKS,
            bytes_left: MAX_BYTES,
        }
    }

    /// Whether one more look may be taken, which this counts.
    pub(super) fn may_look(&mut self) -> bool {
        let left = self.looks_left.checked_sub(1);
        self.looks_left = left.unwrap_or_default();
        left.is_some()
    }

    /// The text of `file`; what is not UTF-8 becomes U+FFFD.
    pub(super) fn text(&mut self, file: &Path) -> Option<String> {
        let bytes = read_at_most(file, MAX_FILE.min(self.bytes_left)).ok()?;
        self.bytes_left -= bytes.len() as u64;
        let lossy = |error: std::string::FromUtf8Error| {
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        };
        Some(String::from_utf8(bytes).unwrap_or_else(lossy))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Beside, MAX_BYTES, MAX_FILE, MAX_LOOKS};

    #[test]
    fn all_of_them_together_are_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        let mut beside = Beside::new();
        fs::write(&file, vec![b'x'; usize::try_from(MAX_FILE).unwrap() + 1]).unwrap();
        assert_eq!(beside.text(&file), None);
        fs::write(&file, b"a\xff").unwrap();
        assert_eq!(beside.text(&file).unwrap(), "a\u{fffd}");
        fs::write(&file, vec![b'x'; usize::try_from(MAX_FILE).unwrap()]).unwrap();
        let read = std::iter::from_fn(|| beside.text(&file)).count() as u64;
        assert_eq!(read, MAX_BYTES / MAX_FILE - 1);
        let looks = std::iter::from_fn(|| beside.may_look().then_some(())).count();
        assert_eq!(looks, MAX_LOOKS);
    }
}
