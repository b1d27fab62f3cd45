//! Messages of many lines, gathered within a bound.

/// What is kept of one message.
const MAX: usize = 4096;
const MAX_LINES: usize = 60;

/// Lines that become one message.
#[derive(Debug, Clone, Default)]
pub(super) struct Gathered {
    text: String,
    lines: usize,
}

impl Gathered {
    /// Adds one line; what goes beyond the bound is dropped.
    pub(super) fn push(&mut self, line: &[u8]) {
        if self.lines >= MAX_LINES || self.text.len() >= MAX {
            return;
        }
        if self.lines > 0 {
            self.text.push('\n');
        }
        self.lines += 1;
        let room = MAX - self.text.len().min(MAX);
        let line = &line[..line.len().min(room)];
        self.text.push_str(&String::from_utf8_lossy(line));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// The lines, blank ones at either end dropped.
    pub(super) fn text(&self) -> &str {
        let text = self.text.trim_end();
        let blank = text.len() - text.trim_start().len();
        // Only whole blank lines go: the first line's own indentation is layout.
        match text[..blank].rfind('\n') {
            Some(at) => &text[at + 1..],
            None => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Gathered, MAX};

    #[test]
    fn blank_ends_go_and_the_size_is_bounded() {
        let mut gathered = Gathered::default();
        for line in ["", "  a", "b", "", ""] {
            gathered.push(line.as_bytes());
        }
        assert_eq!(gathered.text(), "  a\nb");
        for _ in 0..1000 {
            gathered.push(&[b'x'; 1000]);
        }
        assert!(gathered.text().len() <= MAX);
    }
}
