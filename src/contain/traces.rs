//! What a run writes down of itself before it starts anything, so that its successor can end what
//! it leaves should it die without a word.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Where a run's processes can be found, beside their mark.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Traces {
    /// What the paths of its cgroups begin with.
    pub cgroups: Option<PathBuf>,
    /// Its watchdog's id, and when that started, in clock ticks since boot.
    pub watchdog: Option<(i32, u64)>,
}

/// A run that died before it was over, by its own word. The word may be anybody's: nothing is
/// done on it alone.
#[derive(Debug, Clone, Copy)]
pub struct DeadRun<'a> {
    /// In its own PID namespace.
    pub pid: u32,
    /// In clock ticks since boot.
    pub start_time: Option<u64>,
    /// The inode of its PID namespace.
    pub pid_namespace: Option<u64>,
    /// See [`Traces`].
    pub traces: &'a Traces,
    /// The folder of its checks' homes. Whoever has the lock on its root can be sure that they
    /// are nobody else's.
    pub homes: &'a Path,
}

#[cfg(target_os = "linux")]
impl DeadRun<'_> {
    /// Ends what is left of it, in at most ten seconds. Its watchdog goes first: it could not tell
    /// the processes of the next run from those it looks for. Gives the number of processes that
    /// were killed.
    pub fn end(&self) -> usize {
        use std::time::{Duration, Instant};

        use nix::sys::signal::Signal;

        use super::lineage::pid_namespace;
        use super::processes::{ProcessKey, stat};
        use super::remains::{Remains, own_session};
        use super::signal::send;

        let give_up = Instant::now() + Duration::from_secs(10);
        let mut remains = Remains {
            cgroups: None,
            homes: self.homes.to_owned(),
            since: self.start_time.unwrap_or(0),
            own_session: own_session(),
        };
        let here = self.pid_namespace.is_some() && self.pid_namespace == pid_namespace();
        if let (Some(start_time), true) = (self.start_time, here) {
            let pid = self.pid.cast_signed();
            let run = ProcessKey { pid, start_time };
            let named = super::cgroup::prefix(run);
            let lives = stat(pid).is_some_and(|now| now.key == run && !now.ended);
            let is_its = |path: &&PathBuf| path.file_name().is_some_and(|name| name == &*named);
            let cgroups = self.traces.cgroups.as_ref().filter(is_its);
            remains.cgroups = cgroups.filter(|_| !lives).cloned();
            if let Some((pid, start_time)) = self.traces.watchdog {
                let watchdog = ProcessKey { pid, start_time };
                let is_one = |now: super::processes::Stat| {
                    now.key == watchdog && !now.ended && super::watchdog::is_one(pid)
                };
                while stat(pid).is_some_and(is_one) && Instant::now() < give_up {
                    send(watchdog, Signal::SIGKILL);
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
        remains.end(&[], give_up)
    }
}

#[cfg(windows)]
impl DeadRun<'_> {
    /// A job object takes its processes along.
    pub fn end(&self) -> usize {
        0
    }
}
