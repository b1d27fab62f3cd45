//! What compilers and linters have agreed on: `path:line[:col]: message`, and
//! `path(line,col): error CODE: message`.

use crate::model::{Exit, Failure, Level};

use super::go::is_fetch_error;
use super::location::{
    Place, PrintedPlace, looks_like_file, may_be_file, number, text, trailing_rule,
};
use super::parser::{Out, Parser, Tally, level_of};

/// Reads single lines that are diagnostics by their shape.
#[derive(Debug)]
pub(super) struct Generic {
    named: bool,
    rows: u64,
}

impl Generic {
    /// `named`: whoever runs the tool says that these are diagnostics. Else a line that has
    /// neither column nor grade may as well be a log's, and counts only where it names a file of
    /// the tree by folder and name, as loggers do not.
    pub(super) fn new(named: bool) -> Self {
        Self { named, rows: 0 }
    }

    /// Whether a place without a column is believed where no grade follows.
    fn believes(&self, path: &str, out: &Out<'_>) -> bool {
        let in_tree = |path: String| path.contains('/') && out.paths.is_file(&path);
        let in_folder = path.contains(['/', '\\']) || !out.paths.base().is_empty();
        self.named
            || (in_folder && !path.starts_with('/') && out.paths.resolve(path).is_some_and(in_tree))
    }

    fn diagnostic(&self, line: &[u8], out: &Out<'_>) -> Option<Failure> {
        let first = line.first()?;
        if first.is_ascii_whitespace() {
            return None;
        }
        if let Some(row) = unlinked(line, out) {
            return Some(row);
        }
        let printed = PrintedPlace::read(line)
            .filter(|printed| !printed.is_spaced())
            .or_else(|| parenthesized(line))?;
        if !printed.message.starts_with(b" ") || !may_be_file(printed.path) {
            return None;
        }
        let place = printed.place();
        if !looks_like_file(&place.path) {
            return None;
        }
        let message = String::from_utf8_lossy(printed.message);
        let (level, message) = graded(message.trim())?;
        if level.is_none() && place.column.is_none() && !self.believes(&place.path, out) {
            // `server.go:12: request ok` is a log line.
            return None;
        }
        if message.is_empty() || is_remark(message) || is_unfetched(line) {
            return None;
        }
        let (message, rule, by_rule) = rule_of(message);
        let mut row = Failure::new("generic", message);
        row.level = level.or(by_rule).unwrap_or(Level::Error);
        row.rule = rule;
        out.paths.put(&mut row, &place);
        Some(row)
    }
}

impl Parser for Generic {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let Some(row) = self.diagnostic(line, out) else {
            return false;
        };
        self.rows += 1;
        out.row(row);
        true
    }

    fn finish(&mut self, _exit: Option<Exit>, _out: &mut Out<'_>) -> Tally {
        Tally {
            seen: self.rows > 0,
            ..Tally::default()
        }
    }
}

/// Go names the module that it could not get, with its version, behind the import.
fn is_unfetched(line: &[u8]) -> bool {
    memchr::memchr(b'@', line).is_some() && is_fetch_error(line)
}

/// A linker knows the file and no line: ``a.c:(.text+0x5): undefined reference to `f'``.
fn unlinked(line: &[u8], out: &Out<'_>) -> Option<Failure> {
    if line.last() != Some(&b'\'') {
        return None;
    }
    let at = memchr::memmem::find(line, b":(.")?;
    let end = at + memchr::memmem::find(&line[at..], b"): ")?;
    let message = text(&line[end + 3..]);
    let path = text(&line[..at]);
    // Before the file a linker may name itself.
    let path = path.rsplit(": ").next().unwrap_or_default().to_owned();
    if !message.starts_with("undefined reference to ") || !looks_like_file(&path) {
        return None;
    }
    let mut row = Failure::new("generic", message);
    let place = Place {
        path,
        line: None,
        column: None,
    };
    out.paths.put(&mut row, &place);
    Some(row)
}

