//! A line that a child printed, as a fact to be kept.

use super::escapes::strip_escapes;
use super::printable::Printable;

/// Characters that are kept; what is longer is no version and no reason.
pub const ONE_LINE: usize = 200;

/// `line` as text: terminal sequences and control characters taken out, white space around it
/// dropped, bytes that are not UTF-8 as `\xNN`, at most [`ONE_LINE`] characters.
pub fn one_line(line: &[u8]) -> String {
    let mut buffer = Vec::new();
    let mut plain = strip_escapes(line, &mut buffer).to_vec();
    plain.retain(|byte| !byte.is_ascii_control() || *byte == b'\t');
    let text = Printable::from_bytes(&plain).to_string();
    text.trim().chars().take(ONE_LINE).collect()
}

#[cfg(test)]
mod tests {
    use super::{ONE_LINE, one_line};

    #[test]
    fn what_drives_a_terminal_is_gone_and_text_stays() {
        assert_eq!(
            one_line(b" \x1b[1mtool\x1b[0m 1.2\t\x07(x)\r"),
            "tool 1.2    (x)"
        );
        assert_eq!(one_line(b"v\xff \xc3\xa9"), "v\\xFF \u{e9}");
        assert_eq!(one_line("a\u{202e}b".as_bytes()), "a\\u{202e}b");
        assert_eq!(one_line(b"\x1b[0m \r"), "");
        assert_eq!(one_line(&[b'x'; 5000]).len(), ONE_LINE);
    }
}
