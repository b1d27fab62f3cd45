//! The rows of a look on their way to the ratchet.

use super::TOOL;
use super::unseen::Unseen;
use crate::model::{Failure, RowSink};
use crate::ratchet::MAX_ROWS;
use crate::run::Leash;

/// Counts rows, and ends a look that finds too many or that nobody waits for.
pub struct Rows<'a> {
    leash: &'a Leash,
    sink: &'a mut dyn RowSink,
    count: u64,
}

impl<'a> Rows<'a> {
    /// No row yet.
    pub fn new(leash: &'a Leash, sink: &'a mut dyn RowSink) -> Self {
        Self {
            leash,
            sink,
            count: 0,
        }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Takes a row about the file at `path`.
    pub fn about(&mut self, path: impl Into<String>, message: String) -> Result<(), Unseen> {
        self.take(Failure {
            path: Some(path.into()),
            ..Failure::new(TOOL, message)
        })
    }

    /// Takes a row about no file.
    pub fn of_none(&mut self, message: String) -> Result<(), Unseen> {
        self.take(Failure::new(TOOL, message))
    }

    fn take(&mut self, row: Failure) -> Result<(), Unseen> {
        if self.leash.is_over() {
            return Err(Unseen::Over);
        }
        if self.count == MAX_ROWS {
            return Err(Unseen::too_many());
        }
        self.count += 1;
        self.sink.row(row);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, Leash, MAX_ROWS, RowSink, Rows, Unseen};
    use crate::model::{CheckResult, CheckSpec, Outcome, Status};

    /// Counts what arrives.
    struct Counted(u64);

    impl RowSink for Counted {
        fn row(&mut self, _: Failure) {
            self.0 += 1;
        }

        fn end(self: Box<Self>, _: Outcome) -> CheckResult {
            let id = crate::model::CheckId::new("s").unwrap();
            CheckResult::new(&CheckSpec::new(id, "s", Vec::new()), Status::Pass)
        }
    }

    #[test]
    fn the_row_that_is_one_too_many_ends_the_look() {
        let leash = Leash::long();
        let mut sink = Counted(0);
        let mut rows = Rows::new(&leash, &mut sink);
        for _ in 0..MAX_ROWS {
            rows.of_none("m".to_owned()).unwrap();
        }
        let told = rows.about("a", "m".to_owned()).unwrap_err();
        assert!(matches!(told, Unseen::Broken(broken) if broken.reason.contains("1,000,000")));
        assert_eq!(rows.count(), MAX_ROWS);
        assert_eq!(sink.0, MAX_ROWS);
    }
}
