//! The scope itself.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use zbus::Variant;

use super::bus::{Bus, BusError};
use super::caller::Caller;
use super::name::UnitName;
use super::{bus_of, manager_method};
use crate::contain::cgroup::{give_controllers, is_version_1, own_folder};
use crate::contain::obstacle::Obstacle;
use crate::contain::processes::ProcessKey;

/// How long we wait until the manager, which said that it would, has moved us.
const PATIENCE: Duration = Duration::from_secs(10);
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
    /// Moves us into a new one. The folders of checks in it get what controllers it has.
    pub fn enter(asked: Asked<'_>) -> Result<Self, Obstacle> {
        let uid = nix::unistd::geteuid().as_raw();
        // Where nobody has what we would ask for, we stay where we are.
        if is_version_1() {
            return Err(Obstacle::OldCgroups);
        }
        let socket = bus_of(uid, asked.runtime)?;
        let who = super::who(uid);
        let failed = |error: BusError| Obstacle::NoManager(in_words(who, &error));
        let unit = UnitName(asked.run).to_string();
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let caller = Caller::of(&own, uid);
        start(&socket, &unit, asked.run.pid, &caller).map_err(failed)?;
        let folder = moved(&unit).map_err(|error| failed(error.into()))?;
        settle(&folder).map_err(|error| failed(error.into()))?;
        Ok(Self { unit })
    }
}

/// Completes `checks ran uncontained: …`.
fn in_words(who: &str, error: &BusError) -> String {
    match error {
        BusError::Silent => format!("{who} does not answer"),
        BusError::Elsewhere => format!("{who} is outside of this container"),
        BusError::Refused { .. } | BusError::Broken(_) => {
            format!("{who} gave no cgroup ({error})")
        }
    }
}

/// What the manager is told of a scope with the process `pid` in it.
fn properties(pid: u32, caller: &Caller) -> Vec<(&'static str, Variant<'static>)> {
    let mut properties = vec![
        ("Description", Variant::from("check and what it runs")),
        ("PIDs", Variant::from(vec![pid])),
        // What is in it is ours to divide, and the files of its cgroup are ours.
        ("Delegate", Variant::from(true)),
        // Nothing of it stays when we are gone, however it ended.
        ("CollectMode", Variant::from("inactive-or-failed")),
        ("TimeoutStopUSec", Variant::from(5_000_000_u64)),
    ];
    if let Some(slice) = &caller.slice {
        properties.push(("Slice", Variant::from(slice.clone())));
    }
    if let Some(service) = &caller.service {
        properties.push(("PartOf", Variant::from(vec![service.clone()])));
    }
    properties
}

fn start(socket: &Path, unit: &str, pid: i32, caller: &Caller) -> Result<(), BusError> {
    let mut bus = Bus::connect(socket)?;
    bus.hello()?;
    let others: Vec<(String, Vec<(String, Variant<'_>)>)> = Vec::new();
    let properties = properties(pid.cast_unsigned(), caller);
    let asked = (unit, "fail", properties, others);
    let method = manager_method("StartTransientUnit");
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
    if give_controllers(folder) == 0 {
        return Err(io::Error::other("its cgroup has no controllers"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use zbus::Variant;

    use super::{BusError, Caller, in_words, properties};

    fn of<'a>(asked: &'a [(&str, Variant<'a>)], wanted: &str) -> Option<&'a Variant<'a>> {
        let found = asked.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, value)| value)
    }

    #[test]
    fn a_scope_is_ours_to_divide_and_leaves_nothing() {
        let asked = properties(77, &Caller::default());
        assert_eq!(of(&asked, "PIDs"), Some(&Variant::from(vec![77_u32])));
        assert_eq!(of(&asked, "Delegate"), Some(&Variant::from(true)));
        assert_eq!(
            of(&asked, "CollectMode"),
            Some(&Variant::from("inactive-or-failed"))
        );
        assert_eq!(of(&asked, "Slice"), None);
        assert_eq!(of(&asked, "PartOf"), None);
    }

    #[test]
    fn a_scope_is_beside_its_caller_and_stopped_with_it() {
        let caller = Caller {
            slice: Some("ci.slice".to_owned()),
            service: Some("runner.service".to_owned()),
        };
        let asked = properties(77, &caller);
        assert_eq!(of(&asked, "Slice"), Some(&Variant::from("ci.slice")));
        let stopped_with = vec!["runner.service".to_owned()];
        assert_eq!(of(&asked, "PartOf"), Some(&Variant::from(stopped_with)));
    }

    #[test]
    fn who_gives_nothing_is_told_why() {
        let who = "the user manager";
        assert_eq!(
            in_words(who, &BusError::Silent),
            "the user manager does not answer"
        );
        assert_eq!(
            in_words(who, &BusError::Elsewhere),
            "the user manager is outside of this container"
        );
        let refused = BusError::Refused {
            name: "org.freedesktop.DBus.Error.AccessDenied".to_owned(),
            text: "no".to_owned(),
        };
        assert_eq!(
            in_words(who, &refused),
            "the user manager gave no cgroup (no (org.freedesktop.DBus.Error.AccessDenied))"
        );
    }
}
