//! Uncaught errors in the output of the spec reporter, until the line of a test or file claims them.

use std::collections::{HashMap, VecDeque};

use super::crash::{Crash, Crashed};
use super::late::Late;

/// How many files' errors are kept.
const MAX: usize = 10_000;

/// The errors that were read.
#[derive(Debug, Default)]
pub(super) struct Errors {
    crash: Crash,
    late: Late,
    /// The last one, which no test's line has explained yet.
    unclaimed: Option<Crashed>,
    /// Errors that ended test files, by the file's name, the first one first.
    by_file: HashMap<String, VecDeque<Crashed>>,
    /// How many those are.
    kept: usize,
}

impl Errors {
    /// Reads a line that is not the reporter's: whether it is of an error, and the error before it,
    /// where a new one shows that no test will claim that.
    pub(super) fn line(&mut self, line: &[u8]) -> (bool, Option<Crashed>) {
        let reading = self.crash.line(line);
        let unexplained = match self.crash.take() {
            Some(crashed) => self.unclaimed.replace(crashed),
            None => None,
        };
        (reading, unexplained)
    }

    /// Reads the runner's own words; true where they are of what a test left running.
    pub(super) fn late_line(&mut self, words: &str) -> bool {
        self.late.line(words)
    }

    /// The line of a test that did not fail: what it left running is not the next one's.
    pub(super) fn forget_late(&mut self) {
        self.late.take();
    }

    /// The error that the line of a failing test explains.
    pub(super) fn claim(&mut self) -> Option<Crashed> {
        let late = self.late.take();
        self.unclaimed.take().or(late)
    }

    /// The error ended the file `name`, whose failure may be told again.
    pub(super) fn keep(&mut self, name: &str, crashed: &Crashed) {
        if self.kept < MAX {
            self.kept += 1;
            let same = self.by_file.entry(name.to_owned()).or_default();
            same.push_back(crashed.clone());
        }
    }

    /// Takes the error that ended the file `name`.
    pub(super) fn of_file(&mut self, name: &str) -> Option<Crashed> {
        let same = self.by_file.get_mut(name)?;
        let crashed = same.pop_front();
        if same.is_empty() {
            self.by_file.remove(name);
        }
        self.kept -= usize::from(crashed.is_some());
        crashed
    }

    /// In the middle of one.
    pub(super) fn reading(&self) -> bool {
        self.crash.reading()
    }

    /// At the end: the errors that nothing has claimed, in their order.
    pub(super) fn rest(&mut self) -> impl Iterator<Item = Crashed> + use<> {
        let last = self.crash.take_unfinished();
        self.unclaimed.take().into_iter().chain(last)
    }
}

#[cfg(test)]
mod tests {
    use super::{Crashed, Errors, MAX};

    #[test]
    fn each_error_is_of_one_telling_of_its_file() {
        let mut errors = Errors::default();
        let crashed = |message: &str| Crashed {
            message: message.to_owned(),
            place: None,
        };
        for (name, message) in [("a.js", "one"), ("b.js", "two"), ("a.js", "three")] {
            errors.keep(name, &crashed(message));
        }
        let mut take = |name: &str| errors.of_file(name).map(|crashed| crashed.message);
        assert_eq!(take("b.js").as_deref(), Some("two"));
        assert_eq!(take("b.js"), None);
        assert_eq!(take("a.js").as_deref(), Some("one"));
        assert_eq!(take("a.js").as_deref(), Some("three"));
        assert_eq!(take("a.js"), None);
        for _ in 0..MAX + 2 {
            errors.keep("c.js", &crashed("again"));
        }
        assert_eq!(std::iter::from_fn(|| errors.of_file("c.js")).count(), MAX);
    }
}
