//! Strings: escapes, and what people write in place of them.

use std::borrow::Cow;

use super::{Reader, Stop};

impl<'t> Reader<'t> {
    /// Reads the string that a double quote begins here, or reports that a single one does.
    pub(super) fn quoted(&mut self) -> Result<Cow<'t, str>, Stop> {
        let start = self.at;
        let quote = self.text.as_bytes()[start];
        // Nearly every string says just what stands there.
        let inside = &self.text[start + 1..];
        if let Some(length) = plain_len(inside.as_bytes(), quote)
            && quote == b'"'
            && inside.as_bytes()[length] == quote
        {
            self.at += length + 2;
            return Ok(Cow::Borrowed(&inside[..length]));
        }
        self.at += 1;
        // Borrowed as long as nothing in it is escaped.
        let mut text = Cow::Borrowed("");
        loop {
            let Some(plain) = plain_len(&self.text.as_bytes()[self.at..], quote) else {
                return Err(self.stop(start..start + 1, "this string does not end", None));
            };
            let piece = &self.text[self.at..self.at + plain];
            if text.is_empty() {
                text = Cow::Borrowed(piece);
            } else {
                text.to_mut().push_str(piece);
            }
            self.at += plain;
            match self.text.as_bytes()[self.at] {
                b'\\' => self.escape(text.to_mut())?,
                b'\n' | b'\r' => {
                    let hint = "close it with a quote, or write \\n for a line end";
                    let place = start..self.at;
                    return Err(self.stop(
                        place,
                        "this string does not end on its line",
                        Some(hint),
                    ));
                }
                byte if byte == quote => break,
                control => {
                    let written = if control == b'\t' {
                        "\\t".to_owned()
                    } else {
                        format!("\\u{control:04x}")
                    };
                    let place = self.at..self.at + 1;
                    let hint = format!("write {written}");
                    self.syntax(place, "a control character inside a string", Some(&hint))?;
                    text.to_mut().push(char::from(control));
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        if quote == b'\'' {
            let place = start..self.at;
            self.syntax(
                place,
                "a string stands in double quotes",
                Some("write \" for '"),
            )?;
        }
        Ok(text)
    }

    /// Reads the escape that a backslash begins here.
    fn escape(&mut self, text: &mut String) -> Result<(), Stop> {
        let start = self.at;
        let Some(named) = self.text[start + 1..].chars().next() else {
            return Err(self.ends_early("this string does not end"));
        };
        self.at += 1 + named.len_utf8();
        let meant = match named {
            '"' | '\\' | '/' => named,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => self.unicode_escape(start)?,
            '\n' | '\r' => {
                // The line end itself is reported by the caller.
                self.at -= 1;
                return Ok(());
            }
            other => {
                let message = format!("`\\{other}` is no escape");
                let hint = if other == '\'' {
                    "write ' alone".to_owned()
                } else {
                    format!("for a backslash write \\\\{other}")
                };
                self.syntax(start..self.at, &message, Some(&hint))?;
                text.push('\\');
                other
            }
        };
        text.push(meant);
        Ok(())
    }

    /// Reads what follows `\u`, and the second half where it is the first of a pair.
    fn unicode_escape(&mut self, start: usize) -> Result<char, Stop> {
        let Some(first) = self.four_digits() else {
            self.syntax(start..self.at, "four hex digits must follow \\u", None)?;
            return Ok(char::REPLACEMENT_CHARACTER);
        };
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        if first < 0xdc00 && self.text[self.at..].starts_with("\\u") {
            let behind_first = self.at;
            self.at += 2;
            if let Some(second) = self.four_digits()
                && (0xdc00..0xe000).contains(&second)
            {
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = behind_first;
        }
        let message = "half of a surrogate pair is no character";
        self.syntax(start..self.at, message, Some("write the character itself"))?;
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}

/// How many of `bytes` a string takes before its end or the first byte that is more than itself.
fn plain_len(bytes: &[u8], quote: u8) -> Option<usize> {
    bytes
        .iter()
        .position(|b| *b == quote || *b == b'\\' || *b < 0x20)
}
