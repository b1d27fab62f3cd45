//! The last bytes of a stream of any length.

use std::collections::VecDeque;
use std::io::{self, Write};

/// Holds so many bytes and no more.
#[derive(Debug)]
pub struct Ring {
    bytes: VecDeque<u8>,
    capacity: usize,
    dropped: u64,
}

impl Ring {
    /// Takes up memory only as it fills.
    pub fn new(capacity: usize) -> Self {
        Self {
            bytes: VecDeque::new(),
            capacity,
            dropped: 0,
        }
    }

    /// Bytes that follow those before.
    pub fn push(&mut self, bytes: &[u8]) {
        let kept = &bytes[bytes.len().saturating_sub(self.capacity)..];
        let excess = (self.bytes.len() + kept.len()).saturating_sub(self.capacity);
        self.bytes.drain(..excess);
        self.bytes.extend(kept);
        self.dropped += (excess + bytes.len() - kept.len()) as u64;
    }

    /// How many bytes are not held any more.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Writes what is held.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let (first, second) = self.bytes.as_slices();
        out.write_all(first)?;
        out.write_all(second)
    }

    /// What is held.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes.into()
    }
}

#[cfg(test)]
mod tests {
    use super::Ring;

    #[test]
    fn the_last_bytes_are_held_however_they_came() {
        let all: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for step in [1, 7, 64, 65, 1000] {
            let mut ring = Ring::new(64);
            for part in all.chunks(step) {
                ring.push(part);
            }
            assert_eq!(ring.dropped(), 936, "{step}");
            let mut written = Vec::new();
            ring.write_to(&mut written).unwrap();
            assert_eq!(written, all[936..]);
            assert_eq!(ring.into_bytes(), all[936..]);
        }
    }

    #[test]
    fn what_fits_is_whole() {
        let mut ring = Ring::new(8);
        ring.push(b"");
        ring.push(b"12345678");
        assert_eq!(ring.dropped(), 0);
        assert_eq!(ring.into_bytes(), b"12345678");
    }
}
