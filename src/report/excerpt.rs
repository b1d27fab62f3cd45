//! A source line under what is said of it, with a mark where the column is known.

use std::io;

use super::page::Page;
use crate::text::{Colour, Printable, display_width};

/// Where there is no terminal, longer source lines are shown in part.
const COLUMNS_WITHOUT_TERMINAL: usize = 160;
/// However narrow the terminal, this much of a line is shown.
const FEWEST_COLUMNS: usize = 20;

/// One source line.
pub(super) struct Excerpt<'a> {
    /// Spaces before the line number.
    pub(super) indent: usize,
    /// 1-based.
    pub(super) number: u32,
    /// The line, as the file has it.
    pub(super) source: &'a str,
    /// The marked characters: how many stand before them, and how many they are.
    pub(super) mark: Option<(usize, usize)>,
}

impl Excerpt<'_> {
    /// The line, and under it the mark.
    pub(super) fn write(&self, page: &mut Page) -> io::Result<()> {
        let style = page.style;
        let number = format!("{:indent$}{} ", "", self.number, indent = self.indent);
        let blank = " ".repeat(number.len());
        let columns = style.width.unwrap_or(COLUMNS_WITHOUT_TERMINAL);
        let room = columns.saturating_sub(number.len() + 2).max(FEWEST_COLUMNS);
        let window = window(self.source, self.mark, room, style.ellipsis());
        let dim = |text: &str| style.palette.paint(Colour::Dim, text).to_string();
        let bar = style.gutter();
        page.line(&format!(
            "{} {}",
            dim(&format!("{number}{bar}")),
            window.text
        ))?;
        if let Some((before, marked)) = window.mark {
            let carets = "^".repeat(marked.max(1));
            let carets = style.palette.paint(Colour::Red, carets);
            let gutter = dim(&format!("{blank}{bar}"));
            page.line(&format!("{gutter} {:before$}{carets}", ""))?;
        }
        Ok(())
    }
}

/// The part of a source line that is shown, and the mark in its columns.
struct Window {
    text: String,
    mark: Option<(usize, usize)>,
}

/// As much of `source` as fits in `room` columns and has the mark in it.
fn window(source: &str, mark: Option<(usize, usize)>, room: usize, ellipsis: &str) -> Window {
    let marked_at = mark.map_or(0, |(at, _)| at);
    // A character takes a column, or next to none do: what lies further off cannot be in view.
    let first = marked_at.saturating_sub(room);
    let mut cells = source.chars().skip(first).take(room * 3).map(|c| {
        let shown = Printable::new(c.encode_utf8(&mut [0; 4])).to_string();
        let columns = display_width(&shown);
        (shown, columns)
    });
    let near: Vec<(String, usize)> = cells.by_ref().collect();
    let columns =
        |cells: &[(String, usize)]| cells.iter().map(|(_, columns)| columns).sum::<usize>();
    let more = source.chars().nth(first + near.len()).is_some();
    let mark_cell = (marked_at - first).min(near.len());
    let whole = first == 0 && !more && columns(&near) <= room;
    let start = if whole || columns(&near[..mark_cell]) <= room * 3 / 4 && first == 0 {
        0
    } else {
        let fits = |start: &usize| columns(&near[*start..mark_cell]) <= room / 2;
        (0..=mark_cell).find(fits).unwrap_or(mark_cell)
    };
    let cut_before = first + start > 0;
    let mut text = if cut_before {
        ellipsis.to_owned()
    } else {
        String::new()
    };
    let mut used = display_width(&text);
    let left = if whole {
        room
    } else {
        room.saturating_sub(display_width(ellipsis))
    };
    let mut end = start;
    while end < near.len() && used + near[end].1 <= left {
        text.push_str(&near[end].0);
        used += near[end].1;
        end += 1;
    }
    if end < near.len() || more {
        text.push_str(ellipsis);
    }
    let mark = mark
        .filter(|(at, _)| *at <= first + near.len())
        .map(|(_, length)| {
            let lead = if cut_before {
                display_width(ellipsis)
            } else {
                0
            };
            let last = (mark_cell + length).min(end).max(mark_cell);
            (
                lead + columns(&near[start..mark_cell.max(start)]),
                columns(&near[mark_cell..last]),
            )
        });
    Window { text, mark }
}

#[cfg(test)]
mod tests {
    use super::{Excerpt, window};
    use crate::report::page::Page;
    use crate::report::sample;

    fn shown(source: &str, mark: Option<(usize, usize)>) -> String {
        let mut out = Vec::new();
        let mut page = Page::new(&mut out, sample::style());
        let excerpt = Excerpt {
            indent: 4,
            number: 88,
            source,
            mark,
        };
        excerpt.write(&mut page).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_mark_stands_under_what_it_marks() {
        assert_eq!(
            shown("\tdefer f.Close()", Some((7, 1))),
            "    88 │     defer f.Close()\n       │           ^\n"
        );
        assert_eq!(
            shown("検査 = x", Some((0, 2))),
            "    88 │ 検査 = x\n       │ ^^^^\n"
        );
        assert_eq!(shown("x", None), "    88 │ x\n");
        assert_eq!(shown("x\x1b[1m", Some((9, 1))), "    88 │ x\\x1B[1m\n");
    }

    #[test]
    fn of_a_long_line_the_marked_part_is_shown() {
        let long = format!("{}HERE{}", "a".repeat(5_000), "b".repeat(5_000));
        let cut = window(&long, Some((5_000, 4)), 40, "…");
        let (before, marked) = cut.mark.unwrap();
        assert_eq!(marked, 4);
        let text: String = cut.text.chars().skip(before).take(4).collect();
        assert_eq!(text, "HERE");
        assert!(cut.text.starts_with('…') && cut.text.ends_with('…'));
        assert!(cut.text.chars().count() <= 40, "{}", cut.text);
        let start = window(&long, Some((2, 1)), 40, "…");
        assert!(start.text.starts_with("aaa"));
        assert_eq!(start.mark, Some((2, 1)));
        let none = window(&long, None, 40, "…");
        assert_eq!(none.text.chars().count(), 40);
    }
}
