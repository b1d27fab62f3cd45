//! Uncaught errors between the lines of TAP, which Node prints before the line of the test or file
//! that they ended.

use super::super::location::text;
use super::super::node::{Crash, Crashed, Late};
use super::test_line::unescape;

/// The errors that no test line has claimed yet.
#[derive(Debug, Default)]
pub(super) struct Errors {
    crash: Crash,
    late: Late,
    /// The line read last was no comment.
    raw: bool,
}

impl Errors {
    /// Reads a line that is no TAP; true where it is of an error.
    pub(super) fn line(&mut self, line: &[u8]) -> bool {
        self.raw = true;
        self.crash.line(line)
    }

    /// Reads the words of a comment, which may be a line of an error that ended a process.
    pub(super) fn comment(&mut self, words: &[u8]) -> bool {
        self.raw = false;
        if words.contains(&b'\\') {
            self.crash.line(unescape(&text(words)).as_bytes())
        } else {
            self.crash.line(words)
        }
    }

    /// Reads the words of a comment; true where they are of what a test left running.
    pub(super) fn late_comment(&mut self, words: &[u8]) -> bool {
        self.late.line(&unescape(&text(words)))
    }

    /// The error that the test line read now explains.
    pub(super) fn take(&mut self) -> Option<Crashed> {
        let late = self.late.take();
        self.crash.take().or(late)
    }

    /// At the end: the error that ended the program itself.
    pub(super) fn take_last(&mut self) -> Option<Crashed> {
        self.crash.take_unfinished().filter(|_| self.raw)
    }
}
