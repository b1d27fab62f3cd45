//! All that is wrong with one manifest, collected while it is read and told in file order.

use std::ops::Range;

use crate::model::Diagnostic;
use crate::text::{Lines, plural};

/// After so many a person has seen enough, and memory is bounded.
const SHOWN: usize = 1000;

/// The collector. Every function that reads a part of a manifest puts here what it refuses.
pub(super) struct Problems<'a> {
    /// To name other places of the file in a message.
    pub lines: &'a Lines<'a>,
    list: Vec<Problem>,
}

struct Problem {
    span: Range<usize>,
    message: String,
    hint: Option<String>,
}

impl<'a> Problems<'a> {
    pub fn new(lines: &'a Lines<'a>) -> Self {
        Self {
            lines,
            list: Vec::new(),
        }
    }

    /// Something is wrong, and what to do is plain from it.
    pub fn say(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.list.push(Problem {
            span: span.clone(),
            message: message.into(),
            hint: None,
        });
    }

    /// Something is wrong, and this is to be done.
    pub fn advise(
        &mut self,
        span: &Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let (message, hint) = (message.into(), Some(hint.into()));
        self.list.push(Problem {
            span: span.clone(),
            message,
            hint,
        });
    }

    /// `line 3, column 5`.
    pub fn place(&self, offset: usize) -> String {
        let (line, column) = self.lines.locate(offset);
        format!("line {line}, column {column}")
    }

    /// Whether something is wrong at just this place.
    pub fn has_at(&self, span: &Range<usize>) -> bool {
        self.list.iter().any(|problem| problem.span == *span)
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// In file order, as problems of the file that people know as `shown`.
    pub fn into_diagnostics(mut self, shown: &str) -> Vec<Diagnostic> {
        self.list.sort_by_key(|problem| problem.span.start);
        let more = self.list.len().saturating_sub(SHOWN);
        let lines = self.lines;
        let mut diagnostics: Vec<Diagnostic> = self
            .list
            .into_iter()
            .take(SHOWN)
            .map(|problem| {
                let (line, column) = lines.locate(problem.span.start);
                Diagnostic {
                    path: shown.to_owned(),
                    line: Some(line),
                    column: Some(column),
                    message: problem.message,
                    hint: problem.hint,
                    excerpt: lines.excerpt(&problem.span).map(Box::new),
                    more: 0,
                }
            })
            .collect();
        if more > 0 {
            let message = format!("and {}", plural(more as u64, "more problem"));
            diagnostics.push(Diagnostic {
                more: more as u64 - 1,
                ..of_file(shown, message, None)
            });
        }
        diagnostics
    }
}

/// A problem of a file as a whole.
pub(super) fn of_file(shown: &str, message: String, hint: Option<&str>) -> Diagnostic {
    Diagnostic {
        path: shown.to_owned(),
        line: None,
        column: None,
        message,
        hint: hint.map(str::to_owned),
        excerpt: None,
        more: 0,
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
}
