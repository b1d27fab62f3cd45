//! One failing test of the spec reporter: its line, what is said below it, and the row.

use crate::model::Failure;

use super::super::clip::Gathered;
use super::super::location::{Place, indent, text};
use super::super::parser::Out;
use super::crash::Crashed;
use super::file_failure::{file_row, test_file};
use super::frame::own_frame;
use super::name::{clip, put_file, put_parent};
use super::title::Title;

/// One failing test.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts of a test, not a state"
)]
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub name: String,
    /// Name and time, as printed: the same in the body and in the summary.
    pub line: String,
    /// The time was read: the name has no further line.
    pub timed: bool,
    pub depth: usize,
    /// How deep the outermost parent stands that is known.
    pub outermost: usize,
    /// The names of its parents, the innermost first.
    pub parents: Vec<String>,
    /// A suite whose tests failed.
    pub child_failed: bool,
    /// The error that ended the file, printed before its line.
    pub crashed: Option<Crashed>,
    /// `# TODO`: its failure was expected.
    pub expected: bool,
    /// Where the test stands, from `test at`.
    pub declared: Option<Place>,
    message: Gathered,
    in_stack: bool,
    frame: Option<Place>,
}

impl Entry {
    /// `name (1.2ms)` after its sign, at `depth`.
    pub(super) fn begin(rest: &[u8], depth: usize) -> Self {
        let title = Title::read(rest);
        Self {
            name: text(title.name),
            line: clip(text(rest)),
            timed: title.timed,
            expected: title.expected,
            depth,
            outermost: depth,
            ..Self::default()
        }
    }

    /// A name of several lines goes on; only its last one has the time.
    pub(super) fn name_goes_on(&mut self, line: &[u8], in_summary: bool) -> bool {
        if self.timed || !self.message.is_empty() || line.is_empty() {
            return false;
        }
        let title = Title::read(line);
        // In the summary all that is said about a test is indented.
        if !(title.timed || in_summary && !line.starts_with(b" ")) {
            return false;
        }
        self.timed = title.timed;
        self.expected |= title.expected;
        self.name = clip(format!("{}\\n{}", self.name, text(title.name)));
        self.line = clip(format!("{}\\n{}", self.line, text(line)));
        true
    }

    /// A line below the test's own; false where it is not about it.
    pub(super) fn detail(&mut self, line: &[u8]) -> bool {
        let base = self.depth + 2;
        if line.is_empty() {
            if !self.in_stack && !self.message.is_empty() {
                self.message.push(line);
            }
            return true;
        }
        if indent(line) < base {
            return false;
        }
        let inner = &line[base..];
        if inner.starts_with(b"    at ") {
            self.in_stack = true;
            if self.frame.is_none() {
                self.frame = own_frame(inner);
            }
        } else if !self.in_stack {
            self.message.push(inner);
        }
        true
    }

    /// It failed only through the tests below it.
    pub(super) fn only_relays(&self) -> bool {
        self.child_failed && self.message.is_empty()
    }

    /// The row; `crashed`: the error that ended it, if it is a file.
    pub(super) fn row(self, crashed: Option<Crashed>, out: &Out<'_>) -> Failure {
        let said = self.message.text().trim().trim_matches('\'');
        let said = if said.is_empty() { "test failed" } else { said };
        let file = test_file(&self.name, self.declared.as_ref(), out);
        if let Some(file) = file.filter(|_| said == "test failed") {
            return file_row("node-test", &file, crashed, None, out);
        }
        let mut row = Failure::new("node-test", said);
        if let Some(place) = self.frame.as_ref().or(self.declared.as_ref()) {
            out.paths.put(&mut row, place);
        }
        row.test = Some(clip(out.paths.test_name(self.name)));
        for parent in &self.parents {
            put_parent(&mut row, parent, out);
        }
        if let Some(declared) = &self.declared {
            put_file(&mut row, declared, out);
        }
        row
    }
}
