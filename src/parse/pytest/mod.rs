//! pytest's short summary and closing line. What a failing test printed, and where it failed, is
//! not read: the rows are those that the summary names, and no line is guessed for them.

use crate::model::{Exit, Failure};

use super::clip::Gathered;
use super::parser::{Out, Parser, Tally};
use closing::{Counts, counts, sum};
use summary::Line;

mod closing;
mod summary;

/// Where in the output a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    /// No session runs.
    Outside,
    /// The last line began a session, if the next one does too.
    Opening,
    /// Behind a session's header.
    Session,
    /// Below its `short test summary info`.
    Summary,
}

/// Reads sessions, from their header to their closing line.
#[derive(Debug)]
pub(super) struct Pytest {
    /// The command is known to be pytest: `-q` leaves the header and the bars out.
    known: bool,
    section: Section,
    /// A row whose message may go on.
    pending: Option<(Failure, Gathered)>,
    /// Of the session that ran last: a test may print a closing line too, and the last one counts.
    last: Option<Counts>,
    /// Of those before it.
    before: Option<Counts>,
    rows: u64,
    stopped_early: bool,
}

impl Pytest {
    pub(super) fn new(known: bool) -> Self {
        Self {
            known,
            section: Section::Outside,
            pending: None,
            last: None,
            before: None,
            rows: 0,
            stopped_early: false,
        }
    }

    fn flush(&mut self, out: &mut Out<'_>) {
        if let Some((mut row, message)) = self.pending.take() {
            let said = Some(message.text()).filter(|said| !said.is_empty());
            said.unwrap_or("failed").clone_into(&mut row.message);
            self.rows += 1;
            out.row(row);
        }
    }

    fn is_running(&self) -> bool {
        matches!(self.section, Section::Session | Section::Summary)
    }

    fn begin(&mut self) {
        self.before = sum(self.before, self.last.take());
        self.section = Section::Session;
    }

    fn close(&mut self, counts: Counts, out: &mut Out<'_>) {
        self.flush(out);
        self.last = Some(counts);
        self.section = Section::Outside;
    }

    /// A line of a session, or of a command that is known to be pytest.
    fn inside(&mut self, line: &[u8], out: &mut Out<'_>) {
        if bar(line, b'=') == Some(b"short test summary info") {
            self.section = Section::Summary;
        } else if bar(line, b'!').is_some_and(is_stop) {
            self.flush(out);
            self.stopped_early = true;
        } else if self.section == Section::Summary {
            self.summary(line, out);
        }
    }

    /// A line of the short summary.
    fn summary(&mut self, line: &[u8], out: &mut Out<'_>) {
        match Line::read(line, out) {
            Line::Failing(row, message) => {
                self.flush(out);
                self.pending = Some((row, message));
            }
            Line::Other => self.flush(out),
            Line::More => {
                if let Some((_, message)) = &mut self.pending {
                    message.push(line);
                }
            }
        }
    }
}

impl Parser for Pytest {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let title = bar(line, b'=');
        if self.section == Section::Opening {
            self.section = Section::Outside;
            if is_platform(line) {
                self.begin();
                return true;
            }
        }
        // A session that a test runs inside its own is part of it.
        if title == Some(b"test session starts") && !self.is_running() {
            if self.known {
                self.begin();
            } else {
                self.section = Section::Opening;
            }
            return self.known;
        }
        // What is printed behind a closing line may be another one, the session's own.
        let ours = self.known || self.is_running() || self.last.is_some();
        let closing = title.or(self.known.then_some(line)).and_then(counts);
        if let Some(counts) = closing.filter(|_| ours) {
            self.close(counts, out);
            return true;
        }
        let reads = self.known || self.is_running();
        if reads {
            self.inside(line, out);
        }
        reads
    }

    fn open(&self) -> bool {
        self.is_running()
    }

    fn finish(&mut self, _exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        self.flush(out);
        let all = sum(self.before, self.last);
        let failed = all.map(|all| all.failed + all.errors);
        Tally {
            seen: all.is_some() || self.is_running() || self.rows > 0,
            ran: all.map(|all| all.ran),
            failed: failed.or((self.rows > 0).then_some(self.rows)),
            skipped: all.map(|all| all.skipped),
            claimed: failed,
            stopped_early: self.stopped_early,
            nothing_ran: all.map(|all| all.ran + all.failed + all.errors + all.skipped == 0),
            ..Tally::default()
        }
    }
}

