//! What homes and the folders that they are in are called.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::launch::Caller;

/// What the name of a user's folder of homes begins with.
const USER: &str = "check-";
/// What the name of a home that stands in for the stable one begins with.
const FRESH: &str = "check-home-";

/// Whether `home` is one that a check of `root` gets, stable or fresh: whoever has it was started
/// by such a check. Only names are compared: a check need not see the temp folder that its home was
/// made in, and may have become another user.
pub fn is_home_of(home: &Path, root: &Path) -> bool {
    let hash = name_of(root);
    let name = |path: Option<&Path>| {
        path.and_then(Path::file_name)
            .unwrap_or_default()
            .to_owned()
    };
    let begins = |name: OsString, with: &str| name.as_encoded_bytes().starts_with(with.as_bytes());
    let parent = home.parent();
    let is_stable = name(parent) == *hash && begins(name(parent.and_then(Path::parent)), USER);
    is_stable || begins(name(Some(home)), &format!("{FRESH}{hash}-"))
}

/// The names for one root.
pub struct Names {
    /// Of the user's folder, in the temp folder.
    pub user: String,
    /// Of the root's folder, in that.
    pub root: String,
    /// Of the folder of its spares, beside that.
    pub spares: String,
    /// With what a home begins that is in the temp folder itself.
    pub fresh: String,
}

impl Names {
    /// Those for `root`.
    pub fn new(caller: &Caller, root: &Path) -> Self {
        let root = name_of(root);
        Self {
            user: format!("{USER}{}", caller.uid()),
            spares: format!("spare-{root}"),
            fresh: format!("{FRESH}{root}-"),
            root,
        }
    }
}

/// What stands for `root` in names: 16 hex digits.
fn name_of(root: &Path) -> String {
    let mut hash = String::with_capacity(16);
    for byte in &Sha256::digest(root.as_os_str().as_encoded_bytes())[..8] {
        // Writing to a string cannot fail.
        let _ = write!(hash, "{byte:02x}");
    }
    hash
}
