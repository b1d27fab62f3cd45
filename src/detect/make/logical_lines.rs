//! A makefile's lines, each with those that a backslash at its end adds.

use std::borrow::Cow;

/// Line by line, ends taken off.
pub(super) struct LogicalLines<'t> {
    rest: &'t str,
}

impl<'t> LogicalLines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { rest: text }
    }

    fn physical(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }
}

impl<'t> Iterator for LogicalLines<'t> {
    type Item = Cow<'t, str>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = Cow::Borrowed(self.physical()?);
        while goes_on(&line) {
            let whole = line.to_mut();
            whole.pop();
            whole.push(' ');
            whole.push_str(self.physical().unwrap_or_default());
        }
        Some(line)
    }
}

/// A backslash that no other one takes for itself.
fn goes_on(line: &str) -> bool {
    line.bytes().rev().take_while(|&b| b == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::LogicalLines;

    #[test]
    fn a_backslash_at_the_end_adds_the_next_line() {
        let lines: Vec<_> = LogicalLines::new("a \\\r\n\tb\\\nc\nd \\\\\n\ne\\").collect();
        assert_eq!(lines, ["a  \tb c", "d \\\\", "", "e "]);
    }
}
