//! Numbers, `true`, `false`, `null`, and words that stand where a value should.

use std::borrow::Cow;

use super::super::value::{Node, Value, place};
use super::{Reader, Stop};

impl<'t> Reader<'t> {
    /// Reads the word here. One that is no value is reported, and the reading goes on behind it.
    pub(super) fn literal(&mut self) -> Result<Node<'t>, Stop> {
        let span = self.at..self.at + self.word_len();
        let word = &self.text[span.clone()];
        let value = match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            _ if is_number(word) => word.parse().map_or(Value::Number, Value::Integer),
            _ => Value::Unreadable,
        };
        if value == Value::Unreadable {
            let (message, hint) = explain(word);
            self.syntax(span.clone(), &message, hint.as_deref())?;
        }
        self.at = span.end;
        Ok(Node {
            value,
            span: place(span),
        })
    }

    /// How many bytes from here look like one word, at least one character.
    pub(super) fn word_len(&self) -> usize {
        let rest = &self.text[self.at..];
        let sign = |b: u8| matches!(b, b'_' | b'$' | b'-' | b'+' | b'.');
        let ascii = rest
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || sign(*b))
            .count();
        let word = |c: char| c.is_alphanumeric() || u8::try_from(c).is_ok_and(sign);
        let further = &rest[ascii..];
        let length = ascii + further.find(|c| !word(c)).unwrap_or(further.len());
        length.max(rest.chars().next().map_or(0, char::len_utf8))
    }
}

/// What a message shows of a word: all of it, or so much that it is known again.
pub(super) fn clip(word: &str) -> Cow<'_, str> {
    const WIDTH: usize = 60;
    match word.char_indices().nth(WIDTH) {
        None => Cow::Borrowed(word),
        Some((end, _)) => Cow::Owned(format!("{}…", &word[..end])),
    }
}

/// RFC 8259, section 6.
fn is_number(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

fn explain(word: &str) -> (String, Option<String>) {
    let word = &*clip(word);
    let lower = word.to_lowercase();
    let (shown, odd) = odd(word);
    let expected = format!("expected a value, found {shown}");
    if odd.is_some() {
        return (expected, odd);
    }
    let hint = match lower.as_str() {
        "true" | "false" | "null" => format!("write {lower}"),
        "none" | "nil" | "undefined" => "leave it out, or write null".to_owned(),
        "yes" | "on" => format!("write true, or \"{word}\" for a string"),
        "no" | "off" => format!("write false, or \"{word}\" for a string"),
        "nan" | "inf" | "infinity" => return (format!("{shown} is no number in JSON"), None),
        _ if is_signed_or_digit(&lower) => return (format!("{shown} is no number in JSON"), None),
        _ if word.starts_with(char::is_alphabetic) => format!("write \"{word}\""),
        _ => return (expected, None),
    };
    (expected, Some(hint))
}

/// Whether a lower-case word begins as numbers do, here or elsewhere.
fn is_signed_or_digit(word: &str) -> bool {
    let unsigned = word.trim_start_matches(['-', '+', '.']);
    unsigned.starts_with(|c: char| c.is_ascii_digit())
        || (unsigned != word && matches!(unsigned, "nan" | "inf" | "infinity"))
}

/// A word as a message shows it, and what to do where a character of another keyboard, or one that
/// cannot be seen, is all that is wrong.
pub(super) fn odd(word: &str) -> (String, Option<String>) {
    let first = word.chars().next().unwrap_or(' ');
    let code = || format!("U+{:04X}", u32::from(first));
    match first {
        '`' => ("a backquote".to_owned(), Some("write \" for it".to_owned())),
        '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}' => (
            format!("`{first}`"),
            Some("write \" for it: JSON knows no other quotes".to_owned()),
        ),
        c if c.is_whitespace() || c == '\u{feff}' || c == '\u{200b}' => (
            format!("{}, a space that JSON does not know", code()),
            Some("write a plain space".to_owned()),
        ),
        c if c.is_control() => (
            format!("{}, a control character", code()),
            Some("take it out".to_owned()),
        ),
        _ => (format!("`{}`", clip(word)), None),
    }
}

#[cfg(test)]
mod tests {
    use super::is_number;

    #[test]
    fn numbers_are_those_of_the_standard() {
        for number in ["0", "-0", "10", "1.5", "-1.50", "1e5", "1E+5", "0.1e-2"] {
            assert!(is_number(number), "{number}");
        }
        for other in [
            "", "-", "01", "+1", ".5", "1.", "1e", "1e+", "0x1", "1_0", "1.2.3", "NaN",
        ] {
            assert!(!is_number(other), "{other}");
        }
    }
}
