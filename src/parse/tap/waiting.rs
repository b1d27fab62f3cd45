//! Rows that wait for the test line that their own stands under: it has their parent's name, and
//! decides whether they are failures at all.

use crate::model::Failure;

use super::super::location::Place;
use super::super::node::{put_file, put_parent};
use super::super::parser::Out;

/// A row whose name may still be without its outer parents.
#[derive(Debug)]
pub(super) struct Waits {
    /// How deep the outermost test stands that its name has.
    level: usize,
    row: Failure,
    /// Where the test is declared, if that was said.
    declared: Option<Place>,
}

impl Waits {
    pub(super) fn new(level: usize, row: Failure, declared: Option<Place>) -> Self {
        Self {
            level,
            row,
            declared,
        }
    }

    /// The row. The parents that never came are named as the comments before them did.
    pub(super) fn whole(mut self, headings: &Headings, out: &Out<'_>) -> Failure {
        for level in (0..self.level).rev() {
            if let Some(name) = headings.at(level) {
                put_parent(&mut self.row, name, out);
            }
        }
        if let Some(declared) = &self.declared {
            put_file(&mut self.row, declared, out);
        }
        self.row
    }
}

/// What waits, the outer ones first.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    rows: Vec<Waits>,
}

impl Waiting {
    pub(super) fn push(&mut self, row: Waits) {
        self.rows.push(row);
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn take(&mut self) -> Vec<Waits> {
        std::mem::take(&mut self.rows)
    }

    /// A test at `level` failed: what stands below it is its own.
    pub(super) fn belongs_to(&mut self, level: usize, name: Option<&str>, out: &Out<'_>) {
        for below in self.rows.iter_mut().rev().take_while(|r| r.level > level) {
            below.level = level;
            if let Some(name) = name {
                put_parent(&mut below.row, name, out);
            }
        }
    }

    /// A test at `level` is good, or was expected to fail: so is what stands below it.
    pub(super) fn forget_below(&mut self, level: usize) {
        while self.rows.last().is_some_and(|row| row.level > level) {
            self.rows.pop();
        }
    }
}

/// The comments that announce tests, `# Subtest: a`, and tape's headings.
#[derive(Debug, Default)]
pub(super) struct Headings {
    by_level: Vec<Option<String>>,
}

impl Headings {
    /// The one at `level` ends those below it.
    pub(super) fn put(&mut self, level: usize, name: String) {
        self.by_level.truncate(level);
        self.by_level.resize(level, None);
        self.by_level.push(Some(name));
    }

    pub(super) fn at(&self, level: usize) -> Option<&str> {
        self.by_level.get(level)?.as_deref()
    }

    /// A test at `level` ended: what was announced there and below has come.
    pub(super) fn end(&mut self, level: usize) {
        self.by_level.truncate(level);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::super::parser::Out;
    use super::super::super::paths::Paths;
    use super::{Failure, Headings, Waiting, Waits};

    fn row(level: usize, name: &str) -> Waits {
        let mut row = Failure::new("tap", "m");
        row.test = Some(name.to_owned());
        Waits::new(level, row, None)
    }

    fn names(waiting: &mut Waiting, headings: &Headings, out: &Out<'_>) -> Vec<String> {
        let rows = waiting.take().into_iter();
        rows.map(|waits| waits.whole(headings, out).test.unwrap())
            .collect()
    }

    #[test]
    fn a_row_gets_each_parent_once_and_survives_its_parents_good_siblings() {
        let paths = Paths::new(Path::new("/srv/app"), ".");
        let out = Out {
            paths: &paths,
            rows: &mut |_| {},
        };
        let mut waiting = Waiting::default();
        waiting.push(row(2, "x"));
        waiting.belongs_to(1, Some("a"), &out);
        waiting.forget_below(1);
        waiting.push(row(3, "dropped"));
        waiting.forget_below(2);
        waiting.push(row(2, "y"));
        waiting.belongs_to(1, None, &out);
        waiting.belongs_to(0, Some("top"), &out);
        let headings = Headings::default();
        assert_eq!(
            names(&mut waiting, &headings, &out),
            ["top > a > x", "top > y"]
        );
    }

    #[test]
    fn where_a_parent_never_comes_the_comments_name_it() {
        let paths = Paths::new(Path::new("/srv/app"), ".");
        let out = Out {
            paths: &paths,
            rows: &mut |_| {},
        };
        let mut headings = Headings::default();
        headings.put(0, "old".to_owned());
        headings.put(1, "older".to_owned());
        headings.put(0, "top".to_owned());
        headings.put(2, "deep".to_owned());
        let mut waiting = Waiting::default();
        waiting.push(row(3, "x"));
        waiting.push(row(1, "y"));
        assert_eq!(
            names(&mut waiting, &headings, &out),
            ["top > deep > x", "top > y"]
        );
        headings.end(0);
        assert_eq!(headings.at(0), None);
    }
}
