//! From a byte of a text to the line and column that a person counts.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

/// Of longer lines a part is shown.
const WIDTH: usize = 200;

/// So many bytes hold more than that.
const LOOKED_AT: usize = 4 * (WIDTH + 1);

/// So many bytes lie between two places whose line and column are known: nothing is ever counted
/// from further off, be the text one line or nothing but lines.
const STEP: usize = 1024;

/// A text with its lines and columns counted once.
#[derive(Debug)]
pub struct Lines<'t> {
    text: &'t str,
    /// Every [`STEP`] bytes, from the start.
    marks: Vec<Mark>,
}

/// A byte of a text.
#[derive(Debug, Clone, Copy)]
struct Mark {
    /// How many lines end before it.
    line: u32,
    /// Where its line begins.
    start: u32,
    /// How many characters of its line begin before it.
    column: u32,
}

impl Mark {
    /// The place behind `bytes`, which end at the offset `end`.
    fn after(self, bytes: &[u8], end: usize) -> Self {
        match memrchr(b'\n', bytes) {
            None => Self {
                column: self.column + characters(bytes),
                ..self
            },
            Some(last) => {
                let rest = &bytes[last + 1..];
                Self {
                    line: self.line + number(memchr_iter(b'\n', bytes).count()),
                    start: number(end - rest.len()),
                    column: characters(rest),
                }
            }
        }
    }
}

impl<'t> Lines<'t> {
    /// Finds the lines of `text`; `\n` ends one, with or without `\r` before it.
    pub fn new(text: &'t str) -> Self {
        let mut mark = Mark {
            line: 0,
            start: 0,
            column: 0,
        };
        let mut marks = Vec::with_capacity(text.len() / STEP + 1);
        marks.push(mark);
        for (i, bytes) in text.as_bytes().chunks_exact(STEP).enumerate() {
            mark = mark.after(bytes, (i + 1) * STEP);
            marks.push(mark);
        }
        Self { text, marks }
    }

    /// The line of a byte, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.mark(offset as usize).line + 1
    }

    /// Line and column of a byte, both from 1; the column counts characters, a byte order mark at
    /// the start of the text not among them. A byte beyond the end is the end.
    pub fn locate(&self, offset: u32) -> (u32, u32) {
        let mark = self.mark(offset as usize);
        let hidden = mark.line == 0 && mark.column > 0 && self.text.starts_with('\u{feff}');
        (mark.line + 1, mark.column - u32::from(hidden) + 1)
    }

    /// The line that `span` begins in, each tab as one space so that columns stay characters, and
    /// which of its characters `span` takes, at least one. Of a long line what stands around the
    /// start of `span` is given. `None` where the line is blank.
    pub fn excerpt(&self, span: &Range<u32>) -> Option<(String, Range<usize>)> {
        let from = self.text.floor_char_boundary(span.start as usize);
        let Range { start, end } = self.around(from);
        if self.text[start..end].trim().is_empty() {
            return None;
        }
        let from = from.clamp(start, end);
        let last = self.text.floor_char_boundary(span.end as usize);
        let last = last.clamp(from, end);
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

    /// As much of the line of the character at `at` as can be shown with it, without what ends it.
    fn around(&self, at: usize) -> Range<usize> {
        let line = self.mark(at).start as usize;
        let start = line.max(self.text.floor_char_boundary(at.saturating_sub(LOOKED_AT)));
        let rest = &self.text[at..self.text.floor_char_boundary(at + LOOKED_AT)];
        let end = at + memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let part = self.text[start..end].trim_end_matches('\r');
        let end = start + part.len();
        end - part.trim_start_matches('\u{feff}').len()..end
    }

    /// The start of the character that a byte belongs to.
    fn mark(&self, offset: usize) -> Mark {
        let offset = self.text.floor_char_boundary(offset);
        let index = offset / STEP;
        self.marks[index].after(&self.text.as_bytes()[index * STEP..offset], offset)
    }
}

/// How many characters begin in `bytes`.
fn characters(bytes: &[u8]) -> u32 {
    number(bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count())
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
    fn lines_and_columns_are_the_same_however_long_the_text() {
        let short = "né\n\n𝄞𝄞\tend of a line\r\n";
        let text = [
            "\u{feff}",
            &"é".repeat(1500),
            &short.repeat(200),
            &"x𝄞".repeat(900),
        ]
        .concat();
        let lines = Lines::new(&text);
        let (mut line, mut column) = (1, 0);
        for (offset, c) in text.char_indices() {
            column += u32::from(c != '\u{feff}');
            let at = u32::try_from(offset).unwrap();
            for inside in 0..c.len_utf8() {
                let inside = at + u32::try_from(inside).unwrap();
                assert_eq!(lines.locate(inside), (line, column.max(1)), "{inside}");
            }
            assert_eq!(lines.line(at), line);
            if c == '\n' {
                (line, column) = (line + 1, 0);
            }
        }
        assert_eq!(lines.locate(u32::MAX), (line, column + 1));
    }

    #[test]
    fn a_line_without_end_is_looked_at_no_further_than_it_is_shown() {
        let clefs = 1 << 18;
        let text = ["\u{feff}", &"𝄞".repeat(clefs)].concat();
        let lines = Lines::new(&text);
        let excerpt = |clef: usize| {
            let at = u32::try_from(3 + 4 * clef).unwrap();
            let (shown, marked) = lines.excerpt(&(at..u32::MAX)).unwrap();
            let (first, last) = (shown.starts_with('…'), shown.ends_with('…'));
            let shown = shown.chars().filter(|c| *c == '𝄞').count();
            (first, shown, last, marked)
        };
        assert_eq!(excerpt(0), (false, 200, true, 0..200));
        assert_eq!(excerpt(150), (false, 200, true, 150..201));
        assert_eq!(excerpt(151), (true, 200, true, 102..202));
        assert_eq!(excerpt(clefs - 1), (true, 102, false, 102..103));
        let blank = " ".repeat(1 << 18);
        assert_eq!(Lines::new(&blank).excerpt(&(7..8)), None);
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
