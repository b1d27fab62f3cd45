//! eslint's default report (`stylish`): a file, then its findings, indented.

use crate::model::{Exit, Failure, Level};

use super::location::{Place, count, looks_like_file, may_be_file, number, text};
use super::parser::{Out, Parser, Tally};

/// Reads `path`, then `  line:column  error  message  rule`.
#[derive(Debug, Default)]
pub(super) struct Eslint {
    /// The file whose findings follow.
    file: Option<String>,
    errors: u64,
    rows: u64,
    claimed: Option<u64>,
}

impl Eslint {
    fn finding(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let Some(file) = &self.file else { return false };
        let Some((place, rest)) = numbers(line.trim_ascii_start()) else {
            return false;
        };
        let rest = text(rest.trim_ascii());
        let (level, message) = match rest.split_once("  ").or_else(|| rest.split_once(' ')) {
            Some(("error", message)) => (Level::Error, message.trim()),
            Some(("warning", message)) => (Level::Warning, message.trim()),
            _ => return false,
        };
        // A parsing error has no rule; a rule has no white space.
        let (message, rule) = match message.rsplit_once("  ") {
            Some((before, rule)) if !rule.contains(char::is_whitespace) => {
                (before.trim_end(), Some(rule))
            }
            _ => (message, None),
        };
        let mut row = Failure::new("eslint", message);
        row.level = level;
        row.rule = rule.map(str::to_owned);
        let place = Place {
            path: file.clone(),
            ..place
        };
        out.paths.put(&mut row, &place);
        self.rows += 1;
        self.errors += u64::from(level == Level::Error);
        out.row(row);
        true
    }

    /// `✖ 14 problems (10 errors, 4 warnings)`.
    fn summary(&mut self, line: &[u8]) -> bool {
        let Some(rest) = line.strip_prefix("✖ ".as_bytes()) else {
            return false;
        };
        let Some((_, rest)) = count(rest).filter(|(_, rest)| rest.starts_with(b" problem")) else {
            return false;
        };
        self.file = None;
        let open = memchr::memchr(b'(', rest).map_or(rest.len(), |at| at + 1);
        if let Some((errors, _)) = count(&rest[open..]) {
            self.claimed = Some(self.claimed.unwrap_or(0) + errors);
        }
        true
    }
}

/// `3:14`.
fn numbers(line: &[u8]) -> Option<(Place, &[u8])> {
    let (row, rest) = number(line)?;
    let (column, rest) = number(rest.strip_prefix(b":")?)?;
    let place = Place {
        path: String::new(),
        line: Some(row),
        column: Some(column),
    };
    rest.starts_with(b" ").then_some((place, rest))
}

impl Parser for Eslint {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        match line.first() {
            None => {
                self.file = None;
                false
            }
            Some(b' ') => self.finding(line, out),
            Some(0xe2) => self.summary(line),
            Some(_) => {
                let path = may_be_file(line).then(|| text(line));
                self.file = path.filter(|path| {
                    !path.contains(": ") && !path.ends_with(':') && looks_like_file(path)
                });
                false
            }
        }
    }

    fn finish(&mut self, _exit: Option<Exit>, _out: &mut Out<'_>) -> Tally {
        let seen = self.rows > 0 || self.claimed.is_some();
        Tally {
            seen,
            failed: seen.then_some(self.errors),
            claimed: self.claimed,
            ..Tally::default()
        }
    }
}
