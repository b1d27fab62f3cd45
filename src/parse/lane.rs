//! One stream: its bytes into lines, each line to the parser whose it is.

use crate::model::{EnvironmentFailure, Exit, Failure, Findings};
use crate::text::{PlainLines, strip_escapes};

use super::environment::{Environment, Folder};
use super::lines::{HEAD, LineSplitter, Piece};
use super::merged::Merged;
use super::parser::Out;
use super::paths::Paths;
use super::prefix::strip_timestamp;
use super::registry::Entry;

/// One stream and its parsers.
pub(super) struct Lane {
    splitter: LineSplitter,
    reader: Reader,
}

struct Reader {
    entries: Vec<Entry>,
    /// The one whose parser is open: there is no second one.
    open: Option<usize>,
    environment: Environment,
    paths: Paths,
    /// For lines with escapes.
    buffer: Vec<u8>,
    /// What a log collector put before a line is taken off.
    prefixes: bool,
}

impl Lane {
    /// `prefixes`: timestamps of log collectors are no text.
    pub(super) fn new(entries: Vec<Entry>, paths: Paths, prefixes: bool) -> Self {
        let reader = Reader {
            entries,
            open: None,
            environment: Environment::default(),
            paths,
            buffer: Vec::new(),
            prefixes,
        };
        Self {
            splitter: LineSplitter::default(),
            reader,
        }
    }

    pub(super) fn feed(&mut self, block: &[u8], rows: &mut dyn FnMut(Failure)) {
        let Self { splitter, reader } = self;
        let mut at = 0;
        while at < block.len() {
            if splitter.is_between_lines() {
                at += reader.plain(&block[at..], rows);
            }
            at += splitter.next(&block[at..], |piece| reader.piece(piece, rows));
        }
    }

    /// No more bytes come: reads the last line, where it has no end.
    pub(super) fn close(&mut self, rows: &mut dyn FnMut(Failure)) {
        let Self { splitter, reader } = self;
        splitter.finish(|piece| reader.piece(piece, rows));
    }

    /// Gives the last rows of a closed lane, and what was found beside them.
    pub(super) fn finish(
        &mut self,
        exit: Option<Exit>,
        rows: &mut dyn FnMut(Failure),
        merged: &mut Merged,
        findings: &mut Findings,
    ) {
        let reader = &mut self.reader;
        let paths = &reader.paths;
        for entry in &mut reader.entries {
            let tally = entry.parser.finish(exit, &mut Out { paths, rows });
            merged.add(entry.name, tally, findings);
        }
    }

    /// What the machine lacks, in a launcher's words; asked of a closed lane.
    pub(super) fn environment(&mut self) -> Option<EnvironmentFailure> {
        self.reader.environment.take()
    }
}

impl Reader {
    /// Reads lines from the start of `block`, as long as they are plain; how many bytes.
    fn plain(&mut self, block: &[u8], rows: &mut dyn FnMut(Failure)) -> usize {
        let mut lines = PlainLines::new(block);
        loop {
            self.skim(&mut lines);
            let Some(line) = lines.peek().filter(|line| line.len() <= HEAD) else {
                break;
            };
            self.line(line, rows);
            lines.pass();
        }
        lines.given()
    }

    /// Lets the parser that is open read lines that need no more than counting.
    fn skim(&mut self, lines: &mut PlainLines<'_>) {
        if let Some(open) = self.open
            && !self.environment.is_explaining()
        {
            let said = self.entries[open].parser.skim(lines);
            self.environment.pass(said);
        }
    }

    fn piece(&mut self, piece: Piece<'_>, rows: &mut dyn FnMut(Failure)) {
        match piece {
            Piece::Line(line) => {
                let mut buffer = std::mem::take(&mut self.buffer);
                self.line(strip_escapes(line, &mut buffer), rows);
                self.buffer = buffer;
            }
            Piece::Tail(tail) => self.tail(tail, rows),
        }
    }

    /// Reads a line without escapes.
    fn line(&mut self, line: &[u8], rows: &mut dyn FnMut(Failure)) {
        let Self {
            entries,
            open,
            environment,
            paths,
            prefixes,
            ..
        } = self;
        let line = if *prefixes {
            strip_timestamp(line)
        } else {
            line
        };
        match environment.line(line) {
            Some(Folder::Enter(folder)) => paths.enter(&folder),
            Some(Folder::Leave) => paths.leave(),
            None => {}
        }
        *open = route(line, *open, entries, &mut Out { paths, rows });
        debug_assert_eq!(*open, open_one(entries));
    }

    fn tail(&mut self, tail: &[u8], rows: &mut dyn FnMut(Failure)) {
        let Self {
            entries,
            open,
            paths,
            ..
        } = self;
        let out = &mut Out { paths, rows };
        match *open {
            Some(at) => entries[at].parser.tail(tail, out),
            None => entries
                .iter_mut()
                .for_each(|entry| entry.parser.tail(tail, out)),
        }
        *open = open_one(entries);
    }
}

/// The parser that is in the middle of its tool's output.
fn open_one(entries: &[Entry]) -> Option<usize> {
    entries.iter().position(|entry| entry.parser.open())
}

/// A parser in the middle of its tool's output has the line alone, else the first that knows it.
/// Says which one is open after it.
fn route(
    line: &[u8],
    open: Option<usize>,
    entries: &mut [Entry],
    out: &mut Out<'_>,
) -> Option<usize> {
    if let Some(at) = open {
        let parser = &mut entries[at].parser;
        let its = parser.line(line, out);
        let goes_on = parser.open();
        if its || goes_on {
            return goes_on.then_some(at);
        }
        // Its output ended with this line, which is not its own.
    }
    for (at, entry) in entries.iter_mut().enumerate() {
        if open != Some(at) && entry.parser.line(line, out) {
            return entry.parser.open().then_some(at);
        }
    }
    None
}
