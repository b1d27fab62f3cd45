//! A refusal as people read it: what to do first, the reason last.

use std::io::{self, Write};

use crate::text::Printable;

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Completes `no verdict: …`.
    pub(super) reason: String,
    /// What stands before it, a line each.
    pub(super) lines: Vec<String>,
}

impl Refusal {
    pub(super) fn new(reason: impl Into<String>, lines: Vec<String>) -> Self {
        Self {
            reason: reason.into(),
            lines,
        }
    }

    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        for line in &self.lines {
            writeln!(out, "  {}", Printable::new(line))?;
        }
        writeln!(out, "no verdict: {}", Printable::new(&self.reason))
    }
}
