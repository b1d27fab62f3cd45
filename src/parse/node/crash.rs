//! An error that nothing caught, as Node prints it before it exits.

use crate::model::Failure;

use super::super::clip::Gathered;
use super::super::location::{Place, exact_place};
use super::super::parser::Out;
use super::frame::{is_own, own_frame};

/// How many lines may stand between the place and the error.
const PATIENCE: usize = 40;

/// An error being read: `path:line`, the source with a caret, the error, its stack, `Node.js v…`.
#[derive(Debug, Default)]
pub(in super::super) struct Crash {
    /// Reading, and for how many lines no error was met.
    waiting: Option<usize>,
    head: Option<Place>,
    message: Gathered,
    frame: Option<Place>,
    in_stack: bool,
    /// The caret below the source was read: whatever follows is what was thrown.
    pointed: bool,
    /// The last one that was read to its end.
    finished: Option<Crashed>,
}

/// What an uncaught error says.
#[derive(Debug, Clone)]
pub(in super::super) struct Crashed {
    pub message: String,
    pub place: Option<Place>,
}

impl Crash {
    /// Reads one line; true where it is part of such an error.
    pub(in super::super) fn line(&mut self, line: &[u8]) -> bool {
        if let Some(head) = head(line) {
            *self = Self {
                waiting: Some(0),
                finished: self.finished.take(),
                ..Self::default()
            };
            self.head = is_own(&head.path).then_some(head);
            return true;
        }
        let Some(waited) = self.waiting else {
            return false;
        };
        if line.starts_with(b"Node.js v") {
            self.end();
            return true;
        }
        if self.message.is_empty() {
            if is_error(line) || (self.pointed && !line.trim_ascii().is_empty()) {
                self.message.push(line);
            } else if is_caret(line) {
                self.pointed = true;
            } else if waited > PATIENCE {
                self.waiting = None;
                return false;
            } else {
                self.waiting = Some(waited + 1);
            }
            return true;
        }
        let trimmed = line.trim_ascii_start();
        if trimmed.starts_with(b"at ") && trimmed.len() < line.len() {
            self.in_stack = true;
            if self.frame.is_none() {
                self.frame = own_frame(line);
            }
        } else if !self.in_stack && !line.starts_with(b"(Use `node --trace-uncaught") {
            self.message.push(line);
        }
        true
    }

    fn end(&mut self) {
        if !self.message.is_empty() {
            let message = self.message.text().to_owned();
            // The head is where the throw is; Node's own throw says nothing about the program.
            let place = match (self.frame.take(), self.head.take()) {
                (Some(frame), _) => Some(frame),
                (None, head) => head,
            };
            self.finished = Some(Crashed { message, place });
        }
        *self = Self {
            finished: self.finished.take(),
            ..Self::default()
        };
    }

    /// The error read last, once.
    pub(in super::super) fn take(&mut self) -> Option<Crashed> {
        self.finished.take()
    }

    /// As [`Crash::take`], where the output ended before `Node.js v…`.
    pub(in super::super) fn take_unfinished(&mut self) -> Option<Crashed> {
        if self.in_stack {
            self.end();
        }
        self.take()
    }

    /// In the middle of one.
    pub(in super::super) fn reading(&self) -> bool {
        self.waiting.is_some()
    }
}

/// `file:///a/b.js:4`, `/a/b.js:4`, `node:internal/modules/cjs/loader:1210`.
fn head(line: &[u8]) -> Option<Place> {
    let rooted = line.starts_with(b"file://")
        || line.starts_with(b"/")
        || line.starts_with(b"node:")
        || (line.len() > 2 && line[1] == b':' && line[2] == b'\\');
    if !rooted || line.contains(&b' ') {
        return None;
    }
    exact_place(line).filter(|place| place.column.is_none())
}

/// `   ^^^^`.
fn is_caret(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !line.is_empty() && line.iter().all(|&b| b == b'^')
}

/// `TypeError: x`, `Error [ERR_X]: x`, `[ERR] x` thrown as an object, `Uncaught …`.
fn is_error(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"Uncaught ").unwrap_or(line);
    let word = line
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
        .count();
    let name = &line[..word];
    let rest = &line[word..];
    let named = name.first().is_some_and(u8::is_ascii_uppercase)
        && (name.ends_with(b"Error") || name.ends_with(b"Exception") || name == b"DOMException");
    named
        && (rest.is_empty()
            || rest.starts_with(b": ")
            || rest.starts_with(b" [")
            || rest.starts_with(b":"))
}

/// The row of an error that ended the program.
pub(in super::super) fn crash_row(crashed: Crashed, out: &Out<'_>) -> Failure {
    let mut row = Failure::new("node", crashed.message);
    if let Some(place) = &crashed.place {
        out.paths.put(&mut row, place);
    }
    row
}
