//! Landlock's rulesets: what `fence` allows, told to the kernel, and a process held to it. See
//! landlock(7).

use std::fs;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::path::{Path, PathBuf};

use ::landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, Scope,
};
use nix::errno::Errno;
use nix::libc;

use super::StartError;
use super::fence::{self, Gate, Listing, Right};
use crate::model::View;

/// The least that serves: under the first no file can be moved from one folder to another, and
/// checks would fail for that alone. Linux 5.19.
const LEAST: ABI = ABI::V2;
/// The newest that this was tried with. What a kernel does not know is left out. Linux 6.15.
const NEWEST: ABI = ABI::V7;
/// The system call where the C library's headers do not have it; the same number everywhere.
const SYS_LANDLOCK_RESTRICT_SELF: libc::c_long = 446;

/// What the kernel allows to who is held to it.
pub struct Held {
    ruleset: OwnedFd,
}

impl Held {
    /// To hold a process to what `view` says; `None` where this kernel has no Landlock that serves,
    /// or where it is held already.
    pub fn to(view: &View) -> Result<Option<Self>, StartError> {
        let begun = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(LEAST));
        let root = nix::unistd::geteuid().is_root();
        let gates = fence::gates(view, root, &Host);
        let (Ok(begun), Some(gates)) = (begun, gates) else {
            return Ok(None);
        };
        let system = |error: RulesetError| StartError::System {
            what: "hold its files by Landlock",
            source: std::io::Error::other(error),
        };
        let mut ruleset = begun
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(NEWEST))
            .and_then(|begun| begun.scope(Scope::from_all(NEWEST)))
            .and_then(Ruleset::create)
            .map_err(system)?;
        for Gate { path, right } in gates {
            // What cannot be reached need not be allowed.
            if let Ok(place) = PathFd::new(&path) {
                let rule = PathBeneath::new(place, rights(right));
                ruleset = ruleset.add_rule(rule).map_err(system)?;
            }
        }
        let ruleset: Option<OwnedFd> = ruleset.into();
        Ok(ruleset.map(|ruleset| Self { ruleset }))
    }

    /// For [`hold`].
    pub fn descriptor(&self) -> RawFd {
        self.ruleset.as_raw_fd()
    }
}

/// In the kernel's words. Of a file, only those that a file can have are used.
fn rights(right: Right) -> BitFlags<AccessFs> {
    match right {
        Right::List => AccessFs::ReadDir.into(),
        Right::Read => AccessFs::from_read(NEWEST),
        Right::Use => {
            let write = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
            AccessFs::from_read(NEWEST) | write
        }
        Right::Change => AccessFs::from_all(NEWEST),
    }
}

/// Holds the calling process to a ruleset, and all that it starts. Where it is held to as many as
/// the kernel keeps already, nothing changes.
///
/// # Safety
///
/// Only system calls are made.
pub unsafe fn hold(ruleset: RawFd) -> Result<(), Errno> {
    // SAFETY: the calls take integers.
    let held = unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 {
            return Err(Errno::last());
        }
        libc::syscall(SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0)
    };
    match Errno::result(held) {
        Ok(_) | Err(Errno::E2BIG) => Ok(()),
        Err(errno) => Err(errno),
    }
}

/// The file system as we see it.
struct Host;

impl Listing for Host {
    fn entries(&self, folder: &Path) -> Option<Vec<PathBuf>> {
        let entries = fs::read_dir(folder).ok()?;
        let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let entries = entries.flatten().filter(|entry| !is_link(entry));
        Some(entries.map(|entry| entry.path()).collect())
    }
}
