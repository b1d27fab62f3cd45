//! All that is wrong with one manifest, collected while it is read and told in file order.

use std::collections::BinaryHeap;
use std::ops::Range;

use crate::model::Diagnostic;
use crate::text::{Lines, plural};

/// After so many a person has seen enough, and memory is bounded. They are the first of the file,
/// whatever order they are met in.
const SHOWN: usize = 1000;

/// The collector. Every function that reads a part of a manifest puts here what it refuses.
pub(super) struct Problems<'a> {
    /// To name other places of the file in a message.
    pub lines: &'a Lines<'a>,
    /// At most [`SHOWN`], the last of the file on top.
    first: BinaryHeap<Problem>,
    /// How many there are in all.
    count: usize,
}

/// In file order, and in the order they are met where they begin at one place.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Problem {
    start: u32,
    nth: usize,
    end: u32,
    message: String,
    hint: Option<String>,
}

impl<'a> Problems<'a> {
    pub fn new(lines: &'a Lines<'a>) -> Self {
        Self {
            lines,
            first: BinaryHeap::new(),
            count: 0,
        }
    }

    /// Something is wrong, and what to do is plain from it.
    pub fn say(&mut self, span: &Range<u32>, message: impl Into<String>) {
        if !self.is_beyond(span) {
            self.add(span, message.into(), None);
        }
    }

    /// Something is wrong, and this is to be done.
    pub fn advise(
        &mut self,
        span: &Range<u32>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        if !self.is_beyond(span) {
            self.add(span, message.into(), Some(hint.into()));
        }
    }

    /// Whether a problem at `span` stands behind all that will be shown; if so it is counted, and
    /// there is nothing more to say of it. For whoever would have to think about what to say.
    pub fn is_beyond(&mut self, span: &Range<u32>) -> bool {
        let full = self.first.len() == SHOWN;
        let beyond = full
            && self
                .first
                .peek()
                .is_some_and(|last| last.start <= span.start);
        self.count += usize::from(beyond);
        beyond
    }

    fn add(&mut self, span: &Range<u32>, message: String, hint: Option<String>) {
        if self.first.len() == SHOWN {
            self.first.pop();
        }
        self.first.push(Problem {
            start: span.start,
            nth: self.count,
            end: span.end,
            message,
            hint,
        });
        self.count += 1;
    }

    /// `line 3, column 5`.
    pub fn place(&self, offset: u32) -> String {
        let (line, column) = self.lines.locate(offset);
        format!("line {line}, column {column}")
    }

    /// Whether something is wrong at just this place.
    pub fn has_at(&self, span: &Range<u32>) -> bool {
        let at = |problem: &Problem| (problem.start, problem.end) == (span.start, span.end);
        self.first.iter().any(at)
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// In file order, as problems of the file that people know as `shown`.
    pub fn into_diagnostics(self, shown: &str) -> Vec<Diagnostic> {
        let more = self.count - self.first.len();
        let lines = self.lines;
        let mut diagnostics: Vec<Diagnostic> = self
            .first
            .into_sorted_vec()
            .into_iter()
            .map(|problem| {
                let place = lines.locate(problem.start);
                let excerpt = lines.excerpt(&(problem.start..problem.end));
                Diagnostic::of_file(shown, problem.message, problem.hint).at(place, excerpt)
            })
            .collect();
        if more > 0 {
            let message = format!("and {}", plural(more as u64, "more problem"));
            diagnostics.push(Diagnostic {
                more: more as u64 - 1,
                ..Diagnostic::of_file(shown, message, None)
            });
        }
        diagnostics
    }
}

#[cfg(test)]
mod tests {
    use super::Problems;
    use crate::text::Lines;

    #[test]
    fn problems_are_told_in_file_order_and_their_number_is_bounded() {
        let text = "a\n".repeat(1200);
        let lines = Lines::new(&text);
        let mut problems = Problems::new(&lines);
        for line in (0..1200).rev() {
            problems.say(&(line * 2..line * 2 + 1), "wrong");
        }
        let told = problems.into_diagnostics("harness.json");
        assert_eq!(told.len(), 1001);
        assert_eq!((told[0].line, told[0].column), (Some(1), Some(1)));
        assert_eq!(told[0].excerpt, Some(Box::new(("a".to_owned(), 0..1))));
        assert_eq!(told[999].line, Some(1000));
        assert_eq!(
            (told[1000].line, told[1000].message.as_str()),
            (None, "and 200 more problems")
        );
        assert_eq!(told[1000].more, 199, "the count is of all");
    }

    #[test]
    fn what_stands_behind_all_that_is_shown_is_counted_once() {
        let text = "a".repeat(2000);
        let lines = Lines::new(&text);
        let mut problems = Problems::new(&lines);
        assert!(!problems.is_beyond(&(1999..2000)), "nothing is shown yet");
        for column in 1000..2000 {
            problems.say(&(column..column + 1), "late");
        }
        assert!(problems.is_beyond(&(1999..2000)));
        problems.say(&(1999..2000), "as late");
        assert!(!problems.is_beyond(&(3..4)));
        problems.advise(&(3..4), "first", "met last");
        let told = problems.into_diagnostics("harness.json");
        assert_eq!(
            (told[0].column, told[0].message.as_str()),
            (Some(4), "first")
        );
        assert_eq!(told[999].column, Some(1999));
        assert_eq!(told[1000].message, "and 3 more problems");
    }
}
