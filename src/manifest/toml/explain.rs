//! What the `toml` crate refuses, in words for somebody who has not read its grammar.
//!
//! The crate says what its rules expected at a place. What stands there says what was meant.

use std::ops::Range;

/// A refusal, told.
pub(super) struct Explained {
    /// What is meant, where that is more than the crate points at.
    pub span: Range<usize>,
    pub message: String,
    pub hint: Option<String>,
}

/// A longer word is not repeated.
const LONGEST: usize = 200;

/// What ends a word in TOML.
const ENDS: [char; 10] = [' ', '\t', '\r', '\n', ',', ']', '}', '#', '=', '['];

/// What the crate says, what that is in other words, and what to do.
const PLAIN: &[(&str, &str, Option<&str>)] = &[
    (
        "key with no value",
        "`=` and a value are missing here",
        None,
    ),
    (
        "missing value for key",
        "`=` and a value are missing here",
        None,
    ),
    (
        "invalid unquoted key",
        "a key is made of letters, digits, _ and -",
        Some("put any other in double quotes"),
    ),
    (
        "unquoted keys cannot be empty",
        "a key is missing here",
        None,
    ),
    ("invalid key-value pair", "a key is missing here", None),
    ("unclosed array table", UNCLOSED_NAME, None),
    ("unclosed table", UNCLOSED_NAME, None),
    ("missing table open", NEVER_OPENED, Some(TAKE_OUT)),
    (
        "unexpected key or value",
        "this must begin on a line of its own",
        None,
    ),
    ("extra `=`", "a second `=`", Some(TAKE_OUT)),
    ("extra comma in array", NO_VALUE_BEFORE, Some(TAKE_OUT)),
    (
        "extra comma in inline table",
        NO_VALUE_BEFORE,
        Some(TAKE_OUT),
    ),
    (
        "missing comma between array elements",
        "a comma or `]` is missing before this",
        None,
    ),
    (
        "missing comma between key-value pairs",
        "a comma or `}` is missing before this",
        None,
    ),
    (
        "unclosed array",
        "a list is not closed: `]` is missing",
        None,
    ),
    (
        "unclosed inline table",
        "a map is not closed: `}` is missing",
        None,
    ),
    (
        "carriage return must be followed by newline",
        "a line ends in a carriage return alone",
        Some("save it with line feeds at the ends of lines"),
    ),
    (
        "cannot recurse further; max recursion depth met",
        "more than 80 lists and maps inside each other",
        None,
    ),
    ("invalid basic string", OPEN_STRING, Some(CLOSE_IT)),
    ("invalid literal string", OPEN_STRING, Some(CLOSE_IT)),
    ("invalid multi-line basic string", OPEN_LINES, None),
    ("invalid multi-line literal string", OPEN_LINES, None),
    (
        "too few unicode value digits",
        "too few hex digits: \\x has 2, \\u has 4, \\U has 8",
        None,
    ),
];

const UNCLOSED_NAME: &str = "a table's name ends in as many brackets as it begins with";
const NEVER_OPENED: &str = "a bracket that nothing opened";
const NO_VALUE_BEFORE: &str = "a comma without a value before it";
const OPEN_STRING: &str = "this string does not end on its line";
const OPEN_LINES: &str = "a string that three quotes began does not end";
const CLOSE_IT: &str = "close it with the quote that it begins with";
const TAKE_OUT: &str = "take it out";

/// What the crate's `message` about `span` of `text` means.
pub(super) fn explain(text: &str, span: &Range<usize>, message: &str) -> Explained {
    let place = Place::new(text, span);
    let (what, expected) = message.split_once(", expected ").unwrap_or((message, ""));
    if let Some(explained) = place.says(text, span, what) {
        return explained;
    }
    if let Some((_, message, hint)) = PLAIN.iter().find(|(known, _, _)| *known == what) {
        return Explained::new(span, message, *hint);
    }
    let short = |word: &&str| word.len() <= LONGEST;
    let word = place.word().filter(short);
    if let Some(word) = word.filter(|_| place.may_be_a_value()) {
        let (message, hint) = no_value(word);
        return Explained::new(&place.word_span(), &message, hint.as_deref());
    }
    let message = match (what, expected) {
        ("string values must be quoted", _) => "a value is missing",
        (what, "" | "nothing") => what,
        _ => message,
    };
    Explained::new(span, message, None)
}

impl Explained {
    fn new(span: &Range<usize>, message: &str, hint: Option<&str>) -> Self {
        Self {
            span: span.clone(),
            message: message.to_owned(),
            hint: hint.map(str::to_owned),
        }
    }
}

