//! `format: text`: every line of a failing check is a row.

use regex::bytes::Regex;

use crate::model::{Exit, Failure};

use super::location::{leading_place, text, trailing_rule};
use super::parser::{Out, Parser, Tally};

/// What is kept until the exit status says whether the lines are rows.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Keeps lines; makes rows of them at the end.
#[derive(Debug)]
pub(super) struct PlainText {
    pattern: Option<Regex>,
    /// The lines, each ended by a newline.
    kept: Vec<u8>,
    /// Lines beyond `MAX_BYTES`.
    dropped: u64,
}

impl PlainText {
    pub(super) fn new(pattern: Option<&Regex>) -> Self {
        Self {
            pattern: pattern.cloned(),
            kept: Vec::new(),
            dropped: 0,
        }
    }
}

impl Parser for PlainText {
    fn line(&mut self, line: &[u8], _out: &mut Out<'_>) -> bool {
        let wanted = match &self.pattern {
            Some(pattern) => pattern.is_match(line),
            None => !line.trim_ascii().is_empty(),
        };
        if wanted {
            if self.kept.len() + line.len() < MAX_BYTES {
                self.kept.extend_from_slice(line);
                self.kept.push(b'\n');
            } else {
                self.dropped += 1;
            }
        }
        true
    }

    fn finish(&mut self, exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        if exit == Some(Exit::Code(0)) {
            return Tally {
                seen: true,
                ..Tally::default()
            };
        }
        let kept = std::mem::take(&mut self.kept);
        for line in kept.split(|&b| b == b'\n') {
            if let Some(row) = row_of(line, out) {
                out.row(row);
            }
        }
        let mut tally = Tally {
            seen: true,
            ..Tally::default()
        };
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

fn row_of(line: &[u8], out: &Out<'_>) -> Option<Failure> {
    let whole = text(line.trim_ascii());
    if whole.is_empty() {
        return None;
    }
    let mut row = Failure::new("text", whole.clone());
    if let Some((place, message)) =
        leading_place(line).filter(|(place, _)| !place.path.contains("://"))
    {
        out.paths.put(&mut row, &place);
        let message = text(message.trim_ascii());
        let (message, rule) = match trailing_rule(&message) {
            Some((before, rule)) => (before.to_owned(), Some(rule.to_owned())),
            None => (message, None),
        };
        if !message.is_empty() {
            row.message = message;
        }
        row.rule = rule;
    } else if let Some(path) = out
        .paths
        .resolve(&whole)
        .filter(|path| !path.is_empty() && out.paths.is_file(path))
    {
        row.path = Some(path);
    }
    Some(row)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use regex::bytes::Regex;

    use crate::model::{Exit, Failure};

    use super::super::parser::{Out, Parser as _};
    use super::super::paths::Paths;
    use super::PlainText;

    fn rows(pattern: Option<&str>, exit: i32, lines: &[&str]) -> Vec<Failure> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("here.go"), "").unwrap();
        let paths = Paths::new(dir.path(), ".");
        let pattern = pattern.map(|pattern| Regex::new(pattern).unwrap());
        let mut parser = PlainText::new(pattern.as_ref());
        let mut rows = Vec::new();
        let mut give = |row| rows.push(row);
        let mut out = Out {
            paths: &paths,
            rows: &mut give,
        };
        for line in lines {
            parser.line(line.as_bytes(), &mut out);
        }
        parser.finish(Some(Exit::Code(exit)), &mut out);
        rows
    }

    #[test]
    fn lines_become_rows_on_a_failing_exit_only() {
        assert!(rows(None, 0, &["a.go:3: bad"]).is_empty());
        let rows = rows(
            None,
            1,
            &[
                "a.go:3:7: bad thing (rule-x)",
                "",
                "here.go",
                "gone.go",
                "words",
            ],
        );
        let facts: Vec<_> = rows
            .iter()
            .map(|r| {
                (
                    r.path.as_deref(),
                    r.line,
                    r.column,
                    r.rule.as_deref(),
                    r.message.as_str(),
                )
            })
            .collect();
        assert_eq!(
            facts,
            [
                (Some("a.go"), Some(3), Some(7), Some("rule-x"), "bad thing"),
                (Some("here.go"), None, None, None, "here.go"),
                (None, None, None, None, "gone.go"),
                (None, None, None, None, "words"),
            ]
        );
    }

    #[test]
    fn a_pattern_chooses_the_lines() {
        let rows = rows(Some("^ERR"), 2, &["ok", "ERR one", "  ERR two"]);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].message, "ERR one");
    }
}