/// The text in a bar of `mark`: `==== text ====`.
fn bar(line: &[u8], mark: u8) -> Option<&[u8]> {
    let left = line.iter().take_while(|&&b| b == mark).count();
    let right = line.iter().rev().take_while(|&&b| b == mark).count();
    let inner = line.get(left..line.len().checked_sub(right)?)?;
    let inner = inner.strip_prefix(b" ")?.strip_suffix(b" ")?;
    (left > 0 && right > 0 && !inner.is_empty()).then_some(inner)
}

/// `stopping after 1 failures`, `Interrupted: 1 error during collection`, `_pytest.outcomes.Exit: …`.
fn is_stop(title: &[u8]) -> bool {
    ["stopping after ", "Interrupt", ".Exit: "]
        .iter()
        .any(|sign| memchr::memmem::find(title, sign.as_bytes()).is_some())
}

/// `platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0`.
fn is_platform(line: &[u8]) -> bool {
    line.starts_with(b"platform ") && memchr::memmem::find(line, b", pytest-").is_some()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::parser::{Out, Parser as _, Tally};
    use super::super::paths::Paths;
    use super::{Pytest, bar};

    const HEADER: &str =
        "=== test session starts ===\nplatform linux -- Python 3.11.7, pytest-9.2.0\n";

    /// The rows as `path test: message`, and what was counted.
    fn read(known: bool, output: &str) -> (Vec<String>, Tally) {
        let (mut parser, paths) = (Pytest::new(known), Paths::new(Path::new("/r"), "."));
        let mut rows = Vec::new();
        let mut keep = |row: crate::model::Failure| {
            let part = |part: Option<String>| part.unwrap_or_default();
            rows.push(format!(
                "{} {}: {}",
                part(row.path),
                part(row.test),
                row.message
            ));
        };
        let mut out = Out {
            paths: &paths,
            rows: &mut keep,
        };
        for line in output.lines() {
            parser.line(line.as_bytes(), &mut out);
        }
        let tally = parser.finish(None, &mut out);
        (rows, tally)
    }

    #[test]
    fn a_quiet_run_is_read_where_the_command_is_known() {
        let output = "F  [100%]\n=== short test summary info ===\nFAILED t/a.py::b - c\nd\n1 failed in 0.10s\n";
        let (rows, tally) = read(true, output);
        assert_eq!(rows, ["t/a.py b: c\nd"]);
        assert_eq!(
            (tally.ran, tally.claimed, tally.nothing_ran),
            (Some(1), Some(1), Some(false))
        );
        let (_, none) = read(true, "\nno tests ran in 0.00s\n");
        assert_eq!((none.ran, none.nothing_ran), (Some(0), Some(true)));
        let (rows, unknown) = read(false, output);
        assert_eq!((rows.len(), unknown.seen), (0, false));
    }

    #[test]
    fn sessions_add_up_and_one_inside_another_does_not() {
        let closing = |counts: &str| format!("=== {counts} in 0.10s ===\n");
        let (one, two) = (closing("1 failed"), closing("2 passed"));
        let (_, tally) = read(false, &format!("{HEADER}{one}make: next\n{HEADER}{two}"));
        assert_eq!((tally.ran, tally.claimed), (Some(3), Some(1)));
        let (_, nested) = read(false, &format!("{HEADER}{HEADER}{one}{two}"));
        assert_eq!((nested.ran, nested.claimed), (Some(2), Some(0)));
        let (_, skipped) = read(false, &format!("{HEADER}{}", closing("1 skipped")));
        assert_eq!((skipped.ran, skipped.nothing_ran), (Some(0), Some(false)));
    }

    #[test]
    fn a_session_that_stops_before_its_end_says_so() {
        let output =
            format!("{HEADER}!!! stopping after 1 failures !!!\n=== 1 failed in 0.10s ===\n");
        assert!(read(false, &output).1.stopped_early);
        let (rows, cut) = read(false, HEADER);
        assert_eq!((rows.len(), cut.seen, cut.nothing_ran), (0, true, None));
    }

    #[test]
    fn what_names_no_file_has_no_place() {
        let output =
            format!("{HEADER}=== short test summary info ===\nERROR  - no id\nFAILED odd - x\n");
        assert_eq!(read(false, &output).0, [" :  - no id", " : odd - x"]);
    }

    #[test]
    fn a_bar_holds_a_title() {
        assert_eq!(bar(b"=== a b ===", b'='), Some(&b"a b"[..]));
        for none in ["===", "=== ===", "==  ==", "=== a", "", "=a="] {
            assert_eq!(bar(none.as_bytes(), b'='), None, "{none}");
        }
    }
}
