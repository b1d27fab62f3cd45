//! Which processes are whose: what the checks of one run know of each other.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::os::fd::OwnedFd;

use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

use super::cgroup::Slot;
use super::enclose::Init;
use super::processes::{self, Children, ProcessKey, Stat};

/// Looks in a row at what changes while it is looked at.
const MOST_LOOKS: usize = 50;

/// All processes that may be of interest to a run.
pub struct Family {
    own_pid: i32,
    children: Children,
    strangers: HashSet<ProcessKey>,
    /// A helper of our own, no check's.
    watchdog: Option<i32>,
    /// By the main process's id, which is its own until the check is closed.
    checks: HashMap<i32, Check>,
    /// Orphans that were there when a check was closed beside others and could not be told to be
    /// anyone's: no later check may be blamed for them.
    unclaimed: HashSet<ProcessKey>,
    /// The homes of this run's checks.
    marks: HashSet<OsString>,
    /// Of checks that are closed, killed and not seen gone yet.
    ending: Vec<Init>,
}

/// How a check's processes are known.
pub struct Check {
    /// The value of HOME that they were started with.
    pub mark: OsString,
    /// Where they were born, where a cgroup could be had.
    pub slot: Option<Slot>,
    /// Sessions and groups seen under the main process.
    pub sessions: HashSet<i32>,
    /// The first process of its PID namespace, to which its orphans come.
    pub init: Option<Init>,
}

impl Family {
    /// Notes which children are not ours to touch.
    pub fn new() -> Self {
        let own_pid = std::process::id().cast_signed();
        let strangers = processes::children(own_pid)
            .into_iter()
            .filter_map(|pid| Some(processes::stat(pid)?.key))
            .collect();
        Self {
            own_pid,
            children: Children::of_main_thread(own_pid),
            strangers,
            watchdog: None,
            checks: HashMap::new(),
            unclaimed: HashSet::new(),
            marks: HashSet::new(),
            ending: Vec::new(),
        }
    }

    /// The child `pid` is a helper of the run itself.
    pub fn has_watchdog(&mut self, pid: i32) {
        self.watchdog = Some(pid);
    }

    /// A check was started.
    pub fn opened(&mut self, leader: i32, mark: OsString, slot: Option<Slot>, init: Option<Init>) {
        self.marks.insert(mark.clone());
        let sessions = HashSet::from([leader]);
        let check = Check {
            mark,
            slot,
            sessions,
            init,
        };
        self.checks.insert(leader, check);
    }

    /// A check is over, and its main process may be waited for. Gives its cgroup back.
    pub fn closed(&mut self, leader: i32) -> Option<Slot> {
        if self.checks.len() > 1 {
            // While the check is open its main process is no orphan.
            let left: Vec<_> = self.orphans().iter().map(|orphan| orphan.key).collect();
            self.unclaimed.extend(left);
        }
        let closed = self.checks.remove(&leader)?;
        if let Some(init) = closed.init {
            // It is gone only when the main process was waited for, which nobody waits for here.
            init.kill();
            self.ending.push(init);
        }
        closed.slot
    }

    /// The init of an open check.
    pub fn init(&self, leader: i32) -> Option<&Init> {
        self.checks.get(&leader)?.init.as_ref()
    }

    /// Whether nothing is left of the PID namespaces of closed checks.
    pub fn inits_are_gone(&mut self) -> bool {
        self.ending.retain(|init| !init.is_gone());
        self.ending.is_empty()
    }

    /// The networks of closed checks in which nobody is any more.
    pub fn left_networks(&mut self) -> Vec<OwnedFd> {
        let gone = self.ending.extract_if(.., |init| init.is_gone());
        gone.filter_map(|mut init| init.take_network()).collect()
    }

    /// Whether the check of `leader` is not closed yet.
    pub fn is_open(&self, leader: i32) -> bool {
        self.checks.contains_key(&leader)
    }

    /// The main processes of all open checks.
    pub fn leaders(&self) -> Vec<i32> {
        self.checks.keys().copied().collect()
    }

    /// The cgroup of an open check.
    pub fn slot(&self, leader: i32) -> Option<&Slot> {
        self.checks.get(&leader)?.slot.as_ref()
    }

    /// Whether nothing of an open check lives: what its cgroup says, and a look at our own
    /// children, which is all that a check that ended cleanly costs.
    pub fn is_empty(&mut self, leader: i32) -> bool {
        if let Some(slot) = self.slot(leader)
            && slot.is_populated()
        {
            return false;
        }
        if processes::has_ended(leader) {
            let check = self.checks.get(&leader);
            let empty = match check.map(|check| (&check.init, &check.slot)) {
                // Nothing inside can leave its cgroup, and no orphan leaves its PID namespace.
                Some((Some(_), Some(_))) => true,
                Some((Some(_), None)) => false,
                _ => self.orphans().is_empty(),
            };
            if empty {
                return true;
            }
        }
        self.living(leader).is_empty()
    }

