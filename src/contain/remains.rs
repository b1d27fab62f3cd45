//! What a run that was killed has left, and its end.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::cgroup;
use super::processes::{self, ProcessKey, Stat};
use super::signal::send;

/// Between two looks; twice as long after each in a row that found nothing.
const PAUSE: Duration = Duration::from_millis(2);
/// So many looks in a row have to find nothing: a process that is just becoming another program
/// shows no environment, and nothing else may tell whose it is.
const QUIET_LOOKS: u32 = 6;

/// How the processes of a run are known once it is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remains {
    /// What the paths of its cgroups begin with.
    pub cgroups: Option<PathBuf>,
    /// The folder of its checks' homes, which mark their processes.
    pub homes: PathBuf,
    /// When it started, in clock ticks since boot; what is older is not its.
    pub since: u64,
    /// The session of the run itself, in which others live.
    pub own_session: i32,
}

/// Sessions of the run's checks. A session's id is in use as long as a process is in it, so who is
/// in one is known by it, as long as it is the same: its first process is still the one it was, or
/// still gone.
struct Sessions {
    /// By id, when the first process started; `None` where that is gone.
    begun: HashMap<i32, Option<u64>>,
    never: i32,
}

impl Sessions {
    fn of(leaders: &[i32], never: i32) -> Self {
        let begun = leaders.iter().map(|&leader| (leader, began(leader)));
        Self {
            begun: begun.collect(),
            never,
        }
    }

    fn hold(&self, stat: &Stat) -> bool {
        let begun = self.begun.get(&stat.session);
        begun.is_some_and(|&begun| began(stat.session).is_none_or(|now| begun == Some(now)))
    }

    /// Adds those of processes that are the run's, unless somebody else began them.
    fn learn(&mut self, living: &[Stat]) {
        for stat in living {
            let first = began(stat.session);
            let ours = first.is_none() || living.iter().any(|one| one.key.pid == stat.session);
            if ours && stat.session != self.never {
                self.begun.entry(stat.session).or_insert(first);
            }
        }
    }
}

/// The session that this process is in.
pub fn own_session() -> i32 {
    // The call only fails for another process than our own.
    nix::unistd::getsid(None).map_or(0, nix::unistd::Pid::as_raw)
}

/// When the process started; `None` where there is none, or it has ended.
fn began(pid: i32) -> Option<u64> {
    let stat = processes::stat(pid).filter(|stat| !stat.ended)?;
    Some(stat.key.start_time)
}

impl Remains {
    /// Kills what is left, and what that starts meanwhile, until nothing is found or `give_up`.
    /// `leaders`: main processes that the run had not waited for when it died, so that their ids
    /// were theirs until then. Gives the number of processes that were found.
    pub fn end(&self, leaders: &[i32], give_up: Instant) -> usize {
        let newest = processes::newest_start();
        let mut sessions = Sessions::of(leaders, self.own_session);
        let mut killed: Vec<ProcessKey> = Vec::new();
        let mut in_cgroups = 0;
        let mut quiet_looks = 0;
        loop {
            // Before the cgroups: what is in one would be counted twice.
            let left = self.living(leaders, &mut sessions, newest);
            let cgroups = self.cgroups.as_deref().map(cgroup::end);
            let cgroups_gone = cgroups.is_none_or(|ended| ended.all_gone);
            let quiet = left.is_empty() && cgroups_gone;
            quiet_looks = if quiet { quiet_looks + 1 } else { 0 };
            if quiet_looks == QUIET_LOOKS || Instant::now() > give_up {
                return killed.len().max(in_cgroups);
            }
            in_cgroups = in_cgroups.max(cgroups.map_or(0, |ended| ended.killed));
            for stat in left {
                send(stat.key, Signal::SIGKILL);
                if !killed.contains(&stat.key) {
                    killed.push(stat.key);
                }
            }
            std::thread::sleep(PAUSE * 2_u32.pow(quiet_looks));
        }
    }

    /// What lives and is marked, or a leader, or in one of `sessions`; and all that descends from
    /// it. Their sessions are added. `newest`: when the run died. What began after
    /// that and is only marked is the next run's, whose checks have the same homes.
    fn living(&self, leaders: &[i32], sessions: &mut Sessions, newest: u64) -> Vec<Stat> {
        let own = std::process::id().cast_signed();
        let is_its = |stat: &Stat| {
            sessions.hold(stat)
                || (stat.key.start_time <= newest
                    && (leaders.contains(&stat.key.pid) || self.marks(stat.key.pid)))
        };
        let found: Vec<i32> = processes::all()
            .filter(|&pid| pid != own)
            .filter_map(processes::stat)
            .filter(|stat| !stat.ended && stat.key.start_time >= self.since)
            .filter(is_its)
            .map(|stat| stat.key.pid)
            .collect();
        let living: Vec<Stat> = processes::with_descendants(found)
            .into_iter()
            .filter(|&pid| pid != own)
            .filter_map(processes::stat)
            .filter(|stat| !stat.ended)
            .collect();
        sessions.learn(&living);
        living
    }

    /// Whether a process was started with one of the homes for its own.
    fn marks(&self, pid: i32) -> bool {
        processes::any_variable(pid, "HOME", |home| {
            let home = Path::new(home);
            home.starts_with(&self.homes) && home != self.homes
        })
    }
}
