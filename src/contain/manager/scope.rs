//! The scope itself.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use zbus::Variant;

use super::bus::{Bus, BusError, Method};
use super::bus_of;
use crate::contain::cgroup::{give_controllers, own_folder};
use crate::contain::obstacle::Obstacle;
use crate::contain::processes::ProcessKey;

/// How long we wait until the manager has moved us.
const PATIENCE: Duration = Duration::from_secs(2);
/// Where we are ourselves: a folder that has processes gives none below it a controller.
const OWN: &str = "check";

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Who asks.
    pub run: ProcessKey,
    /// What `XDG_RUNTIME_DIR` says.
    pub runtime: Option<&'a Path>,
}

/// A scope that we are in.
#[derive(Debug)]
pub struct Scope {
    /// The unit's name.
    pub unit: String,
}

impl Scope {
    /// Moves us into a new one whose controllers the folders of checks get.
    pub fn enter(asked: Asked<'_>) -> Result<Self, Obstacle> {
        let uid = nix::unistd::geteuid().as_raw();
        let socket = bus_of(uid, asked.runtime)?;
        let who = if uid == 0 {
            "the system manager"
        } else {
            "the user manager"
        };
        let failed = |error: &dyn std::fmt::Display| {
            Obstacle::NoManager(format!("{who} gave no cgroup ({error})"))
        };
        let unit = name(asked.run);
        start(&socket, &unit, asked.run.pid).map_err(|error| failed(&error))?;
        let folder = moved(&unit).map_err(|error| failed(&error))?;
        settle(&folder).map_err(|error| failed(&error))?;
        Ok(Self { unit })
    }
}

/// It says whose it is, and is no other's while that lives.
fn name(run: ProcessKey) -> String {
    format!("check-{}-{}.scope", run.pid, run.start_time)
}

/// What the manager is told of a scope with the process `pid` in it.
fn properties(pid: u32) -> Vec<(&'static str, Variant<'static>)> {
    vec![
        ("Description", Variant::from("check and what it runs")),
        ("PIDs", Variant::from(vec![pid])),
        // What is in it is ours to divide, and the files of its cgroup are ours.
        ("Delegate", Variant::from(true)),
        // Nothing of it stays when we are gone, however it ended.
        ("CollectMode", Variant::from("inactive-or-failed")),
        ("TimeoutStopUSec", Variant::from(5_000_000_u64)),
    ]
}

fn start(socket: &Path, unit: &str, pid: i32) -> Result<(), BusError> {
    let mut bus = Bus::connect(socket)?;
    bus.hello()?;
    let method = Method {
        destination: "org.freedesktop.systemd1",
        path: "/org/freedesktop/systemd1",
        interface: "org.freedesktop.systemd1.Manager",
        member: "StartTransientUnit",
    };
    let others: Vec<(String, Vec<(String, Variant<'_>)>)> = Vec::new();
    let asked = (unit, "fail", properties(pid.cast_unsigned()), others);
    let (_job,): (zbus::OwnedObjectPath,) = bus.call(method, &asked)?;
    Ok(())
}

/// The scope's folder, once we are in it.
fn moved(unit: &str) -> io::Result<PathBuf> {
    let give_up = Instant::now() + PATIENCE;
    loop {
        let folder = own_folder().filter(|folder| folder.ends_with(unit));
        if let Some(folder) = folder {
            return Ok(folder);
        }
        if Instant::now() > give_up {
            return Err(io::Error::other("it did not move check there"));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Makes room in `folder` for others beside us.
fn settle(folder: &Path) -> io::Result<()> {
    let own = folder.join(OWN);
    fs::create_dir(&own)?;
    fs::write(own.join("cgroup.procs"), "0")?;
    if give_controllers(folder) {
        Ok(())
    } else {
        Err(io::Error::other("its cgroup has not all controllers"))
    }
}

#[cfg(test)]
mod tests {
    use zbus::Variant;

    use super::{ProcessKey, name, properties};

    #[test]
    fn a_scope_is_ours_to_divide_and_leaves_nothing() {
        let asked = properties(77);
        let of = |wanted: &str| {
            asked
                .iter()
                .find(|(name, _)| *name == wanted)
                .map(|(_, v)| v)
        };
        assert_eq!(of("PIDs"), Some(&Variant::from(vec![77_u32])));
        assert_eq!(of("Delegate"), Some(&Variant::from(true)));
        assert_eq!(
            of("CollectMode"),
            Some(&Variant::from("inactive-or-failed"))
        );
        let run = ProcessKey {
            pid: 77,
            start_time: 5,
        };
        assert_eq!(name(run), "check-77-5.scope");
    }
}
