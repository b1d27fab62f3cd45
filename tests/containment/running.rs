//! One `check` that runs, waited for with a limit, and gone with all that it started when dropped.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::ends::Exit;
use super::fault::Fault;
use super::processes::{self, Process};

/// Long beyond anything that is asked for: what is waited for until then hangs.
pub const HANG: Duration = Duration::from_mins(2);
/// Between two looks; many cells look at once.
const LONGEST_PAUSE: Duration = Duration::from_millis(16);

/// A `check` in a folder whose name stands in the command lines of all that it starts.
pub struct Running {
    child: Child,
    mark: String,
    ended: bool,
}

impl Running {
    /// Starts it.
    pub fn start(command: &mut Command, mark: &str) -> Self {
        Self {
            child: command.spawn().unwrap(),
            mark: mark.to_owned(),
            ended: false,
        }
    }

    /// Its process id.
    pub fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid()), signal).unwrap();
    }

    /// How it ended, where it has.
    pub fn poll(&mut self) -> Option<Exit> {
        let status = self.child.try_wait().unwrap()?;
        self.ended = true;
        Some(match status.code() {
            Some(code) => Exit::Code(code),
            None => Exit::Signal(Signal::try_from(status.signal().unwrap()).unwrap()),
        })
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> Result<Exit, Fault> {
        let mut exit = None;
        until("check hangs", HANG, || {
            exit = self.poll();
            exit.is_some()
        })?;
        Ok(exit.unwrap())
    }

    /// What it started and is alive, itself and its forks not counted.
    pub fn children(&self) -> Vec<Process> {
        processes::children_of_run(&self.mark)
    }

    /// Waits until nothing of it is alive, itself and its forks counted; how long that took.
    pub fn wait_for_silence(&self) -> Result<Duration, Fault> {
        let begun = Instant::now();
        let mut left = Vec::new();
        until("", HANG, || {
            left = processes::marked(&self.mark);
            left.is_empty()
        })
        .map_err(|_| Fault::survivors(format!("alive long after check: {}", names(&left))))?;
        Ok(begun.elapsed())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        for process in processes::marked(&self.mark) {
            process.signal(Signal::SIGKILL);
        }
    }
}

/// Waits until `done`, at most for `limit`.
pub fn until(what: &str, limit: Duration, mut done: impl FnMut() -> bool) -> Result<(), Fault> {
    let give_up = Instant::now() + limit;
    let mut pause = Duration::from_millis(1);
    while !done() {
        if Instant::now() > give_up {
            return Err(Fault::new(what));
        }
        sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    Ok(())
}

/// In a few words.
pub fn names(processes: &[Process]) -> String {
    let name = |p: &Process| format!("{} {} ({})", p.pid, p.words.join(" "), p.state);
    let mut names: Vec<_> = processes.iter().take(5).map(name).collect();
    if processes.len() > 5 {
        names.push(format!("and {} more", processes.len() - 5));
    }
    names.join(", ")
}
