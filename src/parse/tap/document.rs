//! A stream of TAP documents: failing leaves become rows, parents that only relay do not.

use crate::model::{Exit, Failure};

use super::super::clip::Gathered;
use super::super::location::{count, indent, text};
use super::super::node::{Crash, Late, clip, crash_row};
use super::super::parser::{Out, Parser, Tally};
use super::comment::{Comment, read as read_comment};
use super::finding::Pending;
use super::test_line::{Directive, TestLine, unescape};
use super::waiting::{Headings, Waiting, Waits};
use super::yaml::Yaml;

/// How many rows wait for the line that decides about them.
const MAX_WAITING: usize = 10_000;
const MAX_LEVEL: usize = 64;

/// What one level of nesting has seen since its parent's last line.
#[derive(Debug, Default, Clone, Copy)]
struct Level {
    tests: u64,
    failed: u64,
}

/// The parser of TAP.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts of a stream, not a state"
)]
#[derive(Debug, Default)]
pub(in super::super) struct Tap {
    /// The command is known to print TAP.
    known: bool,
    /// A version or a plan was seen: this is TAP.
    confirmed: bool,
    version: bool,
    plan: Option<u64>,
    bailed: bool,
    levels: Vec<Level>,
    /// Numbers of the outermost tests came in order.
    in_order: bool,
    pending: Option<Pending>,
    /// Rows that an outer line, or the proof that this is TAP, must still confirm.
    waiting: Waiting,
    /// Tests whose brace was opened, the outermost first.
    braced: Vec<Pending>,
    /// `# Subtest: …`.
    headings: Headings,
    /// tape's `# …`, the last one.
    heading: Option<String>,
    crash: Crash,
    late: Late,
    /// The line read last was no comment.
    raw: bool,
    /// `# tests`, `# fail` of this document.
    said_tests: Option<u64>,
    said_failed: Option<u64>,
    doc_rows: u64,
    total: Total,
}

#[derive(Debug, Default)]
struct Total {
    documents: u64,
    rows: u64,
    ran: u64,
    skipped: u64,
    lines: u64,
    claimed: u64,
    stopped_early: bool,
    zero: bool,
}

impl Tap {
    pub(in super::super) fn new(known: bool) -> Self {
        Self {
            known,
            in_order: true,
            ..Self::default()
        }
    }

    fn level(&mut self, level: usize) -> &mut Level {
        if self.levels.len() <= level {
            self.levels.resize(level + 1, Level::default());
        }
        &mut self.levels[level]
    }

    fn outermost(&self) -> Level {
        self.levels.first().copied().unwrap_or_default()
    }

    fn complete(&self) -> bool {
        self.plan.is_some_and(|plan| self.outermost().tests >= plan)
    }

    fn test(&mut self, test: TestLine, indent: usize, out: &mut Out<'_>) {
        let level = level_of(indent);
        self.end_test(level, out);
        if indent == 0 && self.complete() && test.number == Some(1) {
            self.end_document(out);
        }
        // tape has no dash, and its plan comes last; its headings stand for all that follows.
        let heading = self
            .heading
            .clone()
            .filter(|_| level == 0 && !test.dashed && self.plan.is_none() && !test.has_its_test());
        let below = self.below(level);
        let here = self.level(level);
        here.tests += 1;
        here.failed += u64::from(test.is_failure());
        let nth = here.tests;
        if level == 0 {
            self.in_order &= test.number == Some(nth);
        }
        self.total.lines += 1;
        if below.tests == 0 {
            match test.directive {
                Some(Directive::Skip) => self.total.skipped += 1,
                _ => self.total.ran += 1,
            }
        }
        let late = self.late.take();
        self.pending = Some(Pending {
            indent,
            level,
            child_failed: below.failed > 0,
            yaml: None,
            yaml_ended: false,
            place: None,
            words: Gathered::default(),
            crashed: self.crash.take().or(late),
            heading,
            test,
        });
        self.decide_below(out);
    }

