//! The mechanism that every Linux host has: a session of its own for each check, and descent.
//!
//! Whose process is it? In this order: it descends from the leader; it is in a session or group
//! that was seen under the leader; it was started with the check's HOME. `check` is made the
//! reaper of orphans (`PR_SET_CHILD_SUBREAPER`, prctl(2)), so what a check leaves behind comes to
//! us and is found without reading all of `/proc`. Children that we had at the start are
//! strangers and are never signalled. What a stranger leaves behind comes to us as well, so where
//! there is one (or we are PID 1, to whom everything comes) an orphan is only a check's where its
//! session, group or HOME says so.
//!
//! It limits no memory, no network and no files, and so is never *contained*.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::OsString;
use std::rc::Rc;
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::signal::Signal;
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

use crate::model::{Isolation, Leak};

use super::exec::{self, Spawned};
use super::processes::{self, ProcessKey, Stat};
use super::{Cage, Containment, Launch, Member, StartError, Started, Stop, Swept};

/// How long the end of a run may take to end what is left over.
const SWEEP_LIMIT: Duration = Duration::from_secs(10);

/// Checks in sessions of their own.
pub struct GroupContainment {
    run: Rc<RefCell<Run>>,
}

/// What the cages of one run know of each other.
#[derive(Default)]
struct Run {
    own_pid: i32,
    strangers: HashSet<ProcessKey>,
    /// The main processes of checks that are not closed yet.
    leaders: HashSet<i32>,
    /// Orphans that were there when a check was closed beside others and could not be told to be
    /// anyone's: no later check may be blamed for them.
    unclaimed: HashSet<ProcessKey>,
    /// The homes of this run's checks.
    marks: HashSet<OsString>,
}

impl GroupContainment {
    /// Becomes the reaper of orphans and notes which children are not ours to touch.
    pub fn new() -> Self {
        // SAFETY: the call takes integers and changes an attribute of this process alone.
        unsafe {
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        }
        let own_pid = std::process::id().cast_signed();
        let strangers = processes::children(own_pid)
            .into_iter()
            .filter_map(|pid| Some(processes::stat(pid)?.key))
            .collect();
        Self {
            run: Rc::new(RefCell::new(Run {
                own_pid,
                strangers,
                ..Run::default()
            })),
        }
    }

    fn isolation() -> Isolation {
        Isolation {
            mechanism: "process_group".to_owned(),
            note: Some("this version has process groups only".to_owned()),
            ..Isolation::default()
        }
    }
}

impl Containment for GroupContainment {
    fn start(&self, launch: &Launch) -> Result<Started, StartError> {
        let Spawned {
            leader,
            stdout,
            stderr,
        } = exec::spawn(launch)?;
        let pid = leader.pid();
        let mut run = self.run.borrow_mut();
        run.leaders.insert(pid);
        run.marks.insert(launch.mark.clone());
        let cage = GroupCage {
            leader: pid,
            mark: launch.mark.clone(),
            sessions: HashSet::from([pid]),
            run: Rc::clone(&self.run),
        };
        Ok(Started {
            leader,
            cage: Box::new(cage),
            stdout,
            stderr,
        })
    }

    fn achieved(&self) -> Isolation {
        Self::isolation()
    }

