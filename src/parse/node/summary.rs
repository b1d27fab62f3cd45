//! The body's failures, for the closing list that tells them again by their own name alone.

use std::collections::{HashMap, VecDeque};

/// What the body said of one failing test.
#[derive(Debug)]
pub(super) struct Told {
    /// The names of its parents, the innermost first.
    pub parents: Vec<String>,
    /// A parent that failed through its tests alone is not told again.
    pub child_failed: bool,
}

/// The body's failures by their line: name and time, which is the same in both.
#[derive(Debug, Default)]
pub(super) struct Body {
    by_line: HashMap<String, Same>,
}

/// Failures whose lines are the same, in their order.
#[derive(Debug, Default)]
struct Same {
    told: VecDeque<Told>,
    /// How many have other parents than the one before them.
    changes: usize,
    /// How many failed through their tests.
    relaying: usize,
}

impl Same {
    fn push(&mut self, told: Told) {
        let last = self.told.back();
        self.changes += usize::from(last.is_some_and(|last| last.parents != told.parents));
        self.relaying += usize::from(told.child_failed);
        self.told.push_back(told);
    }

    fn pop(&mut self) -> Option<Told> {
        let told = self.told.pop_front()?;
        let next = self.told.front();
        self.changes -= usize::from(next.is_some_and(|next| next.parents != told.parents));
        self.relaying -= usize::from(told.child_failed);
        Some(told)
    }
}

impl Body {
    pub(super) fn add(&mut self, line: String, told: Told) {
        self.by_line.entry(line).or_default().push(told);
    }

    /// The parents of the failure whose line is `line`; none where that cannot be said.
    pub(super) fn parents(&mut self, line: &str, timed: bool) -> Vec<String> {
        let Some(same) = self.by_line.get_mut(line) else {
            return Vec::new();
        };
        // Both lists have the same order. Without a time, a parent that is left out of the second
        // one might be any of them.
        let sure = same.changes == 0 || timed || same.relaying == 0;
        let told = same.pop().filter(|_| sure);
        told.map_or_else(Vec::new, |told| told.parents)
    }
}

#[cfg(test)]
mod tests {
    use super::{Body, Told};

    fn body(told: &[(&str, &str, bool)]) -> Body {
        let mut body = Body::default();
        for (line, parent, child_failed) in told {
            body.add(
                (*line).to_owned(),
                Told {
                    parents: vec![(*parent).to_owned()],
                    child_failed: *child_failed,
                },
            );
        }
        body
    }

    #[test]
    fn equal_names_are_joined_by_time_and_order() {
        let mut held = body(&[
            ("works (1.1ms)", "a", false),
            ("works (1.2ms)", "b", false),
            ("waits", "a", false),
            ("waits", "b", false),
        ]);
        assert_eq!(held.parents("works (1.2ms)", true), ["b"]);
        assert_eq!(held.parents("works (1.1ms)", true), ["a"]);
        assert_eq!(held.parents("waits", false), ["a"]);
        assert_eq!(held.parents("waits", false), ["b"]);
        assert!(held.parents("waits", false).is_empty(), "no third one");
        assert!(held.parents("works (1.3ms)", true).is_empty());
    }

    #[test]
    fn what_cannot_be_told_apart_keeps_its_own_name() {
        let mut held = body(&[("waits", "a", true), ("waits", "b", false)]);
        assert!(held.parents("waits", false).is_empty());
        let mut held = body(&[("waits", "a", true), ("waits", "a", false)]);
        assert_eq!(held.parents("waits", false), ["a"]);
    }

    #[test]
    fn failures_with_one_line_are_joined_however_many_they_are() {
        // Comparing all that are left for each of them would take hours.
        let many = 1 << 18;
        let told: Vec<_> = (0..many)
            .map(|n| ("same", if n < 9 { "a" } else { "b" }, true))
            .collect();
        let mut held = body(&told);
        for n in 0..many {
            let parents = held.parents("same", false);
            // What is left has one parent from here on.
            assert_eq!(parents.len(), usize::from(n >= 9), "{n}");
        }
    }
}
