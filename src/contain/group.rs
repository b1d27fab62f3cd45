//! The mechanism that every Linux host has: a session of its own for each check, descent, and a
//! cgroup where one can be had.
//!
//! Whose process is it? In this order: it is in the check's cgroup; it descends from the leader;
//! it is in a session or group that was seen under the leader; it was started with the check's
//! HOME. `check` is made the reaper of orphans (`PR_SET_CHILD_SUBREAPER`, prctl(2)), so what a
//! check leaves behind comes to us and is found without reading all of `/proc`. Children that we
//! had at the start are strangers and are never signalled. What a stranger leaves behind comes to
//! us as well, so where there is one (or we are PID 1, to whom everything comes) an orphan is only
//! a check's where its cgroup, session, group or HOME says so.
//!
//! Where the host gives them, each check also has namespaces of its own (`enclose`), else Landlock
//! holds its files (`fenced`), and its cgroup has limits (`limits`).

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::signal::Signal;

use crate::model::{Confinement, Isolation, Leak, Limits, Network, View};

use super::achieved::Found;
use super::cgroup::{Place, Slot};
use super::exec::{Spawned, Starter};
use super::family::Family;
use super::limits::CONTROLLERS;
use super::manager::{Asked, Scope};
use super::mechanism;
use super::obstacle::Obstacle;
use super::processes::{self, ProcessKey, Stat};
use super::remains::{Remains, own_session};
use super::seen::Seen;
use super::signal::send;
use super::watchdog::Watchdog;
use super::{Cage, Containment, Launch, Member, StartError, Started, Stop, Swept, Traces};

/// How long the end of a run, or of a check whose run is lost, may take to end what is left over.
const SWEEP_LIMIT: Duration = Duration::from_secs(10);
/// What is left over at the end of a run is rare, and dies within a scheduler's turn.
const SWEEP_PAUSE: Duration = Duration::from_millis(1);
/// Looks in a row, each of which has found something new to kill.
const MOST_ROUNDS: usize = 50;

/// Checks in sessions of their own.
pub struct GroupContainment {
    /// Where the homes of this root's checks are.
    homes: PathBuf,
    runtime: Option<PathBuf>,
    contains: bool,
    run: Rc<RefCell<Run>>,
}

/// One run's means and its processes.
struct Run {
    family: Family,
    /// Made for the first check: a run without one needs nothing.
    means: Option<Means>,
    /// Stopped by [`Containment::suspend`].
    stopped: Vec<ProcessKey>,
}

/// What checks are started with.
struct Means {
    starter: Starter,
    cgroups: Option<Place>,
    watchdog: Option<Watchdog>,
    /// What the service manager gave, or why it gave nothing.
    scope: Result<Scope, Obstacle>,
}

impl GroupContainment {
    /// Becomes the reaper of orphans and notes which children are not ours to touch.
    pub fn new(place: mechanism::Place<'_>) -> Self {
        // SAFETY: the call takes integers and changes an attribute of this process alone.
        unsafe {
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        }
        Self {
            homes: place.homes.to_owned(),
            runtime: place.runtime.map(Path::to_owned),
            contains: place.contains,
            run: Rc::new(RefCell::new(Run {
                family: Family::new(),
                means: None,
                stopped: Vec::new(),
            })),
        }
    }

    /// Makes what is needed to start anything.
    fn means(&self, run: &mut Run) -> Result<(), StartError> {
        if run.means.is_some() {
            return Ok(());
        }
        let system = |what| move |source| StartError::System { what, source };
        let own = processes::own().ok_or_else(|| {
            let hidden = std::io::Error::other("mount /proc, without hidepid for this user");
            system("/proc does not say who we are")(hidden)
        })?;
        let scope = if self.contains {
            let runtime = self.runtime.as_deref();
            Scope::enter(Asked { run: own, runtime })
        } else {
            Err(Obstacle::NoManager("not asked".to_owned()))
        };
        let cgroups = Place::new(own);
        let remains = Remains {
            cgroups: cgroups.as_ref().map(Place::prefix),
            homes: self.homes.clone(),
            since: own.start_time,
            own_session: own_session(),
        };
        // As PID 1 we take everything along when we go.
        let watchdog = if own.pid == 1 {
            None
        } else {
            let started = Watchdog::start(&remains);
            Some(started.map_err(system("start the watchdog"))?)
        };
        if let Some(watchdog) = &watchdog {
            run.family.has_watchdog(watchdog.pid());
        }
        run.means = Some(Means {
            starter: Starter::new().map_err(system("prepare to start processes"))?,
            cgroups,
            watchdog,
            scope,
        });
        Ok(())
    }
}

