//! From what a check is to see to what Landlock has to allow for it, where no mounts can be made.
//! Nothing here touches the file system; `ruleset` does as it is told.
//!
//! Landlock only allows, and what it allows of a folder it allows of all below it; see landlock(7).
//! So a folder on the way to a hidden one is itself not allowed, but each of its entries is, and
//! what is put beside those later is not seen.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::model::View;

/// Where programs put what is only theirs. No other folder can stand for them, so they stay open.
const TEMPS: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];
const DEVICES: &str = "/dev";
/// What root is left of `/dev`: as the owner of disks it could read every home from them.
const HARMLESS: [&str; 8] = [
    "/dev/full",
    "/dev/null",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/random",
    "/dev/tty",
    "/dev/urandom",
    "/dev/zero",
];

/// What may be done with a place and all below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// Its folders are listed.
    List,
    /// And its files are read and executed.
    Read,
    /// And its devices are written and controlled, but nothing is made or removed.
    Use,
    /// Everything.
    Change,
}

/// One thing that is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// A folder, a file or a device.
    pub path: PathBuf,
    /// What may be done there.
    pub right: Right,
}

/// What is in folders, asked of the host.
pub trait Listing {
    /// The paths of all in `folder` that is no link, in any order. Where a link leads is a place of
    /// its own.
    /// `None` where it cannot be listed.
    fn entries(&self, folder: &Path) -> Option<Vec<PathBuf>>;
}

/// All that is allowed to who is to see `view`. `root`: no owner of a device keeps it out. `None`
/// where `/` itself is closed to us, as it is inside another fence: the system cannot be named then.
///
/// What is frozen is not: to keep one name in the top of the tree from being written, no other
/// could be made there. What is layered is written to, since tools do nothing else with it.
pub fn gates(view: &View, root: bool, listing: &dyn Listing) -> Option<Vec<Gate>> {
    let mut fence = Fence {
        view,
        root,
        listing,
        gates: Vec::new(),
    };
    fence.enter(Path::new("/"))?;
    for temp in TEMPS {
        fence.open(temp, Right::Change);
    }
    for path in &view.shown {
        fence.open(path, Right::Read);
    }
    for path in view.layered.iter().chain(&view.writable) {
        fence.open(path, Right::Change);
    }
    Some(fence.gates)
}

struct Fence<'a> {
    view: &'a View,
    root: bool,
    listing: &'a dyn Listing,
    gates: Vec<Gate>,
}

impl Fence<'_> {
    fn open(&mut self, path: impl AsRef<Path>, right: Right) {
        let path = path.as_ref().to_owned();
        self.gates.push(Gate { path, right });
    }

    /// Opens what is in a folder that is on the way to a hidden one.
    fn enter(&mut self, folder: &Path) -> Option<()> {
        let entries: BTreeSet<PathBuf> = self.listing.entries(folder)?.into_iter().collect();
        for entry in entries {
            let hidden = &self.view.hidden;
            let is_hidden = hidden.contains(&entry);
            let is_on_the_way = hidden.iter().any(|path| path.starts_with(&entry));
            let is_temp = TEMPS.iter().any(|temp| entry == Path::new(temp));
            if is_hidden || is_temp {
                // Opened on their own, or not at all.
            } else if entry == Path::new(DEVICES) {
                self.open_devices();
            } else if is_on_the_way {
                // Nobody names what is in a folder that nobody can list.
                let _ = self.enter(&entry);
            } else {
                self.open(entry, Right::Read);
            }
        }
        Some(())
    }

    fn open_devices(&mut self) {
        if !self.root {
            // Their owners and modes say who may use them, with Landlock as without.
            return self.open(DEVICES, Right::Use);
        }
        self.open(DEVICES, Right::List);
        for device in HARMLESS {
            self.open(device, Right::Use);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Gate, Listing, Right, gates};
    use crate::model::View;

    /// These and the folders that they are in.
    struct Paths(&'static [&'static str]);

    impl Listing for Paths {
        fn entries(&self, folder: &Path) -> Option<Vec<PathBuf>> {
            let paths = self.0.iter().map(Path::new);
            let entry = |path: &Path| {
                let name = path.strip_prefix(folder).ok()?.components().next()?;
                Some(folder.join(name))
            };
            let entries: Vec<PathBuf> = paths.filter_map(entry).collect();
            (!entries.is_empty()).then_some(entries)
        }
    }

    const HOST: Paths = Paths(&[
        "/dev/null",
        "/etc/passwd",
        "/home/ada/.ssh/id",
        "/proc/version",
        "/root/.profile",
        "/run/user",
        "/srv/homes/bob/.ssh",
        "/srv/homes/eve/notes",
        "/srv/www/index",
        "/tmp/x",
        "/usr/bin/sh",
    ]);

    fn view() -> View {
        View {
            hidden: ["/home", "/root", "/run", "/srv/homes/bob"]
                .map(Into::into)
                .to_vec(),
            shown: vec!["/srv/homes/bob/.cargo/bin".into()],
            layered: vec!["/srv/homes/bob/.m2".into()],
            writable: vec!["/srv/homes/bob/tree".into(), "/tmp/check-1/home".into()],
            frozen: vec!["/srv/homes/bob/tree/harness.json".into()],
            ..View::default()
        }
    }

    fn gate(path: &str, right: Right) -> Gate {
        let path = path.into();
        Gate { path, right }
    }

    #[test]
    fn what_is_beside_the_way_to_a_hidden_folder_is_open_and_the_way_is_not() {
        assert_eq!(
            gates(&view(), false, &HOST).unwrap(),
            [
                gate("/dev", Right::Use),
                gate("/etc", Right::Read),
                gate("/proc", Right::Read),
                gate("/srv/homes/eve", Right::Read),
                gate("/srv/www", Right::Read),
                gate("/usr", Right::Read),
                gate("/tmp", Right::Change),
                gate("/var/tmp", Right::Change),
                gate("/dev/shm", Right::Change),
                gate("/srv/homes/bob/.cargo/bin", Right::Read),
                gate("/srv/homes/bob/.m2", Right::Change),
                gate("/srv/homes/bob/tree", Right::Change),
                gate("/tmp/check-1/home", Right::Change),
            ]
        );
    }

    #[test]
    fn where_the_top_is_closed_there_is_no_fence() {
        assert_eq!(gates(&view(), false, &Paths(&[])), None);
    }

    #[test]
    fn root_is_left_no_disk() {
        let gates = gates(&view(), true, &HOST).unwrap();
        assert!(gates.contains(&gate("/dev", Right::List)));
        assert!(gates.contains(&gate("/dev/null", Right::Use)));
        assert!(!gates.contains(&gate("/dev", Right::Use)));
    }

    #[test]
    fn temporary_folders_stay_open_with_a_home_in_them() {
        let view = View {
            hidden: vec!["/tmp/home".into()],
            ..View::default()
        };
        let gates = gates(&view, false, &HOST).unwrap();
        assert!(gates.contains(&gate("/tmp", Right::Change)));
        assert!(!gates.contains(&gate("/tmp/x", Right::Read)));
        // Nothing of it is on the way to what cannot be hidden.
        assert!(gates.contains(&gate("/home", Right::Read)));
    }
}
