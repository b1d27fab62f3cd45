//! A stream of TAP documents: failing leaves become rows, parents that only relay do not.

use crate::model::{Exit, Failure};

use super::super::clip::Gathered;
use super::super::location::{Place, count, indent, text};
use super::super::node::{Crash, Crashed, crash_row, exact_file};
use super::super::parser::{Out, Parser, Tally};
use super::comment::{Comment, read as read_comment};
use super::test_line::{Directive, TestLine};
use super::yaml::Yaml;

/// How many rows wait for the line that decides about them.
const MAX_WAITING: usize = 10_000;
const MAX_LEVEL: usize = 64;

/// A test line whose diagnostics may follow.
#[derive(Debug)]
struct Pending {
    test: TestLine,
    indent: usize,
    level: usize,
    child_failed: bool,
    yaml: Option<Yaml>,
    /// The block was read to its end.
    yaml_ended: bool,
    place: Option<Place>,
    words: Gathered,
    crashed: Option<Crashed>,
}

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
    waiting: Vec<(usize, Failure)>,
    crash: Crash,
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
        self.flush(out);
        if indent == 0 && self.complete() && test.number == Some(1) {
            self.end_document(out);
        }
        let level = (indent / 4).min(MAX_LEVEL);
        let below = self.levels.get(level + 1).copied().unwrap_or_default();
        self.levels.truncate(level + 1);
        let failed = !test.ok && test.directive.is_none();
        let here = self.level(level);
        here.tests += 1;
        here.failed += u64::from(failed);
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
        if !failed {
            // What failed below was expected to, or was made good.
            self.waiting.retain(|(at, _)| *at <= level);
        }
        let crashed = self.crash.take();
        self.pending = Some(Pending {
            test,
            indent,
            level,
            child_failed: below.failed > 0,
            yaml: None,
            yaml_ended: false,
            place: None,
            words: Gathered::default(),
            crashed,
        });
    }

    /// Nothing more will be said about the test read last.
    fn flush(&mut self, out: &mut Out<'_>) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        let level = pending.level;
        if let Some(row) = row_of(pending, out) {
            if self.waiting.len() < MAX_WAITING {
                self.waiting.push((level, row));
            } else {
                self.confirmed = true;
                self.give(row, out);
            }
        }
        if level == 0 && self.confirmed {
            self.give_waiting(out);
        }
    }

    fn give(&mut self, row: Failure, out: &mut Out<'_>) {
        self.doc_rows += 1;
        self.total.rows += 1;
        out.row(row);
    }

    fn give_waiting(&mut self, out: &mut Out<'_>) {
        for (_, row) in std::mem::take(&mut self.waiting) {
            self.give(row, out);
        }
    }

    fn end_document(&mut self, out: &mut Out<'_>) {
        self.flush(out);
        let outermost = self.outermost();
        if !self.confirmed {
            // Two numbered lines in order are no accident.
            if !(self.in_order && outermost.tests >= 2) {
                self.waiting.clear();
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
        self.in_order = true;
        self.said_tests = None;
        self.said_failed = None;
        self.doc_rows = 0;
    }

    fn comment(&mut self, comment: &[u8], indent: usize, out: &mut Out<'_>) -> bool {
        if comment.starts_with(b" Subtest: ") {
            self.flush(out);
            return self.confirmed;
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
            let line = comment.strip_prefix(b" ").unwrap_or(comment);
            self.raw = false;
            if line.contains(&b'\\') {
                self.crash.line(
                    text(line)
                        .replace("\\#", "#")
                        .replace("\\\\", "\\")
                        .as_bytes(),
                );
            } else {
                self.crash.line(line);
            }
        }
        self.confirmed
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

fn row_of(pending: Pending, out: &Out<'_>) -> Option<Failure> {
    let Pending {
        test,
        child_failed,
        yaml,
        place,
        words,
        crashed,
        ..
    } = pending;
    if test.ok || test.directive.is_some() {
        return None;
    }
    let mut found = yaml.map(|yaml| yaml.found).unwrap_or_default();
    let relays = found
        .failure_type
        .as_deref()
        .is_none_or(|kind| kind == "subtestsFailed");
    if child_failed && relays {
        return None;
    }
    let said = if found.message.is_empty() {
        words
    } else {
        std::mem::take(&mut found.message)
    };
    let said = said.text();
    let message = match (said.is_empty(), test.number) {
        (false, _) => said.to_owned(),
        (true, Some(number)) => format!("not ok {number}"),
        (true, None) => "not ok".to_owned(),
    };
    let mut row = Failure::new("tap", message);
    let mut place = found.place().or(place);
    let file = test.name.as_deref().and_then(exact_file);
    if let Some(file) = file.filter(|_| said.is_empty() || said == "test failed") {
        // A test file that failed to load: the error that ended it says why and where.
        place = Some(file);
        if let Some(crashed) = crashed {
            row.message = crashed.message;
            place = crashed.place.or(place);
        } else if let Some(code) = found.exit_code.filter(|code| code != "~") {
            row.message = format!("test failed (exit code {code})");
        }
    }
    if let Some(place) = &place {
        out.paths.put(&mut row, place);
    }
    row.test = test.name.map(|name| out.paths.test_name(name));
    Some(row)
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
