//! Where `check` is made to run: with cgroups to be had and without.

use std::ffi::CString;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

use crate::support::{can_unshare, is_root, not_tested};

/// How `check` tells a check's processes apart, as its verdict calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mechanism {
    /// A cgroup for each check.
    Cgroup,
    /// Sessions, groups, descent and marks.
    ProcessGroup,
    /// Namespaces for each check, with a cgroup where one can be had.
    Namespaces,
}

impl Mechanism {
    /// Those that tests can have here.
    pub fn available() -> Vec<Self> {
        match (can_make_cgroups(), is_root()) {
            (true, true) => vec![Self::Cgroup, Self::ProcessGroup],
            (true, false) => {
                not_tested("hosts without cgroups: hiding them needs root");
                vec![Self::Cgroup]
            }
            (false, _) => {
                not_tested("the cgroup mechanism: no cgroup v2 folder can be made");
                vec![Self::ProcessGroup]
            }
        }
    }

    /// Those for whole runs: what a check's own process ids are is nothing to these.
    pub fn of_runs() -> Vec<Self> {
        let mut all = Self::available();
        if can_unshare(&["-rmnp", "--fork"]) {
            all.push(Self::Namespaces);
        } else {
            not_tested("contained runs: no namespaces can be made here");
        }
        all
    }

    /// Makes `command` run where this is the mechanism.
    pub fn surround(self, command: &mut Command) {
        if self == Self::ProcessGroup && can_make_cgroups() {
            without_cgroups(command);
        }
    }
}

impl fmt::Display for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cgroup => "cgroup",
            Self::ProcessGroup => "process_group",
            Self::Namespaces => "namespaces",
        })
    }
}

/// Makes `command` run where every cgroup v2 tree is read-only.
pub fn without_cgroups(command: &mut Command) {
    let trees: Vec<_> = cgroup2_mounts().iter().map(|path| c_path(path)).collect();
    in_mount_namespace(command, move || {
        for tree in &trees {
            let flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY;
            mount(NONE, tree.as_c_str(), NONE, flags, NONE)?;
        }
        Ok(())
    });
}

/// Absent, for mount(2).
pub const NONE: Option<&std::ffi::CStr> = None;

/// Makes `command` run in a mount namespace of its own, changed by `change`, which may make
/// async-signal-safe calls only. Needs root.
pub fn in_mount_namespace(
    command: &mut Command,
    mut change: impl FnMut() -> nix::Result<()> + Send + Sync + 'static,
) {
    let enter = move || -> io::Result<()> {
        unshare(CloneFlags::CLONE_NEWNS)?;
        mount(
            NONE,
            c"/",
            NONE,
            MsFlags::MS_REC | MsFlags::MS_PRIVATE,
            NONE,
        )?;
        Ok(change()?)
    };
    // SAFETY: unshare(2) and mount(2) are plain system calls on memory prepared before the fork.
    unsafe {
        command.pre_exec(enter);
    }
}

/// A path as system calls take it.
pub fn c_path(path: &Path) -> CString {
    CString::new(path.as_os_str().as_encoded_bytes()).unwrap()
}

/// Whether a cgroup v2 folder can be made below our own.
fn can_make_cgroups() -> bool {
    let trial = cgroup_folder("trial");
    trial.is_some_and(|trial| {
        fs::create_dir(&trial)
            .and_then(|()| fs::remove_dir(&trial))
            .is_ok()
    })
}

/// A cgroup v2 folder below our own that is nobody else's, to be made; `None` without such a tree.
pub fn cgroup_folder(name: &str) -> Option<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let (process, thread) = (std::process::id(), std::thread::current().id());
    let name = format!("check-test-{name}-{process}-{thread:?}");
    Some(cgroup2_mounts().first()?.join(own).join(name))
}

/// Where cgroup v2 trees are mounted.
pub fn cgroup2_mounts() -> Vec<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    mounts
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>())
        .filter(|fields| fields[2] == "cgroup2")
        .map(|fields| PathBuf::from(fields[1]))
        .collect()
}
