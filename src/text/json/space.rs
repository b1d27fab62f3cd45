//! What stands between values: white space, and comments, which do not belong there.

use memchr::{memchr, memmem};

use super::{Reader, Stop};

impl Reader<'_> {
    /// Passes white space; comments are passed and reported.
    #[inline]
    pub(super) fn skip_space(&mut self) -> Result<(), Stop> {
        match self.peek() {
            Some(b' ' | b'\n' | b'\r' | b'\t' | b'/' | b'#') => self.pass_space(),
            // Mostly there is none.
            _ => Ok(()),
        }
    }

    fn pass_space(&mut self) -> Result<(), Stop> {
        loop {
            self.at += space_len(&self.text.as_bytes()[self.at..]);
            if !matches!(self.peek(), Some(b'/' | b'#')) || !self.comment()? {
                return Ok(());
            }
        }
    }

    /// Whether a comment stands here; it is passed and reported.
    fn comment(&mut self) -> Result<bool, Stop> {
        let rest = &self.text.as_bytes()[self.at..];
        let length = match rest {
            [b'#', ..] | [b'/', b'/', ..] => memchr(b'\n', rest).unwrap_or(rest.len()),
            [b'/', b'*', inside @ ..] => {
                let Some(end) = memmem::find(inside, b"*/") else {
                    let place = self.at..self.at + 2;
                    return Err(self.stop(place, "this comment does not end", None));
                };
                end + 4
            }
            _ => return Ok(false),
        };
        let place = self.at..self.at + length;
        self.at = place.end;
        self.syntax(place, "JSON has no comments", Some("take it out"))?;
        Ok(true)
    }
}

/// How many of `bytes` are white space before anything else. Most of a file that is indented is
/// blanks, so those are passed eight at a time.
fn space_len(bytes: &[u8]) -> usize {
    const BLANKS: u64 = u64::from_le_bytes([b' '; 8]);
    let mut rest = bytes;
    loop {
        while let Some((eight, behind)) = rest.split_first_chunk::<8>() {
            let others = u64::from_le_bytes(*eight) ^ BLANKS;
            if others != 0 {
                rest = &rest[others.trailing_zeros() as usize / 8..];
                break;
            }
            rest = behind;
        }
        match rest {
            [b' ' | b'\n' | b'\r' | b'\t', behind @ ..] => rest = behind,
            _ => return bytes.len() - rest.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::space_len;

    #[test]
    fn white_space_of_any_length_and_kind_is_passed() {
        for length in 0..40 {
            for other in [' ', '\n', '\r', '\t'] {
                for at in 0..length {
                    let mut space = " ".repeat(length);
                    space.replace_range(at..=at, other.encode_utf8(&mut [0; 4]));
                    assert_eq!(space_len(space.as_bytes()), length, "{space:?}");
                    assert_eq!(space_len(format!("{space}!  ").as_bytes()), length);
                }
            }
        }
        assert_eq!(space_len("\u{a0} ".as_bytes()), 0, "JSON knows four");
    }
}
