//! A whole run: starts checks as the scheduler says, hears signals, keeps the run's own limit.

use std::time::{Duration, Instant};

use futures_util::future::Either;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::watch;

use crate::contain::Swept;
use crate::model::{CheckId, CheckResult, Judge};
use crate::text::Span;

use super::aside;
use super::board::{Board, Start};
use super::deadline::Deadline;
use super::plan::Plan;
use super::probe;
use super::process::{Cancel, sleep_until};
use super::signals::{Fatal, Heard, Signals, stop_here};
use super::unit;
use super::versions::Versions;

/// Orphans that have ended are let go of so often, however long the checks take.
const TIDY_EVERY: Duration = Duration::from_secs(1);

/// What a run came to.
pub struct Ended {
    /// In the plan's order, one for every entry.
    pub results: Vec<CheckResult>,
    /// The signal that ended it.
    pub interrupted: Option<Fatal>,
    /// Processes that were ours, but could not be told to be one check's.
    pub leftovers: Swept,
    /// Those of the plan, and what was learnt since.
    pub versions: Versions,
}

/// Why nothing more is started.
#[derive(Debug, Clone, Copy)]
enum Closed<'p> {
    /// A signal came.
    Interrupted,
    /// The run's own limit is over.
    OutOfTime,
    /// This check failed, and `--fail-fast` was given.
    FailFast(&'p CheckId),
}

/// Runs every entry of the plan that is not decided yet. Returns when nothing of it is alive.
pub async fn run(plan: &Plan<'_>, judge: &dyn Judge, signals: &mut Signals) -> Ended {
    let run_ends = Deadline {
        at: plan.clock.now() + plan.settings.timeout,
        limit: plan.settings.timeout,
    };
    let (cancel, cancelled) = watch::channel(Cancel::No);
    let mut board = Board::new(plan, judge);
    let mut first = FuturesUnordered::new();
    first.extend(
        plan.first
            .iter()
            .map(|errand| aside::errand(plan, errand, run_ends, cancelled.clone())),
    );
    let mut running = FuturesUnordered::new();
    let mut probes = FuturesUnordered::new();
    let mut interrupted = None;
    let mut closed = None;
    let mut tidy_at = Instant::now() + TIDY_EVERY;
    let progress = plan.progress;
    progress.began(&plan.entries, plan.clock.now());
    loop {
        if closed.is_none() {
            closed = close(plan, &board, run_ends.at);
            if matches!(closed, Some(Closed::FailFast(_))) {
                // Nobody may be listening any more, which is what was wanted.
                let _ = cancel.send(Cancel::FailFast);
            }
        }
        while closed.is_none()
            && first.is_empty()
            && let Some(start) = board.start_next()
        {
            match start {
                Start::Check(index) => {
                    let entry = &plan.entries[index];
                    let check = &entry.check;
                    progress.started(check, plan.clock.now());
                    let cancelled = cancelled.clone();
                    let unit = if let Some(look) = &entry.look {
                        let deadline = Deadline::new(check.timeout, plan.clock.now(), run_ends);
                        Either::Left(aside::look(plan, check, look, judge, deadline, cancelled))
                    } else {
                        let sink = judge.open(check);
                        Either::Right(unit::run(plan, check, sink, cancelled, run_ends))
                    };
                    running.push(async move { (index, unit.await) });
                }
                Start::Probe(index) => {
                    let check = &plan.entries[index].check;
                    let probe = probe::ask(plan, check, cancelled.clone(), run_ends.at);
                    probes.push(async move { (index, probe.await) });
                }
            }
        }
        if first.is_empty() && running.is_empty() && probes.is_empty() {
            break;
        }
        let tick = progress.next_tick().map(|at| plan.clock.outside(at));
        tokio::select! {
            Some(()) = first.next() => {}
            Some((index, result)) = running.next() => {
                progress.ended(&plan.entries[index].check, &result);
                board.ended(index, result);
            }
            Some((index, answer)) = probes.next() => board.answered(index, answer),
            () = sleep_until(Some(tidy_at)) => {
                plan.containment.tidy();
                tidy_at = Instant::now() + TIDY_EVERY;
            }
            heard = signals.next() => {
                let signal = match heard {
                    Heard::Fatal(signal) => signal,
                    Heard::Stop => {
                        stand_still(plan);
                        continue;
                    }
                };
                let step = if interrupted.is_none() { Cancel::Interrupt } else { Cancel::Hurry };
                let _ = cancel.send(step);
                closed.get_or_insert(Closed::Interrupted);
                interrupted.get_or_insert(signal);
            }
            () = sleep_until(tick), if tick.is_some() => progress.tick(plan.clock.now()),
        }
    }
    let leftovers = plan.containment.sweep();
    let (results, versions) = board.finish(&why_not_run(closed, plan.settings.timeout));
    Ended {
        results,
        interrupted,
        leftovers,
        versions,
    }
}

/// Stops every check and then this process, until somebody wants all of it to go on. No clock of
/// the run goes on meanwhile.
fn stand_still(plan: &Plan<'_>) {
    plan.progress.suspended();
    plan.containment.suspend();
    let stopped = Instant::now();
    stop_here();
    plan.clock.stood_still(stopped.elapsed());
    plan.containment.resume();
}

/// Whether nothing more is started from now on, by what the run itself came to.
fn close<'p>(plan: &Plan<'_>, board: &Board<'p>, run_ends_at: Instant) -> Option<Closed<'p>> {
    if plan.clock.now() >= run_ends_at {
        return Some(Closed::OutOfTime);
    }
    board
        .failed()
        .filter(|_| plan.fail_fast)
        .map(Closed::FailFast)
}

/// What is said of a check that was not started. Where several things came together, the first
/// is why.
fn why_not_run(closed: Option<Closed<'_>>, limit: Duration) -> String {
    match closed {
        None => "not run".to_owned(),
        Some(Closed::Interrupted) => "not run: interrupted".to_owned(),
        Some(Closed::OutOfTime) => format!("not run: the run's {} were over", Span(limit)),
        Some(Closed::FailFast(failed)) => {
            format!("not run: {failed} failed and --fail-fast was given")
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
