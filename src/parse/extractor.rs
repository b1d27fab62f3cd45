//! From the bytes of a check to rows and findings.

use std::path::Path;

use regex::bytes::Regex;

use crate::model::{Evidence, Exit, Failure, Findings, Level, Streams};

use super::command::{Command, joins_streams};
use super::environment::{Environment, Folder};
use super::escapes::strip;
use super::lines::{LineSplitter, Piece};
use super::parser::{Out, Tally, add_folder};
use super::paths::Paths;
use super::registry::{Entry, parsers};

/// Which pipe bytes came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output; with joined streams, both.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What is to be read, and where it ran.
#[derive(Debug, Clone)]
pub struct Setup<'a> {
    /// The tree under test, absolute. It need not exist.
    pub root: &'a Path,
    /// The working folder relative to the root, `.` for the root.
    pub cwd: &'a str,
    /// The command; empty where it is not known.
    pub argv: &'a [String],
    /// See [`super::formats`].
    pub format: &'a str,
    /// Only lines (of `text`) or rows that match are kept. A row is matched as the line
    /// `path:line:column: test: message (rule)`, absent parts left out.
    pub pattern: Option<&'a Regex>,
    /// Both streams come through one pipe, as [`Stream::Stdout`].
    pub joined: bool,
}

/// A format that is not in the registry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no format is named {0:?} (check parse --list names them)")]
pub struct UnknownFormat(pub String);

/// Reads one check's output as it comes. The same rows and findings follow from the same bytes of
/// each stream, however they are split.
pub struct Extractor {
    stdout: Lane,
    stderr: Option<Lane>,
    keep: Keep,
}

/// One stream and its parsers.
struct Lane {
    splitter: LineSplitter,
    entries: Vec<Entry>,
    environment: Environment,
    paths: Paths,
    /// For lines with escapes.
    buffer: Vec<u8>,
}

/// Which rows go on, and how many did.
struct Keep {
    pattern: Option<Regex>,
    errors: u64,
    warnings: u64,
    /// Rows of level error that the pattern left out.
    left_out: u64,
}

impl Extractor {
    /// An extractor for `setup`; refused where the format is unknown.
    pub fn new(setup: &Setup<'_>) -> Result<Self, UnknownFormat> {
        let command = Command::of(setup.argv);
        let mut paths = Paths::new(setup.root, setup.cwd);
        if let Some(folder) = &command.folder {
            paths.enter(folder);
        }
        let lane = || {
            parsers(setup.format, &command, setup.pattern)
                .map(|entries| Lane {
                    splitter: LineSplitter::default(),
                    entries,
                    environment: Environment::default(),
                    paths: paths.clone(),
                    buffer: Vec::new(),
                })
                .ok_or_else(|| UnknownFormat(setup.format.to_owned()))
        };
        // `text` applies the pattern to lines itself.
        let pattern = setup.pattern.filter(|_| setup.format != "text").cloned();
        Ok(Self {
            stdout: lane()?,
            stderr: if setup.joined { None } else { Some(lane()?) },
            keep: Keep {
                pattern,
                errors: 0,
                warnings: 0,
                left_out: 0,
            },
        })
    }

    /// Reads `bytes`, of any length, cut anywhere. Rows leave as soon as they are certain.
    pub fn feed(&mut self, stream: Stream, bytes: &[u8], rows: &mut dyn FnMut(Failure)) {
        let keep = &mut self.keep;
        let lane = match (stream, &mut self.stderr) {
            (Stream::Stderr, Some(stderr)) => stderr,
            _ => &mut self.stdout,
        };
        lane.feed(bytes, &mut |row| keep.row(row, rows));
    }

    /// The output has ended; `exit` is `None` where it is not known.
    pub fn finish(mut self, exit: Option<Exit>, rows: &mut dyn FnMut(Failure)) -> Findings {
        let mut findings = Findings::default();
        let mut merged = Merged::default();
        for lane in [Some(&mut self.stdout), self.stderr.as_mut()]
            .into_iter()
            .flatten()
        {
            let keep = &mut self.keep;
            lane.finish(
                exit,
                &mut |row| keep.row(row, rows),
                &mut merged,
                &mut findings,
            );
        }
        findings.errors = self.keep.errors;
        findings.warnings = self.keep.warnings;
        merged.settle(self.keep.left_out, &mut findings);
        if findings.errors + findings.warnings + self.keep.left_out == 0 {
            let lanes = [Some(&mut self.stdout), self.stderr.as_mut()];
            let seen = lanes
                .into_iter()
                .flatten()
                .find_map(|lane| lane.environment.take());
            findings.environment = findings.environment.take().or(seen);
        } else {
            findings.environment = None;
        }
        findings
    }
}

impl Lane {
    fn feed(&mut self, bytes: &[u8], rows: &mut dyn FnMut(Failure)) {
        let Self {
            splitter,
            entries,
            environment,
            paths,
            buffer,
        } = self;
        splitter.feed(bytes, |piece| {
            give(piece, entries, environment, paths, buffer, rows);
        });
    }

