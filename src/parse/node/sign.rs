//! The signs that begin the lines of the spec reporter: `✖ name (1.2ms)`.

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// `✖`, a test that failed.
    Cross,
    /// `⚠`, and in older versions a test that was expected to fail.
    Warning,
    /// `▶`, a test with tests below it begins.
    Arrow,
    /// `✔`, `﹣`: a test that did not fail.
    Good,
    /// `ℹ`, the runner's own words.
    Info,
}

const SIGNS: [(&str, Sign); 6] = [
    ("✖ ", Sign::Cross),
    ("⚠ ", Sign::Warning),
    ("▶ ", Sign::Arrow),
    ("✔ ", Sign::Good),
    ("﹣ ", Sign::Good),
    ("ℹ ", Sign::Info),
];

impl Sign {
    /// The sign that `body` begins with, and what stands after it.
    pub(super) fn read(body: &[u8]) -> Option<(Self, &[u8])> {
        if body.first().is_none_or(u8::is_ascii) {
            return None;
        }
        SIGNS
            .iter()
            .find_map(|(sign, meaning)| Some((*meaning, body.strip_prefix(sign.as_bytes())?)))
    }
}

#[cfg(test)]
mod tests {
    use super::Sign;

    #[test]
    fn a_sign_stands_first_and_alone() {
        let read = |line: &'static str| Sign::read(line.as_bytes());
        assert_eq!(read("✖ a"), Some((Sign::Cross, &b"a"[..])));
        assert_eq!(read("﹣ a # SKIP"), Some((Sign::Good, &b"a # SKIP"[..])));
        for none in ["✖a", "x ✖ a", "", "- a"] {
            assert_eq!(read(none), None, "{none}");
        }
    }
}
