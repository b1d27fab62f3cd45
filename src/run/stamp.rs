//! A file as told apart from what stood at its path before.

use std::fs::Metadata;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// What changes when a file is replaced or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    size: u64,
    /// Seconds and nanoseconds since 1970; `None` where the file system says nothing, or earlier.
    modified: Option<(u64, u32)>,
    /// 0 where files have no number.
    inode: u64,
}

impl Stamp {
    /// The stamp of the file that `metadata` is of.
    pub fn new(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        Self {
            size: metadata.len(),
            modified: since.map(|since| (since.as_secs(), since.subsec_nanos())),
            inode: inode(metadata),
        }
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(windows)]
fn inode(_metadata: &Metadata) -> u64 {
    0
}
