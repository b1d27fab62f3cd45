//! The lines that libtest prints around what its tests print, each taken apart.

use super::super::location::{Place, count, has_extension, number, text};

/// `running 3 tests`: a target begins.
pub(super) fn is_start(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"running ").and_then(count);
    matches!(rest, Some((_, b" test" | b" tests")))
}

/// The end of one target: `test result: FAILED. 1 passed; 2 failed; …`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResultLine {
    pub is_failure: bool,
    pub passed: u64,
    pub failed: u64,
    pub ignored: u64,
}

impl ResultLine {
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let rest = line.strip_prefix(b"test result: ")?;
        let (is_failure, rest) = match rest.strip_prefix(b"ok. ") {
            Some(rest) => (false, rest),
            None => (true, rest.strip_prefix(b"FAILED. ")?),
        };
        let mut result = Self {
            is_failure,
            ..Self::default()
        };
        for part in rest.split(|&b| b == b';') {
            match count(part.trim_ascii()) {
                Some((value, b" passed")) => result.passed = value,
                Some((value, b" failed")) => result.failed = value,
                Some((value, b" ignored")) => result.ignored = value,
                _ => {}
            }
        }
        Some(result)
    }
}

/// The test of `test name ... FAILED`.
pub(super) fn failed_name(line: &[u8]) -> Option<String> {
    let name = line.strip_prefix(b"test ")?.strip_suffix(b" ... FAILED")?;
    Some(text(name.strip_suffix(b" - should panic").unwrap_or(name)))
}

/// The test of `---- name stdout ----`.
pub(super) fn block_name(line: &[u8]) -> Option<String> {
    let rest = line.strip_prefix(b"---- ")?;
    let name = rest
        .strip_suffix(b" stdout ----")
        .or_else(|| rest.strip_suffix(b" stderr ----"))?;
    Some(text(name))
}

/// The place in a documentation test's name: `src/lib.rs - add (line 7)`.
pub(super) fn doctest_place(name: &str) -> Option<Place> {
    let (path, rest) = name.split_once(" - ")?;
    let start = rest.rfind("(line ")? + 6;
    let (line, after) = number(&rest.as_bytes()[start..])?;
    let whole = after.starts_with(b")") && has_extension(path, &["rs", "md"]);
    whole.then(|| Place {
        path: path.to_owned(),
        line: Some(line),
        column: None,
    })
}

#[cfg(test)]
mod tests {
    use super::{ResultLine, block_name, doctest_place, failed_name, is_start};

    #[test]
    fn each_line_has_its_shape() {
        assert!(is_start(b"running 1 test"));
        assert!(is_start(b"running 0 tests"));
        assert!(!is_start(b"running 2 tests late"));
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(failed_name(b"test a::b ... FAILED"), named("a::b"));
        assert_eq!(failed_name(b"test a - should panic ... FAILED"), named("a"));
        assert_eq!(failed_name(b"test a ... ok"), None);
        assert_eq!(block_name(b"---- a::b stdout ----"), named("a::b"));
        assert_eq!(block_name(b"---- a::b ----"), None);
        let place = |name: &str| doctest_place(name).map(|place| (place.path, place.line));
        assert_eq!(
            place("src/lib.rs - add (line 7) - compile"),
            Some(("src/lib.rs".to_owned(), Some(7)))
        );
        assert_eq!(place("a - b (line 7)"), None);
    }

    #[test]
    fn the_end_of_a_target_counts_its_tests() {
        let result = ResultLine::read(
            b"test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out",
        );
        assert_eq!(
            result,
            Some(ResultLine {
                is_failure: true,
                passed: 3,
                failed: 2,
                ignored: 1
            })
        );
        assert!(
            !ResultLine::read(b"test result: ok. 1 passed")
                .unwrap()
                .is_failure
        );
        assert_eq!(ResultLine::read(b"test result: fine"), None);
    }
}
