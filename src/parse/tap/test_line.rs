//! `ok 1 - name # SKIP why` taken apart.

/// One test line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TestLine {
    pub ok: bool,
    pub number: Option<u64>,
    /// `None` where the line has none.
    pub name: Option<String>,
    pub directive: Option<Directive>,
    /// A dash stands before the name.
    pub dashed: bool,
    /// A brace at its end: the tests below it may follow.
    pub opens: bool,
}

/// What makes a failing line no failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Directive {
    Todo,
    Skip,
}

impl TestLine {
    /// `line` without its indentation.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let (ok, rest) = match line.strip_prefix(b"not ok") {
            Some(rest) => (false, rest),
            None => (true, line.strip_prefix(b"ok")?),
        };
        if !(rest.is_empty() || rest.starts_with(b" ")) {
            return None;
        }
        let rest = String::from_utf8_lossy(rest);
        let rest = rest.trim_start();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let numbered = digits > 0 && (rest.len() == digits || rest[digits..].starts_with(' '));
        let number = if numbered {
            rest[..digits].parse().ok()
        } else {
            None
        };
        let rest = if numbered {
            rest[digits..].trim_start()
        } else {
            rest
        };
        let plain = rest.strip_prefix("- ");
        let plain = plain.or_else(|| (rest == "-").then_some(""));
        let dashed = plain.is_some();
        let rest = plain.unwrap_or(rest);
        let opens = rest.trim_end().ends_with(" {");
        let (name, directive) = split_directive(rest);
        let name = unescape(name.trim());
        Some(Self {
            ok,
            number,
            name: (!name.is_empty()).then_some(name),
            directive,
            dashed,
            opens,
        })
    }

    /// tape at the end of the process, about a test that never ended: whatever heading came last.
    pub(super) fn has_its_test(&self) -> bool {
        let name = self.name.as_deref().unwrap_or_default();
        name.starts_with("test exited without ending: ")
    }

    /// Not good, and not expected to be.
    pub(super) fn is_failure(&self) -> bool {
        !self.ok && self.directive.is_none()
    }

    /// The tests below it did follow: the brace is no part of the name.
    pub(super) fn opened(&mut self) {
        if let Some(name) = &mut self.name {
            let plain = name.trim_end_matches(" {").len();
            name.truncate(plain);
        }
    }
}

/// The name and what an unescaped `#` introduces: `TODO`, `SKIP`, `time=…`; any other `#` is part
/// of the name.
fn split_directive(text: &str) -> (&str, Option<Directive>) {
    let mut end = text.len();
    let mut directive = None;
    for (at, _) in text.match_indices('#') {
        let before = &text[..at];
        let escapes = before.bytes().rev().take_while(|&b| b == b'\\').count();
        if escapes % 2 == 1 || !(before.is_empty() || before.ends_with(char::is_whitespace)) {
            continue;
        }
        let word = text[at + 1..].trim_start();
        let is = |name: &str| {
            word.get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
                && !word[name.len()..].starts_with(char::is_alphanumeric)
        };
        if is("todo") {
            directive = Some(Directive::Todo);
        } else if is("skip") || is("skipped") {
            directive = Some(Directive::Skip);
        } else if !word.starts_with("time=") {
            continue;
        }
        end = end.min(at);
    }
    (&text[..end], directive)
}

pub(super) fn unescape(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\\' && matches!(chars.peek(), Some('#' | '\\')) {
            plain.extend(chars.next());
        } else {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{Directive, TestLine};

    type Facts = (bool, Option<u64>, Option<String>, Option<Directive>);

    fn read(line: &str) -> Option<Facts> {
        TestLine::read(line.as_bytes()).map(|t| (t.ok, t.number, t.name, t.directive))
    }

    #[test]
    fn numbers_names_and_directives_are_told_apart() {
        let name = |name: &str| Some(name.to_owned());
        assert_eq!(
            read("not ok 2 - a"),
            Some((false, Some(2), name("a"), None))
        );
        assert_eq!(
            read("not ok 3 deep # with hash"),
            Some((false, Some(3), name("deep # with hash"), None))
        );
        assert_eq!(read("not ok"), Some((false, None, None, None)));
        assert_eq!(read("not ok - x"), Some((false, None, name("x"), None)));
        assert_eq!(
            read("ok 5 - s # SKIP: no db"),
            Some((true, Some(5), name("s"), Some(Directive::Skip)))
        );
        assert_eq!(
            read("ok 8 # skip no network"),
            Some((true, Some(8), None, Some(Directive::Skip)))
        );
        assert_eq!(
            read("not ok 7 - t # TODO later"),
            Some((false, Some(7), name("t"), Some(Directive::Todo)))
        );
        assert_eq!(
            read(r"not ok 7 - \# and \\ # time=3ms"),
            Some((false, Some(7), name(r"# and \"), None))
        );
        assert_eq!(
            read(r"not ok 7 - not \# TODO"),
            Some((false, Some(7), name("not # TODO"), None))
        );
        assert_eq!(
            read("ok 1 - todo list # todos"),
            Some((true, Some(1), name("todo list # todos"), None))
        );
        let brace = |line: &str| {
            let mut test = TestLine::read(line.as_bytes()).unwrap();
            let before = (test.dashed, test.opens, test.name.clone());
            test.opened();
            (before, test.name)
        };
        assert_eq!(
            brace("not ok 1 - a # time=1.5ms {"),
            ((true, true, name("a")), name("a"))
        );
        assert_eq!(brace("ok 1 a {"), ((false, true, name("a {")), name("a")));
        assert_eq!(brace("ok 1 - a"), ((true, false, name("a")), name("a")));
        for none in ["okay", "not okay 3", "notok 12", "Not OK 13", "# ok 1"] {
            assert_eq!(read(none), None, "{none}");
        }
    }
}
