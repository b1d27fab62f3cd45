//! What each running test of `go test -v` printed, as bytes, until its result says whether anyone
//! wants to know.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::live::{Identity, hash};

/// How many tests' lines are kept at once, and how much of each.
const MAX_TESTS: usize = 4096;
const MAX_BYTES: usize = 8 * 1024;
/// Buffers kept for the next test, so that passing tests cost no allocation.
const MAX_SPARE: usize = 64;

/// Lines by test.
#[derive(Debug, Default)]
pub(super) struct Captured {
    by_test: HashMap<u64, Vec<u8>, BuildHasherDefault<Identity>>,
    spare: Vec<Vec<u8>>,
}

impl Captured {
    /// Adds `line` to what `test` printed.
    pub(super) fn add(&mut self, test: &[u8], line: &[u8]) {
        let key = hash(test);
        if self.by_test.len() >= MAX_TESTS && !self.by_test.contains_key(&key) {
            return;
        }
        let Self { by_test, spare } = self;
        let lines = by_test
            .entry(key)
            .or_insert_with(|| spare.pop().unwrap_or_default());
        if lines.len() + line.len() < MAX_BYTES {
            lines.extend_from_slice(line);
            lines.push(b'\n');
        }
    }

    /// What `test` printed, and nothing of it any more.
    pub(super) fn take(&mut self, test: &[u8]) -> Option<Vec<u8>> {
        self.by_test.remove(&hash(test))
    }

    /// `test` passed.
    pub(super) fn forget(&mut self, test: &[u8]) {
        if self.by_test.is_empty() {
            return;
        }
        if let Some(mut lines) = self.take(test)
            && self.spare.len() < MAX_SPARE
        {
            lines.clear();
            self.spare.push(lines);
        }
    }

    pub(super) fn clear(&mut self) {
        self.by_test.clear();
    }
}