    fn sweep(&self) -> Swept {
        let run = self.run.borrow();
        let mut seen: Vec<(ProcessKey, Leak)> = Vec::new();
        let give_up = Instant::now() + SWEEP_LIMIT;
        loop {
            let mut orphans = run.orphans();
            orphans.retain(|orphan| run.is_ours(orphan));
            let orphans = orphans.iter().map(|stat| stat.key.pid).collect();
            let living = living(processes::with_descendants(orphans));
            if living.is_empty() || Instant::now() > give_up {
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
                signal(stat.key, Signal::SIGKILL);
            }
            // What is left over at the end of a run is rare, and dies within a scheduler's turn.
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Run {
    /// Whether an orphan may have been a stranger's.
    fn adopts_from_others(&self) -> bool {
        self.own_pid == 1 || !self.strangers.is_empty()
    }

    /// Whether an orphan was started by this run.
    fn is_ours(&self, orphan: &Stat) -> bool {
        !self.adopts_from_others()
            || self
                .marks
                .iter()
                .any(|mark| processes::has_variable(orphan.key.pid, "HOME", mark))
    }

    /// Our living children that are neither strangers nor a check's main process: orphans that
    /// came to us. Those that have ended are reaped on the way.
    fn orphans(&self) -> Vec<Stat> {
        let mut living = Vec::new();
        for pid in processes::children(self.own_pid) {
            if self.leaders.contains(&pid) {
                continue;
            }
            let Some(stat) = processes::stat(pid) else {
                continue;
            };
            if self.strangers.contains(&stat.key) {
                continue;
            }
            if stat.ended {
                // A child of ours that nobody else waits for: only we can let it go.
                let _ = waitid(
                    Id::Pid(Pid::from_raw(pid)),
                    WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG,
                );
            } else {
                living.push(stat);
            }
        }
        living
    }
}

struct GroupCage {
    leader: i32,
    mark: OsString,
    /// Sessions and groups seen under the leader.
    sessions: HashSet<i32>,
    run: Rc<RefCell<Run>>,
}

impl GroupCage {
    /// Every living process of the check.
    fn living(&mut self) -> Vec<Stat> {
        let run = self.run.borrow();
        // What a leader that has ended leaves behind is an orphan, and comes to us.
        let descended = match processes::stat(self.leader) {
            Some(leader) if !leader.ended => processes::with_descendants(vec![self.leader]),
            _ => Vec::new(),
        };
        for stat in descended.iter().filter_map(|&pid| processes::stat(pid)) {
            self.sessions.extend([stat.session, stat.group]);
        }
        let alone = run.leaders.len() == 1 && !run.adopts_from_others();
        let adopted = run.orphans().into_iter().filter(|orphan| {
            (alone && !run.unclaimed.contains(&orphan.key))
                || self.sessions.contains(&orphan.session)
                || self.sessions.contains(&orphan.group)
                || processes::has_variable(orphan.key.pid, "HOME", &self.mark)
        });
        let mut pids = descended;
        pids.extend(processes::with_descendants(
            adopted.map(|orphan| orphan.key.pid).collect(),
        ));
        let living = living(pids);
        for stat in &living {
            self.sessions.extend([stat.session, stat.group]);
        }
        living
    }
}

impl Cage for GroupCage {
    fn members(&mut self) -> Vec<Member> {
        let command = |stat: &Stat| Member {
            pid: stat.key.pid,
            command: processes::command(stat.key.pid),
        };
        self.living().iter().map(command).collect()
    }

    fn is_empty(&mut self) -> bool {
        self.living().is_empty()
    }

    fn stop(&mut self, how: Stop) {
        let living = self.living();
        let (first, then) = match how {
            Stop::Terminate => (Signal::SIGTERM, Some(Signal::SIGCONT)),
            Stop::Kill => (Signal::SIGKILL, None),
        };
        for stat in &living {
            signal(stat.key, first);
        }
        if let Some(then) = then {
            for stat in &living {
                signal(stat.key, then);
            }
        }
    }

    fn close(&mut self) {
        let mut run = self.run.borrow_mut();
        run.leaders.remove(&self.leader);
        if !run.leaders.is_empty() {
            let left: Vec<_> = run.orphans().iter().map(|orphan| orphan.key).collect();
            run.unclaimed.extend(left);
        }
    }

    fn achieved(&self) -> Isolation {
        GroupContainment::isolation()
    }
}

/// Those of `pids` that have not ended.
fn living(pids: Vec<i32>) -> Vec<Stat> {
    pids.into_iter()
        .filter_map(processes::stat)
        .filter(|stat| !stat.ended)
        .collect()
}

/// A cage that is dropped with its check still in it (a panic unwinds through here) leaves nothing
/// alive either.
impl Drop for GroupCage {
    fn drop(&mut self) {
        if self.run.borrow().leaders.contains(&self.leader) {
            self.stop(Stop::Kill);
        }
    }
}

/// Signals the very process that was seen, or none: the pidfd is opened first, and only then is
/// the start time compared, so that a reused id cannot be hit.
fn signal(key: ProcessKey, signal: Signal) {
    let Ok(fd) = exec::pidfd(Pid::from_raw(key.pid)) else {
        return;
    };
    if processes::stat(key.pid).is_none_or(|now| now.key != key) {
        return;
    }
    // SAFETY: pidfd_send_signal(2) takes a descriptor that we own, a number and no siginfo.
    unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            std::os::fd::AsRawFd::as_raw_fd(&fd),
            signal as libc::c_int,
            std::ptr::null::<libc::siginfo_t>(),
            0,
        );
    }
}
