//! The short summary: a line for each test that failed.

use crate::model::Failure;

use super::super::clip::Gathered;
use super::super::location::{Place, looks_like_file, text};
use super::super::parser::Out;

/// What lines of the short summary begin with, for what failed. A subtest's description follows.
const FAILING: [&str; 4] = ["FAILED ", "ERROR ", SUBTEST, "SUBFAILED("];
const SUBTEST: &str = "SUBFAILED[";

/// And for the rest, where `-r` asks for it.
const OTHERS: [&str; 6] = [
    "PASSED ",
    "SKIPPED ",
    "XFAIL ",
    "XPASS ",
    "SUBPASSED",
    "SUBSKIPPED",
];

/// What a line of the short summary is.
pub(super) enum Line {
    /// A row, and what is said about it so far: more lines of it may follow.
    Failing(Failure, Gathered),
    /// Of a test that did not fail.
    Other,
    /// The message of the row before it goes on.
    More,
}

impl Line {
    pub(super) fn read(line: &[u8], out: &Out<'_>) -> Self {
        let is = |word: &&str| line.starts_with(word.as_bytes());
        if FAILING.iter().any(is) {
            let (row, message) = row(&text(line), out);
            Self::Failing(row, message)
        } else if OTHERS.iter().any(is) {
            Self::Other
        } else {
            Self::More
        }
    }
}

/// `FAILED tests/test_a.py::TestB::test_c[d] - message`, `SUBFAILED[e] (f=1) …`.
fn row(line: &str, out: &Out<'_>) -> (Failure, Gathered) {
    let (subtest, rest) = split_subtest(line);
    let (id, said) = split_message(rest);
    let (path, test) = match id.split_once("::") {
        Some((path, test)) => (path, Some(test)),
        None => (id, None),
    };
    let mut row = Failure::new("pytest", "");
    let mut message = Gathered::default();
    if looks_like_file(path) {
        let place = Place {
            path: path.to_owned(),
            line: None,
            column: None,
        };
        out.paths.put(&mut row, &place);
        row.test = test.map(|test| match subtest {
            "" => test.to_owned(),
            subtest => format!("{test} {subtest}"),
        });
        message.push(said.as_bytes());
    } else {
        message.push(rest.as_bytes());
    }
    (row, message)
}

/// The description of a subtest, empty for a test, and what follows it or the first word.
fn split_subtest(line: &str) -> (&str, &str) {
    let Some(rest) = line.strip_prefix("SUBFAILED") else {
        let (_, rest) = line.split_once(' ').unwrap_or(("", line));
        return ("", rest);
    };
    let before = &rest[..rest.find("::").unwrap_or(rest.len())];
    let end = before.rfind("] ").max(before.rfind(") "));
    match end {
        Some(at) => (&rest[..=at], rest[at + 1..].trim_start()),
        None => ("", rest),
    }
}

/// At the first ` - ` that stands in no brackets, as far as they are closed at all.
fn split_message(rest: &str) -> (&str, &str) {
    const SIGN: &str = " - ";
    let mut first = None;
    let (mut counted, mut open, mut closed) = (0, 0, 0);
    for (at, _) in rest.match_indices(SIGN) {
        let more = &rest[counted..at];
        counted = at;
        open += more.matches('[').count();
        closed += more.matches(']').count();
        if open <= closed {
            return (&rest[..at], &rest[at + SIGN.len()..]);
        }
        first.get_or_insert(at);
    }
    match first {
        Some(at) if !rest.ends_with(']') => (&rest[..at], &rest[at + SIGN.len()..]),
        _ => (rest, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::{split_message, split_subtest};

    #[test]
    fn a_message_is_found_in_one_pass() {
        // Counting anew at each sign would take hours.
        let signs = " - ".repeat(1 << 20);
        let never_closed = format!("a.py::t[{signs}x");
        assert_eq!(
            split_message(&never_closed),
            ("a.py::t[", &never_closed[11..])
        );
        let parameter = format!("a.py::t[{signs}]");
        let said = format!("{parameter} - b");
        assert_eq!(split_message(&said), (&*parameter, "b"));
        assert_eq!(split_message(&parameter), (&*parameter, ""));
    }

    #[test]
    fn a_parameter_may_hold_what_divides_name_and_message() {
        for (rest, id, message) in [
            ("a.py::t - b - c", "a.py::t", "b - c"),
            ("a.py::t[x - y] - b[0] - c", "a.py::t[x - y]", "b[0] - c"),
            ("a.py::t[c]d] - e", "a.py::t[c]d]", "e"),
            ("a.py::t[x - y]", "a.py::t[x - y]", ""),
            ("a.py", "a.py", ""),
        ] {
            assert_eq!(split_message(rest), (id, message), "{rest}");
        }
        for (line, subtest, rest) in [
            ("FAILED a.py::t - b", "", "a.py::t - b"),
            (
                "SUBFAILED[m n] (i=0) a.py::t - b",
                "[m n] (i=0)",
                "a.py::t - b",
            ),
            (
                "SUBFAILED(<subtest>) a.py::t[x] - b]",
                "(<subtest>)",
                "a.py::t[x] - b]",
            ),
        ] {
            assert_eq!(split_subtest(line), (subtest, rest), "{line}");
        }
    }
}
