//! One TAP document: its tests, the rows that come of them, and how it ended. Failing leaves become
//! rows, parents that only relay do not. What a line is, is decided before.

use crate::model::Failure;

use super::super::location::text;
use super::super::node::{Crashed, clip};
use super::super::parser::{Out, Tally};
use super::claims::Claims;
use super::finding::Pending;
use super::levels::{Levels, MAX_LEVEL, level_of};
use super::rows::Rows;
use super::test_line::TestLine;
use super::total::Total;

/// The document being read, and the counts of those before it.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// The command is known to print TAP.
    known: bool,
    /// A version or a plan was seen: this is TAP.
    confirmed: bool,
    claims: Claims,
    levels: Levels,
    /// The test read last, about which more may be said.
    pending: Option<Pending>,
    /// Tests whose brace was opened, the outermost first.
    braced: Vec<Pending>,
    /// tape's `# …`, the last one.
    heading: Option<String>,
    rows: Rows,
    total: Total,
}

impl Document {
    pub(super) fn new(known: bool) -> Self {
        Self {
            known,
            ..Self::default()
        }
    }

    /// This is TAP beyond doubt.
    pub(super) fn is_confirmed(&self) -> bool {
        self.confirmed
    }

    /// More of it is to come: whatever a line looks like, it stands inside.
    pub(super) fn is_open(&self) -> bool {
        // A lone `1..9` may be anyone's.
        self.confirmed && self.has_begun() && (self.pending.is_some() || !self.is_complete())
    }

    fn has_begun(&self) -> bool {
        self.known || self.claims.version || self.levels.outermost().tests > 0
    }

    fn is_complete(&self) -> bool {
        self.claims.is_complete(self.levels.outermost())
    }

    /// `not ok 1 - name`; `crashed`: the error that was printed before it.
    pub(super) fn test(
        &mut self,
        test: TestLine,
        indent: usize,
        crashed: Option<Crashed>,
        out: &mut Out<'_>,
    ) {
        let level = level_of(indent);
        self.end_test(level, out);
        if indent == 0 && self.is_complete() && test.number == Some(1) {
            self.end(out);
        }
        // tape has no dash, and its plan comes last; its headings stand for all that follows.
        let heads =
            level == 0 && !test.dashed && self.claims.plan.is_none() && !test.has_its_test();
        let below = self.levels.take_below(level);
        let nth = self.levels.count(level, test.is_failure());
        if level == 0 {
            self.claims.number(test.number, nth);
        }
        self.total.test(test.directive, below.tests == 0);
        let mut pending = Pending::new(test, indent, level);
        pending.child_failed = below.failed > 0;
        pending.crashed = crashed;
        pending.heading = self.heading.clone().filter(|_| heads);
        self.rows.decide_below(&pending, out);
        self.pending = Some(pending);
    }

    /// Something at `level` follows: the test read last is over, or has opened its brace.
    fn end_test(&mut self, level: usize, out: &mut Out<'_>) {
        let opened = self
            .pending
            .take_if(|pending| pending.test.opens && level > pending.level);
        let Some(mut pending) = opened else {
            self.flush(out);
            while self.braced.last().is_some_and(|held| held.level >= level) {
                self.close_brace(out);
            }
            return;
        };
        pending.test.opened();
        if self.braced.len() < MAX_LEVEL {
            let name = pending.test.name.clone().unwrap_or_default();
            self.rows.announce(pending.level, name);
            self.braced.push(pending);
        }
    }

    /// A brace that stands alone, below the block of the test line that it belongs to.
    pub(super) fn opens_brace(&mut self, body: &[u8], indent: usize) -> bool {
        let test = self
            .pending
            .as_mut()
            .filter(|pending| pending.indent == indent && body.trim_ascii_end() == b"{");
        test.map(|pending| pending.test.opens = true).is_some()
    }

    /// `}` where the brace was opened.
    pub(super) fn closes_brace(&self, body: &[u8], indent: usize) -> bool {
        let open = self.braced.last().is_some_and(|held| held.indent == indent);
        open && body.trim_ascii_end() == b"}"
    }

    /// `}`: the test that stands before its tests is over.
    pub(super) fn close_brace(&mut self, out: &mut Out<'_>) {
        self.flush(out);
        let Some(mut pending) = self.braced.pop() else {
            return;
        };
        let below = self.levels.take_below(pending.level);
        pending.child_failed = below.failed > 0;
        if below.tests > 0 {
            // It was counted as a test of its own.
            self.total.is_parent(pending.test.directive);
        }
        self.rows.decide_below(&pending, out);
        self.pending = Some(pending);
        self.flush(out);
    }

