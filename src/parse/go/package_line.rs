//! The line that ends what `go test` says of one package: `FAIL\tpkg\t0.1s`, `ok  \tpkg\t0.1s`.

/// The failure of one package, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FailLine<'a> {
    /// The import path.
    pub import: &'a [u8],
    /// `[build failed]`, `[setup failed]`: no test of it ran.
    pub unbuilt: bool,
}

impl<'a> FailLine<'a> {
    /// What stands after `FAIL\t`.
    pub(super) fn read(rest: &'a [u8]) -> Option<Self> {
        let import = rest
            .split(|&b| b == b'\t' || b == b' ')
            .next()
            .unwrap_or_default();
        let after = rest[import.len()..].trim_ascii();
        let unbuilt = after.ends_with(b"[build failed]") || after.ends_with(b"[setup failed]");
        let timed = after.ends_with(b"s") && after.first().is_some_and(u8::is_ascii_digit);
        let ends = unbuilt || timed || after.is_empty() || after.starts_with(b"[");
        (!import.is_empty() && ends).then_some(Self { import, unbuilt })
    }
}

/// A package without a failure, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GoodLine<'a> {
    /// The import path.
    pub import: &'a [u8],
    /// It has no test, or none that was asked for.
    pub empty: bool,
}

impl<'a> GoodLine<'a> {
    /// `ok  \tpkg\t0.1s`, `?   \tpkg\t[no test files]`.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        if !(line.starts_with(b"ok  \t") || line.starts_with(b"?   \t")) {
            return None;
        }
        Some(Self {
            import: line.split(|&b| b == b'\t').nth(1).unwrap_or_default(),
            empty: line.ends_with(b"[no test files]") || line.ends_with(b"[no tests to run]"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{FailLine, GoodLine};

    #[test]
    fn a_failure_names_its_package_and_says_whether_it_was_built() {
        let read = |line: &'static str| {
            FailLine::read(line.as_bytes())
                .map(|line| (std::str::from_utf8(line.import).unwrap(), line.unbuilt))
        };
        assert_eq!(read("x.org/a\t0.1s"), Some(("x.org/a", false)));
        assert_eq!(read("x.org/a"), Some(("x.org/a", false)));
        assert_eq!(read("x.org/a [build failed]"), Some(("x.org/a", true)));
        assert_eq!(read("x.org/a [no test files]"), Some(("x.org/a", false)));
        assert_eq!(read("of the test"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn a_package_may_have_nothing_to_run() {
        let read = |line: &'static str| {
            GoodLine::read(line.as_bytes())
                .map(|line| (std::str::from_utf8(line.import).unwrap(), line.empty))
        };
        assert_eq!(read("ok  \tx.org/a\t0.1s"), Some(("x.org/a", false)));
        assert_eq!(
            read("ok  \tx.org/a\t0.1s [no tests to run]"),
            Some(("x.org/a", true))
        );
        assert_eq!(
            read("?   \tx.org/a\t[no test files]"),
            Some(("x.org/a", true))
        );
        assert_eq!(read("ok x.org/a"), None);
    }
}
