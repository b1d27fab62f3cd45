//! What every parser is given and what it gives back.

use crate::model::{EnvironmentFailure, Exit, Failure, Level};
use crate::text::PlainLines;

use super::paths::Paths;

/// Reads the output of one tool, line by line, in constant memory.
pub(super) trait Parser {
    /// Reads a line, without its end and without escapes. True: it is this tool's, so that no
    /// other parser is asked.
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool;

    /// Asked of a parser that is [`open`](Parser::open) only: passes as many `lines` as
    /// [`Parser::line`] would take one by one, give no row for and stay open after, and which none
    /// of the [environment's](super::environment) words begins; how many of them are not blank.
    fn skim(&mut self, _lines: &mut PlainLines<'_>) -> u64 {
        0
    }

    /// Reads the end of a line too long to be given whole.
    fn tail(&mut self, _tail: &[u8], _out: &mut Out<'_>) {}

    /// In the middle of this tool's output: whatever a line looks like, it is its child's text. It
    /// becomes so by nothing but a line that it says is its own, or a tail.
    fn open(&self) -> bool {
        false
    }

    /// The output has ended.
    fn finish(&mut self, exit: Option<Exit>, out: &mut Out<'_>) -> Tally;
}

/// What a parser found beside rows.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// The output was this tool's.
    pub seen: bool,
    /// See [`crate::model::Evidence`].
    pub ran: Option<u64>,
    /// See [`crate::model::Evidence`].
    pub failed: Option<u64>,
    /// See [`crate::model::Evidence`].
    pub skipped: Option<u64>,
    /// See [`crate::model::Evidence`].
    pub claimed: Option<u64>,
    /// See [`crate::model::Evidence`].
    pub stopped_early: bool,
    /// A test runner that says it ran something (false) or nothing (true); `None`: not a runner,
    /// or it does not say.
    pub nothing_ran: Option<bool>,
    /// See [`crate::model::Findings`].
    pub not_built: Vec<String>,
    /// See [`EnvironmentFailure`].
    pub environment: Option<EnvironmentFailure>,
    /// See [`crate::model::Findings`].
    pub notes: Vec<String>,
}

/// Where rows go, and what paths mean.
pub(super) struct Out<'a> {
    pub paths: &'a Paths,
    pub rows: &'a mut dyn FnMut(Failure),
}

impl Out<'_> {
    /// Hands one row out.
    pub(super) fn row(&mut self, row: Failure) {
        (self.rows)(row);
    }
}

/// How many folders that did not build are named.
const MAX_NOT_BUILT: usize = 1000;

/// Adds `folder` once; the root is `.`.
pub(super) fn add_folder(folders: &mut Vec<String>, folder: &str) {
    let folder = if folder.is_empty() { "." } else { folder };
    if folders.len() < MAX_NOT_BUILT && !folders.iter().any(|held| held == folder) {
        folders.push(folder.to_owned());
    }
}

/// A tool's own word for how bad a finding is, where it is one.
pub(super) fn level_of(word: &str) -> Option<Level> {
    let is_one = |words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    if is_one(&["error", "fatal", "fatal error", "critical", "err"]) {
        Some(Level::Error)
    } else if is_one(&[
        "warning",
        "warn",
        "info",
        "style",
        "hint",
        "convention",
        "refactor",
    ]) {
        Some(Level::Warning)
    } else {
        None
    }
}
