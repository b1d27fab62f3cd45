//! golangci-lint's text output, versions 1 and 2.

use memchr::memmem;

use crate::model::{EnvironmentFailure, Exit, Failure};

use super::go::is_fetch_error;
use super::location::{PrintedPlace, count, looks_like_file, may_be_file, text, trailing_rule};
use super::parser::{Out, Parser, Tally};

/// How many lines an issue's message may take before its linter is named.
const MAX_LINES: usize = 20;

/// Reads `path:line[:col]: message (linter)`.
#[derive(Debug)]
pub(super) struct Golangci {
    /// The command is known to be golangci-lint: an issue may do without a linter's name.
    known: bool,
    /// An issue whose linter is not named yet, and how many lines it has.
    pending: Option<(Failure, usize)>,
    /// Below `path:1: : # package`: compiler lines that the linter `typecheck` closes.
    typecheck: Vec<Failure>,
    in_typecheck: bool,
    rows: u64,
    claimed: Option<u64>,
    /// Issues that say no more than that a module could not be had.
    unfetched: u64,
    /// Its own words for why it could not work.
    error: Option<String>,
}

impl Golangci {
    pub(super) fn new(known: bool) -> Self {
        Self {
            known,
            pending: None,
            typecheck: Vec::new(),
            in_typecheck: false,
            rows: 0,
            claimed: None,
            unfetched: 0,
            error: None,
        }
    }

    fn flush(&mut self, out: &mut Out<'_>) {
        if let Some((row, _)) = self.pending.take() {
            self.rows += 1;
            out.row(row);
        }
        self.in_typecheck = false;
        for row in self.typecheck.drain(..) {
            self.rows += 1;
            out.row(row);
        }
    }

    /// The place that a line begins with, if an issue may stand there.
    fn place<'l>(&self, line: &'l [u8]) -> Option<PrintedPlace<'l>> {
        let printed = PrintedPlace::read(line).filter(|printed| !printed.is_spaced())?;
        let path = printed.path;
        let is_go = self.known || path.ends_with(b".go") || path.ends_with(b"go.mod");
        let is_file = || may_be_file(path) && looks_like_file(&String::from_utf8_lossy(path));
        (is_go && is_file()).then_some(printed)
    }

    fn issue(&mut self, mut row: Failure, message: &str, out: &mut Out<'_>) -> bool {
        // staticcheck says `(compile)`, which is no linter here.
        let linter = |word: &str| is_linter(word) && (self.known || word != "compile");
        if let Some((before, linter)) = trailing_rule(message).filter(|(_, word)| linter(word)) {
            let ends_typecheck = self.in_typecheck && linter == "typecheck";
            if !ends_typecheck {
                self.flush(out);
            }
            before.clone_into(&mut row.message);
            row.rule = Some(linter.to_owned());
            self.rows += 1;
            for held in self.typecheck.drain(..) {
                self.rows += 1;
                out.row(held);
            }
            self.in_typecheck = false;
            out.row(row);
            return true;
        }
        if self.in_typecheck {
            row.rule = Some("typecheck".to_owned());
            // go/packages gives up long before this.
            if self.typecheck.len() < 1000 {
                self.typecheck.push(row);
            }
            return true;
        }
        if !self.known {
            return false;
        }
        self.flush(out);
        self.pending = Some((row, 1));
        true
    }

    fn more(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let Some((row, lines)) = &mut self.pending else {
            return false;
        };
        let more = text(line);
        *lines += 1;
        row.message.push('\n');
        if let Some((before, linter)) = trailing_rule(&more).filter(|(_, linter)| is_linter(linter))
        {
            row.message.push_str(before);
            row.rule = Some(linter.to_owned());
            self.flush(out);
        } else {
            row.message.push_str(&more);
            if *lines >= MAX_LINES {
                self.flush(out);
            }
        }
        true
    }

    /// `14 issues:`, `0 issues.`.
    fn summary(&mut self, line: &[u8]) -> bool {
        let Some((issues, rest)) = count(line) else {
            return false;
        };
        let ends = matches!(rest, b" issues:" | b" issues." | b" issue:");
        if ends {
            self.claimed = Some(self.claimed.unwrap_or(0) + issues);
        }
        ends
    }

    fn trouble(&mut self, line: &[u8]) -> bool {
        let reason = if let Some(rest) = line.strip_prefix(b"level=error ") {
            let start = memmem::find(rest, b"msg=\"").map_or(0, |at| at + 5);
            text(&rest[start..])
                .trim_end_matches('"')
                .replace("\\\"", "\"")
        } else if let Some(rest) = line
            .strip_prefix(b"The command is terminated due to an error: ")
            .or_else(|| line.strip_prefix(b"Failed executing command with error: "))
            .or_else(|| line.strip_prefix(b"Error: ").filter(|_| self.known))
        {
            text(rest)
        } else {
            return line.starts_with(b"level=");
        };
        self.error = Some(reason);
        true
    }
}

/// Linters are named in lower case; that is how `(SA4006)` and `(s)` are told from them.
fn is_linter(word: &str) -> bool {
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_')
}

impl Parser for Golangci {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let Some(first) = line.first() else {
            return false;
        };
        if self.summary(line) || (matches!(first, b'l' | b'T' | b'F' | b'E') && self.trouble(line))
        {
            return true;
        }
        if first.is_ascii_whitespace() {
            return self.more(line, out);
        }
        let Some(printed) = self.place(line) else {
            if self.in_typecheck {
                self.flush(out);
            }
            return self.more(line, out);
        };
        let message = String::from_utf8_lossy(printed.message.trim_ascii());
        if message.starts_with(": # ") || message.starts_with("# ") {
            self.flush(out);
            self.in_typecheck = true;
            return true;
        }
        let is_open = self.known || self.in_typecheck;
        if message.is_empty() || !(is_open || message.trim_end().ends_with(')')) {
            return false;
        }
        if is_fetch_error(line) {
            // The module is missing, and nothing is wrong with the line.
            self.flush(out);
            self.unfetched += 1;
            return true;
        }
        let mut row = Failure::new("golangci-lint", message.as_ref());
        out.paths.put(&mut row, &printed.place());
        self.issue(row, &message, out)
    }

    fn open(&self) -> bool {
        self.in_typecheck
    }

    fn finish(&mut self, exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        self.flush(out);
        // 3 failure, 4 timeout, 5 no Go files, 7 an error was logged; 1 is findings.
        let could_not = match exit {
            Some(Exit::Code(code)) => self.known && matches!(code, 3 | 4 | 5 | 7),
            Some(Exit::Signal(_)) => false,
            None => true,
        };
        let environment = (could_not && self.rows == 0)
            .then(|| self.error.take())
            .flatten()
            .map(|reason| EnvironmentFailure {
                hint: hint(&reason),
                reason: format!("golangci-lint: {reason}"),
                network: false,
            });
        Tally {
            seen: self.rows > 0 || self.claimed.is_some() || environment.is_some(),
            failed: (self.rows > 0 || self.claimed.is_some()).then_some(self.rows),
            claimed: self
                .claimed
                .map(|issues| issues.saturating_sub(self.unfetched)),
            environment,
            ..Tally::default()
        }
    }
}

/// One machine runs one golangci-lint at a time unless it is told otherwise.
fn hint(reason: &str) -> Option<String> {
    reason
        .contains("parallel golangci-lint is running")
        .then(|| "add --allow-parallel-runners to its args".to_owned())
}
