//! One process and all that it starts, driven to their end.

use std::cell::RefCell;
use std::time::Instant;

use tokio::sync::watch;

use crate::contain::{Cage, Leader, Member, Pipe, Read, Started, Stop};
use crate::model::{Broken, Exit, Leak};
use crate::parse::Stream;

use super::clock::Clock;
use super::ladder::{Action, Event, Forced, Ladder};
use super::plan::Plan;

/// Read at once; a pipe holds no more by default.
const BUFFER: usize = 64 * 1024;
/// Reads in a row from one pipe before anything else gets its turn.
const READS_IN_A_ROW: usize = 4;
/// Reads that take more than a pipe can be made to hold (1 MiB; see pipe(7)), and so all that
/// processes wrote that are dead by now.
const READS_OF_A_PIPE: usize = 17;

/// What is read is looked at before anything else is read, so one buffer serves a whole run.
pub struct ReadBuffer(RefCell<Box<[u8]>>);

impl Default for ReadBuffer {
    fn default() -> Self {
        Self(RefCell::new(vec![0; BUFFER].into_boxed_slice()))
    }
}

/// What everything that runs is told from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cancel {
    /// Go on.
    No,
    /// Another check failed: end, with the grace.
    FailFast,
    /// A signal came: end, with the grace.
    Interrupt,
    /// End now.
    Hurry,
}

/// Takes what a process prints.
pub trait Output {
    /// Bytes as they arrive.
    fn take(&mut self, stream: Stream, bytes: &[u8]);
    /// Whether that was more than it may be.
    fn is_too_much(&self) -> bool;
}

/// A process that is over, nothing of it alive but what could not be killed. Its leader is not
/// reaped, so its id is still its own.
pub struct Over {
    /// Its main process.
    pub leader: Leader,
    /// To be closed before the leader is reaped.
    pub cage: Box<dyn Cage>,
    /// How the main process ended; `None` where the kernel does not say.
    pub exit: Option<Exit>,
    /// Why it was made to end; `None` where it ended by itself.
    pub forced: Option<Forced>,
    /// What outlived the main process.
    pub leaks: Vec<Leak>,
    /// Why there is no judging it.
    pub broken: Option<Broken>,
    /// Sentences worth a reader's time.
    pub notes: Vec<String>,
}

/// Until nothing of it is alive, or what is cannot be killed. `output` has all that was printed.
pub async fn drive(
    started: Started,
    ladder: Ladder,
    output: &mut dyn Output,
    plan: &Plan<'_>,
    cancel: watch::Receiver<Cancel>,
) -> Over {
    let Started {
        leader,
        cage,
        stdout,
        stderr,
    } = started;
    let mut process = Process {
        cage,
        pipes: [Some(stdout), stderr],
        output,
        ladder,
        leader_ended: false,
        exit: None,
        leaks: Vec::new(),
        broken: None,
        notes: Vec::new(),
        clock: &plan.clock,
        buffer: &plan.buffer,
    };
    process.drive(&leader, cancel).await;
    Over {
        leader,
        cage: process.cage,
        exit: process.exit,
        forced: process.ladder.forced(),
        leaks: process.leaks,
        broken: process.broken,
        notes: process.notes,
    }
}

struct Process<'o> {
    cage: Box<dyn Cage>,
    /// Standard output (or both) and standard error, while they are open.
    pipes: [Option<Pipe>; 2],
    output: &'o mut dyn Output,
    ladder: Ladder,
    leader_ended: bool,
    exit: Option<Exit>,
    leaks: Vec<Leak>,
    broken: Option<Broken>,
    notes: Vec<String>,
    clock: &'o Clock,
    buffer: &'o ReadBuffer,
}