impl Means {
    /// Starts `launch`, known to the watchdog from its first moment on.
    fn start(&mut self, launch: &Launch) -> Result<(Spawned, Option<Slot>), StartError> {
        let place = self.watchdog.as_mut().and_then(Watchdog::reserve);
        let spawned = self.spawn(launch, place);
        if spawned.is_err()
            && let (Some(watchdog), Some(place)) = (&mut self.watchdog, place)
        {
            watchdog.release(place);
        }
        spawned
    }

    /// What a launch would be seen to have. Where its limits cannot hold, nothing else is tried:
    /// each launch sees for itself.
    fn trial(&mut self, limits: &Limits, homes: &Path) -> Isolation {
        let slot = self.cgroups.as_mut().and_then(|place| place.take().ok());
        let holds = slot.as_ref().is_some_and(|slot| {
            slot.limit(limits);
            slot.lacks(limits).is_empty()
        });
        let view = View {
            hidden: vec!["/root".into(), "/home".into()],
            temp: homes.to_owned(),
            ..View::default()
        };
        let seen = if holds {
            self.starter.trial(view, limits.clone()).unwrap_or_default()
        } else {
            Seen::default()
        };
        let isolation = self.found(slot.as_ref(), limits, Network::None, seen, false);
        if let (Some(slot), Some(place)) = (slot, &mut self.cgroups) {
            place.give_back(slot);
        }
        isolation
    }

    fn isolation(
        &self,
        confinement: Option<&Confinement>,
        slot: Option<&Slot>,
        seen: Seen,
    ) -> Isolation {
        match confinement {
            None => Isolation {
                mechanism: word(slot, seen).to_owned(),
                ..Isolation::default()
            },
            Some(Confinement {
                limits,
                network,
                view,
                ..
            }) => self.found(slot, limits, *network, seen, view.holds_home),
        }
    }

    fn found(
        &self,
        slot: Option<&Slot>,
        limits: &Limits,
        network: Network,
        seen: Seen,
        holds_home: bool,
    ) -> Isolation {
        let lacks = slot.map(|slot| slot.lacks(limits));
        let mut obstacles = Vec::new();
        match &lacks {
            Some(lacks) if lacks.is_empty() => {}
            Some(lacks) if lacks.len() < CONTROLLERS.len() => {
                obstacles.push(Obstacle::NotEnforced(lacks.clone()));
            }
            _ => obstacles.extend(self.scope.as_ref().err().cloned()),
        }
        obstacles.extend(self.starter.obstacle());
        if holds_home {
            obstacles.push(Obstacle::RootHoldsHome);
        }
        Found {
            mechanism: word(slot, seen),
            unit: self.scope.as_ref().ok().map(|scope| scope.unit.clone()),
            seen,
            limits: lacks.is_some_and(|lacks| lacks.is_empty()),
            network,
            obstacles: &obstacles,
        }
        .isolation()
    }

    /// Why there are no limits.
    fn unlimited(&self) -> String {
        let obstacle = self.scope.as_ref().err().map(Obstacle::words);
        obstacle.unwrap_or_else(|| "no cgroup with controllers".to_owned())
    }

    /// In a cgroup, where one can be had.
    fn spawn(
        &mut self,
        launch: &Launch,
        place: Option<usize>,
    ) -> Result<(Spawned, Option<Slot>), StartError> {
        let watchdog = self.watchdog.as_ref();
        let noted = watchdog
            .zip(place)
            .map(|(watchdog, place)| watchdog.at(place));
        if let Some(cgroups) = &mut self.cgroups
            && let Ok(slot) = cgroups.take()
        {
            let required = launch
                .confinement
                .as_ref()
                .is_some_and(|asked| asked.required);
            if required && !cgroups.has_limits() {
                cgroups.give_back(slot);
                return Err(StartError::NotContained(self.unlimited()));
            }
            if let Some(confinement) = &launch.confinement
                && cgroups.has_limits()
            {
                slot.limit(&confinement.limits);
                let lacks = slot.lacks(&confinement.limits);
                if confinement.required && !lacks.is_empty() {
                    cgroups.give_back(slot);
                    let words = Obstacle::NotEnforced(lacks).words();
                    return Err(StartError::NotContained(words));
                }
            }
            match self.starter.spawn(launch, Some(slot.folder()), noted) {
                // Nothing can be put in a cgroup here, so none is any use.
                Err(StartError::NotInCgroup) => self.cgroups = None,
                spawned => {
                    return match spawned {
                        Ok(spawned) => Ok((spawned, Some(slot))),
                        Err(error) => {
                            cgroups.give_back(slot);
                            Err(error)
                        }
                    };
                }
            }
        }
        if launch
            .confinement
            .as_ref()
            .is_some_and(|asked| asked.required)
        {
            return Err(StartError::NotContained(self.unlimited()));
        }
        Ok((self.starter.spawn(launch, None, noted)?, None))
    }
}

