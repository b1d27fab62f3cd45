//! What one test of `go test` printed: the lines that name a place, and the words below them.

use super::super::clip::Gathered;
use super::super::location::{Place, indent, number, text};

/// Where a message of `go test -v` stands; and where the further lines of one do.
pub(super) const MESSAGE: usize = 4;
pub(super) const MORE: usize = 8;

/// `x_test.go:12: message` taken apart.
#[derive(Debug)]
pub(super) struct LogLine<'a> {
    path: &'a [u8],
    line: u32,
    message: &'a [u8],
}

impl<'a> LogLine<'a> {
    /// `line` without its indentation.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        let colon = memchr::memchr(b':', line)?;
        let path = &line[..colon];
        if !path.ends_with(b".go") || path.iter().any(u8::is_ascii_whitespace) {
            return None;
        }
        let (value, rest) = number(&line[colon + 1..])?;
        let message = rest.strip_prefix(b":")?;
        Some(Self {
            path,
            line: value,
            message: message.strip_prefix(b" ").unwrap_or(message),
        })
    }
}

/// The lines of a test: the first place among them, and the text.
#[derive(Debug, Default, Clone)]
pub(super) struct Printed {
    pub place: Option<Place>,
    pub message: Gathered,
}

impl Printed {
    /// Reads the captured lines of a test that failed after all.
    pub(super) fn of(lines: &[u8]) -> Self {
        let mut printed = Self::default();
        let mut continuing = false;
        for line in lines.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
            let depth = indent(line);
            match LogLine::read(&line[depth..]) {
                Some(log) if !(continuing && depth >= MORE) => {
                    continuing = true;
                    printed.add(&log, &line[depth..]);
                }
                _ => printed.message.push(line.get(MORE..).unwrap_or_default()),
            }
        }
        printed
    }

    pub(super) fn is_empty(&self) -> bool {
        self.place.is_none() && self.message.text().is_empty()
    }

    /// The first place is the test's; later messages keep theirs as text, which is `whole`.
    pub(super) fn add(&mut self, log: &LogLine<'_>, whole: &[u8]) {
        if self.place.is_none() {
            self.place = Some(Place {
                path: text(log.path),
                line: Some(log.line),
                column: None,
            });
            self.message.push(log.message);
        } else {
            self.message.push(whole);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LogLine, Printed};

    #[test]
    fn the_first_place_is_the_tests_and_later_ones_stay_text() {
        let printed =
            Printed::of(b"    a_test.go:3: one\n        b.go:9: more of it\n    a_test.go:5: two");
        assert_eq!(
            printed.place.map(|place| (place.path, place.line)),
            Some(("a_test.go".to_owned(), Some(3)))
        );
        assert_eq!(
            printed.message.text(),
            "one\nb.go:9: more of it\na_test.go:5: two"
        );
    }

    #[test]
    fn a_message_begins_with_a_go_file_and_its_line() {
        for none in ["a.txt:3: x", "a b.go:3: x", "a.go:0: x", "a.go:3 x", "a.go"] {
            assert!(LogLine::read(none.as_bytes()).is_none(), "{none}");
        }
        assert!(LogLine::read(b"a.go:3:").is_some_and(|log| log.message.is_empty()));
    }
}