impl Process<'_> {
    async fn drive(&mut self, leader: &Leader, mut cancel: watch::Receiver<Cancel>) {
        let mut told = Cancel::No;
        let mut over = false;
        while !over {
            let wake = self.ladder.wake_at().map(|at| self.clock.outside(at));
            let event = tokio::select! {
                exit = leader.ended(), if !self.leader_ended => {
                    self.leader_ended = true;
                    self.exit = exit.ok();
                    Some(Event::LeaderEnded)
                }
                () = readable(self.pipes[0].as_ref()), if self.pipes[0].is_some() => {
                    self.read(0).await
                }
                () = readable(self.pipes[1].as_ref()), if self.pipes[1].is_some() => {
                    self.read(1).await
                }
                () = sleep_until(wake), if wake.is_some() => Some(Event::Time),
                changed = cancel.changed(), if told != Cancel::Hurry => {
                    told = if changed.is_ok() { *cancel.borrow_and_update() } else { Cancel::Hurry };
                    match told {
                        Cancel::No => None,
                        Cancel::FailFast => Some(Event::Force(Forced::FailFast)),
                        Cancel::Interrupt => Some(Event::Force(Forced::Interrupt)),
                        Cancel::Hurry => Some(Event::Hurry),
                    }
                }
            };
            if let Some(event) = event {
                over = self.act(event);
            }
        }
    }

    /// Tells the ladder, and does what it says. True when all is over.
    fn act(&mut self, event: Event) -> bool {
        let mut action = self.ladder.on(event, self.clock.now());
        loop {
            match action {
                Action::Wait => return false,
                Action::Terminate => self.cage.stop(Stop::Terminate),
                Action::Kill => self.cage.stop(Stop::Kill),
                Action::KillLeaks => {
                    self.leaks = self.living();
                    self.cage.stop(Stop::Kill);
                }
                Action::Look => {}
                Action::Finish => return true,
                Action::GiveUp => {
                    self.broken = unkillable(&self.living());
                    return true;
                }
            }
            if !self.is_clear() {
                return false;
            }
            action = self.ladder.on(Event::Cleared, self.clock.now());
        }
    }

    /// Whether no process is alive and no output is to come.
    fn is_clear(&mut self) -> bool {
        if !self.leader_ended || !self.cage.is_empty() {
            return false;
        }
        // All that the check's processes wrote is in the pipes by now.
        for index in 0..2 {
            self.read_some(index, READS_OF_A_PIPE);
        }
        let held = self.pipes.iter().any(Option::is_some);
        if held && self.ladder.is_killing() {
            self.notes
                .push("a process that is not this check's holds its output open".to_owned());
            return true;
        }
        !held
    }

    /// Reads what a pipe has, within bounds; what follows from it, if anything.
    async fn read(&mut self, index: usize) -> Option<Event> {
        if self.read_some(index, READS_IN_A_ROW) {
            // A pipe that is filled as fast as it is read is always ready. Without a turn for the
            // runtime no clock would go on and no signal arrive, and no limit would ever end it.
            tokio::task::yield_now().await;
        }
        if self.output.is_too_much() {
            return Some(Event::Force(Forced::OutputLimit));
        }
        // A pipe that closes may have been the last thing to wait for.
        (self.pipes[index].is_none() && self.leader_ended).then_some(Event::Closed)
    }

    /// Reads what a pipe has, at most so many times: whoever holds it open may never stop. True
    /// where there may be more.
    fn read_some(&mut self, index: usize, times: usize) -> bool {
        (0..times).all(|_| self.read_once(index))
    }

    /// One read; false where nothing more is there for now or ever.
    fn read_once(&mut self, index: usize) -> bool {
        let Some(pipe) = &self.pipes[index] else {
            return false;
        };
        let stream = if index == 0 {
            Stream::Stdout
        } else {
            Stream::Stderr
        };
        let mut buffer = self.buffer.0.borrow_mut();
        match pipe.read(&mut buffer) {
            Ok(Read::Bytes(count)) => {
                self.output.take(stream, &buffer[..count]);
                true
            }
            Ok(Read::Empty) => false,
            Ok(Read::End) => {
                self.pipes[index] = None;
                false
            }
            Err(error) => {
                self.broken = Some(Broken {
                    reason: format!("its output could not be read to the end: {error}"),
                    details: Vec::new(),
                });
                self.pipes[index] = None;
                false
            }
        }
    }

    fn living(&mut self) -> Vec<Leak> {
        let leak = |member: Member| Leak {
            pid: member.pid,
            command: member.command,
        };
        self.cage.members().into_iter().map(leak).collect()
    }
}

/// Waits for a pipe that is open; an error shows when it is read.
async fn readable(pipe: Option<&Pipe>) {
    if let Some(pipe) = pipe {
        let _ = pipe.readable().await;
    }
}

/// Until then; not at all where there is no such time.
pub async fn sleep_until(deadline: Option<Instant>) {
    if let Some(deadline) = deadline {
        tokio::time::sleep_until(deadline.into()).await;
    }
}

fn unkillable(left: &[Leak]) -> Option<Broken> {
    let first = left.first()?;
    Some(Broken {
        reason: format!("process {} could not be killed", first.pid),
        details: left
            .iter()
            .map(|leak| format!("{} (pid {})", leak.command, leak.pid))
            .collect(),
    })
}
