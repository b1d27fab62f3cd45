//! The lines of a block that hold nothing but text. Most output is short lines, and searching for
//! the end of each by itself costs more than reading it: here many bytes are looked at at once.

use super::escapes::ESC;

/// So many, a bit for each.
const CHUNK: usize = 64;

/// The lines from the start of a block on, without their `\n`, up to the first one that has a `\r`
/// or an escape, or that does not end within the block.
#[derive(Debug)]
pub struct PlainLines<'b> {
    block: &'b [u8],
    /// Where the line that comes next begins.
    begin: usize,
    /// Where the chunk begins that was looked at last, and where what is behind it does.
    chunk: usize,
    rest: usize,
    /// The ends of lines in that chunk, from the one of the line that comes next on.
    ends: u64,
}

impl<'b> PlainLines<'b> {
    /// The lines of `block`.
    pub fn new(block: &'b [u8]) -> Self {
        Self {
            block,
            begin: 0,
            chunk: 0,
            rest: 0,
            ends: 0,
        }
    }

    /// How many bytes the lines before the one that comes next have, with their ends.
    pub fn given(&self) -> usize {
        self.begin
    }

    /// The line that comes next.
    #[expect(
        clippy::inline_always,
        reason = "a call would take longer than what it does"
    )]
    #[inline(always)]
    pub fn peek(&mut self) -> Option<&'b [u8]> {
        while self.ends == 0 {
            if self.rest >= self.block.len() {
                return None;
            }
            self.look();
        }
        self.block.get(self.begin..self.end())
    }

    /// Goes on behind the line that came next.
    #[expect(
        clippy::inline_always,
        reason = "a call would take longer than what it does"
    )]
    #[inline(always)]
    pub fn pass(&mut self) {
        if self.ends != 0 {
            self.begin = self.end() + 1;
            self.ends &= self.ends - 1;
        }
    }

    /// Where the line that comes next ends.
    fn end(&self) -> usize {
        self.chunk + self.ends.trailing_zeros() as usize
    }

    /// Looks at what comes next.
    #[inline(never)]
    fn look(&mut self) {
        self.chunk = self.rest;
        let bytes = &self.block[self.chunk..];
        if let Some(chunk) = bytes.first_chunk() {
            self.rest += CHUNK;
            self.take(chunk);
        } else {
            self.rest = self.block.len();
            let mut chunk = [0; CHUNK];
            chunk[..bytes.len()].copy_from_slice(bytes);
            self.take(&chunk);
        }
    }

    #[inline]
    fn take(&mut self, chunk: &[u8; CHUNK]) {
        let (ends, has_other) = look(chunk);
        self.ends = ends;
        if has_other {
            self.stop();
        }
    }

    /// Something in the chunk is no text: nothing from there on is looked at.
    #[cold]
    fn stop(&mut self) {
        let other = self.block[self.chunk..].iter().position(|b| is_other(*b));
        let before = other.map_or(0, |first| (1 << first) - 1);
        self.ends &= before;
        self.rest = self.block.len();
    }
}

/// What ends a line in other ways than `\n`, or is in it and no text.
fn is_other(byte: u8) -> bool {
    matches!(byte, b'\r' | ESC)
}

/// A bit for each `\n`, the lowest for the first byte; and whether there is a `\r` or an escape.
#[cfg(target_arch = "x86_64")]
#[inline]
fn look(chunk: &[u8; CHUNK]) -> (u64, bool) {
    // SAFETY: there is no x86-64 without SSE2.
    unsafe { sse2::look(chunk) }
}

#[cfg(not(target_arch = "x86_64"))]
use portable::look;

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8,
        _mm_setzero_si128,
    };

    use super::{CHUNK, ESC};

    #[target_feature(enable = "sse2")]
    #[inline]
    pub(super) fn look(chunk: &[u8; CHUNK]) -> (u64, bool) {
        let is =
            |bytes: __m128i, byte: u8| _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte.cast_signed()));
        let mut ends = 0;
        let mut other = _mm_setzero_si128();
        for (at, part) in chunk.as_chunks::<16>().0.iter().enumerate() {
            let part = part.as_chunks::<8>().0;
            let [low, high] = [part[0], part[1]].map(i64::from_le_bytes);
            let bytes = _mm_set_epi64x(high, low);
            let bits = _mm_movemask_epi8(is(bytes, b'\n')).cast_unsigned();
            ends |= u64::from(bits) << (16 * at);
            other = _mm_or_si128(other, _mm_or_si128(is(bytes, b'\r'), is(bytes, ESC)));
        }
        (ends, _mm_movemask_epi8(other) != 0)
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::{CHUNK, is_other};

    pub(super) fn look(chunk: &[u8; CHUNK]) -> (u64, bool) {
        let mut is_end = [0; CHUNK];
        let mut other = false;
        for (to, byte) in is_end.iter_mut().zip(chunk) {
            *to = u8::from(*byte == b'\n');
            other |= is_other(*byte);
        }
        let mut ends = 0;
        for (at, eight) in is_end.as_chunks::<8>().0.iter().enumerate() {
            // The product's highest byte has the eight bytes' lowest bits, the first one lowest.
            let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            ends |= bits << (8 * at);
        }
        (ends, other)
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, PlainLines, look, portable};

    /// What [`PlainLines`] gives.
    fn lines(block: &[u8]) -> (Vec<Vec<u8>>, usize) {
        let mut lines = PlainLines::new(block);
        let mut found = Vec::new();
        while let Some(line) = lines.peek() {
            found.push(line.to_vec());
            lines.pass();
        }
        (found, lines.given())
    }

    /// The same, byte by byte.
    fn plainly(block: &[u8]) -> (Vec<Vec<u8>>, usize) {
        let other = block.iter().position(|b| matches!(b, b'\r' | 0x1b));
        let text = &block[..other.unwrap_or(block.len())];
        let mut lines: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        lines.pop();
        let given = lines.iter().map(|line| line.len() + 1).sum();
        (lines, given)
    }

    struct Dice(u32);

    impl Dice {
        fn roll(&mut self, sides: u32) -> u32 {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.0 >> 8) % sides
        }
    }

    #[test]
    fn lines_are_found_wherever_they_end() {
        let mut dice = Dice(1);
        for round in 0..3000_u32 {
            let mut block = Vec::new();
            // Lines of a byte or two, of a chunk, of many.
            let sides = [2, 5, 60, 3000][round as usize % 4];
            for _ in 0..dice.roll(1500) {
                let other = round % 7 == 0 && dice.roll(800) == 0;
                block.push(match (dice.roll(sides), other) {
                    (_, true) => [b'\r', 0x1b][dice.roll(2) as usize],
                    (0, false) => b'\n',
                    _ => b' ' + u8::try_from(dice.roll(200)).unwrap(),
                });
            }
            assert_eq!(lines(&block), plainly(&block), "{block:?}");
        }
    }

    #[test]
    fn each_byte_is_told_from_all_others() {
        for place in 0..CHUNK {
            for byte in 0..=255 {
                let mut chunk = [b'x'; CHUNK];
                chunk[place] = byte;
                let bit = u64::from(byte == b'\n') << place;
                let wanted = (bit, matches!(byte, b'\r' | 0x1b));
                assert_eq!(look(&chunk), wanted, "{byte} at {place}");
                assert_eq!(portable::look(&chunk), wanted, "{byte} at {place}");
            }
        }
    }
}
