//! libtest under `cargo test`: unit, integration and documentation tests.

use std::collections::HashMap;

use crate::model::{Exit, Failure};

use super::super::clip::Gathered;
use super::super::location::{Place, count, exact_place, has_extension, number, text};
use super::super::parser::{Out, Parser, Tally};
use super::base::Base;
use super::compiler::Diagnostic;
use super::panics::Panic;
use super::target::Target;

/// How many failing tests of one target are kept until its result line.
const MAX: usize = 10_000;

/// What a test printed that says why it failed.
#[derive(Debug, Default, Clone)]
struct Said {
    place: Option<Place>,
    message: Gathered,
    rule: Option<String>,
    /// The panic is of the test's own thread.
    own: bool,
    /// A panic was read: what else was printed is only output.
    panicked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Section {
    /// `running N tests` and their results.
    #[default]
    Results,
    /// A `---- name stdout ----` block.
    Block,
    /// The names at the end.
    Names,
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
    /// The test of the current block.
    test: String,
    /// Names under `failures:`, or marked FAILED where that list never came.
    names: Vec<String>,
    marked: Vec<String>,
    said: HashMap<String, Said>,
    /// The panic whose message is being read, and the test it is of.
    panic: Option<Panic>,
    /// A compile error in a documentation test.
    diagnostic: Option<Diagnostic>,
    targets: u64,
    ran: u64,
    failed: u64,
    skipped: u64,
    rows: u64,
    stopped: Option<String>,
    /// `--no-fail-fast` was given: cargo lists the failed targets at the end.
    went_on: bool,
    /// What cargo would have run after the target that failed.
    later: Later,
}

/// What is known of the targets that cargo leaves out after a failing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Later {
    /// The command runs every target, or one of one package.
    None,
    /// It runs one target of each package.
    Packages,
    /// A failing target ends the run.
    Unknown,
}

impl CargoTest {
    pub(in super::super) fn new(later: Later) -> Self {
        Self {
            base: Base::default(),
            target: None,
            running: false,
            sure: false,
            section: Section::Results,
            test: String::new(),
            names: Vec::new(),
            marked: Vec::new(),
            said: HashMap::new(),
            panic: None,
            diagnostic: None,
            targets: 0,
            ran: 0,
            failed: 0,
            skipped: 0,
            rows: 0,
            stopped: None,
            went_on: false,
            later,
        }
    }

    /// Whether `line` belongs to libtest at all, where nothing is running.
    fn begins(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        if let Some((_, b" test" | b" tests")) = line.strip_prefix(b"running ").and_then(count) {
            self.end_target(out);
            self.running = true;
            self.sure = true;
            self.section = Section::Results;
            return true;
        }
        if line == b"failures:" {
            self.end_panic();
            self.running = true;
            self.section = Section::Names;
            self.names.clear();
            return true;
        }
        if let Some(test) = block_name(line) {
            self.end_panic();
            self.running = true;
            self.sure = true;
            self.section = Section::Block;
            self.test = test;
            return true;
        }
        false
    }

    fn result(&mut self, rest: &[u8], out: &mut Out<'_>) -> bool {
        let (failed_target, rest) =
            match (rest.strip_prefix(b"ok. "), rest.strip_prefix(b"FAILED. ")) {
                (Some(rest), _) => (false, rest),
                (_, Some(rest)) => (true, rest),
                _ => return false,
            };
        let (mut passed, mut failed, mut ignored) = (0, 0, 0);
        for part in rest.split(|&b| b == b';') {
            match count(part.trim_ascii()) {
                Some((value, b" passed")) => passed = value,
                Some((value, b" failed")) => failed = value,
                Some((value, b" ignored")) => ignored = value,
                _ => {}
            }
        }
        self.targets += 1;
        self.ran += passed + failed;
        self.failed += failed;
        self.skipped += ignored;
        if failed_target {
            self.end_target(out);
        } else {
            self.forget();
        }
        self.running = false;
        self.sure = false;
        true
    }

