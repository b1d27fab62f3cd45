//! The rows of a document: those that wait for an outer line, and those that went out.

use crate::model::Failure;

use super::super::node::clip;
use super::super::parser::Out;
use super::finding::Pending;
use super::waiting::{Headings, Waiting, Waits};

/// How many rows wait for the line that decides about them.
const MAX_WAITING: usize = 10_000;

/// Rows on their way out.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Rows that an outer line, or the proof that this is TAP, must still confirm.
    waiting: Waiting,
    /// `# Subtest: …`, and tests whose brace was opened.
    headings: Headings,
    /// Rows of this document that went out, and of all.
    given: u64,
    total: u64,
}

impl Rows {
    /// The tests of `name`, which stands at `level`, follow.
    pub(super) fn announce(&mut self, level: usize, name: String) {
        self.headings.put(level, clip(name));
    }

    /// A test has ended: it decides about those below it, and names them.
    pub(super) fn decide_below(&mut self, ended: &Pending, out: &Out<'_>) {
        if ended.test.is_failure() {
            let name = ended.test.name.as_deref();
            self.waiting.belongs_to(ended.level, name, out);
        } else {
            self.waiting.forget_below(ended.level);
        }
        self.headings.end(ended.level);
    }

    /// Lets `row` wait. False where no more can wait: it went out as it was.
    pub(super) fn push(&mut self, row: Waits, out: &mut Out<'_>) -> bool {
        let waits = self.waiting.len() < MAX_WAITING;
        if waits {
            self.waiting.push(row);
        } else {
            self.give_whole(row, out);
        }
        waits
    }

    pub(super) fn give_waiting(&mut self, out: &mut Out<'_>) {
        for row in self.waiting.take() {
            self.give_whole(row, out);
        }
    }

    fn give_whole(&mut self, row: Waits, out: &mut Out<'_>) {
        let row = row.whole(&self.headings, out);
        self.give(row, out);
    }

    /// Hands out a row that is no test's.
    pub(super) fn give(&mut self, row: Failure, out: &mut Out<'_>) {
        self.given += 1;
        self.total += 1;
        out.row(row);
    }

    /// This was no TAP: nothing of it was a failure.
    pub(super) fn forget(&mut self) {
        self.waiting.take();
    }

    /// Rows of this document that went out.
    pub(super) fn given(&self) -> u64 {
        self.given
    }

    /// Rows of all documents that went out.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// The document has ended.
    pub(super) fn end(&mut self) {
        self.headings.end(0);
        self.given = 0;
    }
}
