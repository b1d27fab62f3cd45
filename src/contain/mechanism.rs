//! The trait that every mechanism fulfils, and the choice among them.

use std::path::Path;

use crate::model::{Isolation, Leak, Limits};

use super::{Launch, Leader, Pipe, StartError, Traces};

/// A way to contain checks. One value serves the whole run.
pub trait Containment {
    /// Starts a check inside a cage of its own.
    fn start(&self, launch: &Launch) -> Result<Started, StartError>;
    /// What a launch within `limits` can be expected to have, tried out now. Each launch sees for
    /// itself.
    fn achieved(&self, limits: &Limits) -> Isolation;
    /// Makes what is needed to start anything, and says where the run's processes can be found
    /// once the run is dead; to be written down before the first of them starts.
    fn prepare(&self) -> Result<Traces, StartError>;
    /// Stops every process of every check where it stands.
    fn suspend(&self);
    /// Lets what [`Containment::suspend`] stopped go on.
    fn resume(&self);
    /// Lets go of what has ended and nobody waits for. To be called now and then while checks run.
    fn tidy(&self);
    /// Ends what is left of the whole run: processes that are ours, and no check's that still
    /// runs. Called once, after the last check.
    fn sweep(&self) -> Swept;
}

/// What was left over of a run: ours, and no one check's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Swept {
    /// Ended now.
    pub ended: Vec<Leak>,
    /// Could not be ended.
    pub alive: Vec<Leak>,
}

/// A check that was started.
pub struct Started {
    /// Its main process.
    pub leader: Leader,
    /// Every process of it.
    pub cage: Box<dyn Cage>,
    /// Standard output, or both streams where they are joined.
    pub stdout: Pipe,
    /// Standard error; `None` where the streams are joined.
    pub stderr: Option<Pipe>,
}

/// How processes are asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// SIGTERM, and SIGCONT so that a stopped process hears it.
    Terminate,
    /// SIGKILL.
    Kill,
}

/// A living process of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its id.
    pub pid: i32,
    /// Its command line or, where that is empty, its name.
    pub command: String,
}

/// The processes of one check.
pub trait Cage {
    /// Those that are alive now; the leader too while it is.
    fn members(&mut self) -> Vec<Member>;
    /// Whether nothing of the check is alive. Reaps adopted children that have ended.
    fn is_empty(&mut self) -> bool;
    /// Asks every process of the check to end.
    fn stop(&mut self, how: Stop);
    /// The leader may be reaped: nothing will be asked of this cage again.
    fn close(&mut self);
    /// Whether anything of the check was killed because all of it together had too much memory.
    fn was_killed_for_memory(&mut self) -> bool;
    /// What this launch achieved.
    fn achieved(&self) -> Isolation;
}

/// Where a run is.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The folder under which the checks of this root have their homes.
    pub homes: &'a Path,
    /// What `XDG_RUNTIME_DIR` says.
    pub runtime: Option<&'a Path>,
    /// Checks are to be contained.
    pub contains: bool,
}

/// The mechanism of this host. Called once, before anything is started.
#[cfg(target_os = "linux")]
pub fn mechanism(place: Place<'_>) -> Box<dyn Containment> {
    Box::new(super::group::GroupContainment::new(place))
}

/// The mechanism of this host. Called once, before anything is started.
#[cfg(windows)]
pub fn mechanism(_place: Place<'_>) -> Box<dyn Containment> {
    Box::new(Unavailable)
}

/// How many processes can be run at once before descriptors run out, at least one.
#[cfg(target_os = "linux")]
pub fn most_at_once() -> usize {
    use nix::sys::resource::{Resource, getrlimit};

    /// Held through a whole run.
    const BASE: u64 = 24;
    /// For a check and a version probe beside it: two pipes, the process, its cgroup, network and home.
    const A_JOB: u64 = 14;
    let limit = getrlimit(Resource::RLIMIT_NOFILE).map_or(u64::MAX, |(soft, _)| soft);
    usize::try_from(limit.saturating_sub(BASE) / A_JOB).map_or(usize::MAX, |most| most.max(1))
}

/// How many processes can be run at once, at least one: handles do not run out here.
#[cfg(windows)]
pub fn most_at_once() -> usize {
    usize::MAX
}

/// Where no mechanism could end what it starts, nothing is started.
#[cfg(windows)]
struct Unavailable;

#[cfg(windows)]
impl Containment for Unavailable {
    fn start(&self, _launch: &Launch) -> Result<Started, StartError> {
        Err(StartError::Unsupported("Windows"))
    }

    fn achieved(&self, _limits: &Limits) -> Isolation {
        Isolation {
            mechanism: "none".to_owned(),
            ..Isolation::default()
        }
    }

    fn prepare(&self) -> Result<Traces, StartError> {
        Ok(Traces::default())
    }

    fn suspend(&self) {}

    fn resume(&self) {}

    fn tidy(&self) {}

    fn sweep(&self) -> Swept {
        Swept::default()
    }
}
