//! One failure as a line that editors, terminals and people can follow:
//! `path:line:col: test: message (rule)`.

use crate::model::JudgedFailure;
use crate::text::{Printable, thousands};

/// The row, one line, printable; further lines of the message are in [`further_lines`].
pub(super) fn failure_row(row: &JudgedFailure) -> String {
    let mut parts = Vec::new();
    if let Some(path) = &row.path {
        let mut place = Printable::new(path).to_string();
        let numbers = [row.line, row.line.and(row.column)];
        for number in numbers.into_iter().flatten() {
            place.push(':');
            place.push_str(&number.to_string());
        }
        parts.push(place);
    }
    if let Some(test) = &row.test {
        parts.push(Printable::new(test).to_string());
    }
    let first = message(row).lines().next().unwrap_or_default();
    let mut last = Vec::new();
    // A tool that lists files and says no more has said it already.
    if row.line.is_some() || row.path.as_deref() != Some(first) {
        last.push(Printable::new(first).to_string());
    }
    if let Some(rule) = &row.rule {
        last.push(format!("({})", Printable::new(rule)));
    }
    if row.count > 1 {
        last.push(format!("({} times)", thousands(row.count)));
    }
    if !row.also.is_empty() {
        let ids = row.also.join(", ");
        last.push(format!("(also: {})", Printable::new(&ids)));
    }
    if !last.is_empty() {
        parts.push(last.join(" "));
    }
    parts.join(": ")
}

/// The message's lines after the first, printable.
pub(super) fn further_lines(row: &JudgedFailure) -> impl Iterator<Item = String> {
    let lines = message(row)
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty());
    lines.map(|line| Printable::new(line).to_string())
}

fn message(row: &JudgedFailure) -> &str {
    row.message.trim_matches(['\r', '\n'])
}

/// The characters before the row's column in its source `line`. Go's tools count bytes, the
/// others characters; a column that points nowhere in the line marks nothing.
pub(super) fn characters_before(row: &JudgedFailure, line: &str) -> Option<usize> {
    let before = usize::try_from(row.column?).ok()?.checked_sub(1)?;
    if row.tool.starts_with("go") {
        return line.get(..before).map(|text| text.chars().count());
    }
    (before <= line.chars().count()).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::{characters_before, failure_row, further_lines};
    use crate::report::sample::failure;

    #[test]
    fn a_row_has_what_is_known_and_nothing_else() {
        let mut row = failure("boom\n\nmore\n \n");
        assert_eq!(failure_row(&row), "boom");
        assert_eq!(further_lines(&row).collect::<Vec<_>>(), ["more"]);
        row.test = Some("TestX/a b".to_owned());
        assert_eq!(failure_row(&row), "TestX/a b: boom");
        row.path = Some("a.go".to_owned());
        row.column = Some(3);
        assert_eq!(failure_row(&row), "a.go: TestX/a b: boom");
        row.line = Some(7);
        row.rule = Some("errcheck".to_owned());
        row.count = 2;
        row.also = vec!["vet".to_owned()];
        assert_eq!(
            failure_row(&row),
            "a.go:7:3: TestX/a b: boom (errcheck) (2 times) (also: vet)"
        );
    }

    #[test]
    fn a_file_that_is_only_named_is_named_once() {
        let mut row = failure("a.go");
        row.path = Some("a.go".to_owned());
        assert_eq!(failure_row(&row), "a.go");
        row.count = 2;
        assert_eq!(failure_row(&row), "a.go: (2 times)");
        row.line = Some(3);
        row.count = 1;
        assert_eq!(failure_row(&row), "a.go:3: a.go");
        row.message = "b.go".to_owned();
        row.line = None;
        assert_eq!(failure_row(&row), "a.go: b.go");
    }

    #[test]
    fn columns_are_counted_as_the_tool_counts_them() {
        let mut row = failure("x");
        row.column = Some(4);
        assert_eq!(characters_before(&row, "é = 1"), Some(3));
        row.tool = "go-vet".to_owned();
        assert_eq!(characters_before(&row, "é = 1"), Some(2));
        row.column = Some(2);
        assert_eq!(characters_before(&row, "é = 1"), None);
        row.column = Some(99);
        assert_eq!(characters_before(&row, "é = 1"), None);
    }
}
