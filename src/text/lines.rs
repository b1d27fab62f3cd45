//! From a byte of a text to the line and column that a person counts.

use std::cell::Cell;
use std::ops::Range;

/// Of longer lines a part is shown.
const WIDTH: usize = 200;

/// A text with its line starts found once.
#[derive(Debug)]
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    /// The byte located last and how many characters of its line stand before it: problems are
    /// mostly asked for in order, and one line may be the whole file.
    last: Cell<(usize, usize)>,
}

impl<'t> Lines<'t> {
    /// Finds the lines of `text`; `\n` ends one, with or without `\r` before it.
    pub fn new(text: &'t str) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| i + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Self {
            text,
            starts,
            last: Cell::new((0, 0)),
        }
    }

    /// The line of a byte, from 1.
    pub fn line(&self, offset: usize) -> u32 {
        number(self.line_of(offset).0 + 1)
    }

    /// Line and column of a byte, both from 1; the column counts characters, a byte order mark at
    /// the start of the text not among them. A byte beyond the end is the end.
    pub fn locate(&self, offset: usize) -> (u32, u32) {
        let (index, start) = self.line_of(offset);
        let offset = self.text.floor_char_boundary(offset);
        let (known, counted) = self.last.get();
        let (from, counted) = if (start..=offset).contains(&known) {
            (known, counted)
        } else {
            (start, 0)
        };
        let before = counted + self.text[from..offset].chars().count();
        self.last.set((offset, before));
        let mark = usize::from(index == 0 && self.text.starts_with('\u{feff}') && before > 0);
        (number(index + 1), number(before - mark + 1))
    }

    /// The line that `span` begins in, each tab as one space so that columns stay characters, and
    /// which of its characters `span` takes, at least one. Of a long line what stands around the
    /// start of `span` is given. `None` where the line is blank.
    pub fn excerpt(&self, span: &Range<usize>) -> Option<(String, Range<usize>)> {
        let (index, start) = self.line_of(span.start);
        let end = self
            .starts
            .get(index + 1)
            .map_or(self.text.len(), |next| next - 1);
        let line = self.text[start..end].trim_end_matches('\r');
        let end = start + line.len();
        let start = end - line.trim_start_matches('\u{feff}').len();
        if line.trim_start_matches('\u{feff}').trim().is_empty() {
            return None;
        }
        let from = self.text.floor_char_boundary(span.start).clamp(start, end);
        let last = self.text.floor_char_boundary(span.end).clamp(from, end);
        // Counted from the mark and no further than is shown: one line may be the whole file.
        let before = &self.text[start..from];
        let is_far = before.chars().nth_back(WIDTH * 3 / 4).is_some();
        let near = before.char_indices().nth_back(WIDTH / 2);
        let first = near.filter(|_| is_far).map_or(start, |(at, _)| start + at);
        let mut shown = String::new();
        if first > start {
            shown.push('…');
        }
        let marked_at = shown.chars().count() + self.text[first..from].chars().count();
        let plain = |c| if c == '\t' { ' ' } else { c };
        let mut rest = self.text[first..end].chars();
        shown.extend(rest.by_ref().take(WIDTH).map(plain));
        if rest.next().is_some() {
            shown.push('…');
        }
        let marked = self.text[from..last]
            .chars()
            .take(WIDTH)
            .collect::<String>();
        let room = (shown.chars().count() - marked_at).max(1);
        let marked = marked.trim_end().chars().count().clamp(1, room);
        Some((shown, marked_at..marked_at + marked))
    }

    fn line_of(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.text.len());
        let index = self
            .starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1);
        (index, self.starts.get(index).copied().unwrap_or(0))
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn columns_are_characters_and_lines_end_at_either_line_end() {
        let lines = Lines::new("\u{feff}né\r\n\tçx\n");
        assert_eq!(lines.locate(3), (1, 1));
        assert_eq!(lines.locate(6), (1, 3));
        assert_eq!(lines.locate(8), (2, 1));
        assert_eq!(lines.locate(11), (2, 3));
        assert_eq!(
            lines.locate(10),
            (2, 2),
            "the middle of a character is the character"
        );
        assert_eq!(lines.locate(999), (3, 1));
    }

    #[test]
    fn an_excerpt_marks_no_more_than_its_first_line() {
        let lines = Lines::new("a: {\n\tb\n}\n\n");
        assert_eq!(lines.excerpt(&(3..9)), Some(("a: {".to_owned(), 3..4)));
        assert_eq!(lines.excerpt(&(6..7)), Some((" b".to_owned(), 1..2)));
        assert_eq!(lines.excerpt(&(4..4)), Some(("a: {".to_owned(), 4..5)));
        assert_eq!(lines.excerpt(&(10..11)), None, "a blank line shows nothing");
    }

    #[test]
    fn of_a_long_line_what_is_marked_is_shown() {
        let text = format!("{}HERE{}", "x".repeat(500), "y".repeat(500));
        let lines = Lines::new(&text);
        let (shown, marked) = lines.excerpt(&(500..504)).unwrap();
        let part: String = shown
            .chars()
            .skip(marked.start)
            .take(marked.len())
            .collect();
        assert_eq!(part, "HERE");
        assert!(shown.starts_with("…x") && shown.ends_with("y…"), "{shown}");
        assert_eq!(shown.chars().count(), 202);
        let (shown, marked) = lines.excerpt(&(2..900)).unwrap();
        assert_eq!((shown.chars().count(), marked), (201, 2..201));
        let (shown, marked) = lines.excerpt(&(1004..1004)).unwrap();
        assert_eq!(marked, shown.chars().count()..shown.chars().count() + 1);
    }
}
