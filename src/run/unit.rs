//! One running check: drives its ladder, reads its pipes, and gathers its facts.

use std::path::Path;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::contain::{Cage, Launch, Leader, Member, Pipe, Read, Started, Stop};
use crate::launch::{Home, HomePlace};
use crate::model::{
    Broken, CheckResult, CheckSpec, Exit, Isolation, Leak, Outcome, RowSink, Status, Streams,
    Termination,
};
use crate::parse::{Extractor, Setup, Stream};

use super::capture::{Capture, LogFate};
use super::ladder::{Action, Event, Forced, Ladder};
use super::launching::{self, Prepared};
use super::plan::Plan;

/// Read at once; a pipe holds no more by default.
const BUFFER: usize = 64 * 1024;
/// Reads in a row from one pipe before anything else gets its turn.
const READS_IN_A_ROW: usize = 4;
/// Reads that take more than a pipe can be made to hold (1 MiB; see pipe(7)), and so all that
/// processes wrote that are dead by now.
const READS_OF_A_PIPE: usize = 17;

/// What everything that runs is told from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cancel {
    /// Go on.
    No,
    /// End, with the grace.
    Interrupt,
    /// End now.
    Hurry,
}

/// Runs `check` to its end, whatever end that is, and judges it.
pub async fn run(
    plan: &Plan<'_>,
    check: &CheckSpec,
    sink: Box<dyn RowSink>,
    cancel: watch::Receiver<Cancel>,
    run_ends_at: Instant,
) -> CheckResult {
    let prepared = match launching::prepare(plan, check) {
        Ok(prepared) => prepared,
        Err(broken) => return sink.end(never_ran(plan, check, broken)),
    };
    let Prepared {
        launch,
        home,
        env,
        notes,
    } = prepared;
    let begun = Instant::now();
    let started = match start(plan, check, &launch) {
        Ok(started) => started,
        Err(broken) => {
            clear_home(home);
            return sink.end(never_ran(plan, check, broken));
        }
    };
    let (
        extractor,
        Started {
            leader,
            cage,
            stdout,
            stderr,
        },
    ) = started;
    let (deadline, limit) = match check.timeout {
        Some(own) if begun + own <= run_ends_at => (begun + own, own),
        _ => (run_ends_at, plan.settings.timeout),
    };
    let mut unit = Unit {
        cage,
        pipes: [Some(stdout), stderr],
        capture: Capture::new(plan.logs, &check.id.file_name()),
        extractor,
        sink,
        ladder: Ladder::new(Some(deadline), plan.settings.grace),
        leader_ended: false,
        exit: None,
        leaks: Vec::new(),
        broken: None,
        notes,
        output_limit: plan.settings.limits.output_bytes,
        buffer: vec![0; BUFFER].into_boxed_slice(),
    };
    unit.drive(&leader, cancel).await;
    let facts = Launched {
        duration: begun.elapsed(),
        limit,
        streams: launch.streams,
        env,
    };
    let result = unit.judge(leader, facts, &plan.logs_shown);
    clear_home(home);
    result
}

/// A parser for its output, and the process itself.
fn start(
    plan: &Plan<'_>,
    check: &CheckSpec,
    launch: &Launch,
) -> Result<(Extractor, Started), Broken> {
    let argv = check.argv();
    let setup = Setup {
        root: &plan.settings.root,
        cwd: &check.cwd,
        argv: &argv,
        format: &check.output.format,
        pattern: check.output.pattern.as_ref(),
        channel: check.output.channel,
        joined: launch.streams == Streams::Joined,
    };
    let extractor = Extractor::new(&setup).map_err(|unknown| Broken {
        reason: unknown.to_string(),
        details: Vec::new(),
    })?;
    let started = plan
        .containment
        .start(launch)
        .map_err(|error| launching::not_started(&error))?;
    Ok((extractor, started))
}

/// What cannot be removed now is removed by the next run of this check.
fn clear_home(home: Home) {
    let _ = HomePlace::clear(home);
}

/// What is known of a launch beside what the unit saw.
struct Launched {
    duration: Duration,
    /// The one that stands behind the unit's deadline.
    limit: Duration,
    streams: Streams,
    env: Vec<String>,
}

