//! The `spec` reporter of `node --test`.

use crate::model::{Exit, Failure};

use super::super::clip::Gathered;
use super::super::location::{Place, count, exact_place, indent, text};
use super::super::parser::{Out, Parser, Tally};
use super::crash::{Crash, Crashed, crash_row};
use super::file_failure::{file_row, test_file};
use super::frame::own_frame;
use super::late::Late;
use super::name::{clip, put_file, put_parent};
use super::nesting::{Closed, Nesting};
use super::summary::{Body, Told};
use super::title::Title;

/// How many failures of the body are kept for the summary that may come.
const MAX: usize = 10_000;

const CROSS: &[u8] = "✖ ".as_bytes();
const CHECK: &[u8] = "✔ ".as_bytes();
const ARROW: &[u8] = "▶ ".as_bytes();
const SKIPPED: &[u8] = "﹣ ".as_bytes();
const WARNING: &[u8] = "⚠ ".as_bytes();
const INFO: &[u8] = "ℹ ".as_bytes();

/// One failing test being read.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts of a test, not a state"
)]
#[derive(Debug, Default)]
struct Entry {
    name: String,
    /// Name and time, as printed: the same in the body and in the summary.
    line: String,
    /// The time was read: the name has no further line.
    timed: bool,
    depth: usize,
    /// How deep the outermost parent stands that is known.
    outermost: usize,
    /// The names of its parents, the innermost first.
    parents: Vec<String>,
    message: Gathered,
    in_stack: bool,
    frame: Option<Place>,
    /// Where the test stands, from `test at`.
    declared: Option<Place>,
    /// A suite whose tests failed.
    child_failed: bool,
    /// The error that ended the file, printed before its line.
    crashed: Option<Crashed>,
    /// `# TODO`: its failure was expected.
    expected: bool,
}

/// The parser of the spec reporter.
#[derive(Debug, Default)]
pub(in super::super) struct NodeSpec {
    /// The command is known to be node's: crosses need no summary.
    known: bool,
    /// An error that no test's line has explained yet.
    unclaimed: Option<Crashed>,
    /// Failures of the body: told again by the summary, if that comes.
    body: Vec<Entry>,
    nesting: Nesting,
    /// The body's failures, while the summary tells them again.
    told: Body,
    late: Late,
    /// Errors that ended test files, by the file's name.
    crashes: Vec<(String, Crashed)>,
    crash: Crash,
    entry: Option<Entry>,
    declared: Option<Place>,
    in_summary: bool,
    /// The numbers at the end were seen: this is the runner's output.
    confirmed: bool,
    crosses: u64,
    rows: u64,
    tests: u64,
    failed: u64,
    skipped: u64,
    cancelled: u64,
    summaries: u64,
}

impl NodeSpec {
    pub(in super::super) fn new(known: bool) -> Self {
        Self {
            known,
            ..Self::default()
        }
    }

    /// An error that no test's line explains ended the program itself.
    fn unexplained(&mut self, out: &mut Out<'_>) {
        if let Some(crashed) = self.unclaimed.take() {
            self.rows += 1;
            let row = crash_row(crashed, out);
            out.row(row);
        }
    }

    fn close_entry(&mut self, out: &mut Out<'_>) {
        let Some(entry) = self.entry.take() else {
            return;
        };
        if entry.expected {
            return;
        }
        if self.in_summary {
            let mut entry = entry;
            entry.parents = self.told.parents(&entry.line, entry.timed);
            self.give(entry, out);
        } else if self.body.len() < MAX {
            self.body.push(entry);
        }
    }

    fn give(&mut self, mut entry: Entry, out: &mut Out<'_>) {
        let held = self
            .crashes
            .iter()
            .position(|(name, _)| *name == entry.name);
        let crashed = entry
            .crashed
            .take()
            .or_else(|| held.map(|at| self.crashes.swap_remove(at).1));
        let said = entry.message.text().trim().trim_matches('\'');
        let said = if said.is_empty() { "test failed" } else { said };
        let file = test_file(&entry.name, entry.declared.as_ref(), out);
        let row = match file.filter(|_| said == "test failed") {
            Some(file) => file_row("node-test", &file, crashed, None, out),
            None => test_row(said.to_owned(), entry, out),
        };
        self.rows += 1;
        out.row(row);
    }

