//! Files of the root that families are known by: whether they are there, and what they hold.

use std::path::Path;

use super::DetectError;
use crate::model::Diagnostic;
use crate::text::read_at_most;

/// Larger ones are no project's own.
const MAX_BYTES: u64 = 16 << 20;

/// Whether `root` has the file `name`; a link to one is one.
pub(super) fn has_file(root: &Path, name: &str) -> bool {
    root.join(name).is_file()
}

/// The whole of a file that is there.
pub(super) fn read(root: &Path, name: &str) -> Result<Vec<u8>, DetectError> {
    read_at_most(&root.join(name), MAX_BYTES).map_err(|error| unreadable(name, error.to_string()))
}

/// The text of a file that is there, as tools read it that care for ASCII alone: a byte order mark
/// is no text, and what is not UTF-8 becomes U+FFFD.
pub(super) fn read_text(root: &Path, name: &str) -> Result<String, DetectError> {
    let bytes = read(root, name)?;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    Ok(String::from_utf8_lossy(text).into_owned())
}

/// `file` as a whole is what cannot be read.
pub(super) fn unreadable(file: &str, message: String) -> DetectError {
    DetectError::Unreadable(vec![Diagnostic::of_file(file, message, None)])
}