    /// What was seen below `level`, which ends with this.
    fn below(&mut self, level: usize) -> Level {
        let below = self.levels.get(level + 1).copied().unwrap_or_default();
        self.levels.truncate(level + 1);
        below
    }

    /// The test read last decides about those below it, and names them.
    fn decide_below(&mut self, out: &Out<'_>) {
        let Some(pending) = &self.pending else {
            return;
        };
        if pending.test.is_failure() {
            let name = pending.test.name.as_deref();
            self.waiting.belongs_to(pending.level, name, out);
        } else {
            self.waiting.forget_below(pending.level);
        }
        self.headings.end(pending.level);
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
            self.headings.put(pending.level, clip(name));
            self.braced.push(pending);
        }
    }

    /// `}`: the test that stands before its tests is over.
    fn close_brace(&mut self, out: &mut Out<'_>) {
        self.flush(out);
        let Some(mut pending) = self.braced.pop() else {
            return;
        };
        let below = self.below(pending.level);
        pending.child_failed = below.failed > 0;
        if below.tests > 0 && pending.test.directive != Some(Directive::Skip) {
            // It was counted as a test of its own.
            self.total.ran = self.total.ran.saturating_sub(1);
        }
        self.pending = Some(pending);
        self.decide_below(out);
        self.flush(out);
    }

    /// Nothing more will be said about the test read last.
    fn flush(&mut self, out: &mut Out<'_>) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        let level = pending.level;
        if let Some(row) = pending.row(out) {
            if self.waiting.len() < MAX_WAITING {
                self.waiting.push(row);
            } else {
                self.confirmed = true;
                self.give_whole(row, out);
            }
        }
        if level == 0 && self.confirmed {
            self.give_waiting(out);
        }
    }

    fn give_whole(&mut self, row: Waits, out: &mut Out<'_>) {
        let row = row.whole(&self.headings, out);
        self.give(row, out);
    }

    fn give(&mut self, row: Failure, out: &mut Out<'_>) {
        self.doc_rows += 1;
        self.total.rows += 1;
        out.row(row);
    }

    fn give_waiting(&mut self, out: &mut Out<'_>) {
        for row in self.waiting.take() {
            self.give_whole(row, out);
        }
    }

    fn end_document(&mut self, out: &mut Out<'_>) {
        self.end_test(0, out);
        let outermost = self.outermost();
        if !self.confirmed {
            // Two numbered lines in order are no accident.
            if !(self.in_order && outermost.tests >= 2) {
                self.waiting.take();
                return;
            }
            self.confirmed = true;
        }
        self.give_waiting(out);
        if !(self.known || self.version || outermost.tests > 0) {
            // A lone plan may be anyone's line.
            self.confirmed = false;
            self.plan = None;
            return;
        }
        let mut claimed = outermost.failed + u64::from(self.bailed);
        let missing = self.plan.is_some_and(|plan| plan > outermost.tests);
        if missing && claimed == 0 && self.doc_rows == 0 {
            let plan = self.plan.unwrap_or_default();
            let row = Failure::new(
                "tap",
                format!("planned {plan} tests but ran {}", outermost.tests),
            );
            self.give(row, out);
            claimed = 1;
        }
        if claimed == 0 {
            claimed = self.said_failed.unwrap_or(0);
        }
        let unplanned = self.plan.is_none() && (self.version || self.known) && outermost.tests > 0;
        let zero = outermost.tests == 0 && (self.plan == Some(0) || self.said_tests == Some(0));
        self.total.zero |= zero;
        self.total.stopped_early |= self.bailed || missing || unplanned;
        self.total.claimed += claimed;
        self.total.documents += 1;
        self.confirmed = false;
        self.version = false;
        self.plan = None;
        self.bailed = false;
        self.levels.clear();
        self.headings.end(0);
        self.heading = None;
        self.in_order = true;
        self.said_tests = None;
        self.said_failed = None;
        self.doc_rows = 0;
    }

    fn comment(&mut self, comment: &[u8], indent: usize, out: &mut Out<'_>) -> bool {
        if let Some(name) = comment.strip_prefix(b" Subtest: ") {
            let level = level_of(indent);
            self.end_test(level, out);
            self.headings.put(level, clip(unescape(text(name).trim())));
            return self.confirmed;
        }
        let words = comment.strip_prefix(b" ").unwrap_or(comment);
        if self.confirmed && self.late.line(&unescape(&text(words))) {
            return true;
        }
        if indent == 0 && self.is_heading(words) {
            self.flush(out);
            if !self.crash_line(words) {
                self.heading = Some(clip(text(words)));
            }
            return true;
        }
        if indent == 0 && self.confirmed {
            match comment.strip_prefix(b" tests ").and_then(count) {
                Some((tests, b"")) => self.said_tests = Some(tests),
                _ => {
                    if let Some((failed, b"")) = comment.strip_prefix(b" fail ").and_then(count) {
                        self.said_failed = Some(failed);
                    }
                }
            }
        }
        let attached = self
            .pending
            .as_mut()
            .filter(|pending| pending.yaml.is_none() && !pending.yaml_ended);
        if let Some(pending) = attached {
            match read_comment(comment) {
                Comment::At(place) => pending.place = Some(place),
                Comment::Says(place, words) => {
                    if pending.place.is_none() && pending.words.is_empty() {
                        pending.place = Some(place);
                    }
                    pending.words.push(words.as_bytes());
                }
                Comment::Words(words) => pending.words.push(words.as_bytes()),
                Comment::Nothing => {}
            }
            return true;
        }
        if self.confirmed {
            self.crash_line(words);
        }
        self.confirmed
    }

    /// A comment may be a line of an error that ended a process.
    fn crash_line(&mut self, words: &[u8]) -> bool {
        self.raw = false;
        if words.contains(&b'\\') {
            self.crash.line(unescape(&text(words)).as_bytes())
        } else {
            self.crash.line(words)
        }
    }

    /// Whether a comment is what tape puts above the assertions of a test: it stands alone, before
    /// the plan, and what was said about the assertion before it has ended.
    fn is_heading(&self, words: &[u8]) -> bool {
        let free = self
            .pending
            .as_ref()
            .is_none_or(|pending| !pending.test.dashed && (pending.test.ok || pending.yaml_ended));
        let said = words.first().is_some_and(|b| !b.is_ascii_whitespace());
        self.version && self.plan.is_none() && self.levels.len() <= 1 && free && said
    }

    fn bail(&mut self, reason: &[u8], out: &mut Out<'_>) {
        self.flush(out);
        if !self.bailed {
            self.bailed = true;
            let reason = text(reason.trim_ascii());
            let row = Failure::new(
                "tap",
                if reason.is_empty() {
                    "Bail out!".to_owned()
                } else {
                    reason
                },
            );
            self.give_waiting(out);
            self.give(row, out);
        }
    }

    /// `1..9`, `1..0 # SKIP why`.
    fn plan_line(&mut self, body: &[u8], indent: usize, out: &mut Out<'_>) -> bool {
        let Some((plan, rest)) = body.strip_prefix(b"1..").and_then(count) else {
            return false;
        };
        if !(rest.is_empty() || rest.trim_ascii_start().starts_with(b"#")) {
            return false;
        }
        if indent > 0 {
            return self.confirmed;
        }
        if self.plan.is_some() {
            self.end_document(out);
        }
        self.flush_keeping_pending(out);
        self.plan = Some(plan);
        true
    }

    /// A plan proves that this is TAP; what is said about the last test may still follow it.
    fn flush_keeping_pending(&mut self, out: &mut Out<'_>) {
        self.flush(out);
        self.confirmed = true;
        self.give_waiting(out);
    }

    /// `}` where the brace was opened.
    fn closes_brace(&self, body: &[u8], indent: usize) -> bool {
        let open = self.braced.last().is_some_and(|held| held.indent == indent);
        open && body.trim_ascii_end() == b"}"
    }

    /// A brace that stands alone, below the block of the test line that it belongs to.
    fn opens_brace(&mut self, body: &[u8], indent: usize) -> bool {
        let test = self
            .pending
            .as_mut()
            .filter(|pending| pending.indent == indent && body.trim_ascii_end() == b"{");
        test.map(|pending| pending.test.opens = true).is_some()
    }

    /// Reads a line of the block of the test read last; false where no block is open.
    fn yaml_line(&mut self, line: &[u8], depth: usize) -> bool {
        let Some(pending) = &mut self.pending else {
            return false;
        };
        if let Some(yaml) = pending.yaml.as_mut().filter(|_| !pending.yaml_ended) {
            // A block that was cut off ends where the next test begins.
            let next = depth <= pending.indent
                && !yaml.in_quotes()
                && TestLine::read(&line[depth..]).is_some();
            if next {
                pending.yaml_ended = true;
                return false;
            }
            pending.yaml_ended = yaml.line(line);
            return true;
        }
        if pending.yaml.is_none()
            && depth > pending.indent
            && line[depth..].trim_ascii_end() == b"---"
        {
            pending.yaml = Some(Yaml::new(depth));
            return true;
        }
        false
    }
}