    /// `✖ name (1.2ms)`.
    fn cross(&mut self, rest: &[u8], depth: usize, expected: bool, out: &mut Out<'_>) {
        self.close_entry(out);
        let title = Title::read(rest);
        let expected = expected || title.expected;
        let name = text(title.name);
        let mut entry = Entry {
            line: clip(text(rest)),
            timed: title.timed,
            depth,
            outermost: depth,
            expected,
            declared: self.declared.take(),
            ..Entry::default()
        };
        if !self.in_summary {
            // A suite's own line comes after the lines of its tests.
            entry.child_failed = self.body.last().is_some_and(|e| e.depth > depth);
            self.close_parent(depth, &name);
            if !expected {
                self.crosses += 1;
                let late = self.late.take();
                entry.crashed = self.unclaimed.take().or(late);
            }
        }
        if let Some(crashed) = &entry.crashed
            && self.crashes.len() < MAX
        {
            self.crashes.push((name.clone(), crashed.clone()));
        }
        entry.name = name;
        self.entry = Some(entry);
    }

    /// A name of several lines goes on; only its last one has the time.
    fn name_goes_on(&mut self, line: &[u8]) -> bool {
        let Some(entry) = &mut self.entry else {
            return false;
        };
        if entry.timed || !entry.message.is_empty() || line.is_empty() {
            return false;
        }
        let title = Title::read(line);
        // In the summary all that is said about a test is indented.
        if !(title.timed || self.in_summary && !line.starts_with(b" ")) {
            return false;
        }
        entry.timed = title.timed;
        entry.expected |= title.expected;
        entry.name = clip(format!("{}\\n{}", entry.name, text(title.name)));
        entry.line = clip(format!("{}\\n{}", entry.line, text(line)));
        true
    }

    /// The failures below a parent whose own line was read are its own.
    fn close_parent(&mut self, depth: usize, name: &str) {
        if let Some(closed) = self.nesting.close(depth, name) {
            self.adopt(&closed);
        }
    }

    fn adopt(&mut self, parent: &Closed) {
        for entry in self.body.iter_mut().skip(parent.from) {
            if entry.outermost > parent.depth {
                entry.outermost = parent.depth;
                entry.parents.push(parent.name.clone());
            }
        }
    }

    /// The body has ended: what stood open is as it was.
    fn end_body(&mut self) {
        for parent in self.nesting.cut() {
            self.adopt(&parent);
        }
    }

    /// The summary tells the failures of the body again.
    fn begin_summary(&mut self, out: &mut Out<'_>) {
        self.close_entry(out);
        self.end_body();
        self.told = Body::default();
        for entry in std::mem::take(&mut self.body) {
            let told = Told {
                parents: entry.parents,
                child_failed: entry.child_failed,
            };
            self.told.add(entry.line, told);
        }
        self.in_summary = true;
        self.confirmed = true;
    }

    /// `tests 11`, `fail 2`.
    fn number(&mut self, rest: &[u8], out: &mut Out<'_>) {
        let word = rest.split(|&b| b == b' ').next().unwrap_or_default();
        let Some((value, b"")) = rest.get(word.len() + 1..).and_then(count) else {
            return;
        };
        match word {
            b"tests" => {
                self.close_entry(out);
                self.confirmed = true;
                self.summaries += 1;
                self.tests += value;
            }
            b"fail" => self.failed += value,
            b"cancelled" => self.cancelled += value,
            b"skipped" => self.skipped += value,
            _ => {}
        }
    }

    /// A line below a failing test.
    fn detail(&mut self, line: &[u8]) -> bool {
        let Some(entry) = &mut self.entry else {
            return false;
        };
        let base = entry.depth + 2;
        if line.is_empty() {
            if !entry.in_stack && !entry.message.is_empty() {
                entry.message.push(line);
            }
            return true;
        }
        if indent(line) < base {
            return false;
        }
        let inner = &line[base..];
        if inner.starts_with(b"    at ") {
            entry.in_stack = true;
            if entry.frame.is_none() {
                entry.frame = own_frame(inner);
            }
        } else if !entry.in_stack {
            entry.message.push(inner);
        }
        true
    }

