//! One failing test of `go test` as a row, before its package is known.

use crate::model::Failure;

use super::super::location::Place;
use super::printed::Printed;

/// One failing test, and what it printed.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub name: String,
    /// How many tests it is below.
    pub depth: usize,
    /// A test below it failed.
    pub child_failed: bool,
    pub printed: Printed,
}

impl Block {
    /// How far its messages are indented.
    pub(super) fn indent(&self) -> usize {
        (self.depth + 1) * 4
    }

    /// The row of this test; `None` where it failed only through the tests below it.
    pub(super) fn row(self) -> Option<(Failure, Option<Place>)> {
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
