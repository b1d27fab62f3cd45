//! How long an answer is waited for.

use std::time::Duration;

/// What one call of git may take that only looks at the state of things: whatever takes longer
/// is not at work but waits, as for the writer of a FIFO.
const LIMIT: Duration = Duration::from_secs(30);

/// Whether an answer is still wanted. Asked again and again while git works; at the first "no" it
/// is killed.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    over: &'a dyn Fn() -> bool,
    limit: Duration,
}

impl<'a> Patience<'a> {
    /// Until `over` says that nobody waits any more.
    pub fn until(over: &'a dyn Fn() -> bool) -> Self {
        Self { over, limit: LIMIT }
    }

    /// The same, with less time for each look at the state of things.
    #[cfg(test)]
    pub(super) fn at_most(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// The same, until `over` says so, which asks this one too.
    pub(super) fn and(self, over: &dyn Fn() -> bool) -> Patience<'_> {
        Patience {
            over,
            limit: self.limit,
        }
    }

    pub(super) fn is_over(self) -> bool {
        (self.over)()
    }

    pub(super) fn limit(self) -> Duration {
        self.limit
    }
}

/// Why git gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitError {
    /// It could not be started, failed, or said what is not understood.
    Failed,
    /// It was at this for so long that it was killed.
    Slow(&'static str, Duration),
    /// Nobody waited any more.
    CalledOff,
}
