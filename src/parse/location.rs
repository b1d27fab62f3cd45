//! Places as tools print them: `path:line[:col]`, and text out of bytes.

/// A place in a file, as printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub path: String,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// Text of any bytes: what is not UTF-8 becomes U+FFFD.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The number that `bytes` begins with, above zero, and what follows it.
pub(super) fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (value, rest) = count(bytes)?;
    let value = u32::try_from(value).ok()?;
    (value > 0).then_some((value, rest))
}

/// The count that `bytes` begins with, zero included, and what follows it.
pub(super) fn count(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = u64::from(bytes.first()?.wrapping_sub(b'0'));
    if value > 9 {
        return None;
    }
    let mut at = 1;
    while let Some(digit) = bytes.get(at).filter(|byte| byte.is_ascii_digit()) {
        value = value
            .checked_mul(10)?
            .checked_add(u64::from(digit - b'0'))?;
        at += 1;
    }
    Some((value, &bytes[at..]))
}

/// How many spaces `line` begins with.
pub(super) fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|&&b| b == b' ').count()
}

/// Where the path ends in a line that begins `path:line`: the index of that colon. A drive's colon
/// is part of it.
fn path_end(line: &[u8]) -> Option<usize> {
    let drive = line.len() > 2
        && line[0].is_ascii_alphabetic()
        && line[1] == b':'
        && matches!(line[2], b'\\' | b'/');
    let from = if drive { 2 } else { 0 };
    let at = from + memchr::memchr(b':', line.get(from..)?)?;
    (at > from).then_some(at)
}

/// The place that `line` begins with and what follows its `:` (`path:line:` or `path:line:col:`).
/// The path has no white space.
pub(super) fn leading_place(line: &[u8]) -> Option<(Place, &[u8])> {
    let printed = PrintedPlace::read(line).filter(|printed| !printed.is_spaced())?;
    Some((printed.place(), printed.message))
}

/// As [`leading_place`], of a path that may have white space in it: what stands there may as well
/// be words, so that whoever calls has to know the path.
pub(super) fn spaced_place(line: &[u8]) -> Option<(Place, &[u8])> {
    let printed = PrintedPlace::read(line)?;
    Some((printed.place(), printed.message))
}

/// A place at the start of a line, and what follows it, as bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PrintedPlace<'a> {
    pub path: &'a [u8],
    pub line: u32,
    pub column: Option<u32>,
    pub message: &'a [u8],
}

impl<'a> PrintedPlace<'a> {
    /// `path:line: message`, `path:line:col: message`, the path being any words.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        let end = path_end(line)?;
        let (number_of_line, rest) = number(&line[end + 1..])?;
        let rest = rest.strip_prefix(b":")?;
        let (column, message) = match number(rest) {
            Some((column, after)) if after.first() == Some(&b':') => (Some(column), &after[1..]),
            _ => (None, rest),
        };
        Some(Self {
            path: &line[..end],
            line: number_of_line,
            column,
            message,
        })
    }

    /// White space is in the path.
    pub(super) fn is_spaced(&self) -> bool {
        self.path.iter().any(u8::is_ascii_whitespace)
    }

    pub(super) fn place(&self) -> Place {
        Place {
            path: text(self.path),
            line: Some(self.line),
            column: self.column,
        }
    }
}

/// Reads a whole text that is a place: `path:line[:col]`.
pub(super) fn exact_place(whole: &[u8]) -> Option<Place> {
    let (head, last) = split_number(whole)?;
    match split_number(head) {
        Some((path, line)) if !path.is_empty() => Some(Place {
            path: text(path),
            line: Some(line),
            column: Some(last),
        }),
        _ if !head.is_empty() => Some(Place {
            path: text(head),
            line: Some(last),
            column: None,
        }),
        _ => None,
    }
}

fn split_number(whole: &[u8]) -> Option<(&[u8], u32)> {
    let colon = memchr::memrchr(b':', whole)?;
    let (value, rest) = number(&whole[colon + 1..])?;
    rest.is_empty().then_some((&whole[..colon], value))
}

