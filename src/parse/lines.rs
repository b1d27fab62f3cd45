//! Bytes into lines, in constant memory and the same for every split of the bytes.

use memchr::memchr2;

/// What a parser sees of one line; the rest of a longer one is skipped.
pub(super) const HEAD: usize = 64 * 1024;
/// What is kept of the end of a line longer than [`HEAD`].
pub(super) const TAIL: usize = 4 * 1024;

/// One piece of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// A line without its end; of a long one the first [`HEAD`] bytes.
    Line(&'a [u8]),
    /// The last bytes of a line whose head was already given: where its text begins is unknown.
    Tail(&'a [u8]),
}

/// Cuts a stream at `\n`, `\r\n` and bare `\r` (progress bars). A byte order mark at the very
/// start is no text.
#[derive(Debug, Default)]
pub(super) struct LineSplitter {
    /// The line begun in an earlier chunk, at most `HEAD` bytes of it.
    partial: Vec<u8>,
    /// The last bytes beyond `HEAD` of the line begun, at least [`TAIL`] of them.
    tail: Vec<u8>,
    /// The last line ended in `\r`: a `\n` that follows belongs to it.
    after_cr: bool,
    /// Some line was given.
    started: bool,
}

impl LineSplitter {
    /// Every line that was begun has been given, and what comes next is text: whole lines may be
    /// read without it.
    pub(super) fn is_between_lines(&self) -> bool {
        self.started && !self.after_cr && self.partial.is_empty()
    }

    /// Gives the line that ends first within `bytes`, if one does; how many bytes that took.
    pub(super) fn next(&mut self, bytes: &[u8], mut each: impl FnMut(Piece<'_>)) -> usize {
        let begin = usize::from(self.after_cr && bytes.first() == Some(&b'\n'));
        self.after_cr &= bytes.is_empty();
        let rest = &bytes[begin..];
        let Some(at) = memchr2(b'\n', b'\r', rest) else {
            self.keep(rest);
            return bytes.len();
        };
        self.after_cr = rest[at] == b'\r';
        if self.partial.is_empty() && at <= HEAD {
            self.give(&rest[..at], &mut each);
        } else {
            self.keep(&rest[..at]);
            self.flush(&mut each);
        }
        begin + at + 1
    }

    /// Gives the last line where it has no end.
    pub(super) fn finish(&mut self, mut each: impl FnMut(Piece<'_>)) {
        if !self.partial.is_empty() {
            self.flush(&mut each);
        }
    }

    fn give(&mut self, line: &[u8], each: &mut impl FnMut(Piece<'_>)) {
        let line = if self.started {
            line
        } else {
            line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
        };
        self.started = true;
        each(Piece::Line(line));
    }

    /// Adds to the line begun: first to its head, then to its rolling tail.
    fn keep(&mut self, bytes: &[u8]) {
        let room = (HEAD - self.partial.len()).min(bytes.len());
        self.partial.extend_from_slice(&bytes[..room]);
        let beyond = &bytes[room..];
        let beyond = &beyond[beyond.len().saturating_sub(TAIL)..];
        // Room for twice the tail: else each byte that comes alone would move the whole of it.
        if self.tail.len() + beyond.len() > 2 * TAIL {
            let kept = TAIL - beyond.len();
            self.tail.drain(..self.tail.len().saturating_sub(kept));
        }
        self.tail.extend_from_slice(beyond);
    }

    fn flush(&mut self, each: &mut impl FnMut(Piece<'_>)) {
        let mut line = std::mem::take(&mut self.partial);
        self.give(&line, each);
        if !self.tail.is_empty() {
            let from = self.tail.len().saturating_sub(TAIL);
            each(Piece::Tail(&self.tail[from..]));
            self.tail.clear();
        }
        // The buffer is kept: the next long line needs no new one.
        line.clear();
        self.partial = line;
    }
}

#[cfg(test)]
mod tests {
    use super::{HEAD, LineSplitter, Piece, TAIL};

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut splitter = LineSplitter::default();
        let mut seen = Vec::new();
        let mut each = |piece: Piece<'_>| {
            seen.push(match piece {
                Piece::Line(line) => String::from_utf8_lossy(line).into_owned(),
                Piece::Tail(tail) => format!("..{}", String::from_utf8_lossy(tail)),
            });
        };
        for chunk in chunks {
            let mut rest = *chunk;
            while !rest.is_empty() {
                rest = &rest[splitter.next(rest, &mut each)..];
            }
        }
        splitter.finish(&mut each);
        seen
    }

    #[test]
    fn every_kind_of_line_end_is_one_end() {
        assert_eq!(
            lines(&[b"\xef\xbb\xbfa\nb\r\n\r\nc\rd"]),
            ["a", "b", "", "c", "d"]
        );
        assert_eq!(lines(&[b"a\r", b"\nb\r", b"c"]), ["a", "b", "c"]);
        assert_eq!(lines(&[b"", b"\n", b""]), [""]);
    }

    #[test]
    fn any_split_gives_the_same_lines() {
        let text = b"one\r\ntwo\rthree\n\n\r\nfour";
        let whole = lines(&[text]);
        for at in 0..text.len() {
            for second in at..text.len() {
                let parts = [&text[..at], &text[at..second], &text[second..]];
                assert_eq!(lines(&parts), whole, "split at {at} and {second}");
            }
        }
    }

    #[test]
    fn of_a_long_line_head_and_tail_are_given_however_it_arrives() {
        let mut text = vec![b'x'; HEAD + 3 * TAIL];
        text.extend_from_slice(b"end\nnext\n");
        let whole = lines(&[&text]);
        assert_eq!(whole.len(), 3);
        assert_eq!(whole[0].len(), HEAD);
        assert_eq!(whole[1].len(), TAIL + 2);
        assert!(whole[1].ends_with("xend"));
        assert_eq!(whole[2], "next");
        for size in [1, 1000, 4095, 4096, 4097, HEAD - 1] {
            let chunks: Vec<&[u8]> = text.chunks(size).collect();
            assert!(lines(&chunks) == whole, "chunks of {size}");
        }
    }
}
