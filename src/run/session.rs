//! A whole run: starts checks as the scheduler says, hears signals, keeps the run's own limit.

use std::time::{Duration, Instant};

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::watch;
use tokio::time::sleep_until;

use crate::contain::Swept;
use crate::model::{CheckResult, Judge};
use crate::text::Span;

use super::board::Board;
use super::plan::Plan;
use super::probe;
use super::process::Cancel;
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

/// Runs every entry of the plan that is not decided yet. Returns when nothing of it is alive.
pub async fn run(plan: &Plan<'_>, judge: &dyn Judge, signals: &mut Signals) -> Ended {
    let run_ends_at = plan.clock.now() + plan.settings.timeout;
    let (cancel, cancelled) = watch::channel(Cancel::No);
    let mut board = Board::new(plan, judge);
    let mut running = FuturesUnordered::new();
    let mut probes = FuturesUnordered::new();
    let mut interrupted = None;
    let mut tidy_at = Instant::now() + TIDY_EVERY;
    loop {
        let open = interrupted.is_none() && plan.clock.now() < run_ends_at;
        while open && let Some(index) = board.start_next(probes.len()) {
            let check = &plan.entries[index].check;
            plan.progress.started(check);
            let sink = judge.open(check);
            let unit = unit::run(plan, check, sink, cancelled.clone(), run_ends_at);
            running.push(async move { (index, unit.await) });
            if !check.version.is_empty() {
                let version = probe::version(plan, check, cancelled.clone(), run_ends_at);
                probes.push(async move { (index, version.await) });
            }
        }
        if running.is_empty() && probes.is_empty() {
            break;
        }
        tokio::select! {
            Some((index, result)) = running.next() => board.ended(index, result),
            Some((index, answer)) = probes.next() => board.answered(index, answer),
            () = sleep_until(tidy_at.into()) => {
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
                // Nobody may be listening any more, which is what was wanted.
                let _ = cancel.send(step);
                interrupted.get_or_insert(signal);
            }
        }
    }
    let leftovers = plan.containment.sweep();
    let why_not_run = match interrupted {
        Some(_) => "not run: interrupted".to_owned(),
        None => format!(
            "not run: the run's {} were over",
            Span(plan.settings.timeout)
        ),
    };
    let (results, versions) = board.finish(&why_not_run);
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
    plan.progress.resumed();
}