/// `path(line,col):`.
fn parenthesized(line: &[u8]) -> Option<PrintedPlace<'_>> {
    let open = memchr::memchr(b'(', line)?;
    let (row, rest) = number(&line[open + 1..])?;
    let (column, rest) = match rest.strip_prefix(b",") {
        Some(rest) => number(rest).map(|(column, rest)| (Some(column), rest))?,
        None => (None, rest),
    };
    let message = rest
        .strip_prefix(b"):")
        .or_else(|| rest.strip_prefix(b") :"))?;
    let printed = PrintedPlace {
        path: &line[..open],
        line: row,
        column,
        message,
    };
    (!printed.path.is_empty() && !printed.is_spaced()).then_some(printed)
}

/// A leading `error:` and the like, taken off; `None` for what only explains another finding.
fn graded(message: &str) -> Option<(Option<Level>, &str)> {
    let Some((word, rest)) = message.split_once(':') else {
        return Some((None, message));
    };
    // `error TS2322: …` has its code before the colon.
    let (word, code) = match word.split_once(' ') {
        Some((grade, code)) if grade != "fatal" && grade != "syntax" && !code.contains(' ') => {
            (grade, Some(code))
        }
        _ => (word, None),
    };
    if matches!(word, "note" | "remark" | "help") {
        // shellcheck's notes are findings of their own, each with its code.
        let own = rest.ends_with(']') && rest.rfind(" [SC").is_some();
        return own.then(|| (Some(Level::Warning), rest.trim()));
    }
    if word.eq_ignore_ascii_case("syntax error") {
        return Some((Some(Level::Error), message));
    }
    match level_of(word) {
        Some(level) if code.is_some() => Some((Some(level), message[word.len()..].trim())),
        Some(level) => Some((Some(level), rest.trim())),
        None if message.starts_with("syntax error") => Some((Some(Level::Error), message)),
        None => Some((None, message)),
    }
}

/// Lines that have the shape and only lead to another finding.
fn is_remark(message: &str) -> bool {
    [
        "required from",
        "recursively required",
        "in instantiation of",
        "instantiated from",
    ]
    .iter()
    .any(|start| message.trim_start().starts_with(start))
}

