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
        let (head, rest) = line.split_first_chunk::<10>()?;
        let mark = match head {
            b"--- PASS: " => Mark::Pass,
            b"--- FAIL: " => Mark::Fail,
            b"--- SKIP: " => Mark::Skip,
            _ => return None,
        };
        let inner = rest.strip_suffix(b"s)")?;
        let is_time = |b: &u8| b.is_ascii_digit() || *b == b'.';
        let time = inner.iter().rev().take_while(|b| is_time(b)).count();
        let name = inner[..inner.len() - time].strip_suffix(b" (")?;
        (time > 0 && !name.is_empty()).then_some(Self { mark, name })
    }

    /// The test of a line that says that it passed, at the margin or once indented, within ten
    /// seconds: as nearly all do.
    #[inline]
    pub(super) fn plain_pass(line: &'a [u8]) -> Option<&'a [u8]> {
        let line = line.strip_prefix(b"    ").unwrap_or(line);
        let (b"--- PASS: ", rest) = line.split_first_chunk::<10>()? else {
            return None;
        };
        let (name, [b' ', b'(', second, b'.', tenth, hundredth, b's', b')']) =
            rest.split_last_chunk::<8>()?
        else {
            return None;
        };
        let is_time = second.is_ascii_digit() & tenth.is_ascii_digit() & hundredth.is_ascii_digit();
        (is_time && !name.is_empty()).then_some(name)
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
    fn a_plain_pass_is_read_as_any_other() {
        for name in ["TestA", "TestA/b (0.00s)", " "] {
            let line = format!("--- PASS: {name} (1.05s)");
            let plain = ResultLine::plain_pass(line.as_bytes()).unwrap();
            assert_eq!(plain, name.as_bytes());
            let read = ResultLine::read(line.as_bytes()).unwrap();
            assert_eq!((read.mark, read.name), (Mark::Pass, plain));
            assert_eq!(
                ResultLine::plain_pass(format!("    {line}").as_bytes()),
                Some(plain)
            );
        }
        for other in [
            "  --- PASS: TestA (0.00s)",
            "--- FAIL: TestA (0.00s)",
            "--- PASS: TestA (10.00s)",
            "--- PASS: TestA (0.a0s)",
            "--- PASS:  (0.00s)",
            "--- PASS: (0.00s)",
        ] {
            assert_eq!(ResultLine::plain_pass(other.as_bytes()), None, "{other}");
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
