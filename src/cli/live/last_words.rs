//! The last line that a check printed, kept at the price of copying a few bytes and looked at only
//! when somebody wants to see it.

use crate::text::one_line;

/// More than any terminal shows of a line.
const KEPT: usize = 1024;

/// The last bytes that a check printed.
#[derive(Debug, Default)]
pub struct LastWords {
    /// At most twice what is kept, so that it is moved seldom.
    bytes: Vec<u8>,
    /// Bytes before these are gone.
    shortened: bool,
}

impl LastWords {
    /// Bytes as they arrive.
    pub fn hear(&mut self, bytes: &[u8]) {
        let kept = &bytes[bytes.len().saturating_sub(KEPT)..];
        self.shortened |= kept.len() < bytes.len();
        if self.bytes.len() + kept.len() > 2 * KEPT {
            let old = KEPT.min(self.bytes.len()).saturating_sub(kept.len());
            self.bytes.drain(..self.bytes.len() - old);
            self.shortened = true;
        }
        self.bytes.extend_from_slice(kept);
    }

    /// The last line that shows something, ended or not, harmless to a terminal. What a progress
    /// bar repaints is a line too. A run of white space is two columns wide, one space one.
    pub fn line(&self, mark: &str) -> Option<String> {
        let mut end = whole_characters(&self.bytes).len();
        loop {
            let start = self.bytes[..end]
                .iter()
                .rposition(|byte| matches!(byte, b'\n' | b'\r'));
            let line = &self.bytes[start.map_or(0, |at| at + 1)..end];
            let text = squeezed(&one_line(line));
            match start {
                _ if text.is_empty() && start.is_none() => return None,
                Some(at) if text.is_empty() => end = at,
                None if self.shortened => return Some(format!("{mark}{}", middle(line))),
                _ => return Some(text),
            }
        }
    }
}

/// A line whose start is gone; what is left may begin within a character.
fn middle(line: &[u8]) -> String {
    let rest = line
        .iter()
        .take_while(|&&byte| (0x80..0xc0).contains(&byte));
    squeezed(&one_line(&line[rest.count()..]))
}

/// Without a character at the end that has not arrived whole.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    let last = &bytes[bytes.len().saturating_sub(3)..];
    let begun = last.iter().rposition(|byte| *byte >= 0xc0);
    let unfinished = begun.map_or(0, |at| match std::str::from_utf8(&last[at..]) {
        Err(error) if error.error_len().is_none() => last.len() - at,
        _ => 0,
    });
    &bytes[..bytes.len() - unfinished]
}

/// Columns of a table are told apart, and take no more than that needs.
fn squeezed(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    for (i, word) in text.split(' ').enumerate() {
        if i > 0 && !squeezed.ends_with("  ") {
            squeezed.push(' ');
        }
        squeezed.push_str(word);
    }
    squeezed
}

#[cfg(test)]
mod tests {
    use super::{KEPT, LastWords};

    fn heard(chunks: &[&[u8]]) -> LastWords {
        let mut words = LastWords::default();
        for chunk in chunks {
            words.hear(chunk);
        }
        words
    }

    fn line(chunks: &[&[u8]]) -> Option<String> {
        heard(chunks).line("…")
    }

    #[test]
    fn it_is_the_last_line_that_shows_something() {
        assert_eq!(line(&[]), None);
        assert_eq!(line(&[b"\n\n \n"]), None);
        assert_eq!(line(&[b"one\ntwo\n\n  \n"]).unwrap(), "two");
        assert_eq!(line(&[b"one\ntw", b"o"]).unwrap(), "two", "not ended yet");
        assert_eq!(line(&[b"one\r\n"]).unwrap(), "one");
        assert_eq!(line(&[b"10%\r20%\r"]).unwrap(), "20%", "a progress bar");
        assert_eq!(line(&[b"one\n\x1b[2K\r\x1b[0m"]).unwrap(), "one");
    }

    #[test]
    fn nothing_in_it_drives_a_terminal_and_tables_take_little_room() {
        let go = b"ok  \ttern/internal/wire\t12.1s\n";
        assert_eq!(line(&[go]).unwrap(), "ok  tern/internal/wire  12.1s");
        assert_eq!(
            line(&[b"\x1b[31m--- FAIL\x1b[0m: a b\x07\n"]).unwrap(),
            "--- FAIL: a b"
        );
        assert_eq!(line(&["a\u{202e}b".as_bytes()]).unwrap(), "a\\u{202e}b");
    }

    #[test]
    fn bytes_that_come_one_by_one_are_as_good_as_lines() {
        let text = "première ligne\nseconde é";
        let mut words = LastWords::default();
        for byte in text.bytes() {
            words.hear(&[byte]);
            let line = words.line("…").unwrap();
            assert!(!line.contains("\\x"), "half a character: {line}");
        }
        assert_eq!(words.line("…").unwrap(), "seconde é");
        // What is no text stays visible.
        assert_eq!(line(&[b"a\xff"]).unwrap(), "a\\xFF");
    }

    #[test]
    fn what_is_kept_has_a_bound_and_a_line_without_its_start_says_so() {
        let flood = vec![b'x'; 64 * 1024];
        let mut words = heard(&[&flood, b"\nshort\n"]);
        assert_eq!(words.line("…").unwrap(), "short");
        words.hear(&flood);
        assert!(words.line("…").unwrap().starts_with("…xxx"));
        for _ in 0..10_000 {
            words.hear("é".as_bytes());
            assert!(words.bytes.len() <= 2 * KEPT);
        }
        assert!(words.line("…").unwrap().starts_with("…éé"));
        words.hear(&[0; 3 * KEPT]);
        assert_eq!(words.line("…"), None, "nothing to be seen");
    }
}
