//! A stream of TAP documents: what each line is. What comes of it is the [`Document`]'s.

use crate::model::Exit;

use super::super::location::{count, indent, text};
use super::super::node::crash_row;
use super::super::parser::{Out, Parser, Tally};
use super::document::Document;
use super::errors::Errors;
use super::test_line::{TestLine, unescape};

/// The parser of TAP.
#[derive(Debug)]
pub(in super::super) struct Tap {
    document: Document,
    errors: Errors,
}

impl Tap {
    /// `known`: the command is known to print TAP.
    pub(in super::super) fn new(known: bool) -> Self {
        Self {
            document: Document::new(known),
            errors: Errors::default(),
        }
    }

    /// Reads a comment without its `#`.
    fn comment(&mut self, comment: &[u8], indent: usize, out: &mut Out<'_>) -> bool {
        if let Some(name) = comment.strip_prefix(b" Subtest: ") {
            self.document
                .subtest(unescape(text(name).trim()), indent, out);
            return self.document.is_confirmed();
        }
        let words = comment.strip_prefix(b" ").unwrap_or(comment);
        if self.document.is_confirmed() && self.errors.late_comment(words) {
            return true;
        }
        if indent == 0 && self.document.is_heading(words) {
            self.document.flush(out);
            if !self.errors.comment(words) {
                self.document.head(words);
            }
            return true;
        }
        if self.document.comment(comment, indent) {
            return true;
        }
        let confirmed = self.document.is_confirmed();
        if confirmed {
            self.errors.comment(words);
        }
        confirmed
    }

    /// `1..9`, `1..0 # SKIP why`.
    fn plan_line(&mut self, body: &[u8], indent: usize, out: &mut Out<'_>) -> bool {
        let Some((plan, rest)) = body.strip_prefix(b"1..").and_then(count) else {
            return false;
        };
        if !(rest.is_empty() || rest.trim_ascii_start().starts_with(b"#")) {
            return false;
        }
        if indent > 0 {
            return self.document.is_confirmed();
        }
        self.document.plan(plan, out);
        true
    }
}

impl Parser for Tap {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let depth = indent(line);
        let body = &line[depth..];
        if self.document.yaml_line(line, depth) {
            return true;
        }
        let nested = depth > 0;
        match body.first() {
            Some(b'o' | b'n') if !nested || self.document.is_confirmed() => {
                if let Some(test) = TestLine::read(body) {
                    let crashed = self.errors.take();
                    self.document.test(test, depth, crashed, out);
                    return true;
                }
            }
            Some(b'1') if self.plan_line(body, depth, out) => {
                return true;
            }
            Some(b'}') if self.document.closes_brace(body, depth) => {
                self.document.close_brace(out);
                return true;
            }
            Some(b'{') if self.document.opens_brace(body, depth) => return true,
            Some(b'#') => return self.comment(&body[1..], depth, out),
            Some(b'T') if body.strip_prefix(b"TAP version ").and_then(count).is_some() => {
                if !nested {
                    self.document.version(out);
                }
                return true;
            }
            Some(b'B') if self.document.is_confirmed() => {
                if let Some(reason) = body.strip_prefix(b"Bail out!") {
                    self.document.bail(reason, out);
                    return true;
                }
            }
            _ => {}
        }
        self.document.is_confirmed() && (self.errors.line(line) || self.document.is_open())
    }

    fn open(&self) -> bool {
        self.document.is_open()
    }

    fn finish(&mut self, _exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        self.document.flush(out);
        let crashed = self.errors.take_last();
        if let Some(crashed) = crashed.filter(|_| self.document.is_confirmed()) {
            let row = crash_row(crashed, out);
            self.document.crashed(row, out);
        }
        self.document.finish(out)
    }
}