    /// Reads a line of the block of the test read last; false where no block is open.
    pub(super) fn yaml_line(&mut self, line: &[u8], depth: usize) -> bool {
        self.pending
            .as_mut()
            .is_some_and(|pending| pending.yaml_line(line, depth))
    }

    /// `# Subtest: name`: its tests follow.
    pub(super) fn subtest(&mut self, name: String, indent: usize, out: &mut Out<'_>) {
        let level = level_of(indent);
        self.end_test(level, out);
        self.rows.announce(level, name);
    }

    /// Whether a comment is what tape puts above the assertions of a test: it stands alone, before
    /// the plan, and what was said about the assertion before it has ended.
    pub(super) fn is_heading(&self, words: &[u8]) -> bool {
        let free = self
            .pending
            .as_ref()
            .is_none_or(|pending| !pending.test.dashed && pending.is_told());
        let said = words.first().is_some_and(|b| !b.is_ascii_whitespace());
        self.claims.version && self.claims.plan.is_none() && self.levels.is_flat() && free && said
    }

    /// tape's heading.
    pub(super) fn head(&mut self, words: &[u8]) {
        self.heading = Some(clip(text(words)));
    }

    /// Any other comment; true where it is about the test read last.
    pub(super) fn comment(&mut self, comment: &[u8], indent: usize) -> bool {
        if indent == 0 && self.confirmed {
            self.claims.comment(comment);
        }
        self.pending
            .as_mut()
            .is_some_and(|pending| pending.comment(comment))
    }

    /// `TAP version 14`: a document begins.
    pub(super) fn version(&mut self, out: &mut Out<'_>) {
        self.end(out);
        self.confirmed = true;
        self.claims.version = true;
    }

    /// `1..9`: this is TAP.
    pub(super) fn plan(&mut self, plan: u64, out: &mut Out<'_>) {
        if self.claims.plan.is_some() {
            self.end(out);
        }
        self.flush(out);
        self.confirmed = true;
        self.rows.give_waiting(out);
        self.claims.plan = Some(plan);
    }

    /// `Bail out! reason`.
    pub(super) fn bail(&mut self, reason: &[u8], out: &mut Out<'_>) {
        self.flush(out);
        if self.claims.bailed {
            return;
        }
        self.claims.bailed = true;
        let reason = text(reason.trim_ascii());
        let message = if reason.is_empty() {
            "Bail out!".to_owned()
        } else {
            reason
        };
        self.rows.give_waiting(out);
        self.rows.give(Failure::new("tap", message), out);
    }

    /// Nothing more will be said about the test read last.
    pub(super) fn flush(&mut self, out: &mut Out<'_>) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        let level = pending.level;
        if let Some(row) = pending.row(out) {
            // So many failing lines are no accident.
            self.confirmed |= !self.rows.push(row, out);
        }
        if level == 0 && self.confirmed {
            self.rows.give_waiting(out);
        }
    }

    /// An error that no test line explains ended the program itself.
    pub(super) fn crashed(&mut self, row: Failure, out: &mut Out<'_>) {
        self.rows.give_waiting(out);
        self.rows.give(row, out);
        self.total.claimed += 1;
    }

    /// The document is over, if it was one.
    pub(super) fn end(&mut self, out: &mut Out<'_>) {
        self.end_test(0, out);
        let outermost = self.levels.outermost();
        if !(self.confirmed || self.claims.is_numbered(outermost)) {
            self.rows.forget();
            return;
        }
        self.rows.give_waiting(out);
        self.confirmed = false;
        if !self.has_begun() {
            // A lone plan may be anyone's line.
            self.claims.plan = None;
            return;
        }
        let ending = self.claims.end(outermost, self.rows.given(), self.known);
        if let Some(plan) = ending.short {
            let message = format!("planned {plan} tests but ran {}", outermost.tests);
            self.rows.give(Failure::new("tap", message), out);
        }
        self.total.document(&ending);
        self.claims = Claims::default();
        self.levels.clear();
        self.heading = None;
        self.rows.end();
    }

    /// The end of the output: what all documents say they did.
    pub(super) fn finish(&mut self, out: &mut Out<'_>) -> Tally {
        self.end(out);
        self.total.tally(self.rows.total())
    }
}