/// A check while it runs.
struct Unit<'a> {
    cage: Box<dyn Cage>,
    /// Standard output (or both) and standard error, while they are open.
    pipes: [Option<Pipe>; 2],
    capture: Capture<'a>,
    extractor: Extractor,
    sink: Box<dyn RowSink>,
    ladder: Ladder,
    leader_ended: bool,
    /// `None` until then, and where the kernel does not say.
    exit: Option<Exit>,
    leaks: Vec<Leak>,
    /// Why there is no judging it.
    broken: Option<Broken>,
    notes: Vec<String>,
    output_limit: Option<u64>,
    buffer: Box<[u8]>,
}

impl Unit<'_> {
    /// Hands all facts to the sink. Nothing of the check is alive.
    fn judge(self, leader: Leader, launched: Launched, logs_shown: &Path) -> CheckResult {
        let Self {
            mut cage,
            mut capture,
            extractor,
            mut sink,
            ladder,
            exit,
            leaks,
            broken,
            output_limit,
            notes,
            ..
        } = self;
        let findings = extractor.finish(exit, &mut |row| sink.row(row));
        let (stdout, stderr) = capture.tails();
        let isolation = cage.achieved();
        cage.close();
        leader.reap();
        // A check may print too much and be gone before that is read.
        let too_much = output_limit.is_some_and(|limit| capture.total() > limit);
        let forced = ladder.forced().or(too_much.then_some(Forced::OutputLimit));
        let outcome = Outcome {
            exit,
            termination: termination(forced, exit),
            duration: launched.duration,
            limit: (forced == Some(Forced::Timeout)).then_some(launched.limit),
            findings,
            broken,
            leaks,
            isolation,
            streams: launched.streams,
            stdout,
            stderr,
            env: launched.env,
            notes,
        };
        let mut result = sink.end(outcome);
        match capture.finish(result.status != Status::Pass) {
            LogFate::None => {}
            LogFate::Written(name) => {
                result.log = Some(logs_shown.join(name).display().to_string());
            }
            LogFate::Lost(error) => {
                result
                    .notes
                    .push(format!("the log could not be written: {error}"));
            }
        }
        result
    }

    /// Until nothing of the check is alive, or what is cannot be killed.
    async fn drive(&mut self, leader: &Leader, mut cancel: watch::Receiver<Cancel>) {
        let mut told = Cancel::No;
        let mut over = false;
        while !over {
            let wake = self.ladder.wake_at().map(tokio::time::Instant::from_std);
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
        let mut action = self.ladder.on(event, Instant::now());
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
            action = self.ladder.on(Event::Cleared, Instant::now());
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
        if self
            .output_limit
            .is_some_and(|limit| self.capture.total() > limit)
        {
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
        match pipe.read(&mut self.buffer) {
            Ok(Read::Bytes(count)) => {
                let bytes = &self.buffer[..count];
                self.capture.take(stream, bytes);
                let sink = &mut self.sink;
                self.extractor.feed(stream, bytes, &mut |row| sink.row(row));
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

async fn sleep_until(deadline: Option<tokio::time::Instant>) {
    if let Some(deadline) = deadline {
        tokio::time::sleep_until(deadline).await;
    }
}

fn termination(forced: Option<Forced>, exit: Option<Exit>) -> Termination {
    match (forced, exit) {
        (Some(Forced::Timeout), _) => Termination::TimedOut,
        (Some(Forced::Interrupt), _) => Termination::Interrupted,
        (Some(Forced::OutputLimit), _) => Termination::OutputLimit,
        (None, Some(Exit::Signal(_))) => Termination::Signalled,
        (None, _) => Termination::Exited,
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

/// The facts of a check that was never launched.
fn never_ran(plan: &Plan<'_>, check: &CheckSpec, broken: Broken) -> Outcome {
    Outcome {
        broken: Some(broken),
        isolation: Isolation {
            mechanism: "none".to_owned(),
            ..plan.containment.achieved()
        },
        streams: launching::streams(check),
        ..Outcome::new(Termination::SpawnFailed, None)
    }
}
