//! What a stream of TAP says it did, over all of its documents.

use super::super::parser::Tally;
use super::claims::Ending;
use super::test_line::Directive;

/// Counts of tests, and how the documents ended.
#[derive(Debug, Default)]
pub(super) struct Total {
    documents: u64,
    /// Failures that the documents admit, and errors between them.
    pub claimed: u64,
    stopped_early: bool,
    /// A document says that it has no test.
    zero: bool,
    /// Test lines, parents' among them.
    lines: u64,
    /// Tests without tests below them.
    ran: u64,
    skipped: u64,
}

impl Total {
    /// A test line was read; `leaf`: no test that stands before it is its own.
    pub(super) fn test(&mut self, directive: Option<Directive>, leaf: bool) {
        self.lines += 1;
        match directive {
            Some(Directive::Skip) if leaf => self.skipped += 1,
            _ if leaf => self.ran += 1,
            _ => {}
        }
    }

    /// The tests of a test line came after it: it was no leaf.
    pub(super) fn is_parent(&mut self, directive: Option<Directive>) {
        if directive != Some(Directive::Skip) {
            self.ran = self.ran.saturating_sub(1);
        }
    }

    /// A document ended.
    pub(super) fn document(&mut self, ending: &Ending) {
        self.documents += 1;
        self.claimed += ending.failed;
        self.stopped_early |= ending.stopped_early;
        self.zero |= ending.zero;
    }

    /// The whole, of which `rows` went out.
    pub(super) fn tally(&self, rows: u64) -> Tally {
        if self.documents == 0 {
            return Tally::default();
        }
        Tally {
            seen: true,
            ran: Some(self.ran),
            failed: Some(rows),
            skipped: Some(self.skipped),
            claimed: Some(self.claimed),
            stopped_early: self.stopped_early,
            nothing_ran: Some(self.lines == 0 && self.zero),
            ..Tally::default()
        }
    }
}
