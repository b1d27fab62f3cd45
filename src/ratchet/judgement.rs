//! What a check comes to, and the facts that say so.

use super::compare::Tally;
use crate::model::{CheckSpec, Level, Limits, Outcome, Status};

/// Everything a status is derived from.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// What was to be run.
    pub spec: &'a CheckSpec,
    /// What it did.
    pub outcome: &'a Outcome,
    /// What it might use up.
    pub limits: &'a Limits,
    /// Its rows of level error.
    pub errors: Tally,
    /// Its rows of level warning.
    pub warnings: Tally,
    /// It printed more rows than can be judged.
    pub too_many: bool,
    /// Recorded failures that are gone.
    pub fixed: u64,
}

/// What a check comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// See [`Status`].
    pub status: Status,
    /// Why, where the status is not `pass`.
    pub reason: Option<String>,
    /// The level whose rows count; `None` where no row does.
    pub gates: Option<Level>,
    /// The first line of a row to be made up, because the check failed and no new row says so.
    pub made: Option<String>,
    /// What to do, a line each.
    pub details: Vec<String>,
    /// Sentences worth a reader's time.
    pub notes: Vec<String>,
    /// What a person may record of it.
    pub recordable: Recordable,
}

/// What of a check may become baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recordable {
    /// All rows that count; all that was recorded and not seen stays.
    Rows,
    /// Nothing of it ran: what is recorded stays.
    Nothing(String),
    /// Recording it would forgive what nobody has seen.
    No(String),
}

impl Judgement {
    /// Without rows, notes or anything to do.
    pub(super) fn new(
        status: Status,
        reason: impl Into<Option<String>>,
        recordable: Recordable,
    ) -> Self {
        Self {
            status,
            reason: reason.into(),
            gates: None,
            made: None,
            details: Vec::new(),
            notes: Vec::new(),
            recordable,
        }
    }

    /// Judged, and nothing gates.
    pub(super) fn pass() -> Self {
        Self::new(Status::Pass, None, Recordable::Rows)
    }

    /// Could not run or could not be judged.
    pub(super) fn broken(reason: String, details: Vec<String>) -> Self {
        let recordable = Recordable::No(format!("could not be judged: {reason}"));
        Self {
            details,
            ..Self::new(Status::Broken, reason, recordable)
        }
    }

    /// Ended by something that says nothing of the tree, or not begun.
    pub(super) fn unjudged(status: Status, reason: String) -> Self {
        let recordable = Recordable::No(format!("was not judged: {reason}"));
        Self::new(status, reason, recordable)
    }

    /// Did not apply.
    pub(super) fn skipped(reason: String) -> Self {
        let recordable = Recordable::Nothing(reason.clone());
        Self::new(Status::Skipped, reason, recordable)
    }
}
