//! What each running test of `go test -v` printed, as bytes, until its result says whether anyone
//! wants to know.

use super::few::{Few, Key};

/// How many tests' lines are kept at once, and how much of each.
const MAX_TESTS: usize = 4096;
const MAX_BYTES: usize = 8 * 1024;

/// Lines by test.
#[derive(Debug, Default)]
pub(super) struct Captured {
    by_test: Few<Vec<u8>>,
}

impl Captured {
    /// Adds `line` to what `test` printed.
    pub(super) fn add(&mut self, test: Key, line: &[u8]) {
        if self.by_test.len() >= MAX_TESTS && !self.by_test.holds(test) {
            return;
        }
        let lines = self.by_test.get_or_insert(test);
        if lines.len() + line.len() < MAX_BYTES {
            lines.extend_from_slice(line);
            lines.push(b'\n');
        }
    }

    /// What `test` printed, and nothing of it any more.
    pub(super) fn take(&mut self, test: Key) -> Option<Vec<u8>> {
        self.by_test.remove(test)
    }

    /// `test` passed.
    #[inline]
    pub(super) fn forget(&mut self, test: Key) {
        self.by_test.forget(test);
    }

    pub(super) fn clear(&mut self) {
        self.by_test.clear();
    }
}
