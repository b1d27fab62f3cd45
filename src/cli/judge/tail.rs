//! The last output of a check as text.

use std::fmt::Write as _;

use crate::model::{Outcome, Tail};

/// How many lines stand in the row that is made for a check whose output names no failure.
const LAST_LINES: usize = 5;

/// All of it, bytes that are not UTF-8 as `\xNN`.
pub(super) fn text(tail: &Tail) -> String {
    let mut text = String::with_capacity(tail.bytes.len());
    for chunk in tail.bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

/// The last lines that are not blank: of standard error, or of standard output where that is
/// silent.
pub(super) fn last_lines(outcome: &Outcome) -> Vec<String> {
    [&outcome.stderr, &outcome.stdout]
        .into_iter()
        .map(|tail| {
            let text = text(tail);
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let mut last: Vec<String> = lines.rev().take(LAST_LINES).map(str::to_owned).collect();
            last.reverse();
            last
        })
        .find(|lines| !lines.is_empty())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::model::Tail;

    #[test]
    fn bytes_that_are_no_text_are_named() {
        let tail = Tail {
            bytes: b"\x82\xe9a\xffb\n\xc3\xa9\xc3".to_vec(),
            truncated: true,
        };
        assert_eq!(text(&tail), "\\x82\\xE9a\\xFFb\n\u{e9}\\xC3");
    }
}
