//! Where rows go while a check runs, so that no cap ever stands between a tool and the ratchet.

use super::{CheckResult, CheckSpec, Failure, Outcome, Status};

/// Takes the rows of one check as they stream, then turns facts and rows into its result.
pub trait RowSink {
    /// One row, in the order the tool printed them. Called any number of times.
    fn row(&mut self, row: Failure);
    /// The check has ended and nothing of it is alive: what it comes to.
    fn end(self: Box<Self>, outcome: Outcome) -> CheckResult;
}

/// Hands out one sink a check. `run` knows nothing of baselines; whoever implements this does.
pub trait Judge {
    /// A sink for `check`, which is about to start.
    fn open(&self, check: &CheckSpec) -> Box<dyn RowSink>;
    /// The result of a check that was never launched: not run, refused or cancelled, and why.
    fn not_run(&self, check: &CheckSpec, status: Status, reason: String) -> CheckResult;
}