    fn finish(
        &mut self,
        exit: Option<Exit>,
        rows: &mut dyn FnMut(Failure),
        merged: &mut Merged,
        findings: &mut Findings,
    ) {
        let Self {
            splitter,
            entries,
            environment,
            paths,
            buffer,
        } = self;
        splitter.finish(|piece| give(piece, entries, environment, paths, buffer, rows));
        for entry in entries {
            let tally = entry.parser.finish(exit, &mut Out { paths, rows });
            merged.add(entry.name, tally, findings);
        }
    }
}

/// One line through the parsers: an open one has it alone, else the first that knows it.
fn give(
    piece: Piece<'_>,
    entries: &mut [Entry],
    environment: &mut Environment,
    paths: &mut Paths,
    buffer: &mut Vec<u8>,
    rows: &mut dyn FnMut(Failure),
) {
    let line = match piece {
        Piece::Line(line) => strip(line, buffer),
        Piece::Tail(tail) => {
            let mut out = Out { paths, rows };
            for entry in entries.iter_mut() {
                entry.parser.tail(tail, &mut out);
            }
            return;
        }
    };
    match environment.line(line) {
        Some(Folder::Enter(folder)) => paths.enter(&folder),
        Some(Folder::Leave) => paths.leave(),
        None => {}
    }
    let mut out = Out { paths, rows };
    if let Some(open) = entries.iter_mut().find(|entry| entry.parser.open()) {
        if open.parser.line(line, &mut out) || open.parser.open() {
            return;
        }
        // Its output ended with this line, which is not its own.
        let name = open.name;
        for entry in entries.iter_mut().filter(|entry| entry.name != name) {
            if entry.parser.line(line, &mut out) {
                return;
            }
        }
        return;
    }
    for entry in entries.iter_mut() {
        if entry.parser.line(line, &mut out) {
            return;
        }
    }
}

impl Keep {
    fn row(&mut self, row: Failure, rows: &mut dyn FnMut(Failure)) {
        if let Some(pattern) = &self.pattern
            && !pattern.is_match(one_line(&row).as_bytes())
        {
            self.left_out += u64::from(row.level == Level::Error);
            return;
        }
        match row.level {
            Level::Error => self.errors += 1,
            Level::Warning => self.warnings += 1,
        }
        rows(row);
    }
}

/// A row as a linter would print it.
fn one_line(row: &Failure) -> String {
    let mut line = String::new();
    if let Some(path) = &row.path {
        line.push_str(path);
        for number in [row.line, row.column].into_iter().flatten() {
            line.push(':');
            line.push_str(&number.to_string());
        }
        line.push_str(": ");
    }
    if let Some(test) = &row.test {
        line.push_str(test);
        line.push_str(": ");
    }
    line.push_str(&row.message);
    if let Some(rule) = &row.rule {
        line.push_str(" (");
        line.push_str(rule);
        line.push(')');
    }
    line
}

/// What several parsers found, as one.
#[derive(Debug, Default)]
struct Merged {
    evidence: Evidence,
    /// Some parser that gives evidence read something.
    any: bool,
    /// Some runner ran tests; some says that it ran none.
    ran_some: bool,
    ran_none: bool,
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0) + more);
    }
}

impl Merged {
    fn add(&mut self, name: &'static str, tally: Tally, findings: &mut Findings) {
        for folder in &tally.not_built {
            add_folder(&mut findings.not_built, folder);
        }
        findings.notes.extend(tally.notes);
        if findings.environment.is_none() {
            findings.environment = tally.environment;
        }
        if !tally.seen {
            return;
        }
        if !findings.formats.contains(&name) {
            findings.formats.push(name);
        }
        self.any |= name != "text";
        add(&mut self.evidence.ran, tally.ran);
        add(&mut self.evidence.failed, tally.failed);
        add(&mut self.evidence.skipped, tally.skipped);
        add(&mut self.evidence.claimed, tally.claimed);
        self.evidence.stopped_early |= tally.stopped_early;
        match tally.nothing_ran {
            Some(true) => self.ran_none = true,
            Some(false) => self.ran_some = true,
            None => {}
        }
    }

    fn settle(mut self, left_out: u64, findings: &mut Findings) {
        if self.ran_none && !self.ran_some && findings.errors == 0 && left_out == 0 {
            findings.nothing_ran = Some("0 tests".to_owned());
        }
        // What the manifest leaves out on purpose is accounted for.
        self.evidence.claimed = self
            .evidence
            .claimed
            .map(|claimed| claimed.saturating_sub(left_out));
        if self.any || self.evidence.stopped_early {
            findings.evidence = Some(self.evidence);
        }
    }
}

/// How the streams of `argv` are read where its manifest does not say: joined where one tool
/// spreads a fact over both.
pub fn default_streams(argv: &[String]) -> Streams {
    if joins_streams(argv) {
        Streams::Joined
    } else {
        Streams::Split
    }
}
