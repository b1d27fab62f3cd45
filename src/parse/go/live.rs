//! The tests that `go test -v` says are running, so that a test which prints the result of another
//! is not believed.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Beyond this many tests at once, every result is believed.
const MAX: usize = 1 << 20;

/// For keys that are hashes already.
#[derive(Debug, Default)]
pub(super) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// Names of running tests, 8 bytes each.
#[derive(Debug, Default)]
pub(super) struct Live {
    running: HashSet<u64, BuildHasherDefault<Identity>>,
    overflown: bool,
}

impl Live {
    pub(super) fn start(&mut self, name: &[u8]) {
        if self.running.len() < MAX {
            self.running.insert(hash(name));
        } else {
            self.overflown = true;
        }
    }

    /// Whether `name` was running, which it no longer is.
    pub(super) fn end(&mut self, name: &[u8]) -> bool {
        self.running.remove(&hash(name)) || self.overflown
    }

    pub(super) fn holds(&self, name: &[u8]) -> bool {
        self.running.contains(&hash(name))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.running.clear();
        self.overflown = false;
    }
}

pub(super) fn hash(name: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for chunk in name.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    hash ^ name.len() as u64
}
