//! One check: what its process prints goes to parser, log and shot, and what it did to its sink.

use std::time::Duration;

use tokio::sync::watch;

use crate::contain::{Launch, StartError, Started};
use crate::model::{
    Broken, CheckResult, CheckSpec, Exit, Isolation, Outcome, Pattern, RowSink, Status, Streams,
    Termination,
};
use crate::parse::{Extractor, Setup, Stream};

use super::capture::Capture;
use super::deadline::Deadline;
use super::ladder::{Forced, Ladder};
use super::launching::{self, Prepared};
use super::log::LogFate;
use super::plan::Plan;
use super::process::{Cancel, Output, Over, drive};
use super::progress::Progress;
use super::shot::{self, Shot};
use super::unpassed::{advice, unpassed};
use super::walled::walled;

/// Runs `check` to its end, whatever end that is, and judges it.
pub async fn run(
    plan: &Plan<'_>,
    check: &CheckSpec,
    sink: Box<dyn RowSink>,
    cancel: watch::Receiver<Cancel>,
    run_ends: Deadline,
) -> CheckResult {
    let shot = Shot::before(&plan.settings.root, check);
    let prepared = match launching::prepare(plan, check) {
        Ok(prepared) => prepared,
        Err(broken) => return never_ran(check, Termination::SpawnFailed, broken, sink),
    };
    let Prepared {
        launch,
        rooms,
        env,
        notes,
    } = prepared;
    let begun = plan.clock.now();
    let (extractor, started) = match start(plan, check, &launch) {
        Ok(started) => started,
        Err((termination, broken)) => {
            launching::vacate(plan, rooms).await;
            return never_ran(check, termination, broken, sink);
        }
    };
    let deadline = Deadline::new(check.timeout, begun, run_ends);
    let mut unit = Unit {
        check,
        progress: plan.progress,
        capture: Capture::new(plan.logs, &check.id.file_name()),
        extractor,
        sink,
        shot,
        output_limit: plan.settings.limits.output_bytes,
    };
    let ladder = Ladder::new(Some(deadline.at), plan.settings.grace);
    let over = drive(started, ladder, &mut unit, plan, cancel).await;
    let launched = Launched {
        duration: plan.clock.now() - begun,
        limit: deadline.limit,
        launch,
        env,
        notes,
    };
    let ended = over.broken.is_none();
    let mut result = unit.judge(plan, over, launched);
    // What is alive in a home, where it could not be killed, is not to meet the next check.
    if ended {
        result.notes.extend(launching::vacate(plan, rooms).await);
    }
    result
}

/// A parser for its output, and the process itself.
fn start(
    plan: &Plan<'_>,
    check: &CheckSpec,
    launch: &Launch,
) -> Result<(Extractor, Started), (Termination, Broken)> {
    let broken = |reason: String, details| {
        let broken = Broken { reason, details };
        (Termination::SpawnFailed, broken)
    };
    let argv = check.argv();
    let pattern = check.output.pattern.as_ref().map(Pattern::compile);
    let pattern = pattern.transpose().map_err(|error| {
        let reason = format!("output.match cannot be used: {error}");
        broken(reason, Vec::new())
    })?;
    let setup = Setup {
        root: &plan.settings.root,
        cwd: &check.cwd,
        argv: &argv,
        format: check.output.format,
        pattern: pattern.as_ref(),
        channel: check.output.channel,
        joined: launch.streams == Streams::Joined,
    };
    let extractor =
        Extractor::new(&setup).map_err(|unknown| broken(unknown.to_string(), Vec::new()))?;
    let started = plan.containment.start(launch).map_err(|error| {
        if let StartError::NotContained(note) = &error {
            let reason = launching::not_contained(check.id.as_str(), note);
            let details = Vec::new();
            return (Termination::Refused, Broken { reason, details });
        }
        (Termination::SpawnFailed, launching::not_started(&error))
    })?;
    Ok((extractor, started))
}

/// What is known of a launch beside what came of it.
struct Launched {
    duration: Duration,
    /// The one that stands behind the deadline.
    limit: Duration,
    launch: Launch,
    /// Names of the variables beyond the six keys.
    env: Vec<String>,
    notes: Vec<String>,
}

/// Where what a check prints goes.
struct Unit<'a> {
    check: &'a CheckSpec,
    progress: &'a dyn Progress,
    capture: Capture<'a>,
    extractor: Extractor,
    sink: Box<dyn RowSink>,
    shot: Option<Shot>,
    output_limit: Option<u64>,
}

