//! From the bytes of a check to rows and findings.

use std::path::Path;

use regex::bytes::Regex;

use crate::model::{Channel, Exit, Failure, Findings, Level, OutputSpec, Streams};

use super::command::{Command, joins_streams};
use super::lane::Lane;
use super::merged::Merged;
use super::paths::Paths;
use super::registry::parsers;

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
    /// What comes through the other stream is not read.
    pub channel: Channel,
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
    /// Of standard output (or both) and standard error, where they are read.
    lanes: [Option<Lane>; 2],
    joined: bool,
    /// Every line is a row, so that a row is no sign that some tool found something.
    copies: bool,
    keep: Keep,
}

/// Which rows go on, and how many did.
struct Keep {
    pattern: Option<Regex>,
    /// None does.
    silent: bool,
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
        let is_text = setup.format == "text";
        let lane = || {
            parsers(setup.format, &command, setup.pattern)
                .map(|entries| Lane::new(entries, paths.clone(), !is_text))
                .ok_or_else(|| UnknownFormat(setup.format.to_owned()))
        };
        let reads_stdout = setup.joined || setup.channel != Channel::Stderr;
        let reads_stderr = !setup.joined && setup.channel != Channel::Stdout;
        // `text` applies the pattern to lines itself.
        let pattern = setup.pattern.filter(|_| !is_text).cloned();
        Ok(Self {
            lanes: [
                reads_stdout.then(lane).transpose()?,
                reads_stderr.then(lane).transpose()?,
            ],
            joined: setup.joined,
            copies: is_text && setup.pattern.is_none(),
            keep: Keep {
                pattern,
                silent: false,
                errors: 0,
                warnings: 0,
                left_out: 0,
            },
        })
    }

    /// Reads `bytes`, of any length, cut anywhere. Rows leave as soon as they are certain.
    pub fn feed(&mut self, stream: Stream, bytes: &[u8], rows: &mut dyn FnMut(Failure)) {
        let keep = &mut self.keep;
        let lane = match stream {
            Stream::Stderr if !self.joined => &mut self.lanes[1],
            Stream::Stdout | Stream::Stderr => &mut self.lanes[0],
        };
        if let Some(lane) = lane {
            lane.feed(bytes, &mut |row| keep.row(row, rows));
        }
    }

    /// The output has ended; `exit` is `None` where it is not known.
    pub fn finish(mut self, exit: Option<Exit>, rows: &mut dyn FnMut(Failure)) -> Findings {
        let mut findings = Findings::default();
        let mut merged = Merged::default();
        let mut lanes: Vec<&mut Lane> = self.lanes.iter_mut().flatten().collect();
        let keep = &mut self.keep;
        for lane in &mut lanes {
            lane.close(&mut |row| keep.row(row, rows));
        }
        let lacks = match exit {
            Some(Exit::Code(0)) => None,
            _ => lanes.iter_mut().find_map(|lane| lane.environment()),
        };
        keep.silent = self.copies && is_machines_fault(exit, lacks.is_some());
        for lane in lanes {
            lane.finish(
                exit,
                &mut |row| keep.row(row, rows),
                &mut merged,
                &mut findings,
            );
        }
        findings.errors = keep.errors;
        findings.warnings = keep.warnings;
        merged.settle(keep.left_out, &mut findings);
        let no_row = findings.errors + findings.warnings + keep.left_out == 0;
        findings.environment = match exit {
            Some(Exit::Code(0)) => None,
            _ if no_row => findings.environment.take().or(lacks),
            _ => None,
        };
        findings
    }
}

/// Whether a failing check said, by its code or in a launcher's last words, that what it runs is
/// not there.
fn is_machines_fault(exit: Option<Exit>, lacks: bool) -> bool {
    match exit {
        Some(Exit::Code(126 | 127)) => true,
        Some(Exit::Code(_)) => lacks,
        Some(Exit::Signal(_)) | None => false,
    }
}

impl Keep {
    fn row(&mut self, row: Failure, rows: &mut dyn FnMut(Failure)) {
        if self.silent {
            return;
        }
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

/// Whether the two streams of `argv` are one pipe: as the manifest says, else where one tool, or
/// a shell, spreads a fact over both. `text` has the rows of standard output before the others,
/// and of two streams that are one, none could be left unread.
pub fn streams(argv: &[String], output: &OutputSpec) -> Streams {
    if output.channel != Channel::Both {
        return Streams::Split;
    }
    output.streams.unwrap_or_else(|| {
        if output.format != "text" && joins_streams(argv) {
            Streams::Joined
        } else {
            Streams::Split
        }
    })
}

#[cfg(test)]
mod tests;
