//! Any bytes as text that loses nothing.

use std::fmt::Write as _;

/// The text of `bytes`, those that are not UTF-8 as `\xNN`.
pub fn readable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn bytes_that_are_no_text_are_named() {
        assert_eq!(
            readable(b"\x82\xe9a\xffb\n\xc3\xa9\xc3"),
            "\\x82\\xE9a\\xFFb\n\u{e9}\\xC3"
        );
    }
}
