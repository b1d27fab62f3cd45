//! How many tests each level of nesting has seen.

/// Deeper than this, all levels are one.
pub(super) const MAX_LEVEL: usize = 64;

/// How deep what begins at `indent` stands.
pub(super) fn level_of(indent: usize) -> usize {
    (indent / 4).min(MAX_LEVEL)
}

/// What one level has seen since its parent's last line.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Level {
    pub tests: u64,
    pub failed: u64,
}

/// The levels of a document, the outermost first.
#[derive(Debug, Default)]
pub(super) struct Levels {
    seen: Vec<Level>,
}

impl Levels {
    /// Counts a test at `level`, and says which one it is there, from 1.
    pub(super) fn count(&mut self, level: usize, failed: bool) -> u64 {
        if self.seen.len() <= level {
            self.seen.resize(level + 1, Level::default());
        }
        let here = &mut self.seen[level];
        here.tests += 1;
        here.failed += u64::from(failed);
        here.tests
    }

    pub(super) fn outermost(&self) -> Level {
        self.seen.first().copied().unwrap_or_default()
    }

    /// Takes what was seen below `level`, whose test ends with this.
    pub(super) fn take_below(&mut self, level: usize) -> Level {
        let below = self.seen.get(level + 1).copied().unwrap_or_default();
        self.seen.truncate(level + 1);
        below
    }

    /// No test was nested, or none that its parent has not ended.
    pub(super) fn is_flat(&self) -> bool {
        self.seen.len() <= 1
    }

    pub(super) fn clear(&mut self) {
        self.seen.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{Levels, MAX_LEVEL, level_of};

    #[test]
    fn a_parents_line_takes_what_stands_below_it() {
        let mut levels = Levels::default();
        assert_eq!(levels.count(1, true), 1);
        assert_eq!(levels.count(1, false), 2);
        assert!(!levels.is_flat());
        let below = levels.take_below(0);
        assert_eq!((below.tests, below.failed), (2, 1));
        assert_eq!(levels.take_below(0).tests, 0, "once");
        assert_eq!(levels.count(0, true), 1);
        assert_eq!(levels.outermost().failed, 1);
        assert!(levels.is_flat());
    }

    #[test]
    fn four_spaces_are_a_level_up_to_a_bound() {
        assert_eq!([0, 3, 4, 11].map(level_of), [0, 0, 1, 2]);
        assert_eq!(level_of(usize::MAX), MAX_LEVEL);
    }
}