/// How deep what begins at `indent` stands.
fn level_of(indent: usize) -> usize {
    (indent / 4).min(MAX_LEVEL)
}

impl Parser for Tap {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let depth = indent(line);
        let body = &line[depth..];
        if self.pending.is_some() && self.yaml_line(line, depth) {
            return true;
        }
        let nested = depth > 0;
        match body.first() {
            Some(b'o' | b'n') if !nested || self.confirmed => {
                if let Some(test) = TestLine::read(body) {
                    self.test(test, depth, out);
                    return true;
                }
            }
            Some(b'1') if self.plan_line(body, depth, out) => {
                return true;
            }
            Some(b'}') if self.closes_brace(body, depth) => {
                self.close_brace(out);
                return true;
            }
            Some(b'{') if self.opens_brace(body, depth) => return true,
            Some(b'#') => return self.comment(&body[1..], depth, out),
            Some(b'T') if body.strip_prefix(b"TAP version ").and_then(count).is_some() => {
                if !nested {
                    self.end_document(out);
                    self.confirmed = true;
                    self.version = true;
                }
                return true;
            }
            Some(b'B') if self.confirmed => {
                if let Some(reason) = body.strip_prefix(b"Bail out!") {
                    self.bail(reason, out);
                    return true;
                }
            }
            _ => {}
        }
        if !self.confirmed {
            return false;
        }
        self.raw = true;
        self.crash.line(line) || self.open()
    }

    fn open(&self) -> bool {
        // A lone `1..9` may be anyone's.
        let begun = self.known || self.version || self.outermost().tests > 0;
        self.confirmed && begun && (self.pending.is_some() || !self.complete())
    }

    fn finish(&mut self, _exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        self.flush(out);
        let crashed = self
            .crash
            .take_unfinished()
            .filter(|_| self.raw && self.confirmed);
        let ended_by = u64::from(crashed.is_some());
        if let Some(crashed) = crashed {
            let row = crash_row(crashed, out);
            self.give_waiting(out);
            self.give(row, out);
        }
        self.end_document(out);
        let total = &self.total;
        if total.documents == 0 {
            return Tally::default();
        }
        Tally {
            seen: true,
            ran: Some(total.ran),
            failed: Some(total.rows),
            skipped: Some(total.skipped),
            claimed: Some(total.claimed + ended_by),
            stopped_early: total.stopped_early,
            nothing_ran: Some(total.lines == 0 && total.zero),
            ..Tally::default()
        }
    }
}
