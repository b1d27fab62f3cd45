//! What a check may see, reach and use up: decided before it is started, enforced by `contain`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Limits, Network};

/// The whole of it, for one launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// The file system as the check sees it.
    pub view: View,
    /// Whether it has the host's network.
    pub network: Network,
    /// What it may use up as a whole.
    pub limits: Limits,
    /// Nothing is to be started that does not have all of it.
    pub required: bool,
}

/// The file system as a check sees it. All of it is read-only but for what is [`View::writable`].
/// Every path is absolute, has no link in it, and exists.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct View {
    /// Folders in whose place an empty one stands.
    pub hidden: Vec<PathBuf>,
    /// Files and folders below a hidden one that are there all the same, read-only.
    pub shown: Vec<PathBuf>,
    /// Folders below a hidden one that the check may write to, and that are afterwards as they were.
    pub layered: Vec<PathBuf>,
    /// Folders that may be written; below a hidden one too.
    pub writable: Vec<PathBuf>,
    /// Files and folders below a writable one that may not be written.
    pub frozen: Vec<PathBuf>,
    /// An empty folder, the check's own, which stands for `/tmp` and `/var/tmp`.
    pub temp: PathBuf,
    /// Whether the real home cannot be hidden: it is in the tree that the check works on.
    pub holds_home: bool,
}
