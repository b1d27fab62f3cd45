//! The failing tests of the spec reporter's body, and the parents that they stand below.

use super::entry::Entry;
use super::nesting::{Closed, Nesting};

/// How many are kept for the summary that may come.
const MAX: usize = 10_000;

/// Failures of the body: told again by the summary, if that comes.
#[derive(Debug, Default)]
pub(super) struct Failures {
    entries: Vec<Entry>,
    nesting: Nesting,
}

impl Failures {
    pub(super) fn push(&mut self, entry: Entry) {
        if self.entries.len() < MAX {
            self.entries.push(entry);
        }
    }

    /// Whether the failure read last stands below a test at `depth` whose line comes now: a
    /// suite's own line comes after the lines of its tests.
    pub(super) fn are_below(&self, depth: usize) -> bool {
        self.entries.last().is_some_and(|entry| entry.depth > depth)
    }

    /// `▶ name`.
    pub(super) fn open_parent(&mut self, depth: usize, name: String) {
        self.nesting.open(depth, name, self.entries.len());
    }

    /// The failures below a parent whose own line was read are its own.
    pub(super) fn close_parent(&mut self, depth: usize, name: &str) {
        if let Some(closed) = self.nesting.close(depth, name) {
            self.adopt(&closed);
        }
    }

    fn adopt(&mut self, parent: &Closed) {
        for entry in self.entries.iter_mut().skip(parent.from) {
            if entry.outermost > parent.depth {
                entry.outermost = parent.depth;
                entry.parents.push(parent.name.clone());
            }
        }
    }

    /// The body has ended, and what stood open is as it was: takes its failures.
    pub(super) fn take(&mut self) -> Vec<Entry> {
        for parent in self.nesting.cut() {
            self.adopt(&parent);
        }
        std::mem::take(&mut self.entries)
    }
}
