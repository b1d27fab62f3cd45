//! One stream: its bytes into lines, each line to the parser whose it is.

use crate::model::{EnvironmentFailure, Exit, Failure, Findings};
use crate::text::strip_escapes;

use super::environment::{Environment, Folder};
use super::lines::{LineSplitter, Piece};
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

    pub(super) fn feed(&mut self, bytes: &[u8], rows: &mut dyn FnMut(Failure)) {
        let Self { splitter, reader } = self;
        splitter.feed(bytes, |piece| reader.piece(piece, rows));
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
    fn piece(&mut self, piece: Piece<'_>, rows: &mut dyn FnMut(Failure)) {
        let Self {
            entries,
            environment,
            paths,
            buffer,
            prefixes,
        } = self;
        let line = match piece {
            Piece::Line(line) => {
                let line = strip_escapes(line, buffer);
                if *prefixes {
                    strip_timestamp(line)
                } else {
                    line
                }
            }
            Piece::Tail(tail) => {
                let out = &mut Out { paths, rows };
                match entries.iter_mut().find(|entry| entry.parser.open()) {
                    Some(open) => open.parser.tail(tail, out),
                    None => entries
                        .iter_mut()
                        .for_each(|entry| entry.parser.tail(tail, out)),
                }
                return;
            }
        };
        match environment.line(line) {
            Some(Folder::Enter(folder)) => paths.enter(&folder),
            Some(Folder::Leave) => paths.leave(),
            None => {}
        }
        route(line, entries, &mut Out { paths, rows });
    }
}

/// A parser in the middle of its tool's output has the line alone, else the first that knows it.
fn route(line: &[u8], entries: &mut [Entry], out: &mut Out<'_>) {
    let open = entries.iter().position(|entry| entry.parser.open());
    if let Some(at) = open {
        let parser = &mut entries[at].parser;
        if parser.line(line, out) || parser.open() {
            return;
        }
        // Its output ended with this line, which is not its own.
    }
    for (at, entry) in entries.iter_mut().enumerate() {
        if open != Some(at) && entry.parser.line(line, out) {
            return;
        }
    }
}
