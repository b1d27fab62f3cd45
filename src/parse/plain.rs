//! `format: text`: every line of a failing check is a row.
//!
//! Only the exit status says whether they are, so lines are kept until it is known.

use std::collections::HashMap;

use regex::bytes::Regex;

use crate::model::{Exit, Failure};

use super::lines::HEAD;
use super::location::{Place, spaced_place, text, trailing_rule};
use super::parser::{Out, Parser, Tally};
use super::paths::{Paths, slashes};

/// What is kept until the exit status says whether the lines are rows.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Longer lines are no path that a system knows.
const MAX_PATH: usize = 4096;
/// So many answers of the file system are held, each for a path of at most that length.
const MAX_KNOWN: usize = 256;

/// Keeps lines; makes rows of them at the end.
#[derive(Debug)]
pub(super) struct PlainText {
    pattern: Option<Regex>,
    /// The lines, each ended by a newline.
    kept: Vec<u8>,
    /// The folder that paths start from, each with the place in `kept` from which on it is that.
    folders: Vec<(usize, String)>,
    /// Bytes of `kept` and `folders`.
    size: usize,
    /// The head of a line whose end may match yet.
    cut: Option<Vec<u8>>,
    /// Lines beyond `MAX_BYTES`.
    dropped: u64,
}

impl PlainText {
    pub(super) fn new(pattern: Option<&Regex>) -> Self {
        Self {
            pattern: pattern.cloned(),
            kept: Vec::new(),
            folders: Vec::new(),
            size: 0,
            cut: None,
            dropped: 0,
        }
    }

    fn keep(&mut self, line: &[u8], base: &str) {
        let moved = self.folders.last().is_none_or(|(_, folder)| folder != base);
        let more = line.len()
            + 1
            + if moved {
                size_of::<(usize, String)>() + base.len()
            } else {
                0
            };
        if self.size + more > MAX_BYTES {
            self.dropped += 1;
            return;
        }
        self.size += more;
        if moved {
            self.folders.push((self.kept.len(), base.to_owned()));
        }
        self.kept.extend_from_slice(line);
        self.kept.push(b'\n');
    }
}

impl Parser for PlainText {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let blank = line.trim_ascii().is_empty();
        let matches = self
            .pattern
            .as_ref()
            .is_none_or(|pattern| pattern.is_match(line));
        self.cut = (!matches && line.len() == HEAD).then(|| line.to_vec());
        if matches && !blank {
            self.keep(line, out.paths.base());
        }
        true
    }

    fn tail(&mut self, tail: &[u8], out: &mut Out<'_>) {
        if let Some(head) = self.cut.take()
            && self
                .pattern
                .as_ref()
                .is_some_and(|pattern| pattern.is_match(tail))
        {
            self.keep(&head, out.paths.base());
        }
    }

    fn finish(&mut self, exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        let mut tally = Tally {
            seen: true,
            ..Tally::default()
        };
        if exit == Some(Exit::Code(0)) {
            return tally;
        }
        let kept = std::mem::take(&mut self.kept);
        let mut folders = std::mem::take(&mut self.folders).into_iter().peekable();
        let mut tree = Tree::new(out.paths);
        let mut at = 0;
        for line in kept.split_inclusive(|&byte| byte == b'\n') {
            if let Some((_, folder)) = folders.next_if(|(from, _)| *from == at) {
                tree.enter(folder);
            }
            at += line.len();
            out.row(row_of(line.trim_ascii_end(), &mut tree));
        }
        if self.dropped > 0 {
            // What was not read may be new: nothing that hides it can be known.
            tally.stopped_early = true;
            tally.notes.push(format!(
                "{} lines beyond 16 MiB of text are no rows",
                self.dropped
            ));
        }
        tally
    }
}

/// The folder that the paths of some lines start from, and which of them are files there.
struct Tree<'p> {
    paths: &'p Paths,
    base: String,
    /// What was asked last: findings of one file come together.
    known: HashMap<String, bool>,
}

impl<'p> Tree<'p> {
    fn new(paths: &'p Paths) -> Self {
        Self {
            paths,
            base: String::new(),
            known: HashMap::new(),
        }
    }

    fn enter(&mut self, base: String) {
        self.base = base;
        self.known.clear();
    }

    /// Whether `printed` is the path of a file.
    fn has(&mut self, printed: &str) -> bool {
        if printed.len() > MAX_PATH {
            return false;
        }
        if let Some(known) = self.known.get(printed) {
            return *known;
        }
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        let is_file = self.paths.is_file_from(&self.base, printed);
        self.known.insert(printed.to_owned(), is_file);
        is_file
    }
}

/// The row of a line that is not blank. What stands before `:line:` is a path where it is one of a
/// file that is there: `10:42:01:`, `example.com:443:` and `1/2:3:` have this shape too.
fn row_of(line: &[u8], tree: &mut Tree<'_>) -> Failure {
    let whole = text(line.trim_ascii());
    let placed = spaced_place(line).filter(|(place, _)| tree.has(&place.path));
    let Some((place, message)) = placed else {
        return unplaced(whole, tree);
    };
    let message = text(message.trim_ascii());
    let (message, rule) = match trailing_rule(&message) {
        Some((before, rule)) => (before.to_owned(), Some(rule.to_owned())),
        None => (message, None),
    };
    let mut row = Failure::new("text", if message.is_empty() { whole } else { message });
    row.rule = rule;
    tree.paths.put_from(&tree.base, &mut row, &place);
    row
}

/// A line that is the path of a file, or else words.
fn unplaced(whole: String, tree: &mut Tree<'_>) -> Failure {
    if !tree.has(&whole) {
        return Failure::new("text", whole);
    }
    // The same on every system, as its identity has to be.
    let mut row = Failure::new("text", slashes(&whole));
    let place = Place {
        path: whole,
        line: None,
        column: None,
    };
    tree.paths.put_from(&tree.base, &mut row, &place);
    row
}

#[cfg(test)]
mod tests;
