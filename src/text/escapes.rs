//! Terminal control sequences taken out of a line.

use memchr::memchr;

/// What begins every one of them.
pub(super) const ESC: u8 = 0x1b;

/// `line` without CSI, OSC (links too) and short escape sequences; `buffer` is used only where
/// there are any. What follows an unfinished sequence is kept.
pub fn strip_escapes<'a>(line: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
    let Some(first) = memchr(ESC, line) else {
        return line;
    };
    buffer.clear();
    buffer.extend_from_slice(&line[..first]);
    let mut rest = &line[first..];
    while let Some(at) = memchr(ESC, rest) {
        buffer.extend_from_slice(&rest[..at]);
        rest = &rest[at + sequence(&rest[at..])..];
    }
    buffer.extend_from_slice(rest);
    buffer
}

/// The length of the sequence that `text` begins with, an escape.
fn sequence(text: &[u8]) -> usize {
    match text.get(1) {
        // CSI: parameters and intermediates, then one final byte.
        Some(b'[') => {
            let body = text[2..]
                .iter()
                .take_while(|b| (0x20..=0x3f).contains(*b))
                .count();
            match text.get(2 + body) {
                Some(0x40..=0x7e) => 3 + body,
                _ => 2 + body,
            }
        }
        // OSC, DCS, PM, APC, SOS: up to BEL or ESC \.
        Some(b']' | b'P' | b'^' | b'_' | b'X') => {
            let body = &text[2..];
            let bell = memchr(0x07, body).map(|at| at + 3);
            let string = memchr(ESC, body).map(|at| (at + 2, body.get(at + 1) == Some(&b'\\')));
            match (bell, string) {
                (Some(bell), Some((at, _))) if bell <= at => bell,
                (_, Some((at, true))) => at + 2,
                (Some(bell), None) => bell,
                _ => 2,
            }
        }
        // Character sets: one byte more.
        Some(b'(' | b')' | b'*' | b'+' | b'#' | b'%') => text.len().min(3),
        Some(0x20..=0x7e) => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::strip_escapes;

    fn stripped(line: &[u8]) -> String {
        let mut buffer = Vec::new();
        String::from_utf8_lossy(strip_escapes(line, &mut buffer)).into_owned()
    }

    #[test]
    fn colours_links_and_titles_go_and_text_stays() {
        assert_eq!(stripped(b"\x1b[1;31merror\x1b[0m: \x1b[Kx"), "error: x");
        assert_eq!(
            stripped(b"\x1b]8;;file:///a.rs\x1b\\a.rs\x1b]8;;\x1b\\:3"),
            "a.rs:3"
        );
        assert_eq!(stripped(b"\x1b]0;title\x07ok"), "ok");
        assert_eq!(stripped(b"\x1b(Bplain"), "plain");
        assert_eq!(stripped(b"none"), "none");
    }

    #[test]
    fn an_unfinished_sequence_hides_no_text() {
        assert_eq!(stripped(b"\x1b]8;;no end a.rs:3"), "8;;no end a.rs:3");
        assert_eq!(stripped(b"x\x1b"), "x");
        assert_eq!(stripped(b"x\x1b["), "x");
        assert_eq!(stripped(b"\x1b]0;a\x1b[31mred\x07"), "0;ared\x07");
    }
}
