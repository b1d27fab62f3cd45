//! How many columns text takes on a terminal.

use unicode_width::UnicodeWidthStr as _;

/// Columns of `text`, which is printable already: an East Asian wide character takes two, a
/// combining mark none.
pub fn display_width(text: &str) -> usize {
    text.width()
}

#[cfg(test)]
mod tests {
    use super::display_width;

    #[test]
    fn columns_are_neither_bytes_nor_characters() {
        assert_eq!(display_width("lint"), 4);
        assert_eq!(display_width("é"), 1);
        assert_eq!(display_width("e\u{301}"), 1);
        assert_eq!(display_width("検査"), 4);
    }
}
