//! The two spellings of a manifest: which one a file has, and its text as a tree.

use super::other_language::other_language;
use super::problems::Problems;
use super::toml::parse_toml;
use crate::text::{FaultKind, Node, parse_json};

/// How a file is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Json,
    Toml,
}

impl Syntax {
    /// The tree of `text`, with what was plainly meant where there are slips; `None` where that
    /// cannot be known.
    pub fn parse<'t>(self, text: &'t str, problems: &mut Problems<'_>) -> Option<Node<'t>> {
        match self {
            Self::Toml => parse_toml(text, problems),
            Self::Json => {
                let parsed = parse_json(text);
                let mut other = other_language(text).filter(|_| parsed.root.is_none());
                for fault in parsed.faults {
                    let message = match fault.kind {
                        FaultKind::DuplicateKey(first) => {
                            format!(
                                "{}; first at {}",
                                fault.message,
                                problems.place(first.start)
                            )
                        }
                        FaultKind::Syntax | FaultKind::ByteOrderMark => fault.message,
                    };
                    match other.take().or(fault.hint) {
                        Some(hint) => problems.advise(&fault.span, message, hint),
                        None => problems.say(&fault.span, message),
                    }
                }
                parsed.root
            }
        }
    }

    /// A key with its value, as a hint tells to write it.
    pub fn pair(self, key: &str, value: &str) -> String {
        match self {
            Self::Json => format!("\"{key}\": {value}"),
            Self::Toml => format!("{key} = {value}"),
        }
    }
}

/// A text in quotes, as both spellings have it.
pub(super) fn quoted(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 2);
    shown.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => shown.extend(['\\', c]),
            c if c.is_control() => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown.push('"');
    shown
}

/// A text in quotes for a message: never more than a few words of it.
pub(super) fn cited(text: &str) -> String {
    const WIDTH: usize = 60;
    if text.chars().count() <= WIDTH {
        return quoted(text);
    }
    let start: String = text.chars().take(WIDTH).collect();
    format!("{}…", quoted(&start))
}

#[cfg(test)]
mod tests {
    use super::{Syntax, cited, quoted};

    #[test]
    fn hints_are_spelled_as_the_file_is() {
        assert_eq!(Syntax::Toml.pair("id", "\"a\""), "id = \"a\"");
        assert_eq!(Syntax::Json.pair("id", "\"a\""), "\"id\": \"a\"");
        assert_eq!(quoted("a\"\\\n"), "\"a\\\"\\\\\\u{a}\"");
        assert_eq!(cited(&"x".repeat(99)).chars().count(), 63);
    }
}
