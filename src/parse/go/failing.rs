//! The failing tests of the package being read: those whose lines may go on, and the rows of those
//! that have ended, until the line that names the package.

use crate::model::Failure;

use super::super::location::{Place, indent, text};
use super::super::parser::Out;
use super::super::paths::Paths;
use super::block::Block;
use super::frames::Stack;
use super::held::Held;
use super::modules::Modules;
use super::printed::{LogLine, Printed};
use super::trace::{Race, Trace};

/// So many tests stand in each other at most; below that, one that is read ends the one above it.
const MAX_DEPTH: usize = 64;

/// Failures of one package.
#[derive(Debug, Default)]
pub(super) struct Failing {
    /// Failing tests being read, outermost first.
    blocks: Vec<Block>,
    race: Race,
    held: Held,
}

impl Failing {
    /// No failing test is being read, nor a report of the race detector.
    pub(super) fn rests(&self) -> bool {
        self.blocks.is_empty() && !self.race.is_reading()
    }

    /// A test failed: `printed` is what it was seen to print.
    pub(super) fn open(&mut self, name: String, depth: usize, printed: Printed, out: &mut Out<'_>) {
        for above in &mut self.blocks {
            above.child_failed |=
                name.starts_with(above.name.as_str()) && name[above.name.len()..].starts_with('/');
        }
        if self.blocks.len() >= MAX_DEPTH {
            self.close_last(out);
        }
        self.blocks.push(Block {
            name,
            depth,
            child_failed: false,
            printed,
        });
    }

    /// Nothing more will be said about the tests at `depth` and below.
    pub(super) fn close_to(&mut self, depth: usize, out: &mut Out<'_>) {
        while self.blocks.last().is_some_and(|block| block.depth >= depth) {
            self.close_last(out);
        }
    }

    fn close_last(&mut self, out: &mut Out<'_>) {
        if let Some(mut block) = self.blocks.pop() {
            self.place_elsewhere(&mut block.printed, out.paths);
            self.held.add(block, out);
        }
    }

    pub(super) fn close(&mut self, out: &mut Out<'_>) {
        self.close_to(0, out);
    }

    /// Two lines name a place in a library: the race detector's, whose report says where the race
    /// is, and testify's of a panic, which the stack below it explains.
    fn place_elsewhere(&mut self, printed: &mut Printed, paths: &Paths) {
        let message = printed.message.text();
        let testing = printed
            .place
            .as_ref()
            .is_some_and(|place| place.path == "testing.go");
        if testing && message.starts_with("race detected during execution of test") {
            printed.place = self.race.take();
        } else if message.starts_with("test panicked: ") {
            let mut stack = Stack::default();
            for line in message.lines().skip(2) {
                stack.line(line.as_bytes(), None, paths);
            }
            printed.place = stack.best().cloned();
        }
    }

    /// Reads a line of the race detector; false where it is none.
    pub(super) fn race_line(&mut self, line: &[u8], paths: &Paths) -> bool {
        self.race.line(line, paths)
    }

    /// An indented line: the message of a test, or more of it; false where no test is being read.
    pub(super) fn indented(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let depth = indent(line);
        let whose = self
            .blocks
            .iter()
            .rposition(|block| block.indent() == depth);
        if let Some(at) = whose
            && let Some(log) = LogLine::read(&line[depth..])
        {
            self.close_to(self.blocks[at].depth + 1, out);
            self.blocks[at].printed.add(&log, &line[depth..]);
            return true;
        }
        let Some(block) = self.blocks.last_mut() else {
            return false;
        };
        let base = block.indent();
        if depth >= base || line.is_empty() {
            let more = line.get(base..).unwrap_or_default();
            block
                .printed
                .message
                .push(more.strip_prefix(b"    ").unwrap_or(more));
        }
        true
    }

    /// A line at the margin, which an example prints below `got:` and `want:`; false where no test
    /// is being read.
    pub(super) fn at_margin(&mut self, line: &[u8]) -> bool {
        let Some(block) = self.blocks.last_mut() else {
            return false;
        };
        let example = block.depth == 0 && block.printed.place.is_none();
        if example && (line == b"got:" || !block.printed.message.is_empty()) {
            block.printed.message.push(line);
        }
        true
    }

    /// Gives `trace` to the test that was named just before it, whose it is if that has nothing
    /// else to say; else it is returned: its message and its place.
    pub(super) fn explain(&mut self, trace: Trace) -> Option<(String, Option<Place>)> {
        let (timed_out, recovered) = (trace.timed_out, trace.recovered);
        let (message, place) = trace.into_place();
        let its = self
            .blocks
            .last_mut()
            .filter(|top| !timed_out && (recovered || top.printed.is_empty()));
        let Some(top) = its else {
            return Some((message, place));
        };
        top.printed.message.push(message.as_bytes());
        top.printed.place = top.printed.place.take().or(place);
        None
    }

    /// Adds a failure that is no test's result.
    pub(super) fn push(&mut self, row: Failure, place: Option<Place>, out: &mut Out<'_>) {
        self.held.push(row, place, out);
    }

    /// A failure that is no test's result: the package's own, or of the test that it ended in.
    pub(super) fn push_package(
        &mut self,
        import: &str,
        test: Option<String>,
        last: &[u8],
        out: &mut Out<'_>,
    ) {
        let mut message = match test {
            Some(_) => format!("{import} ended in the middle of this test"),
            None => format!("{import} failed outside its tests"),
        };
        let last = text(last);
        if !last.is_empty() {
            message.push_str(": ");
            message.push_str(&last);
        }
        let mut row = Failure::new("go-test", message);
        row.test = test;
        self.held.push(row, None, out);
    }

    /// No test has failed so far, those being read aside.
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// The package is good: they were a passing test's own words.
    pub(super) fn forget(&mut self) {
        self.held.forget();
        self.race = Race::default();
    }

    /// Hands every row out, in the folder of its package where that is known.
    pub(super) fn release(&mut self, package: Option<(&mut Modules, &str)>, out: &mut Out<'_>) {
        self.held.release(package, out);
        self.race = Race::default();
    }

    /// Rows that went out.
    pub(super) fn released(&self) -> u64 {
        self.held.released
    }
}
