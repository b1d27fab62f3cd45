//! A panic, a fatal error or a timeout in the output of a test binary, and the race detector.

use super::super::location::{Place, text};
use super::super::paths::Paths;
use super::frames::Stack;
use super::verbose::function_of;

/// How many lines may stand between the words and the first goroutine.
const PATIENCE: usize = 2000;

/// A panic being read. It is believed once a goroutine follows.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts of a stream, not a state"
)]
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub message: String,
    /// It was caught by the testing package and raised again: it is of the test named just before.
    pub recovered: bool,
    pub timed_out: bool,
    /// A goroutine follows.
    pub believed: bool,
    /// The innermost test that a timeout found running.
    pub running: Option<String>,
    in_running: bool,
    lines: usize,
    stack: Stack,
    /// Decided at the end of the first goroutine, or of the test's own.
    place: Option<Place>,
    decided: bool,
}

impl Trace {
    /// `line` begins a panic.
    pub(super) fn begin(line: &[u8]) -> Option<Self> {
        let body = line
            .strip_prefix(b"panic: ")
            .or_else(|| line.strip_prefix(b"fatal error: "))?;
        let mut message = text(body);
        let recovered = message.contains("[recovered");
        if let Some(at) = message.find(" [recovered") {
            message.truncate(at);
        }
        let timed_out = message.starts_with("test timed out after ");
        Some(Self {
            message,
            recovered,
            timed_out,
            ..Self::default()
        })
    }

    /// Reads what follows, `function` being the one of the test that is known to run; false where this cannot be a panic after all.
    pub(super) fn line(&mut self, line: &[u8], function: Option<&str>, paths: &Paths) -> bool {
        if line.starts_with(b"goroutine ") && line.ends_with(b":") {
            self.end_goroutine();
            self.believed = true;
            self.in_running = false;
            return true;
        }
        if !self.believed {
            self.lines += 1;
            self.before(line);
            return self.lines < PATIENCE;
        }
        if line.is_empty() {
            self.end_goroutine();
            return true;
        }
        let looked_for = match &self.running {
            Some(running) => function_of(running.as_bytes()),
            None => function,
        };
        self.stack.line(line, looked_for, paths);
        true
    }

    fn before(&mut self, line: &[u8]) {
        let trimmed = line.trim_ascii();
        if trimmed == b"running tests:" {
            self.in_running = true;
        } else if self.in_running && line.starts_with(b"\t\t") {
            let name = trimmed.split(|&b| b == b' ').next().unwrap_or_default();
            self.running = Some(text(name));
        } else if trimmed.starts_with(b"panic: ") {
            // A panic while panicking: the last one is what happened.
            if let Some(next) = Self::begin(trimmed) {
                self.recovered |= next.recovered;
            }
        }
    }

    /// A panic is where its first goroutine is; a timeout where the running test is.
    fn end_goroutine(&mut self) {
        let stack = std::mem::take(&mut self.stack);
        if self.timed_out {
            if stack.has_test {
                self.place = stack.best().cloned().or(self.place.take());
            }
        } else if self.believed && !self.decided && stack.best().is_some() {
            self.place = stack.best().cloned();
            self.decided = true;
        } else if self.believed {
            self.decided = true;
        }
    }

    /// Where it happened.
    pub(super) fn into_place(mut self) -> (String, Option<Place>) {
        self.end_goroutine();
        (self.message, self.place)
    }
}

/// A report of the race detector: its first stack is where the race is.
#[derive(Debug, Default)]
pub(super) struct Race {
    stack: Stack,
    reading: bool,
    place: Option<Place>,
}

impl Race {
    /// In the middle of a report.
    pub(super) fn is_reading(&self) -> bool {
        self.reading
    }

    /// True where the line is part of a report.
    pub(super) fn line(&mut self, line: &[u8], paths: &Paths) -> bool {
        if line == b"WARNING: DATA RACE" {
            self.stack = Stack::default();
            self.reading = true;
            return true;
        }
        if !self.reading {
            return false;
        }
        if line.is_empty() {
            self.reading = false;
            if self.place.is_none() {
                self.place = self.stack.best().cloned();
            }
        } else {
            self.stack.line(line, None, paths);
        }
        true
    }

    /// The place of the first race since this was last asked.
    pub(super) fn take(&mut self) -> Option<Place> {
        self.place.take()
    }
}