/// Whether `path` reads as a source file: an extension that begins with a letter, no scheme.
pub(super) fn looks_like_file(path: &str) -> bool {
    if path.contains("://") || path.len() > 1024 {
        return false;
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && extension.len() <= 10
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && extension
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '+')
    }) || matches!(name, "Makefile" | "Dockerfile" | "Jenkinsfile" | "justfile")
}

/// Whether `bytes` can be what [`looks_like_file`] believes, by their end: most lines are not, and
/// need not become text for that.
pub(super) fn may_be_file(bytes: &[u8]) -> bool {
    let end = &bytes[bytes.len().saturating_sub(11)..];
    let extension = memchr::memrchr(b'.', end).map(|at| &end[at + 1..]);
    extension.is_some_and(|extension| {
        !extension.is_empty()
            && extension
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'+')
    }) || bytes.ends_with(b"file")
}

/// Whether `path` ends in one of `extensions`, as written.
pub(super) fn has_extension(path: &str, extensions: &[&str]) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| extensions.contains(&extension))
}

/// A trailing `(word)` without white space: the text before it and the word.
pub(super) fn trailing_rule(message: &str) -> Option<(&str, &str)> {
    let inner = message.trim_end().strip_suffix(')')?;
    let open = inner.rfind('(')?;
    let (before, rule) = (&inner[..open], &inner[open + 1..]);
    let word = !rule.is_empty()
        && rule.len() <= 100
        && rule
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-./@:".contains(c));
    (word && before.ends_with(' ')).then(|| (before.trim_end(), rule))
}

#[cfg(test)]
mod tests {
    use super::{Place, exact_place, leading_place, looks_like_file, may_be_file, trailing_rule};

    fn place(path: &str, line: u32, column: Option<u32>) -> Place {
        Place {
            path: path.to_owned(),
            line: Some(line),
            column,
        }
    }

    #[test]
    fn leading_places_are_read_and_the_rest_is_the_message() {
        let read = |line: &'static str| {
            leading_place(line.as_bytes())
                .map(|(p, m)| (p, String::from_utf8_lossy(m).into_owned()))
        };
        assert_eq!(
            read("a/b.go:3:7: x: y"),
            Some((place("a/b.go", 3, Some(7)), " x: y".to_owned()))
        );
        assert_eq!(
            read("a.py:3: error: y"),
            Some((place("a.py", 3, None), " error: y".to_owned()))
        );
        assert_eq!(
            read(r"C:\w\a.js:1:5: m"),
            Some((place(r"C:\w\a.js", 1, Some(5)), " m".to_owned()))
        );
        for none in [
            "a b.go:3: x",
            ":3: x",
            "a.go:0: x",
            "a.go:3",
            "a.go:x: y",
            "C:\\work\\app:8080",
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn whole_places_end_in_their_numbers() {
        assert_eq!(
            exact_place(b"/a/b.js:3:4"),
            Some(place("/a/b.js", 3, Some(4)))
        );
        assert_eq!(
            exact_place(b"file:///a/b.js:3"),
            Some(place("file:///a/b.js", 3, None))
        );
        assert_eq!(exact_place(b"node"), None);
        assert_eq!(exact_place(b":3"), None);
    }

    #[test]
    fn hosts_and_words_are_no_files() {
        let longest = "a.extension1";
        for yes in [
            "a.go",
            "./x/y.tsx",
            r"C:\a\b.rs",
            "Makefile",
            "x/justfile",
            "a.c++",
            longest,
        ] {
            assert!(looks_like_file(yes) && may_be_file(yes.as_bytes()), "{yes}");
        }
        for no in ["10.0.0.1", "localhost", "http://a.b", ".", "12.5", "a."] {
            assert!(!looks_like_file(no), "{no}");
        }
    }

    #[test]
    fn only_a_word_in_parentheses_at_the_end_is_a_rule() {
        assert_eq!(
            trailing_rule("func f is unused (unused)"),
            Some(("func f is unused", "unused"))
        );
        assert_eq!(trailing_rule("call f(x)"), None);
        assert_eq!(trailing_rule("see (the docs)"), None);
        assert_eq!(trailing_rule("x ()"), None);
    }
}
