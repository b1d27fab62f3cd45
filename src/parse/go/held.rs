//! A package's rows, kept until the line that names the package, which comes last.

use crate::model::Failure;

use super::super::clip::Gathered;
use super::super::location::{Place, text};
use super::super::parser::Out;
use super::super::paths::fold;
use super::modules::Modules;

/// Beyond this many, rows go out with the base name alone.
const MAX: usize = 10_000;

/// What one failing test printed.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub name: String,
    /// How many tests it is below.
    pub depth: usize,
    /// A test below it failed.
    pub child_failed: bool,
    pub printed: Printed,
}

/// `x_test.go:12: message` taken apart.
#[derive(Debug)]
pub(super) struct LogLine<'a> {
    pub path: &'a [u8],
    pub line: u32,
    pub message: &'a [u8],
}

/// The lines of a test: the first place among them, and the text.
#[derive(Debug, Default, Clone)]
pub(super) struct Printed {
    pub place: Option<Place>,
    pub message: Gathered,
}

impl Printed {
    pub(super) fn is_empty(&self) -> bool {
        self.place.is_none() && self.message.text().is_empty()
    }

    /// The first place is the test's; later messages keep theirs as text, which is `whole`.
    pub(super) fn add(&mut self, log: &LogLine<'_>, whole: &[u8]) {
        if self.place.is_none() {
            self.place = Some(Place {
                path: text(log.path),
                line: Some(log.line),
                column: None,
            });
            self.message.push(log.message);
        } else {
            self.message.push(whole);
        }
    }
}

impl Block {
    /// How far its messages are indented.
    pub(super) fn indent(&self) -> usize {
        (self.depth + 1) * 4
    }

    /// The row of this test; `None` where it failed only through the tests below it.
    fn row(self) -> Option<(Failure, Option<Place>)> {
        if self.child_failed && self.printed.is_empty() {
            return None;
        }
        let text = testify(self.printed.message.text());
        let message = if text.trim().is_empty() {
            "failed without a message".to_owned()
        } else {
            text
        };
        let mut row = Failure::new("go-test", message);
        row.test = Some(self.name);
        Some((row, self.printed.place))
    }
}

/// testify prints a table of labels; what went wrong is under `Error:` and `Messages:`.
fn testify(text: &str) -> String {
    if !text.contains("Error Trace:") {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut keep = false;
    for line in text.lines() {
        let line = line.trim();
        let body = if let Some(body) = line.strip_prefix("Error:") {
            keep = true;
            body
        } else if let Some(body) = line.strip_prefix("Messages:") {
            keep = true;
            body
        } else if line.starts_with("Error Trace:") || line.starts_with("Test:") {
            keep = false;
            continue;
        } else {
            line
        };
        if keep {
            if !kept.is_empty() {
                kept.push('\n');
            }
            kept.push_str(body.trim());
        }
    }
    kept
}

/// Rows whose package is not known yet.
#[derive(Debug, Default)]
pub(super) struct Held {
    rows: Vec<(Failure, Option<Place>)>,
    /// Rows that went out.
    pub released: u64,
}

impl Held {
    pub(super) fn add(&mut self, block: Block, out: &mut Out<'_>) {
        if let Some((row, place)) = block.row() {
            self.push(row, place, out);
        }
    }

    pub(super) fn push(&mut self, row: Failure, place: Option<Place>, out: &mut Out<'_>) {
        if self.rows.len() >= MAX {
            self.release(None, out);
        }
        self.rows.push((row, place));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// They were a passing test's own words.
    pub(super) fn forget(&mut self) {
        self.rows.clear();
    }

    /// Hands every row out, in the folder of its package where that is known.
    pub(super) fn release(&mut self, package: Option<(&mut Modules, &str)>, out: &mut Out<'_>) {
        let folder = package.and_then(|(modules, import)| modules.folder(out.paths, import));
        for (mut row, place) in self.rows.drain(..) {
            if let Some(place) = place {
                locate(&mut row, &place, folder.as_deref(), out);
            }
            self.released += 1;
            out.row(row);
        }
    }
}

/// A base name lies in the package's folder, except where that folder can be seen not to have it
/// (a helper of another package): then nothing more than the name is known.
fn locate(row: &mut Failure, place: &Place, folder: Option<&str>, out: &Out<'_>) {
    if place.path.contains(['/', '\\']) {
        out.paths.put(row, place);
        return;
    }
    let joined = folder
        .and_then(|folder| fold(folder, &place.path).map(|joined| (folder, joined)))
        .filter(|(folder, joined)| !out.paths.is_folder(folder) || out.paths.is_file(joined))
        .map(|(_, joined)| joined);
    row.path = Some(joined.unwrap_or_else(|| place.path.clone()));
    row.line = place.line;
}
