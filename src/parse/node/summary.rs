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
    by_line: HashMap<String, VecDeque<Told>>,
}

impl Body {
    pub(super) fn add(&mut self, line: String, told: Told) {
        self.by_line.entry(line).or_default().push_back(told);
    }

    /// The parents of the failure whose line is `line`; none where that cannot be said.
    pub(super) fn parents(&mut self, line: &str, timed: bool) -> Vec<String> {
        let Some(same) = self.by_line.get_mut(line) else {
            return Vec::new();
        };
        let first = same.front().map(|told| &told.parents);
        let one = same.iter().all(|told| Some(&told.parents) == first);
        // Both lists have the same order. Without a time, a parent that is left out of the second
        // one might be any of them.
        let sure = one || timed || !same.iter().any(|told| told.child_failed);
        let told = same.pop_front();
        told.filter(|_| sure)
            .map_or_else(Vec::new, |told| told.parents)
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
}
