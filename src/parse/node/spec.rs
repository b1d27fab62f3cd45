//! The `spec` reporter of `node --test`: which line says what. A failure is told in the body and
//! again in the summary; where that comes, its telling counts, for it has the places.

use crate::model::Exit;

use super::super::location::{Place, exact_place, indent, text};
use super::super::parser::{Out, Parser, Tally};
use super::crash::{Crashed, crash_row};
use super::entry::Entry;
use super::errors::Errors;
use super::failures::Failures;
use super::name::clip;
use super::numbers::Numbers;
use super::sign::Sign;
use super::summary::{Body, Told};
use super::title::Title;

/// The parser of the spec reporter.
#[derive(Debug, Default)]
pub(in super::super) struct NodeSpec {
    /// The command is known to be node's: crosses need no summary.
    known: bool,
    /// The failing test being read.
    entry: Option<Entry>,
    body: Failures,
    in_summary: bool,
    /// The body's failures, while the summary tells them again.
    told: Body,
    /// `test at`, whose test follows.
    declared: Option<Place>,
    errors: Errors,
    /// The summary, or the numbers at the end, were seen: this is the runner's output.
    confirmed: bool,
    numbers: Numbers,
    /// Failing tests of the body.
    crosses: u64,
    rows: u64,
}

impl NodeSpec {
    pub(in super::super) fn new(known: bool) -> Self {
        Self {
            known,
            ..Self::default()
        }
    }

    /// An error that no test's line explains ended the program itself.
    fn give_error(&mut self, crashed: Crashed, out: &mut Out<'_>) {
        self.rows += 1;
        let row = crash_row(crashed, out);
        out.row(row);
    }

    fn close_entry(&mut self, out: &mut Out<'_>) {
        if self.entry.is_none() {
            return;
        }
        let Some(mut entry) = self.entry.take().filter(|entry| !entry.expected) else {
            return;
        };
        if self.in_summary {
            entry.parents = self.told.parents(&entry.line, entry.timed);
            self.give(entry, out);
        } else {
            self.body.push(entry);
        }
    }

    fn give(&mut self, mut entry: Entry, out: &mut Out<'_>) {
        let crashed = entry
            .crashed
            .take()
            .or_else(|| self.errors.of_file(&entry.name));
        self.rows += 1;
        let row = entry.row(crashed, out);
        out.row(row);
    }

    /// `✖ name (1.2ms)`; `expected`: its sign says that it was to fail.
    fn cross(&mut self, rest: &[u8], depth: usize, expected: bool, out: &mut Out<'_>) {
        self.close_entry(out);
        let mut entry = Entry::begin(rest, depth);
        entry.expected |= expected;
        entry.declared = self.declared.take();
        if !self.in_summary {
            entry.child_failed = self.body.are_below(depth);
            self.body.close_parent(depth, &entry.name);
            if !entry.expected {
                self.crosses += 1;
                entry.crashed = self.errors.claim();
            }
        }
        if let Some(crashed) = &entry.crashed {
            self.errors.keep(&entry.name, crashed);
        }
        self.entry = Some(entry);
    }

    /// A line of the body that shows no failure: the summary, if there was one, is over.
    fn in_body(&mut self, out: &mut Out<'_>) {
        self.close_entry(out);
        self.in_summary = false;
        self.errors.forget_late();
    }

    /// The summary tells the failures of the body again.
    fn begin_summary(&mut self, out: &mut Out<'_>) {
        self.close_entry(out);
        self.told = Body::default();
        for entry in self.body.take() {
            let told = Told {
                parents: entry.parents,
                child_failed: entry.child_failed,
            };
            self.told.add(entry.line, told);
        }
        self.in_summary = true;
        self.confirmed = true;
    }

    /// No summary came: the body's failures are all there is.
    fn give_body(&mut self, out: &mut Out<'_>) {
        for entry in self.body.take() {
            if !entry.only_relays() {
                self.give(entry, out);
            }
        }
    }

    /// A line that begins with a sign; false where it is none of the reporter's all the same.
    fn signed(&mut self, sign: Sign, rest: &[u8], depth: usize, out: &mut Out<'_>) -> bool {
        match sign {
            Sign::Cross if depth == 0 && rest.starts_with(b"failing tests:") => {
                self.begin_summary(out);
            }
            Sign::Cross => self.cross(rest, depth, false, out),
            Sign::Warning if self.in_summary || Title::read(rest).expected => {
                self.cross(rest, depth, true, out);
            }
            Sign::Arrow => {
                self.in_body(out);
                self.body.open_parent(depth, clip(text(rest)));
            }
            Sign::Good => {
                self.in_body(out);
                self.body.close_parent(depth, &text(Title::read(rest).name));
            }
            Sign::Info if depth == 0 => {
                self.close_entry(out);
                if !self.errors.late_line(&text(rest)) {
                    self.confirmed |= self.numbers.line(rest);
                }
            }
            Sign::Warning | Sign::Info => return false,
        }
        true
    }

    /// More of the failing test read last.
    fn more(&mut self, line: &[u8]) -> bool {
        let in_summary = self.in_summary;
        self.entry
            .as_mut()
            .is_some_and(|entry| entry.name_goes_on(line, in_summary) || entry.detail(line))
    }
}

impl Parser for NodeSpec {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let depth = indent(line);
        if let Some((sign, rest)) = Sign::read(&line[depth..])
            && self.signed(sign, rest, depth, out)
        {
            return true;
        }
        if self.in_summary
            && let Some(place) = line.strip_prefix(b"test at ").and_then(exact_place)
        {
            self.close_entry(out);
            self.declared = Some(place);
            return true;
        }
        if self.more(line) {
            return true;
        }
        if !line.is_empty() {
            // What is not indented below a test is not about it.
            self.close_entry(out);
        }
        let (is_error, unexplained) = self.errors.line(line);
        if let Some(crashed) = unexplained {
            self.give_error(crashed, out);
        }
        if is_error || self.in_summary {
            self.close_entry(out);
        }
        if !line.is_empty() {
            self.in_summary = false;
        }
        is_error
    }

    fn open(&self) -> bool {
        self.errors.reading() || (self.in_summary && self.entry.is_some())
    }

    fn finish(&mut self, _exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        self.close_entry(out);
        if self.confirmed || self.known {
            self.give_body(out);
        }
        for crashed in self.errors.rest() {
            self.give_error(crashed, out);
        }
        if !self.confirmed {
            return Tally {
                seen: self.rows > 0,
                ..Tally::default()
            };
        }
        self.numbers.tally(self.crosses, self.rows)
    }
}
