//! The line that `go test` prints when a test has ended: `--- FAIL: TestX (0.00s)`.

use memchr::memmem;

/// How a test, or all tests of a package, ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Fail,
    Pass,
    Skip,
}

/// One result: how the test ended, and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResultLine<'a> {
    pub mark: Mark,
    pub name: &'a [u8],
}

impl<'a> ResultLine<'a> {
    /// `line` without its indentation.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        let rest = line.strip_prefix(b"--- ")?;
        let (mark, rest) = match rest.get(..6)? {
            b"FAIL: " => (Mark::Fail, &rest[6..]),
            b"PASS: " => (Mark::Pass, &rest[6..]),
            b"SKIP: " => (Mark::Skip, &rest[6..]),
            _ => return None,
        };
        let inner = rest.strip_suffix(b"s)")?;
        let time = inner
            .iter()
            .rev()
            .take_while(|b| b.is_ascii_digit() || **b == b'.')
            .count();
        let name = inner[..inner.len() - time].strip_suffix(b" (")?;
        (time > 0 && !name.is_empty()).then_some(Self { mark, name })
    }

    /// A failure after text that did not end its line.
    pub(super) fn read_glued(line: &'a [u8]) -> Option<Self> {
        let at = memmem::rfind(line, b"--- FAIL: ").filter(|at| *at > 0)?;
        Self::read(&line[at..])
    }
}

#[cfg(test)]
mod tests {
    use super::{Mark, ResultLine};

    #[test]
    fn a_result_has_a_mark_a_name_and_a_time() {
        let read = |line: &'static str| {
            ResultLine::read(line.as_bytes())
                .map(|result| (result.mark, std::str::from_utf8(result.name).unwrap()))
        };
        assert_eq!(
            read("--- FAIL: TestA/b_(c) (0.00s)"),
            Some((Mark::Fail, "TestA/b_(c)"))
        );
        assert_eq!(read("--- SKIP: TestA (1.5s)"), Some((Mark::Skip, "TestA")));
        for none in [
            "--- FAIL: TestA",
            "--- FAIL: TestA (fast)",
            "--- FAIL: TestA (s)",
            "--- FAIL:  (0.00s)",
            "--- DONE: TestA (0.00s)",
            "text--- FAIL: TestA (0.00s)",
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn text_may_stand_before_a_failure() {
        let read = |line: &'static str| {
            ResultLine::read_glued(line.as_bytes())
                .map(|result| std::str::from_utf8(result.name).unwrap())
        };
        assert_eq!(read("text--- FAIL: TestA (0.00s)"), Some("TestA"));
        assert_eq!(read("--- FAIL: TestA (0.00s)"), None, "nothing before it");
        assert_eq!(read("text--- PASS: TestA (0.00s)"), None);
    }
}