/// The rule of a message, where the tool puts one: `CODE: m`, `CODE m`, `m [rule]`, `m (rule)`.
fn rule_of(message: &str) -> (String, Option<String>, Option<Level>) {
    if let Some((before, inner)) = message.strip_suffix(']').and_then(|m| m.rsplit_once(" [")) {
        if let Some((grade, rule)) = inner.split_once('/')
            && let Some(level) = level_of(grade)
        {
            return (
                before.trim_end().to_owned(),
                Some(rule.to_owned()),
                Some(level),
            );
        }
        let word = !inner.is_empty() && inner.len() <= 100 && !inner.contains(char::is_whitespace);
        if word && inner != "*" {
            return (
                before.trim_end().to_owned(),
                Some(inner.trim_start_matches("-W").to_owned()),
                None,
            );
        }
    }
    if let Some((before, rule)) = trailing_rule(message) {
        return (before.to_owned(), Some(rule.to_owned()), None);
    }
    let (word, rest) = message.split_once(' ').unwrap_or((message, ""));
    let code = word.trim_end_matches(':');
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = code.len() - letters;
    let is_code = (1..=8).contains(&letters)
        && (2..=6).contains(&digits)
        && code[letters..].bytes().all(|b| b.is_ascii_digit());
    if is_code && !rest.is_empty() {
        let rest = rest.trim_start_matches("[*]").trim();
        return (rest.to_owned(), Some(code.to_owned()), None);
    }
    (message.to_owned(), None, None)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::model::{Failure, Level};

    use super::super::parser::{Out, Parser as _};
    use super::super::paths::Paths;
    use super::Generic;

    fn read(line: &str) -> Option<Failure> {
        let paths = Paths::new(Path::new("/r"), ".");
        let mut row = None;
        let mut rows = |found| row = Some(found);
        Generic::new(false).line(
            line.as_bytes(),
            &mut Out {
                paths: &paths,
                rows: &mut rows,
            },
        );
        row
    }

    #[test]
    fn diagnostics_are_read_with_level_and_rule() {
        let facts = |line: &str| {
            let row = read(line).unwrap();
            (
                row.path.unwrap(),
                row.line,
                row.column,
                row.rule,
                row.level,
                row.message,
            )
        };
        let want = |path: &str, line, column, rule: Option<&str>, level, message: &str| {
            (
                path.to_owned(),
                Some(line),
                column,
                rule.map(str::to_owned),
                level,
                message.to_owned(),
            )
        };
        assert_eq!(
            facts("a.c:3:5: warning: unused variable 'x' [-Wunused-variable]"),
            want(
                "a.c",
                3,
                Some(5),
                Some("unused-variable"),
                Level::Warning,
                "unused variable 'x'"
            )
        );
        assert_eq!(
            facts("p/a.py:3: error: bad  [assignment]"),
            want("p/a.py", 3, None, Some("assignment"), Level::Error, "bad")
        );
        assert_eq!(
            facts("a.py:1:80: E501 line too long"),
            want(
                "a.py",
                1,
                Some(80),
                Some("E501"),
                Level::Error,
                "line too long"
            )
        );
        let unlinked = read("/usr/bin/ld: link.c:(.text+0x5): undefined reference to `f'").unwrap();
        assert_eq!(
            (unlinked.path.as_deref(), unlinked.line),
            (Some("link.c"), None)
        );
        assert_eq!(
            facts("src/x.ts(3,7): error TS2322: Type 'a'"),
            want(
                "src/x.ts",
                3,
                Some(7),
                Some("TS2322"),
                Level::Error,
                "Type 'a'"
            )
        );
        assert_eq!(
            facts("a.js:1:5: 'a' is unused. [Warning/no-unused]"),
            want(
                "a.js",
                1,
                Some(5),
                Some("no-unused"),
                Level::Warning,
                "'a' is unused."
            )
        );
    }

    #[test]
    fn a_line_without_a_column_is_believed_where_it_is_known_to_be_a_finding() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join("pkg")).unwrap();
        for file in ["pkg/a.py", "server.go"] {
            std::fs::write(tree.path().join(file), "").unwrap();
        }
        let root = tree.path().canonicalize().unwrap();
        let paths = Paths::new(&root, ".");
        let read = |named, line: &str| {
            let mut row = None;
            let mut rows = |found| row = Some(found);
            let mut out = Out {
                paths: &paths,
                rows: &mut rows,
            };
            Generic::new(named).line(line.as_bytes(), &mut out);
            row.map(|row: Failure| (row.path.unwrap(), row.line.unwrap(), row.message))
        };
        let found = Some(("pkg/a.py".to_owned(), 3, "undefined name 'x'".to_owned()));
        assert_eq!(read(false, "pkg/a.py:3: undefined name 'x'"), found);
        assert_eq!(read(false, "pkg/b.py:3: undefined name 'x'"), None);
        assert_eq!(read(false, "server.go:12: request ok"), None);
        let logged = format!("{}/pkg/a.py:3: request ok", root.display());
        assert_eq!(read(false, &logged), None);
        assert!(read(true, "b.py:3: undefined name 'x'").is_some());
    }

    #[test]
    fn log_lines_hosts_and_notes_are_no_rows() {
        for line in [
            "server.go:12: request ok",
            "12:30:45: warn: retry",
            "db.example.com:5432: refused",
            "see docs/errors.md:10 for details",
            "a.c:3:5: note: declared here",
            " a.c:3:5: error: indented",
            "http://localhost:8080: error: x",
            "node:internal/process/task_queues:95:5",
            "a.cpp:3:5:   required from here",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