    /// No summary came: the body's failures are all there is.
    fn give_body(&mut self, out: &mut Out<'_>) {
        self.end_body();
        for entry in std::mem::take(&mut self.body) {
            if !(entry.child_failed && entry.message.is_empty()) {
                self.give(entry, out);
            }
        }
    }
}

/// The row of a test that is no whole file.
fn test_row(message: String, entry: Entry, out: &Out<'_>) -> Failure {
    let mut row = Failure::new("node-test", message);
    if let Some(place) = entry.frame.as_ref().or(entry.declared.as_ref()) {
        out.paths.put(&mut row, place);
    }
    row.test = Some(clip(out.paths.test_name(entry.name)));
    for parent in &entry.parents {
        put_parent(&mut row, parent, out);
    }
    if let Some(declared) = &entry.declared {
        put_file(&mut row, declared, out);
    }
    row
}

impl Parser for NodeSpec {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let depth = indent(line);
        let body = &line[depth..];
        if body.first() == Some(&0xe2) || body.starts_with(SKIPPED) {
            if body.starts_with("✖ failing tests:".as_bytes()) && depth == 0 {
                self.begin_summary(out);
                return true;
            }
            if let Some(rest) = body.strip_prefix(CROSS) {
                self.cross(rest, depth, false, out);
                return true;
            }
            if let Some(rest) = body.strip_prefix(WARNING)
                && (self.in_summary || Title::read(rest).expected)
            {
                self.cross(rest, depth, true, out);
                return true;
            }
            if let Some(rest) = body.strip_prefix(ARROW) {
                self.close_entry(out);
                self.in_summary = false;
                self.late.take();
                let name = clip(text(rest));
                self.nesting.open(depth, name, self.body.len());
                return true;
            }
            if let Some(rest) = [CHECK, SKIPPED].iter().find_map(|s| body.strip_prefix(*s)) {
                self.close_entry(out);
                self.in_summary = false;
                self.late.take();
                self.close_parent(depth, &text(Title::read(rest).name));
                return true;
            }
            if let Some(rest) = body.strip_prefix(INFO).filter(|_| depth == 0) {
                self.close_entry(out);
                if !self.late.line(&text(rest)) {
                    self.number(rest, out);
                }
                return true;
            }
        }
        if self.in_summary
            && let Some(place) = line.strip_prefix(b"test at ").and_then(exact_place)
        {
            self.close_entry(out);
            self.declared = Some(place);
            return true;
        }
        if self.name_goes_on(line) || self.detail(line) {
            return true;
        }
        if !line.is_empty() {
            // What is not indented below a test is not about it.
            self.close_entry(out);
        }
        let crash = self.crash.line(line);
        if let Some(crashed) = self.crash.take() {
            self.unexplained(out);
            self.unclaimed = Some(crashed);
        }
        if crash || self.in_summary {
            self.close_entry(out);
        }
        if self.in_summary && !line.is_empty() {
            self.in_summary = false;
        }
        crash
    }

    fn open(&self) -> bool {
        self.crash.reading() || (self.in_summary && self.entry.is_some())
    }

    fn finish(&mut self, _exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        self.close_entry(out);
        if self.confirmed || self.known {
            self.give_body(out);
        }
        self.unexplained(out);
        self.unclaimed = self.crash.take_unfinished();
        self.unexplained(out);
        if !self.confirmed {
            return Tally {
                seen: self.rows > 0,
                ..Tally::default()
            };
        }
        let bad = self.failed + self.cancelled;
        Tally {
            seen: true,
            ran: (self.summaries > 0).then(|| self.tests.saturating_sub(self.skipped)),
            failed: (self.summaries > 0).then_some(bad),
            skipped: (self.summaries > 0).then_some(self.skipped),
            // The runner counts a parent beside its children: they are accounted for by rows.
            claimed: Some(if bad > self.crosses.max(self.rows) {
                bad
            } else {
                self.rows.min(bad)
            }),
            nothing_ran: (self.summaries > 0).then_some(self.tests == 0),
            ..Tally::default()
        }
    }
}
