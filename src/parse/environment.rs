//! Failures of the machine rather than of the tree, in the words of launchers and package
//! managers. They count only where no parser found a row; a launcher's, only at the end of the
//! output. Each file below reads the words of one of them.

mod cargo;
mod fetch;
mod make;
mod modules;
mod network;
mod npm;
mod shell;
mod sign;
#[cfg(test)]
mod tests;

use crate::model::EnvironmentFailure;

pub(super) use make::Folder;
pub use network::is_refused as says_network_refused;

use cargo::Cargo;
use fetch::Fetch;
use make::{Said, is_make};
use npm::Npm;
use sign::Sign;

/// How many other lines may follow such words.
const NEAR: u64 = 12;

/// Watches every line for them; almost all are dismissed by their first byte.
#[derive(Debug, Default)]
pub(super) struct Environment {
    lines: u64,
    /// What a shell said it did not find, and when.
    missing: Option<(String, u64)>,
    /// A launcher's own words, and when.
    relayed: Option<(EnvironmentFailure, u64)>,
    /// What could not be fetched: it counts wherever it stands.
    fetch: Option<EnvironmentFailure>,
    cargo: Cargo,
    others: Fetch,
    npm: Npm,
}

impl Environment {
    /// So many lines that are not blank said nothing.
    pub(super) fn pass(&mut self, lines: u64) {
        self.lines += lines;
    }

    /// The reason of something may follow, indented.
    pub(super) fn is_explaining(&self) -> bool {
        self.cargo.is_explaining() || self.others.is_explaining()
    }

    /// Whether `line`, which no launcher's name begins, says nothing either as a line of words.
    pub(super) fn has_no_word_in(line: &[u8]) -> bool {
        !(line.ends_with(b"GOPROXY=off")
            || memchr::memchr(b'@', line).is_some()
            || fetch::begins(line))
    }

    /// Reads one line.
    pub(super) fn line(&mut self, line: &[u8]) -> Option<Folder> {
        let first = *line.first()?;
        self.lines += 1;
        let sign = match first {
            b'm' | b'g' | b'n' if is_make(line) => match make::read(line)? {
                Said::Folder(folder) => return Some(folder),
                Said::Sign(sign) => Some(sign),
            },
            b'n' if line.starts_with(b"npm ") => self.npm.line(line),
            b'e' if line.starts_with(b"error: ") => {
                let [missing, unfetched] = self.cargo.error(&line[7..]);
                self.notice(missing);
                unfetched.or_else(|| self.others.error(&line[7..]))
            }
            b'e' if line.starts_with(b"error ") => Fetch::yarn(line),
            b' ' | b'A' | b'C' if self.cargo.is_explaining() => self.cargo.reason(line),
            b' ' if self.others.is_explaining() => self.others.reason(line),
            _ if fetch::begins(line) => self.others.line(line),
            b'g' if line.starts_with(b"go: ") => modules::read(&line[4..]),
            // `x.go:3:8: module@version: Get "https://…": dial tcp: …`
            _ if first.is_ascii_alphanumeric()
                && !Self::has_no_word_in(line)
                && super::go::is_fetch_error(line) =>
            {
                modules::read(line)
            }
            b's' | b'/' | b'b' | b'd' | b'z' => shell::read(line),
            _ => None,
        };
        self.notice(sign);
        None
    }

    fn notice(&mut self, sign: Option<Sign>) {
        match sign {
            Some(Sign::Lacks(failure)) => self.relayed = Some((failure, self.lines)),
            Some(Sign::Program { name, failure }) => {
                self.missing = Some((name, self.lines));
                self.relayed = Some((failure, self.lines));
            }
            Some(Sign::Relays { words, code }) => self.relay(&words, code),
            Some(Sign::Unfetched(failure)) => {
                self.fetch.get_or_insert(failure);
            }
            None => {}
        }
    }

    /// A launcher says how what it ran exited: the shell before it may have said what that was.
    fn relay(&mut self, words: &str, code: u32) {
        let missing = self
            .missing
            .take()
            .filter(|(_, at)| self.lines - at <= NEAR);
        let program = missing.map_or_else(|| "a program".to_owned(), |(program, _)| program);
        let what = match code {
            127 => "was not found",
            _ => "cannot be executed",
        };
        let reason = format!("{program} {what} ({words})");
        let failure = EnvironmentFailure {
            reason,
            hint: None,
            network: false,
        };
        self.relayed = Some((failure, self.lines));
    }

    /// What was seen, at the end of an output that has no row.
    pub(super) fn take(&mut self) -> Option<EnvironmentFailure> {
        let near = self
            .relayed
            .take()
            .filter(|(_, at)| self.lines - at <= NEAR);
        self.fetch.take().or(near.map(|(failure, _)| failure))
    }
}
