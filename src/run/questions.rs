//! Which tools are asked for their version in a run, and what they said: each question once,
//! whatever number of checks it is asked for, and none whose answer still holds.

use std::collections::HashMap;
use std::path::Path;

use crate::model::{CheckResult, CheckSpec};
use crate::parse::launches_another;

use super::launching;
use super::plan::Plan;
use super::probe::Answer;
use super::shim::is_shim;
use super::versions::{Asked, Program, Question, Versions};

/// What a tool said of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    /// One line, printable.
    pub version: Option<String>,
    /// What was wrong with the probe.
    pub fault: Option<String>,
}

/// The questions of one run.
pub struct Questions<'p> {
    plan: &'p Plan<'p>,
    numbers: HashMap<Question, usize>,
    /// By number of the question; `None` where the tool has not answered.
    said: Vec<Option<Said>>,
    /// By place in the plan; `None` where nothing was asked.
    posed: Vec<Option<Posed>>,
}

/// A question as asked for one check.
#[derive(Clone)]
struct Posed {
    number: usize,
    /// Under what a clean answer is kept for later runs.
    keep: Option<Asked>,
    /// What happened while the tool was asked for this very check.
    notes: Vec<String>,
}

impl<'p> Questions<'p> {
    /// Nothing was asked yet.
    pub fn new(plan: &'p Plan<'p>) -> Self {
        Self {
            plan,
            numbers: HashMap::new(),
            said: Vec::new(),
            posed: vec![None; plan.entries.len()],
        }
    }

    /// Asks for the check at this place, which has a probe. Whether the probe has to be run.
    pub fn pose(&mut self, index: usize) -> bool {
        let plan = self.plan;
        let check = &plan.entries[index].check;
        let question = Question {
            argv: check.version.clone(),
            cwd: check.cwd.clone(),
            env: launching::environment_digest(plan, check, &check.version),
            network: check.network,
        };
        let name = check.version.first().map_or("", String::as_str);
        let program = launching::program(plan, check, name);
        let keep = program
            .as_ref()
            .ok()
            .and_then(|program| asked(plan, check, &question, program));
        let next = self.said.len();
        let number = *self.numbers.entry(question).or_insert(next);
        if number == next {
            let kept = keep
                .as_ref()
                .and_then(|asked| plan.versions.of(&check.id, asked));
            self.said.push(match (&program, kept) {
                (Err(error), _) => Some(Said {
                    version: None,
                    fault: Some(error.to_string()),
                }),
                (Ok(_), kept) => kept.map(|version| Said {
                    version: Some(version.to_owned()),
                    fault: None,
                }),
            });
        }
        self.posed[index] = Some(Posed {
            number,
            keep,
            notes: Vec::new(),
        });
        number == next && self.said[number].is_none()
    }

    /// The probe that was run for the check at this place is over.
    pub fn answered(&mut self, index: usize, answer: Answer) {
        if let Some(posed) = &mut self.posed[index] {
            posed.notes.extend(answer.notes);
            self.said[posed.number] = answer.said;
        }
    }

    /// Puts what was said into the results, which stand in the order of the plan. The versions
    /// that are known now.
    pub fn finish(self, results: &mut [CheckResult]) -> Versions {
        let mut versions = self.plan.versions.clone();
        let entries = self.plan.entries.iter().zip(self.posed);
        for ((entry, posed), result) in entries.zip(results) {
            let Some(posed) = posed else { continue };
            let said = self.said[posed.number].clone().unwrap_or_default();
            if let (Some(version), None, Some(keep)) = (&said.version, &said.fault, posed.keep) {
                versions.learn(&entry.check.id, keep, version.clone());
            }
            let note = |text: String| format!("version probe: {text}");
            // Where the check itself could not be started, that is what there is to say.
            if result.was_launched() {
                result.version = said.version;
                result.notes.extend(said.fault.map(note));
            }
            result.notes.extend(posed.notes.into_iter().map(note));
        }
        versions
    }
}

/// The question with the files that answer it. `None` where they do not say what is run: a shell
/// or another launcher stays the same whatever it starts, and is always asked.
fn asked(plan: &Plan<'_>, check: &CheckSpec, question: &Question, program: &Path) -> Option<Asked> {
    if launches_another(&check.version) || is_shim(program) {
        return None;
    }
    let own = launching::program(plan, check, check.executable()).ok()?;
    Some(Asked {
        question: question.clone(),
        programs: [Program::at(program)?, Program::at(&own)?],
    })
}
