//! The line of one test of the spec reporter, without its sign: `works (1.2ms) # TODO`.

/// One line taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Title<'a> {
    pub name: &'a [u8],
    /// Only a test that was cancelled has none; a name of several lines has it on the last one.
    pub timed: bool,
    /// `# TODO`, `# SKIP`, or the reason that stands for them: its failure was expected.
    pub expected: bool,
}

impl<'a> Title<'a> {
    pub(super) fn read(rest: &'a [u8]) -> Self {
        if let Some(name) = without_time(rest) {
            return Self {
                name,
                timed: true,
                expected: false,
            };
        }
        // What follows the time is a directive; before it, `#` is part of the name.
        for at in memchr::memmem::find_iter(rest, b"ms) # ") {
            if let Some(name) = without_time(&rest[..at + 3]) {
                return Self {
                    name,
                    timed: true,
                    expected: true,
                };
            }
        }
        let directive = [&b" # TODO"[..], b" # SKIP"]
            .into_iter()
            .find_map(|end| rest.strip_suffix(end));
        Self {
            name: directive.unwrap_or(rest),
            timed: false,
            expected: directive.is_some(),
        }
    }
}

/// `name` of `name (12.3ms)`.
fn without_time(rest: &[u8]) -> Option<&[u8]> {
    let inner = rest.strip_suffix(b"ms)")?;
    let at = memchr::memmem::rfind(inner, b" (")?;
    let time = &inner[at + 2..];
    let number = !time.is_empty() && time.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    number.then(|| &rest[..at])
}

#[cfg(test)]
mod tests {
    use super::Title;

    #[test]
    fn a_directive_stands_behind_the_time() {
        let read = |line: &'static str| {
            let title = Title::read(line.as_bytes());
            let name = std::str::from_utf8(title.name).unwrap();
            (name, title.timed, title.expected)
        };
        assert_eq!(read("a (1.25ms)"), ("a", true, false));
        assert_eq!(read("a (5ms) # TODO"), ("a", true, true));
        assert_eq!(read("a (1.2ms) # later on"), ("a", true, true));
        assert_eq!(
            read("fix # TODO later (1.2ms)"),
            ("fix # TODO later", true, false)
        );
        assert_eq!(
            read("waits (10ms) # twice (1.5ms)"),
            ("waits (10ms) # twice", true, false)
        );
        assert_eq!(read("cancelled"), ("cancelled", false, false));
        assert_eq!(read("cancelled # TODO"), ("cancelled", false, true));
        assert_eq!(read("takes (some ms)"), ("takes (some ms)", false, false));
    }
}
