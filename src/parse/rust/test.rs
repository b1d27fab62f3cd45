//! libtest under `cargo test`: unit, integration and documentation tests. It follows cargo from
//! target to target and gives a row for each test that failed; why one did is read by [`Words`].

use crate::model::{Exit, Failure};

use super::super::location::text;
use super::super::parser::{Out, Parser, Tally};
use super::base::Base;
use super::later::{Later, Stop};
use super::libtest::{ResultLine, block_name, doctest_place, failed_name, is_start};
use super::said::{Said, Words};
use super::target::Target;

/// How many failing tests of one target are kept until its result line.
const MAX: usize = 10_000;

/// Where in the output of one target a line stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Section {
    /// `running N tests` and their results.
    #[default]
    Results,
    /// The `---- name stdout ----` block of this test.
    Block(String),
    /// The names at the end.
    Names,
}

impl Section {
    /// The test whose block this is.
    fn block(&self) -> Option<&str> {
        match self {
            Self::Block(test) => Some(test),
            Self::Results | Self::Names => None,
        }
    }
}

/// The parser of `cargo test`.
#[derive(Debug)]
pub(in super::super) struct CargoTest {
    base: Base,
    /// The target that runs; a documentation test's name has its file.
    target: Option<Target>,
    /// Between `running N tests` and `test result:`.
    running: bool,
    /// It began as only libtest begins.
    sure: bool,
    section: Section,
    /// Names under `failures:`, or marked FAILED where that list never came.
    names: Vec<String>,
    marked: Vec<String>,
    words: Words,
    targets: u64,
    ran: u64,
    failed: u64,
    skipped: u64,
    rows: u64,
    stop: Stop,
}

impl CargoTest {
    /// `later`: what cargo would have run after a target that failed.
    pub(in super::super) fn new(later: Later) -> Self {
        Self {
            base: Base::default(),
            target: None,
            running: false,
            sure: false,
            section: Section::default(),
            names: Vec::new(),
            marked: Vec::new(),
            words: Words::default(),
            targets: 0,
            ran: 0,
            failed: 0,
            skipped: 0,
            rows: 0,
            stop: Stop::new(later),
        }
    }

    /// Whether `line` begins a section, and so belongs to libtest even where nothing is running.
    fn begins(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        if is_start(line) {
            self.end_target(out);
            self.sure = true;
        } else if line == b"failures:" {
            self.words.end(self.section.block());
            self.section = Section::Names;
            self.names.clear();
        } else if let Some(test) = block_name(line) {
            self.words.end(self.section.block());
            self.section = Section::Block(test);
            self.sure = true;
        } else {
            return false;
        }
        self.running = true;
        true
    }

    fn result(&mut self, result: ResultLine, out: &mut Out<'_>) {
        self.targets += 1;
        self.ran += result.passed + result.failed;
        self.failed += result.failed;
        self.skipped += result.ignored;
        if result.is_failure {
            self.end_target(out);
        } else {
            self.forget();
        }
        self.running = false;
        self.sure = false;
    }

    fn forget(&mut self) {
        self.names.clear();
        self.marked.clear();
        self.words.clear();
        self.section = Section::Results;
    }

    /// A row for each failing test of the target.
    fn end_target(&mut self, out: &mut Out<'_>) {
        self.words.end(self.section.block());
        let listed = std::mem::take(&mut self.names);
        let names = if listed.is_empty() {
            std::mem::take(&mut self.marked)
        } else {
            listed
        };
        for name in names {
            let said = self.words.take(&name);
            self.row(name, said, out);
        }
        self.forget();
    }

    fn row(&mut self, name: String, said: Said, out: &mut Out<'_>) {
        let message = said.message.text();
        let message = if message.trim().is_empty() {
            "failed without a message"
        } else {
            message
        };
        let mut row = Failure::new("cargo-test", message);
        row.rule = said.rule;
        // A documentation test's panic counts lines of generated code: its name has the line.
        let doctest = doctest_place(&name);
        let whole = match (&self.target, &doctest) {
            (Some(target), None) => {
                let path = said.place.as_ref().map(|place| place.path.as_str());
                target.whole(name, path)
            }
            _ => name,
        };
        let place = doctest.or(said.place);
        if let Some(place) = place {
            let base = self.base.of(&place.path, out.paths);
            out.paths.put_from(&base, &mut row, &place);
        }
        row.test = Some(whole);
        self.rows += 1;
        out.row(row);
    }

    /// cargo's own lines between the targets.
    fn between(&mut self, line: &[u8]) {
        if let Some(target) = Target::read(line) {
            self.target = Some(target);
        } else if line.starts_with(b"   Doc-tests ") {
            self.target = None;
        }
    }

    /// A line of the target that runs.
    fn inside(&mut self, line: &[u8]) {
        match &self.section {
            Section::Names => {
                if let Some(name) = line.strip_prefix(b"    ") {
                    if self.names.len() < MAX {
                        self.names.push(text(name));
                    }
                } else if !line.is_empty() {
                    self.words.line(line, None);
                }
            }
            Section::Results => {
                self.words.line(line, None);
                if self.marked.len() < MAX {
                    self.marked.extend(failed_name(line));
                }
            }
            Section::Block(test) => self.words.line(line, Some(test)),
        }
    }
}

impl Parser for CargoTest {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        if let Some(result) = ResultLine::read(line) {
            self.result(result, out);
            return true;
        }
        if line
            .strip_prefix(b"error: ")
            .is_some_and(|rest| self.stop.line(rest))
        {
            return true;
        }
        // A test may print `running 2 tests`; no line of its block begins a target.
        let block = self.running && self.section.block().is_some();
        if !(block && is_start(line)) && self.begins(line, out) {
            return true;
        }
        if !self.running {
            self.between(line);
            return false;
        }
        self.inside(line);
        self.sure
    }

    fn open(&self) -> bool {
        self.running && self.sure
    }

    fn finish(&mut self, _exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        self.end_target(out);
        let told = self.targets > 0;
        let seen = told || self.rows > 0;
        let note = self.stop.note(out);
        Tally {
            seen,
            ran: told.then_some(self.ran),
            failed: seen.then_some(self.failed.max(self.rows)),
            skipped: told.then_some(self.skipped),
            claimed: told.then_some(self.failed),
            nothing_ran: told.then_some(self.ran == 0 && self.skipped == 0),
            stopped_early: note.is_some(),
            notes: note.into_iter().collect(),
            ..Tally::default()
        }
    }
}
