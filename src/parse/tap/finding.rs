//! A test line and all that was said below it, as a row.

use crate::model::Failure;

use super::super::clip::Gathered;
use super::super::location::Place;
use super::super::node::{Crashed, FileExit, clip, file_row, test_file};
use super::super::parser::Out;
use super::comment::{Comment, read as read_comment};
use super::test_line::TestLine;
use super::waiting::Waits;
use super::yaml::{Diagnosis, Yaml};

/// A test line whose diagnostics may follow.
#[derive(Debug)]
pub(super) struct Pending {
    pub test: TestLine,
    pub indent: usize,
    pub level: usize,
    pub child_failed: bool,
    yaml: Option<Yaml>,
    /// The block was read to its end.
    yaml_ended: bool,
    /// From comments.
    place: Option<Place>,
    words: Gathered,
    /// The error that ended a process, printed before this line.
    pub crashed: Option<Crashed>,
    /// tape's heading, which its assertions stand under.
    pub heading: Option<String>,
}

impl Pending {
    /// `test`, which stands at `indent`, `level` deep.
    pub(super) fn new(test: TestLine, indent: usize, level: usize) -> Self {
        Self {
            test,
            indent,
            level,
            child_failed: false,
            yaml: None,
            yaml_ended: false,
            place: None,
            words: Gathered::default(),
            crashed: None,
            heading: None,
        }
    }

    /// Reads a line of the block below the test line; false where no block is open.
    pub(super) fn yaml_line(&mut self, line: &[u8], depth: usize) -> bool {
        if let Some(yaml) = self.yaml.as_mut().filter(|_| !self.yaml_ended) {
            // A block that was cut off ends where the next test begins.
            let next = depth <= self.indent
                && !yaml.in_quotes()
                && TestLine::read(&line[depth..]).is_some();
            self.yaml_ended = next || yaml.line(line);
            return !next;
        }
        let begins =
            self.yaml.is_none() && depth > self.indent && line[depth..].trim_ascii_end() == b"---";
        if begins {
            self.yaml = Some(Yaml::new(depth));
        }
        begins
    }

    /// Reads a comment, which is about this test unless a block was; false where it is not.
    pub(super) fn comment(&mut self, comment: &[u8]) -> bool {
        if self.yaml.is_some() || self.yaml_ended {
            return false;
        }
        match read_comment(comment) {
            Comment::At(place) => self.place = Some(place),
            Comment::Says(place, words) => {
                if self.place.is_none() && self.words.is_empty() {
                    self.place = Some(place);
                }
                self.words.push(words.as_bytes());
            }
            Comment::Words(words) => self.words.push(words.as_bytes()),
            Comment::Nothing => {}
        }
        true
    }

    /// Nothing more is to come about this test: it is good, or its block has ended.
    pub(super) fn is_told(&self) -> bool {
        self.test.ok || self.yaml_ended
    }

    /// The row, if this is a failure of its own.
    pub(super) fn row(self, out: &Out<'_>) -> Option<Waits> {
        if self.test.ok || self.test.directive.is_some() {
            return None;
        }
        let mut found = self.yaml.map(|yaml| yaml.found).unwrap_or_default();
        let exit = exit_of(&found);
        let relays = found
            .failure_type
            .as_deref()
            .is_none_or(|kind| kind == "subtestsFailed");
        if self.child_failed && relays && !matches!(exit, Some(FileExit::Signal(_))) {
            return None;
        }
        let said = if found.message.is_empty() {
            self.words
        } else {
            std::mem::take(&mut found.message)
        };
        let said = said.text();
        let declared = found.location.clone();
        let whole_file = said.is_empty() || said == "test failed";
        let name = self.test.name;
        let file = name
            .as_deref()
            .filter(|_| whole_file)
            .and_then(|name| test_file(name, declared.as_ref(), out));
        if let Some(file) = file {
            let row = file_row("tap", &file, self.crashed, exit.as_ref(), out);
            return Some(Waits::new(self.level, row, None));
        }
        let message = match (said.is_empty(), self.test.number) {
            (false, _) => said.to_owned(),
            (true, Some(number)) => format!("not ok {number}"),
            (true, None) => "not ok".to_owned(),
        };
        let mut row = Failure::new("tap", message);
        if let Some(place) = found.place().or(self.place) {
            out.paths.put(&mut row, &place);
        }
        // One without a name has its number, so that its parents can tell it from another's.
        let nested = self.level > 0 || self.heading.is_some();
        let number = self.test.number.filter(|_| nested);
        let name = name.or_else(|| number.map(|number| number.to_string()));
        row.test = name.map(|name| match self.heading {
            Some(heading) => clip(format!("{heading} > {name}")),
            None => clip(out.paths.test_name(name)),
        });
        Some(Waits::new(self.level, row, declared))
    }
}

/// `signal: 'SIGKILL'`, else `exitCode: 7`.
fn exit_of(found: &Diagnosis) -> Option<FileExit> {
    let told = |value: &Option<String>| {
        value
            .clone()
            .filter(|value| !matches!(value.as_str(), "~" | "null" | ""))
    };
    told(&found.signal)
        .map(FileExit::Signal)
        .or_else(|| told(&found.exit_code).map(FileExit::Code))
}
