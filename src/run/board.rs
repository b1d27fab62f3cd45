//! What has become of each check of a run so far, and which is next.

use std::collections::VecDeque;

use crate::model::{CheckResult, CheckSpec, Judge, Status};

use super::gate::{Gate, gate, is_verifier};
use super::plan::Plan;
use super::probe::Answer;
use super::schedule::{Running, Waiting, may_start, order};
use super::shot;
use super::versions::{Said, Versions};

/// The books of a run. Starts nothing itself.
pub struct Board<'p> {
    plan: &'p Plan<'p>,
    judge: &'p dyn Judge,
    /// By place in the plan; `None` where a check is not over.
    results: Vec<Option<CheckResult>>,
    /// By place in the plan; `None` where no tool was asked, or it has not answered.
    said: Vec<Option<Said>>,
    versions: Versions,
    /// In the order in which they are started.
    waiting: VecDeque<Waiting>,
    running: Running,
}

impl<'p> Board<'p> {
    /// Nothing has started yet.
    pub fn new(plan: &'p Plan<'_>, judge: &'p dyn Judge) -> Self {
        let mut results = Vec::with_capacity(plan.entries.len());
        let mut waiting = Vec::new();
        for (index, entry) in plan.entries.iter().enumerate() {
            let decided = entry.decided.as_deref().cloned();
            if decided.is_none() {
                waiting.push(Waiting {
                    index,
                    exclusive: entry.check.exclusive,
                    verifier: is_verifier(&entry.check),
                    time: plan.times.of(&entry.check.id),
                });
            }
            results.push(decided.map(|result| unlaunched(&entry.check, result)));
        }
        order(&mut waiting);
        Self {
            plan,
            judge,
            said: vec![None; results.len()],
            results,
            versions: plan.versions.clone(),
            waiting: waiting.into(),
            running: Running::default(),
        }
    }

    /// The place of the check to be started now, if any may be, beside so many probes. It counts
    /// as started. Verifiers are set aside where what they wait for is red.
    pub fn start_next(&mut self, probes: usize) -> Option<usize> {
        let next = *self.waiting.front()?;
        let green = next.verifier && self.is_green();
        let running = Running {
            probes,
            ..self.running
        };
        if !may_start(next, running, self.plan.settings.jobs, green) {
            return None;
        }
        self.waiting.pop_front()?;
        self.running.checks += 1;
        self.running.exclusive |= next.exclusive;
        self.running.verifier |= next.verifier;
        Some(next.index)
    }

    /// Only asked where all that wait are verifiers, which stand last.
    fn is_green(&mut self) -> bool {
        let statuses = self
            .results
            .iter()
            .map(|result| Some(result.as_ref()?.status));
        let checks = self.plan.entries.iter().map(|entry| &entry.check);
        match gate(checks.zip(statuses)) {
            Gate::Waiting => false,
            Gate::Open => true,
            Gate::Shut(red) => {
                let reason = format!("not run: {red}");
                for waiting in std::mem::take(&mut self.waiting) {
                    let skipped = self.not_run(waiting.index, Status::Skipped, &reason);
                    self.results[waiting.index] = Some(skipped);
                }
                false
            }
        }
    }

    /// A check that was started is over.
    pub fn ended(&mut self, index: usize, result: CheckResult) {
        self.running.checks -= 1;
        // One that runs alone is the only one that runs, and so is a verifier among its like.
        self.running.exclusive = false;
        if is_verifier(&self.plan.entries[index].check) {
            self.running.verifier = false;
        }
        self.results[index] = Some(result);
    }

    /// A tool has answered, or did not.
    pub fn answered(&mut self, index: usize, answer: Answer) {
        if let Some(asked) = answer.keep {
            let check = &self.plan.entries[index].check.id;
            self.versions.learn(check, asked, answer.said.clone());
        }
        self.said[index] = Some(answer.said);
    }

    /// One result for every entry, and the versions that are known now. What was not started is
    /// `cancelled`.
    pub fn finish(mut self, why_not_run: &str) -> (Vec<CheckResult>, Versions) {
        let results = std::mem::take(&mut self.results);
        let said = std::mem::take(&mut self.said);
        let results = results.into_iter().zip(said).enumerate();
        let results = results
            .map(|(index, (result, said))| {
                let mut result =
                    result.unwrap_or_else(|| self.not_run(index, Status::Cancelled, why_not_run));
                // Where the check itself could not be started, that is what there is to say.
                if let Some(said) = said.filter(|_| result.was_launched()) {
                    result.version = said.version;
                    result.notes.extend(said.note);
                }
                result
            })
            .collect();
        (results, self.versions)
    }

    fn not_run(&self, index: usize, status: Status, reason: &str) -> CheckResult {
        let check = &self.plan.entries[index].check;
        unlaunched(check, self.judge.not_run(check, status, reason.to_owned()))
    }
}

/// The result of a check that was not launched, which took no shot either.
fn unlaunched(check: &CheckSpec, mut result: CheckResult) -> CheckResult {
    if check.shot.is_some() {
        shot::not_taken(&mut result);
    }
    result
}
