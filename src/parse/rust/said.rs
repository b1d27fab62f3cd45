//! What the tests of one target printed that says why they failed.

use std::collections::HashMap;

use super::super::clip::Gathered;
use super::super::location::{Place, exact_place};
use super::compiler::Diagnostic;
use super::panics::Panic;

/// How many tests' words are kept until the result line of their target.
const MAX: usize = 10_000;

/// What one test printed.
#[derive(Debug, Default, Clone)]
pub(super) struct Said {
    pub place: Option<Place>,
    pub message: Gathered,
    pub rule: Option<String>,
    /// The panic is of the test's own thread.
    own: bool,
    /// A panic was read: what else was printed is only output.
    panicked: bool,
}

/// What each test printed. `block` is everywhere the test in whose `---- name stdout ----` block a
/// line stands; outside of one a panic names its thread.
#[derive(Debug, Default)]
pub(super) struct Words {
    by_test: HashMap<String, Said>,
    /// The panic whose message is being read.
    panic: Option<Panic>,
    /// A compile error in a documentation test.
    diagnostic: Option<Diagnostic>,
}

impl Words {
    /// Reads a line of a block, or of a test that writes straight through.
    pub(super) fn line(&mut self, line: &[u8], block: Option<&str>) {
        if let Some(panic) = Panic::begin(line) {
            self.end(block);
            self.panic = Some(panic);
            return;
        }
        if let Some(panic) = &mut self.panic {
            if line.is_empty()
                || line.starts_with(b"note: ")
                || line.starts_with(b"test ")
                || line.starts_with(b"stack backtrace:")
            {
                self.end(block);
            } else {
                panic.message.push(line);
                return;
            }
        }
        let Some(test) = block else {
            return;
        };
        if let Some(diagnostic) = &mut self.diagnostic {
            if diagnostic.line(line) {
                return;
            }
            self.end(block);
        }
        if let Some(note) = line.strip_prefix(b"note: ") {
            self.note(note, test);
        } else if line.starts_with(b"error") && !self.has_panicked(test) {
            self.diagnostic = Diagnostic::begin(line);
        } else if line.starts_with(b"Error: ")
            && !self.has_panicked(test)
            && let Some(said) = self.of(test)
        {
            said.message.push(line);
        }
    }

    /// `should_panic` explains itself in notes.
    fn note(&mut self, note: &[u8], test: &str) {
        let Some(said) = self.of(test) else {
            return;
        };
        if let Some(rest) = note.strip_prefix(b"test did not panic as expected") {
            said.message.push(b"test did not panic as expected");
            said.place = rest.strip_prefix(b" at ").and_then(exact_place);
            said.panicked = true;
        } else if note.starts_with(b"panic did not contain expected string") {
            said.message.push(note);
        }
    }

    /// What is being read has ended.
    pub(super) fn end(&mut self, block: Option<&str>) {
        if let Some(diagnostic) = self.diagnostic.take()
            && let Some(test) = block
        {
            self.end_diagnostic(diagnostic, test);
        }
        if let Some(panic) = self.panic.take() {
            self.end_panic(panic, block);
        }
    }

    fn end_diagnostic(&mut self, diagnostic: Diagnostic, test: &str) {
        let Some(said) = self.of(test) else {
            return;
        };
        if said.rule.is_none() && !said.panicked {
            said.message = Gathered::default();
            said.message.push(diagnostic.row.message.as_bytes());
            said.rule = diagnostic.row.rule;
            said.place = diagnostic.place;
            said.panicked = true;
        }
    }

    fn end_panic(&mut self, panic: Panic, block: Option<&str>) {
        let test = block.unwrap_or(&panic.thread);
        let own = panic.thread == test;
        let Some(said) = self.of(test) else {
            return;
        };
        if said.panicked && (!own || said.own) {
            return;
        }
        said.own = own;
        said.panicked = true;
        said.place = panic.place;
        said.message = panic.message;
    }

    fn has_panicked(&self, test: &str) -> bool {
        self.by_test.get(test).is_some_and(|said| said.panicked)
    }

    /// What `test` printed so far; `None` where the words of too many are kept.
    fn of(&mut self, test: &str) -> Option<&mut Said> {
        if !self.by_test.contains_key(test) {
            if self.by_test.len() >= MAX {
                return None;
            }
            self.by_test.insert(test.to_owned(), Said::default());
        }
        self.by_test.get_mut(test)
    }

    /// Takes what `test` printed.
    pub(super) fn take(&mut self, test: &str) -> Said {
        self.by_test.remove(test).unwrap_or_default()
    }

    /// The target has ended.
    pub(super) fn clear(&mut self) {
        self.by_test.clear();
        self.panic = None;
        self.diagnostic = None;
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX, Words};

    #[test]
    fn a_tests_own_panic_says_more_than_anothers() {
        let mut words = Words::default();
        for line in [
            "Error: printed before",
            "thread 'helper' panicked at src/a.rs:1:1:",
            "helper died",
            "",
            "thread 'mine' panicked at src/b.rs:2:2:",
            "mine died",
        ] {
            words.line(line.as_bytes(), Some("mine"));
        }
        words.end(Some("mine"));
        let said = words.take("mine");
        assert_eq!(said.message.text(), "mine died");
        assert_eq!(said.place.unwrap().path, "src/b.rs");
    }

    #[test]
    fn the_words_of_so_many_tests_are_kept() {
        let mut words = Words::default();
        for n in 0..MAX + 10 {
            words.line(b"Error: x", Some(&n.to_string()));
            words.line(
                b"note: test did not panic as expected",
                Some(&n.to_string()),
            );
        }
        assert_eq!(words.by_test.len(), MAX);
    }
}
