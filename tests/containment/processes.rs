//! Which processes of a run are alive, found by a word of their command lines: by none of the means
//! by which `check` finds them.

use std::fs;
use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::surroundings::cgroup2_mounts;

/// A process that is alive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub pid: i32,
    /// As in proc(5): `T` is stopped.
    pub state: char,
    /// Its command line.
    pub words: Vec<String>,
}

impl Process {
    /// `check` itself, or a fork of it that has not become anything else.
    pub fn is_check(&self) -> bool {
        let program = self.words.first().map(Path::new);
        program.and_then(Path::file_name) == Some("check".as_ref())
    }

    /// Whether it was stopped by a signal or stands in a frozen cgroup.
    pub fn stands_still(&self) -> bool {
        self.state == 'T' || in_frozen_cgroup(self.pid)
    }

    /// Sends a signal, to whatever has this id now.
    pub fn signal(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(self.pid), signal);
    }
}

/// Those with `mark` in their command line.
pub fn marked(mark: &str) -> Vec<Process> {
    let pids = fs::read_dir("/proc").unwrap().flatten();
    pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid| living(pid, mark))
        .collect()
}

/// Those of a run that `check` started.
pub fn children_of_run(mark: &str) -> Vec<Process> {
    let mut found = marked(mark);
    found.retain(|process| !process.is_check());
    found
}

/// The state of a process as proc(5) shows it; `None` where there is none.
pub fn state(pid: i32) -> Option<char> {
    state_in(&format!("/proc/{pid}"))
}

/// Whether the process has a handler for `signal`, or is gone.
pub fn catches(pid: i32, signal: Signal) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigCgt:\t"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask, 16).ok());
    mask.is_none_or(|mask| mask >> (signal as i32 - 1) & 1 == 1)
}

fn in_frozen_cgroup(pid: i32) -> bool {
    let own = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let Some(own) = own.lines().find_map(|line| line.strip_prefix("0::/")) else {
        return false;
    };
    cgroup2_mounts().iter().any(|tree| {
        let events = fs::read_to_string(tree.join(own).join("cgroup.events"));
        events.is_ok_and(|events| events.lines().any(|line| line == "frozen 1"))
    })
}

/// A process whose main thread has ended looks like a zombie without a command line, and may be alive
/// all the same, so its other threads are asked.
fn living(pid: i32, mark: &str) -> Option<Process> {
    let own = format!("/proc/{pid}");
    let line = fs::read(format!("{own}/cmdline")).ok()?;
    if !line.is_empty() {
        return thread(pid, &own, mark);
    }
    let mut tasks = fs::read_dir(format!("{own}/task")).ok()?.flatten();
    tasks.find_map(|task| thread(pid, task.path().to_str()?, mark))
}

fn thread(pid: i32, folder: &str, mark: &str) -> Option<Process> {
    let line = String::from_utf8_lossy(&fs::read(format!("{folder}/cmdline")).ok()?).into_owned();
    if !line.contains(mark) {
        return None;
    }
    let state = state_in(folder)?;
    let words = line.split_terminator('\0').map(str::to_owned).collect();
    (!matches!(state, 'Z' | 'X')).then_some(Process { pid, state, words })
}

fn state_in(folder: &str) -> Option<char> {
    let stat = fs::read_to_string(format!("{folder}/stat")).ok()?;
    stat[stat.rfind(')')? + 1..].trim_start().chars().next()
}