    fn forget(&mut self) {
        self.names.clear();
        self.marked.clear();
        self.said.clear();
        self.panic = None;
        self.diagnostic = None;
        self.section = Section::Results;
    }

    /// A row for each failing test of the target.
    fn end_target(&mut self, out: &mut Out<'_>) {
        self.end_panic();
        let listed = std::mem::take(&mut self.names);
        let names = if listed.is_empty() {
            std::mem::take(&mut self.marked)
        } else {
            listed
        };
        for name in names {
            let said = self.said.remove(&name).unwrap_or_default();
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

    fn end_panic(&mut self) {
        if let Some(diagnostic) = self.diagnostic.take() {
            let said = self.said.entry(self.test.clone()).or_default();
            if said.rule.is_none() && !said.panicked {
                said.message = Gathered::default();
                said.message.push(diagnostic.row.message.as_bytes());
                said.rule = diagnostic.row.rule;
                said.place = diagnostic.place;
                said.panicked = true;
            }
        }
        let Some(panic) = self.panic.take() else {
            return;
        };
        let in_block = self.section == Section::Block;
        let test = if in_block {
            self.test.clone()
        } else {
            panic.thread.clone()
        };
        if self.said.len() >= MAX && !self.said.contains_key(&test) {
            return;
        }
        let own = panic.thread == test;
        let said = self.said.entry(test).or_default();
        if said.panicked && (!own || said.own) {
            return;
        }
        said.own = own;
        said.panicked = true;
        said.place = panic.place;
        said.message = panic.message;
    }

    /// A line inside a `---- name stdout ----` block, or of a test that writes straight through.
    fn said_line(&mut self, line: &[u8]) {
        if let Some(panic) = Panic::begin(line) {
            self.end_panic();
            self.panic = Some(panic);
            return;
        }
        if let Some(panic) = &mut self.panic {
            if line.is_empty()
                || line.starts_with(b"note: ")
                || line.starts_with(b"test ")
                || line.starts_with(b"stack backtrace:")
            {
                self.end_panic();
            } else {
                panic.message.push(line);
                return;
            }
        }
        if self.section != Section::Block {
            return;
        }
        if let Some(diagnostic) = &mut self.diagnostic {
            if diagnostic.line(line) {
                return;
            }
            self.end_panic();
        }
        if let Some(note) = line.strip_prefix(b"note: ") {
            self.note(note);
        } else if line.starts_with(b"error")
            && !self.said.get(&self.test).is_some_and(|said| said.panicked)
        {
            self.diagnostic = Diagnostic::begin(line);
        } else if line.starts_with(b"Error: ") {
            let said = self.said.entry(self.test.clone()).or_default();
            if !said.panicked {
                said.message.push(line);
            }
        }
    }

    /// `should_panic` explains itself in notes.
    fn note(&mut self, note: &[u8]) {
        let said = self.said.entry(self.test.clone()).or_default();
        if let Some(rest) = note.strip_prefix(b"test did not panic as expected") {
            said.message.push(b"test did not panic as expected");
            said.place = rest.strip_prefix(b" at ").and_then(exact_place);
            said.panicked = true;
        } else if note.starts_with(b"panic did not contain expected string") {
            said.message.push(note);
        }
    }

    /// `test name ... FAILED`.
    fn test_line(&mut self, rest: &[u8]) {
        let name = rest
            .strip_suffix(b" ... FAILED")
            .or_else(|| rest.strip_suffix(b" - should panic ... FAILED"));
        if let Some(name) = name {
            let name = name.strip_suffix(b" - should panic").unwrap_or(name);
            if self.marked.len() < MAX {
                self.marked.push(text(name));
            }
        }
    }
}

/// `---- name stdout ----`.
fn block_name(line: &[u8]) -> Option<String> {
    let rest = line.strip_prefix(b"---- ")?;
    let name = rest
        .strip_suffix(b" stdout ----")
        .or_else(|| rest.strip_suffix(b" stderr ----"))?;
    Some(text(name))
}

/// `src/lib.rs - add (line 7)`.
fn doctest_place(name: &str) -> Option<Place> {
    let (path, rest) = name.split_once(" - ")?;
    let start = rest.rfind("(line ")? + 6;
    let (line, after) = number(&rest.as_bytes()[start..])?;
    let whole = after.starts_with(b")") && has_extension(path, &["rs", "md"]);
    whole.then(|| Place {
        path: path.to_owned(),
        line: Some(line),
        column: None,
    })
}

impl Parser for CargoTest {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        if line
            .strip_prefix(b"test result: ")
            .is_some_and(|rest| self.result(rest, out))
        {
            return true;
        }
        if let Some(rest) = line.strip_prefix(b"error: ") {
            self.went_on |=
                rest.ends_with(b" targets failed:") || rest.ends_with(b" target failed:");
            let stop = rest
                .strip_prefix(b"test failed, to rerun pass `")
                .or_else(|| rest.strip_prefix(b"doctest failed, to rerun pass `"));
            if let Some(target) = stop {
                self.stopped = Some(text(target.strip_suffix(b"`").unwrap_or(target)));
                return true;
            }
        }
        let block = self.running && self.section == Section::Block;
        if (!block || line == b"failures:" || line.starts_with(b"---- ")) && self.begins(line, out)
        {
            return true;
        }
        if !self.running {
            if let Some(target) = Target::read(line) {
                self.target = Some(target);
            } else if line.starts_with(b"   Doc-tests ") {
                self.target = None;
            }
            return false;
        }
        match self.section {
            Section::Names => {
                if let Some(name) = line.strip_prefix(b"    ") {
                    if self.names.len() < MAX {
                        self.names.push(text(name));
                    }
                } else if !line.is_empty() {
                    self.said_line(line);
                }
            }
            Section::Results => {
                self.said_line(line);
                if let Some(rest) = line.strip_prefix(b"test ") {
                    self.test_line(rest);
                }
            }
            Section::Block => self.said_line(line),
        }
        self.sure
    }

    fn open(&self) -> bool {
        self.running && self.sure
    }

    fn finish(&mut self, _exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        self.end_target(out);
        let seen = self.targets > 0 || self.rows > 0;
        let mut tally = Tally {
            seen,
            ran: (self.targets > 0).then_some(self.ran),
            failed: seen.then_some(self.failed.max(self.rows)),
            skipped: (self.targets > 0).then_some(self.skipped),
            claimed: (self.targets > 0).then_some(self.failed),
            nothing_ran: (self.targets > 0).then_some(self.ran == 0 && self.skipped == 0),
            ..Tally::default()
        };
        if let Some(target) = self.stopped.take().filter(|_| !self.went_on)
            && leaves_out(&target, self.later, out)
        {
            tally.stopped_early = true;
            tally.notes.push(format!(
                    "cargo test stopped at the first failing target ({target}); with --no-fail-fast it runs them all"
                ));
        }
        tally
    }
}

/// Whether targets follow `target`: documentation tests are last, and a package whose folder shows
/// neither integration tests nor a library has nothing after its program.
fn leaves_out(target: &str, later: Later, out: &Out<'_>) -> bool {
    // cargo names the package only where there are several.
    let several = target.contains("-p ");
    match later {
        Later::None => return false,
        Later::Packages => return several,
        Later::Unknown if target.contains("--doc") => return several,
        Later::Unknown => {}
    }
    let base = out.paths.base();
    let below = |name: &str| {
        if base.is_empty() {
            name.to_owned()
        } else {
            format!("{base}/{name}")
        }
    };
    let plain = out.paths.is_file(&below("Cargo.toml")) && !several;
    let program = plain && target.starts_with("--bin ");
    !program
        || out.paths.is_folder(&below("tests"))
        || out.paths.is_file(&below("src/lib.rs"))
        || out.paths.is_folder(&below("src/bin"))
}
