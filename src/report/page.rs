//! The sheet that a text report is written on: it parts sections by one empty line, and keeps
//! every line but the verdict's from beginning like a verdict.

use std::io::{self, Write};

use super::style::Style;
use crate::text::display_width;

/// What the verdict line alone begins with.
const OPENINGS: [&str; 3] = ["ok:", "blocked:", "no verdict:"];

/// Lines on their way out, and how they are to look.
pub(super) struct Page<'a> {
    out: &'a mut dyn Write,
    /// See [`Style`].
    pub(super) style: Style<'a>,
    written: bool,
    gap: bool,
}

impl<'a> Page<'a> {
    /// An empty sheet.
    pub(super) fn new(out: &'a mut dyn Write, style: Style<'a>) -> Self {
        Self {
            out,
            style,
            written: false,
            gap: false,
        }
    }

    /// What follows is parted from what stands by one empty line.
    pub(super) fn section(&mut self) {
        self.gap = self.written;
    }

    /// A line of the report. `line` is printable already; where it begins like a verdict it is
    /// indented.
    pub(super) fn line(&mut self, line: &str) -> io::Result<()> {
        let indent = if poses_as_verdict(line) { "    " } else { "" };
        self.write(indent, line)
    }

    /// The verdict line, which is the last of every text report.
    pub(super) fn verdict_line(&mut self, line: &str) -> io::Result<()> {
        self.write("", line)
    }

    fn write(&mut self, indent: &str, line: &str) -> io::Result<()> {
        if std::mem::take(&mut self.gap) {
            self.out.write_all(b"\n")?;
        }
        self.written = true;
        writeln!(self.out, "{indent}{}", line.trim_end())
    }
}

/// Characters without width do not help a text to look like what it is not.
fn poses_as_verdict(line: &str) -> bool {
    let shown = line.trim_start_matches(|c: char| display_width(c.encode_utf8(&mut [0; 4])) == 0);
    OPENINGS.iter().any(|opening| shown.starts_with(opening))
}

#[cfg(test)]
mod tests {
    use super::{Page, poses_as_verdict};
    use crate::report::sample;

    #[test]
    fn only_the_verdict_line_begins_like_one() {
        assert!(poses_as_verdict("ok: 3 passed"));
        assert!(poses_as_verdict("\u{301}no verdict: x"));
        assert!(!poses_as_verdict("okay: 3 passed"));
        let mut out = Vec::new();
        let mut page = Page::new(&mut out, sample::style());
        page.line("blocked: by a check of that name").unwrap();
        page.verdict_line("ok: 1 passed").unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "    blocked: by a check of that name\nok: 1 passed\n"
        );
    }

    #[test]
    fn sections_are_parted_by_one_empty_line_and_none_stands_first() {
        let mut out = Vec::new();
        let mut page = Page::new(&mut out, sample::style());
        page.section();
        page.line("a").unwrap();
        page.section();
        page.section();
        page.line("b").unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a\n\nb\n");
    }
}
