//! How many columns text takes on a terminal.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr as _;

/// Columns of `text`, which is printable already: an East Asian wide character takes two, a
/// combining mark none.
pub fn display_width(text: &str) -> usize {
    text.width()
}

/// `text`, which is printable already, in at most `columns`; what is left out has `mark` in its
/// place, where there is room for that.
pub fn cut<'t>(text: &'t str, columns: usize, mark: &str) -> Cow<'t, str> {
    if display_width(text) <= columns {
        return Cow::Borrowed(text);
    }
    match columns.checked_sub(display_width(mark)) {
        Some(room) if room > 0 => Cow::Owned(format!("{}{mark}", start(text, room))),
        _ => Cow::Borrowed(start(text, columns)),
    }
}

/// As much of the start of `text` as fits; a combining mark stays with what it marks.
fn start(text: &str, columns: usize) -> &str {
    let ends: Vec<usize> = text
        .char_indices()
        .map(|(at, c)| at + c.len_utf8())
        .collect();
    let fits = ends.partition_point(|&end| display_width(&text[..end]) <= columns);
    let end = fits.checked_sub(1).map_or(0, |last| ends[last]);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::{cut, display_width};

    #[test]
    fn columns_are_neither_bytes_nor_characters() {
        assert_eq!(display_width("lint"), 4);
        assert_eq!(display_width("é"), 1);
        assert_eq!(display_width("e\u{301}"), 1);
        assert_eq!(display_width("検査"), 4);
    }

    #[test]
    fn what_is_too_wide_is_cut_at_a_column_and_says_so() {
        assert_eq!(cut("lint", 4, "…"), "lint");
        assert_eq!(cut("linter", 4, "…"), "lin…");
        assert_eq!(cut("linter", 5, "..."), "li...");
        assert_eq!(cut("linter", 3, "..."), "lin");
        assert_eq!(cut("linter", 1, "…"), "l");
        assert_eq!(cut("linter", 0, "…"), "");
    }

    #[test]
    fn a_wide_character_is_whole_or_not_there_and_marks_stay_with_theirs() {
        assert_eq!(cut("検査検査", 6, "…"), "検査…");
        assert_eq!(cut("検査検査", 5, "…"), "検査…");
        assert_eq!(cut("検査検査", 4, "…"), "検…");
        assert_eq!(cut("検", 1, "…"), "");
        assert_eq!(cut("ne\u{301}e\u{301}n", 3, "…"), "ne\u{301}…");
        for columns in 0..12 {
            let text = cut("a👩\u{200d}🔬b❤\u{fe0f}検e\u{301}", columns, "…");
            assert!(display_width(&text) <= columns, "{columns}: {text}");
        }
    }
}
