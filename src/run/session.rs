//! A whole run: starts checks as the scheduler says, hears signals, keeps the run's own limit.

use std::time::Instant;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::watch;

use crate::contain::Swept;
use crate::model::{CheckResult, Judge, Status};
use crate::text::Span;

use super::plan::Plan;
use super::schedule::{self, Running, Waiting};
use super::signals::{Fatal, Signals};
use super::unit::{self, Cancel};

/// What a run came to.
pub struct Ended {
    /// In the plan's order, one for every entry.
    pub results: Vec<CheckResult>,
    /// The signal that ended it.
    pub interrupted: Option<Fatal>,
    /// Processes that were ours, but could not be told to be one check's.
    pub leftovers: Swept,
}

/// Runs every entry of the plan that is not decided yet. Returns when nothing of it is alive.
pub async fn run(plan: &Plan<'_>, judge: &dyn Judge, signals: &mut Signals) -> Ended {
    let run_ends_at = Instant::now() + plan.settings.timeout;
    let (cancel, cancelled) = watch::channel(Cancel::No);
    let mut results: Vec<Option<CheckResult>> = plan
        .entries
        .iter()
        .map(|entry| entry.decided.as_deref().cloned())
        .collect();
    let mut waiting: Vec<Waiting> = plan
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.decided.is_none())
        .map(|(index, entry)| Waiting {
            index,
            exclusive: entry.check.exclusive,
        })
        .collect();
    let mut running = FuturesUnordered::new();
    let mut alone = false;
    let mut interrupted = None;
    loop {
        let open = interrupted.is_none() && Instant::now() < run_ends_at;
        let jobs = if open { plan.settings.jobs } else { 0 };
        loop {
            let now = Running {
                count: running.len(),
                exclusive: alone,
            };
            let Some(place) = schedule::next(&waiting, now, jobs) else {
                break;
            };
            let Waiting { index, exclusive } = waiting.remove(place);
            let check = &plan.entries[index].check;
            plan.progress.started(check);
            let unit = unit::run(
                plan,
                check,
                judge.open(check),
                cancelled.clone(),
                run_ends_at,
            );
            running.push(async move { (index, unit.await) });
            alone = exclusive;
        }
        if running.is_empty() {
            break;
        }
        tokio::select! {
            Some((index, result)) = running.next() => {
                results[index] = Some(result);
                alone = false;
            }
            signal = signals.next() => {
                let step = if interrupted.is_none() { Cancel::Interrupt } else { Cancel::Hurry };
                // Nobody may be listening any more, which is what was wanted.
                let _ = cancel.send(step);
                interrupted.get_or_insert(signal);
            }
        }
    }
    let leftovers = plan.containment.sweep();
    let reason = match interrupted {
        Some(_) => "not run: interrupted".to_owned(),
        None => format!(
            "not run: the run's {} were over",
            Span(plan.settings.timeout)
        ),
    };
    let results = plan
        .entries
        .iter()
        .zip(results)
        .map(|(entry, result)| {
            result.unwrap_or_else(|| judge.not_run(&entry.check, Status::Cancelled, reason.clone()))
        })
        .collect();
    Ended {
        results,
        interrupted,
        leftovers,
    }
}
