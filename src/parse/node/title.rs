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
    let time = inner
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_digit() || **b == b'.')
        .count();
    let name = inner[..inner.len() - time].strip_suffix(b" (")?;
    (time > 0).then_some(name)
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

    #[test]
    fn a_title_is_read_in_one_pass() {
        // Looking at all that stands before each sign would take hours.
        let signs = "ms) # ".repeat(1 << 20);
        let title = Title::read(signs.as_bytes());
        assert_eq!((title.name.len(), title.timed), (signs.len(), false));
        let timed = format!("{signs}(1.2ms) # TODO");
        let title = Title::read(timed.as_bytes());
        assert_eq!((title.name.len(), title.expected), (signs.len() - 1, true));
    }
}