impl Containment for GroupContainment {
    fn start(&self, launch: &Launch) -> Result<Started, StartError> {
        let run = &mut *self.run.borrow_mut();
        self.means(run)?;
        let Some(means) = &mut run.means else {
            return Err(StartError::Unsupported("this host"));
        };
        for network in run.family.left_networks() {
            means.starter.give_back(network);
        }
        if let Some(watchdog) = &mut means.watchdog {
            watchdog.arm();
        }
        let (spawned, slot) = means.start(launch)?;
        let Spawned {
            leader,
            stdout,
            stderr,
            init,
            seen,
        } = spawned;
        let pid = leader.pid();
        let isolation = means.isolation(launch.confinement.as_ref(), slot.as_ref(), seen);
        run.family.opened(pid, launch.mark.clone(), slot, init);
        let cage = GroupCage {
            leader: pid,
            isolation,
            run: Rc::clone(&self.run),
        };
        Ok(Started {
            leader,
            cage: Box::new(cage),
            stdout,
            stderr,
        })
    }

    fn achieved(&self, limits: &Limits) -> Isolation {
        let run = &mut *self.run.borrow_mut();
        let nothing = Isolation {
            mechanism: "process_group".to_owned(),
            ..Isolation::default()
        };
        if let Err(error) = self.means(run) {
            let note = Some(error.to_string());
            return Isolation { note, ..nothing };
        }
        let trial = |means: &mut Means| means.trial(limits, &self.homes);
        run.means.as_mut().map_or(nothing, trial)
    }

    fn prepare(&self) -> Result<Traces, StartError> {
        let run = &mut *self.run.borrow_mut();
        self.means(run)?;
        let means = run.means.as_ref();
        let watchdog = means.and_then(|means| means.watchdog.as_ref());
        Ok(Traces {
            cgroups: means.and_then(|means| Some(means.cgroups.as_ref()?.prefix())),
            watchdog: watchdog.and_then(|watchdog| Some((watchdog.pid(), watchdog.start_time()?))),
        })
    }

    fn suspend(&self) {
        let run = &mut *self.run.borrow_mut();
        for leader in run.family.leaders() {
            if let Some(slot) = run.family.slot(leader) {
                slot.freeze(true);
            }
            run.stop_what_is_not_frozen(leader);
        }
    }

    fn resume(&self) {
        let run = &mut *self.run.borrow_mut();
        for key in run.stopped.drain(..) {
            send(key, Signal::SIGCONT);
        }
        for leader in run.family.leaders() {
            if let Some(slot) = run.family.slot(leader) {
                slot.freeze(false);
            }
        }
    }

    fn tidy(&self) {
        self.run.borrow().family.tidy();
    }

    fn sweep(&self) -> Swept {
        let mut run = self.run.borrow_mut();
        let mut seen: Vec<(ProcessKey, Leak)> = Vec::new();
        let give_up = Instant::now() + SWEEP_LIMIT;
        loop {
            let living = run.family.leftovers();
            let inits_gone = run.family.inits_are_gone();
            if (living.is_empty() && inits_gone) || Instant::now() > give_up {
                let lives = |key| living.iter().any(|stat| stat.key == key);
                let (alive, ended): (Vec<_>, Vec<_>) =
                    seen.into_iter().partition(|(key, _)| lives(*key));
                let leaks = |of: Vec<(ProcessKey, Leak)>| of.into_iter().map(|(_, leak)| leak);
                return Swept {
                    ended: leaks(ended).collect(),
                    alive: leaks(alive).collect(),
                };
            }
            for stat in &living {
                let pid = stat.key.pid;
                if !seen.iter().any(|(key, _)| *key == stat.key) {
                    let command = processes::command(pid);
                    seen.push((stat.key, Leak { pid, command }));
                }
                send(stat.key, Signal::SIGKILL);
            }
            std::thread::sleep(SWEEP_PAUSE);
        }
    }
}

