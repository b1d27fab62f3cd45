//! A whole run: starts checks as the scheduler says, hears signals, keeps the run's own limit.

use std::time::Instant;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::watch;

use crate::contain::Swept;
use crate::model::{CheckResult, Judge};
use crate::text::Span;

use super::board::Board;
use super::plan::Plan;
use super::probe;
use super::process::{Cancel, sleep_until};
use super::signals::{Fatal, Signals};
use super::unit;
use super::versions::Versions;

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
    let run_ends_at = Instant::now() + plan.settings.timeout;
    let (cancel, cancelled) = watch::channel(Cancel::No);
    let mut board = Board::new(plan, judge);
    let mut running = FuturesUnordered::new();
    let mut probes = FuturesUnordered::new();
    let mut interrupted = None;
    let progress = plan.progress;
    progress.began(&plan.entries, Instant::now());
    loop {
        let open = interrupted.is_none() && Instant::now() < run_ends_at;
        while open && let Some(index) = board.start_next(probes.len()) {
            let check = &plan.entries[index].check;
            progress.started(check, Instant::now());
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
        let tick = progress.next_tick().map(tokio::time::Instant::from_std);
        tokio::select! {
            Some((index, result)) = running.next() => {
                progress.ended(&plan.entries[index].check, &result);
                board.ended(index, result);
            }
            Some((index, answer)) = probes.next() => board.answered(index, answer),
            signal = signals.next() => {
                let step = if interrupted.is_none() { Cancel::Interrupt } else { Cancel::Hurry };
                // Nobody may be listening any more, which is what was wanted.
                let _ = cancel.send(step);
                interrupted.get_or_insert(signal);
            }
            () = sleep_until(tick), if tick.is_some() => progress.tick(Instant::now()),
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
