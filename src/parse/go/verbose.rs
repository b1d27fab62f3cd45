//! What `go test -v` tells beyond plain `go test`: which tests run, and whose lines these are. It
//! decides whom to believe and keeps what was printed; it gives no row.

use super::super::location::{indent, text};
use super::captured::Captured;
use super::event::{Event, Kind};
use super::few::Key;
use super::live::Live;
use super::printed::{LogLine, MESSAGE, MORE, Printed};

/// The longest name of a function that is looked for.
const MAX_FUNCTION: usize = 1024;

/// The running tests of one package.
#[derive(Debug, Default)]
pub(super) struct Verbose {
    /// The package's tests are shown as they run: results are believed of running tests only.
    on: bool,
    live: Live,
    /// The test whose lines these are, and what each running test printed.
    current: Vec<u8>,
    captured: Captured,
    /// The captured lines of `current` may go on.
    continuing: bool,
}

impl Verbose {
    pub(super) fn event(&mut self, event: Event<'_>) {
        self.follow(event, Key::of(event.name));
        self.set_current(whose(event));
    }

    /// As [`Verbose::event`]; whose lines follow is left to the caller.
    pub(super) fn follow(&mut self, event: Event<'_>, key: Key) {
        if event.kind == Kind::Run {
            self.start(key);
        }
        self.on = true;
        self.continuing = false;
    }

    /// As [`Verbose::follow`], of a test that begins.
    #[inline]
    pub(super) fn start(&mut self, test: Key) {
        self.on = true;
        self.continuing = false;
        self.live.start(test);
    }

    /// What follows is printed by the test `name`, or by none where that is empty.
    pub(super) fn set_current(&mut self, name: &[u8]) {
        self.current.clear();
        self.current.extend_from_slice(name);
    }

    /// The package's tests are shown as they run.
    pub(super) fn is_on(&self) -> bool {
        self.on
    }

    /// Whether the test that `name` stands below runs.
    pub(super) fn runs_parent_of(&self, name: &[u8]) -> bool {
        let parent = name.split(|&b| b == b'/').next().unwrap_or(name);
        parent.len() < name.len() && self.live.holds(Key::of(parent))
    }

    /// Some test runs.
    pub(super) fn is_running(&self) -> bool {
        self.on && !self.live.is_empty()
    }

    /// The test has a result; false where these are only a running test's own words.
    #[inline]
    pub(super) fn end(&mut self, test: Key) -> bool {
        self.live.end(test) || !self.is_running()
    }

    /// What follows is no more of a message.
    #[inline]
    pub(super) fn interrupt(&mut self) {
        self.continuing = false;
    }

    /// Keeps an indented line for the test whose it is; false where no test is known to print.
    pub(super) fn capture(&mut self, line: &[u8]) -> bool {
        let Some(test) = self.printing_key() else {
            return false;
        };
        self.capture_for(test, line, indent(line));
        true
    }

    /// Keeps a line of the printing `test`, indented by `depth`, if it says where it was printed.
    pub(super) fn capture_for(&mut self, test: Key, line: &[u8], depth: usize) {
        let more = self.continuing && depth >= MORE;
        if more || (depth >= MESSAGE && LogLine::read(&line[depth..]).is_some()) {
            self.continuing = true;
            self.captured.add(test, line);
        }
    }

    /// What `test`, which failed, printed.
    pub(super) fn take(&mut self, test: Key) -> Option<Printed> {
        self.captured.take(test).map(|lines| Printed::of(&lines))
    }

    /// `test` did not fail.
    #[inline]
    pub(super) fn forget(&mut self, test: Key) {
        self.captured.forget(test);
    }

    /// The function of the test whose lines these are.
    pub(super) fn function(&self) -> Option<&str> {
        function_of(&self.current)
    }

    /// The test whose lines these are, if they are.
    pub(super) fn printing(&self) -> Option<String> {
        self.is_printing().then(|| text(&self.current))
    }

    /// The same as a key.
    pub(super) fn printing_key(&self) -> Option<Key> {
        self.is_printing().then(|| Key::of(&self.current))
    }

    /// The same, where it has not ended.
    pub(super) fn unended(&self) -> Option<String> {
        self.live
            .holds(Key::of(&self.current))
            .then(|| text(&self.current))
    }

    fn is_printing(&self) -> bool {
        self.on && !self.current.is_empty()
    }

    /// The package has ended.
    pub(super) fn clear(&mut self) {
        self.on = false;
        self.live.clear();
        self.captured.clear();
        self.current.clear();
        self.continuing = false;
    }
}

/// The function of a test or of one below it: `TestA` of `TestA/b`. None has a name as long as a
/// line may be, which would be looked for in every line.
pub(super) fn function_of(test: &[u8]) -> Option<&str> {
    let end = memchr::memchr(b'/', &test[..test.len().min(MAX_FUNCTION)]);
    let name = &test[..end.unwrap_or(test.len())];
    let whole = !name.is_empty() && name.len() <= MAX_FUNCTION;
    str::from_utf8(name).ok().filter(|_| whole)
}

/// Whose lines follow `event`; empty where nobody's do.
pub(super) fn whose(event: Event<'_>) -> &[u8] {
    match event.kind {
        Kind::Run | Kind::Continue => event.name,
        Kind::Pause => b"",
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::Event;
    use super::super::few::Key;
    use super::Verbose;

    #[test]
    fn while_a_test_runs_only_running_tests_end() {
        let mut verbose = Verbose::default();
        assert!(
            verbose.end(Key::of(b"TestA")),
            "plain go test names no running test"
        );
        verbose.event(Event::read(b"=== RUN   TestA").unwrap());
        assert!(!verbose.end(Key::of(b"TestOther")));
        assert!(verbose.end(Key::of(b"TestA")));
        assert!(
            verbose.end(Key::of(b"TestOther")),
            "no test runs that could print it"
        );
    }

    #[test]
    fn lines_are_kept_for_the_test_that_prints() {
        let mut verbose = Verbose::default();
        assert!(!verbose.capture(b"    a_test.go:3: nobody's"));
        verbose.event(Event::read(b"=== RUN   TestA").unwrap());
        assert!(verbose.capture(b"    a_test.go:3: one"));
        assert!(verbose.capture(b"        more"));
        assert!(verbose.capture(b"  a line of its own"));
        verbose.interrupt();
        assert!(verbose.capture(b"        no more"));
        verbose.event(Event::read(b"=== PAUSE TestA").unwrap());
        assert!(!verbose.capture(b"    a_test.go:4: nobody's"));
        let printed = verbose.take(Key::of(b"TestA")).unwrap();
        assert_eq!(printed.message.text(), "one\nmore");
        assert!(verbose.take(Key::of(b"TestA")).is_none());
    }
}
