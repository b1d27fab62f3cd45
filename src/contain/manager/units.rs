//! The scopes of runs that the manager knows: those of runs that go on, and what is left of runs that
//! are gone.

use std::path::Path;
use std::time::{Duration, Instant};

use super::bus::{Bus, BusError};
use super::name::UnitName;
use super::{bus_of, manager_method, who};
use crate::contain::processes::stat;
use crate::contain::units::{Cleaned, UnitFact};

/// How long a unit may take to stop: longer than its own `TimeoutStopUSec`.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// What the manager says of one unit: name, description, three states, what it follows, its path, and
/// its job (`ListUnits` in `org.freedesktop.systemd1(5)`).
type Listed = (
    String,
    String,
    String,
    String,
    String,
    String,
    zbus::OwnedObjectPath,
    u32,
    String,
    zbus::OwnedObjectPath,
);

/// Our manager, asked about what is there.
pub struct Units {
    bus: Bus,
}

impl Units {
    /// `runtime`: what `XDG_RUNTIME_DIR` says. The error says in words why nobody can be asked.
    pub fn ask(runtime: Option<&Path>) -> Result<Self, String> {
        let uid = nix::unistd::geteuid().as_raw();
        let socket = bus_of(uid, runtime).map_err(|obstacle| obstacle.words())?;
        let connect = || {
            let mut bus = Bus::connect(&socket)?;
            bus.hello()?;
            Ok(bus)
        };
        let bus = connect().map_err(|error: BusError| format!("{}: {error}", who(uid)))?;
        Ok(Self { bus })
    }

    /// Those of runs, by name.
    pub fn list(&mut self) -> Result<Vec<UnitFact>, String> {
        let states: Vec<String> = Vec::new();
        let asked = (states, vec!["check-*.scope"]);
        let method = manager_method("ListUnitsByPatterns");
        let (listed,): (Vec<Listed>,) = self
            .bus
            .call(method, &asked)
            .map_err(|error| error.to_string())?;
        let mut facts: Vec<UnitFact> = listed
            .into_iter()
            .filter_map(|(name, ..)| fact(&name))
            .collect();
        facts.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(facts)
    }

    /// Stops those whose `check` is gone.
    pub fn clean(&mut self) -> Result<Vec<Cleaned>, String> {
        let mut dead = self.list()?;
        dead.retain(|fact| !fact.alive);
        let mut cleaned: Vec<Cleaned> = Vec::new();
        for fact in dead {
            let method = manager_method("StopUnit");
            let stopped: Result<(zbus::OwnedObjectPath,), _> =
                self.bus.call(method, &(fact.name.as_str(), "replace"));
            cleaned.push(Cleaned {
                gone: false,
                error: stopped.err().map(|error| error.to_string()),
                fact,
            });
        }
        let give_up = Instant::now() + PATIENCE;
        loop {
            let there = self.list()?;
            for cleaned in &mut cleaned {
                let is_there = |fact: &UnitFact| fact.name == cleaned.fact.name;
                cleaned.gone = !there.iter().any(is_there);
            }
            let over = cleaned.iter().all(|one| one.gone || one.error.is_some());
            if over || Instant::now() > give_up {
                return Ok(cleaned);
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// `None` where `name` is none of ours.
fn fact(name: &str) -> Option<UnitFact> {
    let UnitName(run) = name.parse().ok()?;
    let alive = stat(run.pid).is_some_and(|stat| stat.key == run && !stat.ended);
    Some(UnitFact {
        name: name.to_owned(),
        controller: run.pid,
        alive,
        age: age(run.start_time),
    })
}

/// How long ago that was. `ticks`: since boot.
fn age(ticks: u64) -> Option<Duration> {
    let uptime = std::fs::read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split(' ').next()?.parse().ok()?;
    let per_second = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok()??;
    let per_second = u64::try_from(per_second).ok().filter(|&ticks| ticks > 0)?;
    let begun = Duration::from_secs(ticks / per_second);
    Some(
        Duration::try_from_secs_f64(uptime)
            .ok()?
            .saturating_sub(begun),
    )
}

#[cfg(test)]
mod tests {
    use super::{UnitName, fact};
    use crate::contain::processes::{self, ProcessKey};

    #[test]
    fn a_unit_is_alive_as_long_as_the_very_process_that_made_it() {
        let own = processes::own().unwrap();
        let ours = fact(&UnitName(own).to_string()).unwrap();
        assert!(ours.alive && ours.controller == own.pid);
        assert!(ours.age.is_some_and(|age| age.as_secs() < 3600));
        let later = ProcessKey {
            start_time: own.start_time + 1,
            ..own
        };
        assert!(!fact(&UnitName(later).to_string()).unwrap().alive);
        assert!(fact("check-tool.scope").is_none());
    }
}
