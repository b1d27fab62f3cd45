//! What has become of each check of a run so far, and what is next.

use crate::model::{CheckId, CheckResult, CheckSpec, Judge, Status};

use super::gate::{Gate, Way, is_verifier};
use super::plan::Plan;
use super::probe::Answer;
use super::questions::Questions;
use super::schedule::{Next, Schedule, Waiting};
use super::shot;
use super::versions::Versions;

/// What is to be started, by its check's place in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The check itself.
    Check(usize),
    /// Its version probe.
    Probe(usize),
}

/// The books of a run. Starts nothing itself.
pub struct Board<'p> {
    plan: &'p Plan<'p>,
    judge: &'p dyn Judge,
    /// By place in the plan; `None` where a check is not over.
    results: Vec<Option<CheckResult>>,
    schedule: Schedule,
    gate: Gate,
    questions: Questions<'p>,
    /// The place of the first blocking check that came to a new failure.
    failed: Option<usize>,
}

impl<'p> Board<'p> {
    /// Nothing has started yet.
    pub fn new(plan: &'p Plan<'_>, judge: &'p dyn Judge) -> Self {
        let checks = || plan.entries.iter().map(|entry| &entry.check);
        let undecided = plan.entries.iter().enumerate();
        let waiting =
            undecided
                .filter(|(_, entry)| entry.decided.is_none())
                .map(|(index, entry)| Waiting {
                    index,
                    exclusive: entry.check.exclusive,
                    verifier: is_verifier(&entry.check),
                    asks: entry.is_launched() && !entry.check.version.is_empty(),
                    time: plan.times.of(&entry.check.id),
                });
        let mut board = Self {
            plan,
            judge,
            results: vec![None; plan.entries.len()],
            schedule: Schedule::new(waiting.collect(), plan.settings.jobs),
            gate: Gate::new(checks()),
            questions: Questions::new(plan),
            failed: None,
        };
        for (index, entry) in plan.entries.iter().enumerate() {
            if let Some(decided) = entry.decided.as_deref().cloned() {
                board.over(index, without_shot(&entry.check, decided));
            }
        }
        board
    }

    /// What is to be started now, if anything may be. It counts as started. Verifiers are set
    /// aside where what they wait for is red.
    pub fn start_next(&mut self) -> Option<Start> {
        loop {
            let green = self.schedule.is_at_verifiers() && self.open_gate();
            match self.schedule.next(green)? {
                Next::Check(index) => return Some(Start::Check(index)),
                Next::Probe(index) => return Some(Start::Probe(index)),
                Next::Ask(index) => {
                    if self.questions.pose(index) {
                        self.schedule.queue(index);
                    }
                }
            }
        }
    }

    /// Whether verifiers may run. Asked where all that wait are verifiers: where they never may,
    /// they are set aside.
    fn open_gate(&mut self) -> bool {
        let reason = match self.gate.way() {
            Way::Waiting => return false,
            Way::Open => return true,
            Way::Shut(red) => format!("not run: {red}"),
        };
        for index in self.schedule.set_aside() {
            let check = &self.plan.entries[index].check;
            let skipped = not_run(self.judge, check, Status::Skipped, &reason);
            self.results[index] = Some(skipped);
        }
        false
    }

    /// A check that was started is over.
    pub fn ended(&mut self, index: usize, result: CheckResult) {
        let verifier = is_verifier(&self.plan.entries[index].check);
        self.schedule.check_ended(verifier);
        self.over(index, result);
    }

    fn over(&mut self, index: usize, result: CheckResult) {
        let check = &self.plan.entries[index].check;
        self.gate.over(index, check, result.status);
        // Only a new failure makes a check one that failed: what is recorded is `known`.
        if check.gates() && result.status == Status::Fail {
            self.failed.get_or_insert(index);
        }
        self.results[index] = Some(result);
    }

    /// A probe that was started is over.
    pub fn answered(&mut self, index: usize, answer: Answer) {
        self.schedule.probe_ended();
        self.questions.answered(index, answer);
    }

    /// The first blocking check that came to a new failure.
    pub fn failed(&self) -> Option<&'p CheckId> {
        let index = self.failed?;
        Some(&self.plan.entries[index].check.id)
    }

    /// One result for every entry, and the versions that are known now. What was not started is
    /// `cancelled`.
    pub fn finish(self, why_not_run: &str) -> (Vec<CheckResult>, Versions) {
        let checks = self.plan.entries.iter().map(|entry| &entry.check);
        let cancelled = |check| not_run(self.judge, check, Status::Cancelled, why_not_run);
        let mut results: Vec<CheckResult> = checks
            .zip(self.results)
            .map(|(check, result)| result.unwrap_or_else(|| cancelled(check)))
            .collect();
        let versions = self.questions.finish(&mut results);
        (results, versions)
    }
}

fn not_run(judge: &dyn Judge, check: &CheckSpec, status: Status, reason: &str) -> CheckResult {
    without_shot(check, judge.not_run(check, status, reason.to_owned()))
}

/// The result of a check that was not launched, which took no shot either.
fn without_shot(check: &CheckSpec, mut result: CheckResult) -> CheckResult {
    if check.shot.is_some() {
        shot::not_taken(&mut result);
    }
    result
}
