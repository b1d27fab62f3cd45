//! A scope of our own, asked of the service manager: a cgroup that is ours to divide among checks,
//! with controllers.
//!
//! `check` itself moves into it, once a run, and makes each check's folder there. So the manager is
//! asked once and not for every check, and a check stays what it is without one: our own child, with
//! its environment, arguments and pipes from us, and an end that the kernel tells. See
//! `org.freedesktop.systemd1(5)` and "Control Group APIs and Delegation" of systemd.

mod bus;
mod caller;
mod name;
mod scope;
mod units;

pub use scope::{Asked, Scope};
pub use units::Units;

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::obstacle::Obstacle;

/// Only a host that was started by systemd has it; see `sd_booted(3)`.
const STARTED_BY_SYSTEMD: &str = "/run/systemd/system";
const SYSTEM_BUS: &str = "/run/dbus/system_bus_socket";

/// The manager that `uid` asks, in words.
fn who(uid: u32) -> &'static str {
    if uid == 0 {
        "the system manager"
    } else {
        "the user manager"
    }
}

/// A method of the manager.
fn manager_method(member: &str) -> bus::Method<'_> {
    bus::Method {
        destination: "org.freedesktop.systemd1",
        path: "/org/freedesktop/systemd1",
        interface: "org.freedesktop.systemd1.Manager",
        member,
    }
}

/// The socket of the bus that our manager is on: the system's for root, else the user's own.
/// `runtime`: what `XDG_RUNTIME_DIR` says.
fn bus_of(uid: u32, runtime: Option<&Path>) -> Result<PathBuf, Obstacle> {
    let missing = |why: &str| Err(Obstacle::NoManager(why.to_owned()));
    if uid == 0 {
        if !Path::new(STARTED_BY_SYSTEMD).is_dir() {
            return missing("no systemd");
        }
        return Ok(SYSTEM_BUS.into());
    }
    let usual = PathBuf::from(format!("/run/user/{uid}"));
    let is_ours = |folder: &&Path| fs::metadata(folder).is_ok_and(|facts| facts.uid() == uid);
    let folders = [runtime, Some(usual.as_path())];
    let Some(folder) = folders.into_iter().flatten().find(is_ours) else {
        return missing("no systemd user manager");
    };
    let socket = folder.join("bus");
    if !socket.exists() {
        return missing("no systemd user manager");
    }
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::{Obstacle, bus_of};

    #[test]
    fn another_users_folder_is_none_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bus"), "").unwrap();
        let uid = nix::unistd::geteuid().as_raw();
        let other = uid.wrapping_add(70_001);
        let words = Obstacle::NoManager("no systemd user manager".to_owned());
        assert_eq!(bus_of(other, Some(folder.path())), Err(words));
        if uid != 0 {
            assert_eq!(
                bus_of(uid, Some(folder.path())),
                Ok(folder.path().join("bus"))
            );
        }
    }
}