impl Output for Unit<'_> {
    fn take(&mut self, stream: Stream, bytes: &[u8]) {
        self.capture.take(stream, bytes);
        let sink = &mut self.sink;
        self.extractor.feed(stream, bytes, &mut |row| sink.row(row));
        if let (Some(shot), Stream::Stdout) = (&mut self.shot, stream) {
            shot.hear(bytes);
        }
        self.progress.printed(self.check, bytes);
    }

    fn is_too_much(&self) -> bool {
        let total = self.capture.total();
        self.output_limit.is_some_and(|limit| total > limit)
    }
}

impl Unit<'_> {
    /// Hands all facts to the sink. Nothing of the check is alive.
    fn judge(self, plan: &Plan<'_>, over: Over, launched: Launched) -> CheckResult {
        // A check may print too much and be gone before that is read.
        let too_much = self.is_too_much().then_some(Forced::OutputLimit);
        let Self {
            mut capture,
            extractor,
            mut sink,
            shot,
            ..
        } = self;
        let Over {
            leader,
            mut cage,
            exit,
            forced,
            leaks,
            broken,
            notes,
        } = over;
        let findings = extractor.finish(exit, &mut |row| sink.row(row));
        let (stdout, stderr) = capture.tails();
        let isolation = cage.achieved();
        let for_memory = cage.was_killed_for_memory();
        cage.close();
        leader.reap();
        let forced = forced.or(too_much);
        let outcome = Outcome {
            exit,
            termination: termination(forced, for_memory, exit),
            duration: launched.duration,
            limit: (forced == Some(Forced::Timeout)).then_some(launched.limit),
            findings,
            broken,
            leaks,
            isolation,
            streams: launched.launch.streams,
            stdout,
            stderr,
            env: launched.env,
            notes: launched.notes.into_iter().chain(notes).collect(),
        };
        let mut result = sink.end(outcome);
        if matches!(result.status, Status::Fail | Status::Broken) {
            note_unpassed(plan, &launched.launch, &mut result);
        }
        if result.status == Status::Fail {
            let output = [result.stdout_tail.as_str(), result.stderr_tail.as_str()];
            let walls = walled(&output, &result.isolation, plan.caller.home());
            result.notes.extend(walls);
        }
        if let Some(shot) = shot {
            shot.conclude(&mut result);
        }
        match capture.finish(result.status != Status::Pass) {
            LogFate::None => {}
            LogFate::Written(name) => result.log = Some(shown_log(plan, &name)),
            LogFate::Cut(name, error) => {
                result.log = Some(shown_log(plan, &name));
                result.notes.push(format!("the log ends early: {error}"));
            }
            LogFate::Lost(error) => {
                result
                    .notes
                    .push(format!("the log could not be written: {error}"));
            }
        }
        result
    }
}

fn shown_log(plan: &Plan<'_>, name: &str) -> String {
    plan.logs_shown.join(name).display().to_string()
}

/// Names what the check may have lacked.
fn note_unpassed(plan: &Plan<'_>, launch: &Launch, result: &mut CheckResult) {
    let had: Vec<String> = launch
        .env
        .iter()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect();
    let output = [result.stdout_tail.as_str(), result.stderr_tail.as_str()];
    let missed = unpassed(&output, &plan.caller.names(), &had);
    result.notes.extend(missed.iter().map(|name| advice(name)));
}

/// `for_memory`: something of it was killed because it had too much, which is why it did not end
/// well; one that ended well all the same was not killed itself.
fn termination(forced: Option<Forced>, for_memory: bool, exit: Option<Exit>) -> Termination {
    match (forced, exit) {
        (None, exit) if for_memory && exit != Some(Exit::Code(0)) => Termination::KilledForMemory,
        (Some(Forced::Timeout), _) => Termination::TimedOut,
        (Some(Forced::Interrupt), _) => Termination::Interrupted,
        (Some(Forced::FailFast), _) => Termination::FailFast,
        (Some(Forced::OutputLimit), _) => Termination::OutputLimit,
        (None, Some(Exit::Signal(_))) => Termination::Signalled,
        (None, _) => Termination::Exited,
    }
}

/// The result of a check that could not be launched.
fn never_ran(
    check: &CheckSpec,
    termination: Termination,
    broken: Broken,
    sink: Box<dyn RowSink>,
) -> CheckResult {
    let mut result = sink.end(Outcome {
        broken: Some(broken),
        isolation: Isolation {
            mechanism: "none".to_owned(),
            ..Isolation::default()
        },
        streams: launching::streams(check),
        ..Outcome::new(termination, None)
    });
    if check.shot.is_some() {
        shot::not_taken(&mut result);
    }
    result
}
