//! Child text that cannot drive a terminal.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// Text that came from a check or a file, displayed with every control character made visible:
/// an escape reaches no terminal, and nothing can pose as a line of our own. Tabs become spaces;
/// line ends do not survive; bidirectional overrides and other invisible format characters are
/// shown as `\u{…}`.
#[derive(Debug, Clone)]
pub struct Printable<'a>(Cow<'a, str>);

impl<'a> Printable<'a> {
    /// One line: a line end in `text` is shown as a space.
    pub fn new(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// As [`Printable::new`]; bytes that are not UTF-8 are shown as `\xNN`.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Self::new(text);
        }
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            for byte in chunk.invalid() {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\x{byte:02X}");
            }
        }
        Self(Cow::Owned(text))
    }
}

/// Characters that show nothing themselves and change how others are shown.
fn is_invisible_format(c: char) -> bool {
    matches!(c,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
        | '\u{feff}' | '\u{61c}' | '\u{2028}' | '\u{2029}' | '\u{e0000}'..='\u{e007f}')
}

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\t' => f.write_str("    ")?,
                '\n' => f.write_char(' ')?,
                '\r' => {}
                c if c.is_control() => write!(f, "\\x{:02X}", u32::from(c))?,
                c if is_invisible_format(c) => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Printable;

    #[test]
    fn nothing_that_drives_a_terminal_survives() {
        let shown =
            Printable::new("a\x1b[31mred\x1b[0m\x07\r\nok: 3 passed\u{202e}\u{9b}x").to_string();
        assert_eq!(
            shown,
            "a\\x1B[31mred\\x1B[0m\\x07 ok: 3 passed\\u{202e}\\x9Bx"
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_named() {
        assert_eq!(
            Printable::from_bytes(b"a\xffb\tc").to_string(),
            "a\\xFFb    c"
        );
    }
}