/// A word that stands where a value should.
fn no_value(word: &str) -> (String, Option<String>) {
    let lower = word.to_lowercase();
    let number = word.trim_start_matches(['+', '-', '.']);
    let looks_numeric = number.starts_with(|c: char| c.is_ascii_digit())
        && word
            .chars()
            .all(|c| c.is_ascii_hexdigit() || "+-._xXoObB".contains(c));
    if looks_numeric {
        return (format!("`{word}` is no number in TOML"), None);
    }
    let hint = match lower.as_str() {
        "true" | "false" => format!("write {lower}"),
        "yes" | "on" => format!("write true, or \"{word}\" for a string"),
        "no" | "off" => format!("write false, or \"{word}\" for a string"),
        "null" | "nil" | "none" | "undefined" => "leave the field out".to_owned(),
        _ if word.contains(['"', '\'']) => "a string begins and ends with a quote".to_owned(),
        _ => format!("write \"{word}\""),
    };
    (format!("expected a value, found `{word}`"), Some(hint))
}

/// Whether a text that is no TOML is meant as JSON.
pub(super) fn looks_like_json(text: &str) -> bool {
    let text = text.trim_start();
    let list = text.strip_prefix('[').unwrap_or("").trim_start();
    text.starts_with('{') || list.starts_with(['{', '"'])
}

/// What stands around a place.
struct Place<'t> {
    text: &'t str,
    at: usize,
    here: Option<char>,
    /// Its line up to the end, from the first character that is no space.
    line: &'t str,
    /// Of that line what stands before it.
    before: &'t str,
}

impl<'t> Place<'t> {
    fn new(text: &'t str, span: &Range<usize>) -> Self {
        let at = text.floor_char_boundary(span.start);
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let line = text[start..].lines().next().unwrap_or_default();
        Self {
            text,
            at,
            here: text[at..].chars().next(),
            line: line.trim_start(),
            before: text[start..at].trim_end(),
        }
    }

    /// What the place itself says better than the rule that was broken there.
    fn says(&self, text: &str, span: &Range<usize>, what: &str) -> Option<Explained> {
        let told = |message: &str, hint| Some(Explained::new(span, message, Some(hint)));
        if looks_like_json(text) {
            let hint = "this looks like JSON: name the file harness.json";
            return told("expected a key", hint);
        }
        if self.line.starts_with("//") || self.line.starts_with("/*") {
            return told("a comment in TOML begins with #", "write # in front of it");
        }
        let here = self.here.unwrap_or('\n');
        match what {
            "invalid unquoted key" | "key with no value" => {
                let colon = self.colon()?;
                Some(Explained::new(
                    &colon,
                    "`:` behind a key",
                    Some("write `=`"),
                ))
            }
            "unexpected key or value" if here == ',' => {
                told("a comma at the end of a line", TAKE_OUT)
            }
            "unexpected key or value" if matches!(here, ']' | '}') => told(NEVER_OPENED, TAKE_OUT),
            "missing escaped value" => {
                let hint = format!(
                    "for a backslash write \\\\{here}, or put the whole string in single quotes"
                );
                let span = span.start.saturating_sub(1)..span.end;
                let message = format!("`\\{here}` is no escape");
                Some(Explained::new(&span, &message, Some(&hint)))
            }
            what if what.starts_with("cannot extend value") => Some(Explained::new(
                span,
                "this has a value already, so it is no table",
                None,
            )),
            _ if here.is_control() && !matches!(here, '\n' | '\r') => {
                let code = u32::from(here);
                let hint = format!("write \\u{code:04x} in a string, and nothing elsewhere");
                told("a control character", &hint)
            }
            _ => None,
        }
    }

    /// The colon that stands in place of `=`, here or just before.
    fn colon(&self) -> Option<Range<usize>> {
        if self.here == Some(':') {
            return Some(self.at..self.at + 1);
        }
        let end = self.text[..self.at].trim_end().len();
        self.before.ends_with(':').then(|| end - 1..end)
    }

    /// The word that begins here or is going on.
    fn word(&self) -> Option<&'t str> {
        Some(&self.text[self.word_span()]).filter(|word| !word.is_empty())
    }

    fn word_span(&self) -> Range<usize> {
        let start = self.text[..self.at].rfind(ENDS).map_or(0, |end| end + 1);
        let end = self.text[start..].find(ENDS);
        start..end.map_or(self.text.len(), |end| start + end)
    }

    /// Whether a value may stand here.
    fn may_be_a_value(&self) -> bool {
        let start = self.word_span().start;
        let before = self.text[..start].trim_end();
        before.ends_with(['=', '[', ','])
    }
}