    /// Every living process of an open check.
    pub fn living(&mut self, leader: i32) -> Vec<Stat> {
        let alone = self.checks.len() == 1 && !self.adopts_from_others();
        let Some(check) = self.checks.get(&leader) else {
            return Vec::new();
        };
        let mut roots = match &check.slot {
            Some(slot) if slot.is_populated() => slot.members(),
            _ => Vec::new(),
        };
        // What a leader that has ended leaves behind is an orphan, and comes to us. One that was
        // born in a cgroup may have children that left it.
        if !processes::has_ended(leader) {
            roots.push(leader);
        }
        let init = check.init.as_ref().map(Init::pid);
        roots.extend(init);
        let living = self.settled(roots, init, |orphan| {
            (alone && !self.unclaimed.contains(&orphan.key))
                || (check.claims(orphan) && !self.is_in_anothers_cgroup(leader, orphan.key.pid))
        });
        if let Some(check) = self.checks.get_mut(&leader) {
            for stat in &living {
                check.sessions.extend([stat.session, stat.group]);
            }
        }
        living
    }

    /// What lives of `roots`, of the orphans that are `mine`, and of all that descends from them.
    ///
    /// Who loses its parent moves from its descent to us. So descent is looked at first and our
    /// children after it; and where nothing is found alive although something was there, all is
    /// looked at again: else what moved meanwhile would be nowhere, and its check over while it
    /// lives.
    ///
    /// `init`: one of the roots that is not meant itself.
    fn settled(
        &self,
        roots: Vec<i32>,
        init: Option<i32>,
        mine: impl Fn(&Stat) -> bool,
    ) -> Vec<Stat> {
        let mut found = processes::with_descendants(roots);
        let mut looked_again = false;
        for _ in 0..MOST_LOOKS {
            let known: HashSet<i32> = found.iter().copied().collect();
            let mut fresh = self.orphans();
            fresh.retain(|orphan| !known.contains(&orphan.key.pid) && mine(orphan));
            let mut fresh: Vec<i32> = fresh.iter().map(|orphan| orphan.key.pid).collect();
            // Its orphans are the check's, whoever they say they are.
            let adopted = init.map(processes::children).into_iter().flatten();
            fresh.extend(adopted.filter(|pid| !known.contains(pid)));
            let nothing_new = fresh.is_empty();
            let fresh = processes::with_descendants(fresh);
            found.extend(fresh.into_iter().filter(|pid| !known.contains(pid)));
            let meant = found.iter().copied().filter(|pid| Some(*pid) != init);
            let stats = meant.filter_map(processes::stat);
            let living: Vec<Stat> = stats.filter(|stat| !stat.ended).collect();
            let none_found = found.iter().all(|pid| Some(*pid) == init);
            if nothing_new && (!living.is_empty() || none_found || looked_again) {
                return living;
            }
            looked_again = nothing_new;
        }
        // Whoever changes faster than we can look lives.
        self.orphans()
            .into_iter()
            .filter(|orphan| mine(orphan))
            .collect()
    }

    fn is_in_anothers_cgroup(&self, leader: i32, pid: i32) -> bool {
        let mut others = self.checks.iter().filter(|(other, _)| **other != leader);
        others.any(|(_, check)| check.slot.as_ref().is_some_and(|slot| slot.holds(pid)))
    }

    /// What is left of the run beside its open checks, and all that descends from it.
    pub fn leftovers(&self) -> Vec<Stat> {
        self.settled(Vec::new(), None, |orphan| self.is_ours(orphan))
    }

    /// Waits for what has ended of the orphans that came to us.
    pub fn tidy(&self) {
        self.orphans();
    }

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

    fn is_init(&self, pid: i32) -> bool {
        let open = self.checks.values().filter_map(|check| check.init.as_ref());
        open.chain(&self.ending).any(|init| init.pid() == pid)
    }

    /// Our living children that are neither strangers nor a check's main process: orphans that
    /// came to us. Those that have ended are waited for on the way.
    fn orphans(&self) -> Vec<Stat> {
        let (mut living, mut ended) = self.list_orphans();
        let mut looks = 1;
        // What one of them left behind when it ended came to us, maybe after the list was made.
        while ended && looks < MOST_LOOKS {
            (living, ended) = self.list_orphans();
            looks += 1;
        }
        living
    }

    /// And whether any had ended.
    fn list_orphans(&self) -> (Vec<Stat>, bool) {
        let mut living = Vec::new();
        let mut any_ended = false;
        for pid in self.children.list() {
            if self.checks.contains_key(&pid) || self.watchdog == Some(pid) || self.is_init(pid) {
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
                any_ended = true;
            } else {
                living.push(stat);
            }
        }
        (living, any_ended)
    }
}

impl Check {
    /// Whether an orphan says itself that it is this check's.
    fn claims(&self, orphan: &Stat) -> bool {
        self.sessions.contains(&orphan.session)
            || self.sessions.contains(&orphan.group)
            || processes::has_variable(orphan.key.pid, "HOME", &self.mark)
    }
}