impl Run {
    /// Also what is started meanwhile, and what moved between two looks: only when two in a row
    /// find nothing new does everything stand.
    fn stop_what_is_not_frozen(&mut self, leader: i32) {
        let mut quiet = 0;
        for _ in 0..MOST_ROUNDS {
            let mut running = self.family.living(leader);
            let slot = self.family.slot(leader);
            running.retain(|stat| {
                let frozen = slot.is_some_and(|slot| slot.holds(stat.key.pid));
                // What stopped itself is not ours to wake.
                !(frozen || stat.stopped || self.stopped.contains(&stat.key))
            });
            quiet = if running.is_empty() { quiet + 1 } else { 0 };
            if quiet == 2 {
                return;
            }
            for stat in running {
                send(stat.key, Signal::SIGSTOP);
                self.stopped.push(stat.key);
            }
        }
    }
}

/// The strongest thing that parts a check from others.
fn word(slot: Option<&Slot>, seen: Seen) -> &'static str {
    if seen.landlock {
        "landlock"
    } else if seen != Seen::default() {
        "namespaces"
    } else if slot.is_some() {
        "cgroup"
    } else {
        "process_group"
    }
}

struct GroupCage {
    leader: i32,
    isolation: Isolation,
    run: Rc<RefCell<Run>>,
}

impl GroupCage {
    fn terminate(run: &mut Run, leader: i32) {
        let living = run.family.living(leader);
        for signal in [Signal::SIGTERM, Signal::SIGCONT] {
            for stat in &living {
                send(stat.key, signal);
            }
        }
    }

    /// Also what is started meanwhile: a look that finds something new is followed by another.
    fn kill(run: &mut Run, leader: i32) {
        if let Some(init) = run.family.init(leader) {
            init.kill();
        }
        if let Some(slot) = run.family.slot(leader) {
            slot.kill();
        }
        let mut killed: Vec<ProcessKey> = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let living = run.family.living(leader);
            let fresh: Vec<&Stat> = living
                .iter()
                .filter(|stat| !killed.contains(&stat.key))
                .collect();
            if fresh.is_empty() {
                return;
            }
            for stat in fresh {
                send(stat.key, Signal::SIGKILL);
                killed.push(stat.key);
            }
        }
    }
}

impl Cage for GroupCage {
    fn members(&mut self) -> Vec<Member> {
        let command = |stat: &Stat| Member {
            pid: stat.key.pid,
            command: processes::command(stat.key.pid),
        };
        let mut run = self.run.borrow_mut();
        run.family.living(self.leader).iter().map(command).collect()
    }

    fn is_empty(&mut self) -> bool {
        self.run.borrow_mut().family.is_empty(self.leader)
    }

    fn stop(&mut self, how: Stop) {
        let run = &mut *self.run.borrow_mut();
        match how {
            Stop::Terminate => Self::terminate(run, self.leader),
            Stop::Kill => Self::kill(run, self.leader),
        }
    }

    fn close(&mut self) {
        let run = &mut *self.run.borrow_mut();
        let slot = run.family.closed(self.leader);
        let Some(means) = &mut run.means else { return };
        if let Some(watchdog) = &mut means.watchdog {
            watchdog.forget(self.leader);
        }
        if let (Some(slot), Some(place)) = (slot, &mut means.cgroups) {
            place.give_back(slot);
        }
    }

    fn was_killed_for_memory(&mut self) -> bool {
        let run = self.run.borrow();
        let slot = run.family.slot(self.leader);
        self.isolation.limits && slot.is_some_and(Slot::was_killed_for_memory)
    }

    fn achieved(&self) -> Isolation {
        self.isolation.clone()
    }
}

/// A cage that is dropped with its check still in it (a panic unwinds through here) leaves nothing
/// alive either.
impl Drop for GroupCage {
    fn drop(&mut self) {
        if !self.run.borrow().family.is_open(self.leader) {
            return;
        }
        let give_up = Instant::now() + SWEEP_LIMIT;
        loop {
            self.stop(Stop::Kill);
            if self.is_empty() || Instant::now() > give_up {
                break;
            }
            std::thread::sleep(SWEEP_PAUSE);
        }
        self.close();
    }
}
