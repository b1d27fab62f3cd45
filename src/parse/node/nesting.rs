//! Which tests of the spec reporter's body stand below which: `▶ parent`, its tests, `✖ parent`.

/// So many headings may be open; a real one is as deep as its test is nested.
const MAX: usize = 64;

/// A parent whose own line has not come yet.
#[derive(Debug)]
struct Heading {
    depth: usize,
    name: String,
    /// How many failures were known when it began.
    from: usize,
}

/// The parents that are open. A heading alone proves nothing, since a test may print one: only the
/// line of the same name and depth that closes it does.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    open: Vec<Heading>,
}

/// A parent that has ended, and the failures since it began, which are its own where they stand
/// deeper than `depth`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Closed {
    pub depth: usize,
    pub name: String,
    pub from: usize,
}

impl Nesting {
    /// `▶ name`, after `known` failures.
    pub(super) fn open(&mut self, depth: usize, name: String, known: usize) {
        if self.open.len() == MAX {
            // Headings that nothing closed: the oldest is the least likely to be.
            self.open.remove(0);
        }
        self.open.push(Heading {
            depth,
            name,
            from: known,
        });
    }

    /// The line of a test: the parent that it closes, if it is one.
    pub(super) fn close(&mut self, depth: usize, name: &str) -> Option<Closed> {
        let at = self
            .open
            .iter()
            .rposition(|held| held.depth == depth && held.name == name)?;
        let heading = self.open.drain(at..).next()?;
        Some(Closed {
            depth,
            name: heading.name,
            from: heading.from,
        })
    }

    /// The output ended: the parents that were open, the innermost first, where they stand in each
    /// other as parents do.
    pub(super) fn cut(&mut self) -> Vec<Closed> {
        let open = std::mem::take(&mut self.open);
        if !open
            .iter()
            .map(|held| held.depth)
            .is_sorted_by(|a, b| a < b)
        {
            return Vec::new();
        }
        let closed = open.into_iter().rev().map(|held| Closed {
            depth: held.depth,
            name: held.name,
            from: held.from,
        });
        closed.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Closed, MAX, Nesting};

    fn closed(depth: usize, name: &str, from: usize) -> Closed {
        Closed {
            depth,
            name: name.to_owned(),
            from,
        }
    }

    #[test]
    fn only_the_line_of_a_parent_closes_it() {
        let mut nesting = Nesting::default();
        nesting.open(0, "a".to_owned(), 0);
        nesting.open(2, "deep".to_owned(), 1);
        nesting.open(0, "printed by a test".to_owned(), 1);
        assert_eq!(nesting.close(0, "works"), None);
        assert_eq!(nesting.close(2, "deep"), Some(closed(2, "deep", 1)));
        assert_eq!(nesting.close(0, "a"), Some(closed(0, "a", 0)));
        assert_eq!(nesting.close(0, "a"), None, "once");
    }

    #[test]
    fn a_cut_closes_what_stands_in_order() {
        let mut nesting = Nesting::default();
        nesting.open(0, "a".to_owned(), 0);
        nesting.open(2, "b".to_owned(), 3);
        assert_eq!(nesting.cut(), [closed(2, "b", 3), closed(0, "a", 0)]);
        nesting.open(0, "a".to_owned(), 0);
        nesting.open(0, "printed".to_owned(), 0);
        assert_eq!(nesting.cut(), []);
        for n in 0..1000 {
            nesting.open(n, "x".to_owned(), 0);
        }
        assert_eq!(nesting.cut().len(), MAX);
    }
}
