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
