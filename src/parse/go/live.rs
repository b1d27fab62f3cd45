//! The tests that `go test -v` says are running, so that a test which prints the result of another
//! is not believed.

use super::few::{Few, Key};

/// Beyond this many tests at once, every result is believed.
const MAX: usize = 1 << 20;

/// Names of running tests, 8 bytes each.
#[derive(Debug, Default)]
pub(super) struct Live {
    running: Few<()>,
    overflown: bool,
}

impl Live {
    #[inline]
    pub(super) fn start(&mut self, test: Key) {
        if self.running.len() < MAX {
            self.running.get_or_insert(test);
        } else {
            self.overflown = true;
        }
    }

    /// Whether `test` was running, which it no longer is.
    #[inline]
    pub(super) fn end(&mut self, test: Key) -> bool {
        self.running.forget(test) || self.overflown
    }

    pub(super) fn holds(&self, test: Key) -> bool {
        self.running.holds(test)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.running.clear();
        self.overflown = false;
    }
}
