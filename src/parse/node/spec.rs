//! The `spec` reporter of `node --test`.

use crate::model::{Exit, Failure};

use super::super::clip::Gathered;
use super::super::location::{Place, count, exact_place, indent, text};
use super::super::parser::{Out, Parser, Tally};
use super::crash::{Crash, Crashed, crash_row};
use super::frame::own_frame;

/// How many failures of the body are kept for the summary that may come.
const MAX: usize = 10_000;

const CROSS: &[u8] = "✖ ".as_bytes();
const CHECK: &[u8] = "✔ ".as_bytes();
const ARROW: &[u8] = "▶ ".as_bytes();
const SKIPPED: &[u8] = "﹣ ".as_bytes();
const INFO: &[u8] = "ℹ ".as_bytes();

/// One failing test being read.
#[derive(Debug, Default)]
struct Entry {
    name: String,
    depth: usize,
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
        let loaded = said.is_empty() || said == "test failed";
        let mut row = Failure::new(
            "node-test",
            if said.is_empty() { "test failed" } else { said },
        );
        let file = exact_file(&entry.name);
        if let Some(crashed) = crashed.filter(|_| loaded) {
            row.message = crashed.message;
            if let Some(place) = crashed.place {
                out.paths.put(&mut row, &place);
            } else if let Some(file) = &file {
                out.paths.put(&mut row, file);
            }
        } else {
            // A file that ended without a word is known, and no line of it.
            let place = if loaded && file.is_some() {
                file
            } else {
                entry.frame.or(entry.declared)
            };
            if let Some(place) = &place {
                out.paths.put(&mut row, place);
            }
        }
        row.test = Some(out.paths.test_name(entry.name));
        self.rows += 1;
        out.row(row);
    }

    /// `✖ name (1.2ms)`.
    fn cross(&mut self, rest: &[u8], depth: usize, out: &mut Out<'_>) {
        self.close_entry(out);
        let todo = memchr::memmem::rfind(rest, b" # TODO")
            .or_else(|| memchr::memmem::rfind(rest, b" # SKIP"));
        let rest = todo.map_or(rest, |at| &rest[..at]);
        let expected = todo.is_some();
        let name = text(without_time(rest));
        if !self.in_summary && !expected {
            self.crosses += 1;
        }
        let crashed = if self.in_summary {
            None
        } else {
            self.unclaimed.take()
        };
        if let Some(crashed) = &crashed
            && self.crashes.len() < MAX
        {
            self.crashes.push((name.clone(), crashed.clone()));
        }
        // A suite's own line comes after the lines of its tests.
        let child_failed = !self.in_summary
            && self
                .body
                .iter()
                .rev()
                .take_while(|e| e.depth > depth)
                .count()
                > 0;
        self.entry = Some(Entry {
            name,
            depth,
            child_failed,
            crashed,
            expected,
            declared: self.declared.take(),
            ..Entry::default()
        });
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
        for entry in std::mem::take(&mut self.body) {
            if !(entry.child_failed && entry.message.is_empty()) {
                self.give(entry, out);
            }
        }
    }
}

/// `name (12.3ms)` without the time.
fn without_time(rest: &[u8]) -> &[u8] {
    let Some(inner) = rest.strip_suffix(b"ms)") else {
        return rest;
    };
    match memchr::memmem::rfind(inner, b" (") {
        Some(at)
            if inner[at + 2..]
                .iter()
                .all(|b| b.is_ascii_digit() || *b == b'.') =>
        {
            &rest[..at]
        }
        _ => rest,
    }
}

/// A test that is named after its file.
pub(in super::super) fn exact_file(name: &str) -> Option<Place> {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let source = matches!(
        extension,
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx"
    );
    let file = source && !name.contains(' ') && name.contains(['/', '\\']);
    file.then(|| Place {
        path: name.to_owned(),
        line: None,
        column: None,
    })
}

impl Parser for NodeSpec {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let depth = indent(line);
        let body = &line[depth..];
        if body.first() == Some(&0xe2) || body.starts_with(SKIPPED) {
            if body.starts_with("✖ failing tests:".as_bytes()) && depth == 0 {
                self.close_entry(out);
                self.in_summary = true;
                self.confirmed = true;
                self.body.clear();
                return true;
            }
            if let Some(rest) = body.strip_prefix(CROSS) {
                self.cross(rest, depth, out);
                return true;
            }
            if body.starts_with(CHECK) || body.starts_with(ARROW) || body.starts_with(SKIPPED) {
                self.close_entry(out);
                self.in_summary = false;
                return true;
            }
            if let Some(rest) = body.strip_prefix(INFO).filter(|_| depth == 0) {
                self.close_entry(out);
                self.number(rest, out);
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
        if self.detail(line) {
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
