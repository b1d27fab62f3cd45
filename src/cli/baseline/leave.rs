//! Who may forgive failures.

use std::io;

use super::refusal::Refusal;
use crate::bar::is_set;
use crate::text::{plural, thousands};

/// Who asks, as far as can be told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Who {
    /// The variable or flag that marks an agent's run.
    pub agent: Option<String>,
    /// The variable that marks CI.
    pub ci: Option<String>,
    /// Standard input and standard error are terminals.
    pub terminal: bool,
}

/// Leave to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leave {
    /// Nothing says that this is not a person.
    Given,
    /// This mark is set at a terminal: the number of failures has to be typed.
    WhenTyped(String),
}

impl Who {
    /// Whether this caller may record; `command` is what a person would type.
    pub(super) fn may_record(&self, command: &str) -> Result<Leave, Refusal> {
        if let Some(mark) = &self.ci {
            return Err(Refusal::new(
                format!("recording forgives failures, so it is not done in CI ({mark} is set)"),
                vec![format!(
                    "run on your own machine, then commit .check/baseline:  {command}"
                )],
            ));
        }
        match &self.agent {
            None => Ok(Leave::Given),
            Some(mark) if self.terminal => Ok(Leave::WhenTyped(mark.clone())),
            Some(mark) => Err(Refusal::new(
                format!(
                    "recording forgives failures, so a person does it ({})",
                    is_set(mark)
                ),
                vec![format!(
                    "ask a person to run in their own terminal:  {command}"
                )],
            )),
        }
    }
}

impl Leave {
    /// Asks for the number of `failures` where that is needed.
    pub(super) fn confirm(
        &self,
        failures: u64,
        ask: &mut dyn FnMut(&str) -> io::Result<String>,
    ) -> io::Result<Result<(), Refusal>> {
        let Self::WhenTyped(mark) = self else {
            return Ok(Ok(()));
        };
        let prompt = format!(
            "{}, so this may be an agent. Recording forgives {}.\nType {failures} to go on: ",
            is_set(mark),
            plural(failures, "failure"),
        );
        let typed = ask(&prompt)?;
        if typed.trim() == failures.to_string() || typed.trim() == thousands(failures) {
            return Ok(Ok(()));
        }
        Ok(Err(Refusal::new(
            format!("{failures} was not typed, so nothing was recorded"),
            Vec::new(),
        )))
    }
}
