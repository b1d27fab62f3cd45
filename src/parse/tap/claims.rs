//! What a TAP document says of itself: its version, its plan, the counts of its last comments.

use super::super::location::count;
use super::levels::Level;

/// The claims of one document. They are compared with what it shows when it ends.
#[derive(Debug)]
pub(super) struct Claims {
    pub version: bool,
    pub plan: Option<u64>,
    pub bailed: bool,
    /// Numbers of the outermost tests came in order.
    in_order: bool,
    /// `# tests`, `# fail`.
    tests: Option<u64>,
    failed: Option<u64>,
}

impl Default for Claims {
    fn default() -> Self {
        Self {
            version: false,
            plan: None,
            bailed: false,
            in_order: true,
            tests: None,
            failed: None,
        }
    }
}

impl Claims {
    /// Reads a comment at the margin, which may be a count.
    pub(super) fn comment(&mut self, comment: &[u8]) {
        if let Some((tests, b"")) = comment.strip_prefix(b" tests ").and_then(count) {
            self.tests = Some(tests);
        } else if let Some((failed, b"")) = comment.strip_prefix(b" fail ").and_then(count) {
            self.failed = Some(failed);
        }
    }

    /// The number of an outermost test, which is the `nth`.
    pub(super) fn number(&mut self, number: Option<u64>, nth: u64) {
        self.in_order &= number == Some(nth);
    }

    /// Two numbered lines in order are no accident, whatever else the output is.
    pub(super) fn is_numbered(&self, outermost: Level) -> bool {
        self.in_order && outermost.tests >= 2
    }

    /// As many tests came as were planned.
    pub(super) fn is_complete(&self, outermost: Level) -> bool {
        self.plan.is_some_and(|plan| outermost.tests >= plan)
    }

    /// The end of a document that has shown `outermost` and given `rows`; `known`: the command is
    /// known to print TAP.
    pub(super) fn end(&self, outermost: Level, rows: u64, known: bool) -> Ending {
        let admitted = outermost.failed + u64::from(self.bailed);
        let missing = self.plan.filter(|plan| *plan > outermost.tests);
        let short = missing.filter(|_| admitted == 0 && rows == 0);
        let failed = match (admitted, short) {
            (0, Some(_)) => 1,
            (0, None) => self.failed.unwrap_or(0),
            _ => admitted,
        };
        let begun = outermost.tests > 0;
        let unplanned = self.plan.is_none() && (self.version || known) && begun;
        Ending {
            short,
            failed,
            stopped_early: self.bailed || missing.is_some() || unplanned,
            zero: !begun && (self.plan == Some(0) || self.tests == Some(0)),
        }
    }
}

/// How a document ended, its claims compared with what it showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ending {
    /// The plan, where more tests were planned than came and nothing else tells of a failure.
    pub short: Option<u64>,
    /// Failures that it admits; a `short` one is one.
    pub failed: u64,
    /// Not all of it came.
    pub stopped_early: bool,
    /// It says that it has no test.
    pub zero: bool,
}

#[cfg(test)]
mod tests {
    use super::super::levels::Level;
    use super::{Claims, Ending};

    fn seen(tests: u64, failed: u64) -> Level {
        Level { tests, failed }
    }

    #[test]
    fn a_plan_that_is_not_met_is_a_failure_where_no_other_is_told() {
        let claims = Claims {
            plan: Some(3),
            ..Claims::default()
        };
        let quiet = Ending {
            short: Some(3),
            failed: 1,
            stopped_early: true,
            zero: false,
        };
        assert_eq!(claims.end(seen(2, 0), 0, true), quiet);
        let told = Ending {
            short: None,
            ..quiet
        };
        assert_eq!(claims.end(seen(2, 1), 1, true), told);
        let met = Ending {
            failed: 0,
            stopped_early: false,
            ..told
        };
        assert_eq!(claims.end(seen(3, 0), 0, true), met);
    }

    #[test]
    fn without_a_plan_the_end_may_be_missing_and_the_comments_count() {
        let mut claims = Claims::default();
        claims.comment(b" fail 2");
        claims.comment(b" tests 0 or so");
        let ending = claims.end(seen(2, 0), 0, true);
        assert_eq!((ending.failed, ending.stopped_early), (2, true));
        assert!(!claims.end(seen(2, 0), 0, false).stopped_early);
        assert!(!claims.end(seen(0, 0), 0, true).zero);
        claims.comment(b" tests 0");
        assert!(claims.end(seen(0, 0), 0, true).zero);
    }
}
