//! What a path holds, as part of a tree's digest.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::patience::{GitError, Patience};
use crate::text::open_without_waiting;

/// What is read of a file at a time.
const CHUNK: usize = 64 * 1024;

/// Adds one path, its kind, and the digest of its content: each of known length, so that no two
/// trees read alike.
pub(super) fn add(
    digest: &mut Sha256,
    top: &Path,
    path: &[u8],
    patience: Patience<'_>,
) -> Result<(), GitError> {
    digest.update((path.len() as u64).to_le_bytes());
    digest.update(path);
    let go_on = || !patience.is_over();
    let seen = native(path).and_then(|path| content(&top.join(path), &go_on).ok());
    if patience.is_over() {
        return Err(GitError::CalledOff);
    }
    let (kind, content) = seen.unwrap_or((b"gone", Sha256::new()));
    digest.update(kind);
    digest.update(content.finalize());
    Ok(())
}

/// Kind and content, of which nothing more is read where it is no longer wanted. Only regular
/// files are opened: a FIFO would wait for its writer.
fn content(path: &Path, go_on: &dyn Fn() -> bool) -> io::Result<(&'static [u8; 4], Sha256)> {
    let mut digest = Sha256::new();
    let meta = fs::symlink_metadata(path)?;
    if meta.is_symlink() {
        let target = fs::read_link(path)?;
        digest.update(target.as_os_str().as_encoded_bytes());
        return Ok((b"link", digest));
    }
    if !meta.is_file() {
        return Ok((b"else", digest));
    }
    let mut file = open_without_waiting(path)?;
    let mut chunk = vec![0; CHUNK];
    while go_on() {
        let read = file.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        digest.update(&chunk[..read]);
    }
    let kind = if is_executable(&meta) {
        b"prog"
    } else {
        b"file"
    };
    Ok((kind, digest))
}

#[cfg(unix)]
fn is_executable(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    meta.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

/// A path as git has it, as the system has it.
#[cfg(unix)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "elsewhere not every path can be had"
)]
pub(super) fn native(path: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(path)))
}

/// A path as git has it, as the system has it.
#[cfg(not(unix))]
pub(super) fn native(path: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(path).ok().map(PathBuf::from)
}
