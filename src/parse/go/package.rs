//! The package whose tests are being read: from the first line of one of them to the line that
//! ends the package. It reads what tests print; the runner's own lines are told to it.

use crate::model::Failure;
use crate::text::PlainLines;

use super::super::location::text;
use super::super::parser::Out;
use super::super::paths::Paths;
use super::super::prefix::strip_go_time;
use super::build::Diagnostics;
use super::counts::Counts;
use super::event::Event;
use super::failing::Failing;
use super::few::Key;
use super::result_line::{Mark, ResultLine};
use super::skim::skim;
use super::trace::Trace;
use super::verbose::Verbose;

/// The longest line that can become a package's message.
pub(super) const MAX_LAST: usize = 500;

/// What is known of the package.
#[derive(Debug, Default)]
pub(super) struct Package {
    /// A line of its tests was seen.
    begun: bool,
    pub(super) verbose: Verbose,
    pub(super) failing: Failing,
    trace: Option<Trace>,
    /// The last line that nothing else explains.
    last: Vec<u8>,
    /// The runner's `PASS` or `FAIL`, which it prints when all tests of a package have ended.
    summed: Option<Mark>,
}

impl Package {
    /// A line of its tests was seen, and its package line was not.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Passes the lines that need no more than counting; see [`skim`].
    pub(super) fn skim(&mut self, lines: &mut PlainLines<'_>, counts: &mut Counts) -> u64 {
        let rests = self.begun && self.trace.is_none() && self.failing.rests();
        if !(rests && self.verbose.is_on()) {
            return 0;
        }
        let skim = skim(lines, &mut self.verbose, counts);
        if skim.told {
            self.summed = None;
        }
        if let Some(last) = skim.last {
            self.last.clear();
            self.last.extend_from_slice(last);
        }
        skim.read - skim.blank
    }

    /// `=== RUN   TestX`.
    pub(super) fn event(&mut self, event: Event<'_>, out: &mut Out<'_>) {
        self.failing.close(out);
        self.trace = None;
        self.summed = None;
        self.begun = true;
        self.verbose.event(event);
    }

    /// `--- FAIL: TestX (0.00s)` at `depth`.
    pub(super) fn result(
        &mut self,
        result: ResultLine<'_>,
        key: Key,
        depth: usize,
        out: &mut Out<'_>,
    ) {
        self.trace = None;
        self.summed = None;
        self.begun = true;
        self.verbose.interrupt();
        self.failing.close_to(depth, out);
        match result.mark {
            Mark::Fail => {
                let printed = self.verbose.take(key).unwrap_or_default();
                self.failing.open(text(result.name), depth, printed, out);
            }
            Mark::Pass | Mark::Skip => self.verbose.forget(key),
        }
    }

    /// The runner's last word on all tests together.
    pub(super) fn sum(&mut self, mark: Mark, out: &mut Out<'_>) {
        self.close(out);
        self.summed = Some(mark);
    }

    /// No test has more to say, and what looked like a panic was one's own words.
    pub(super) fn close(&mut self, out: &mut Out<'_>) {
        self.trace = None;
        self.failing.close(out);
    }

    /// A panic is being read, and a goroutine has shown that it is one.
    pub(super) fn panicked(&self) -> bool {
        self.trace.as_ref().is_some_and(|trace| trace.believed)
    }

    /// Reads a line of a panic or of the race detector; false where it is neither.
    pub(super) fn traced(&mut self, line: &[u8], paths: &Paths) -> bool {
        if self.trace.is_some()
            && let Some(mut trace) = self.trace.take()
        {
            let going_on = line != b"FAIL" && trace.line(line, self.verbose.function(), paths);
            if going_on {
                let believed = trace.believed;
                self.trace = Some(trace);
                if believed {
                    return true;
                }
            }
        }
        self.failing.race_line(line, paths)
    }

    /// An indented line: the message of a test, or more of it.
    pub(super) fn indented(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        self.failing.indented(line, out) || self.verbose.capture(line) || self.begun
    }

    /// A line at the margin that is none of the runner's own.
    pub(super) fn at_margin(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        if let Some(trace) = Trace::begin(line) {
            self.trace = Some(trace);
            return self.begun;
        }
        if line.ends_with(b"FAIL") {
            // The last test did not end its line.
            self.summed = Some(Mark::Fail);
        } else if line.starts_with(b"exit status ") {
            return self.begun;
        } else if line.starts_with(b"signal: ") {
            // go's own word on how the binary ended, after all that its tests said.
            self.failing.close(out);
        }
        if self.failing.at_margin(line) {
            return true;
        }
        if !line.is_empty() && line.len() <= MAX_LAST {
            self.last.clear();
            self.last.extend_from_slice(line);
        }
        self.begun
    }

    /// A panic ends the test it is of, or the package.
    pub(super) fn end_trace(&mut self, out: &mut Out<'_>) {
        let Some(mut trace) = self.trace.take().filter(|trace| trace.believed) else {
            return;
        };
        let running = trace.running.take();
        let Some((message, place)) = self.failing.explain(trace) else {
            return;
        };
        let mut row = Failure::new("go-test", message);
        row.test = running.or_else(|| self.verbose.printing());
        if let Some(test) = &row.test
            && let Some(printed) = self.verbose.take(Key::of(test.as_bytes()))
        {
            row.message.push('\n');
            row.message.push_str(printed.message.text());
        }
        self.failing.close(out);
        self.failing.push(row, place, out);
    }

    /// It is `import` and has failed. True where it died before all of its tests had ended.
    pub(super) fn fail(
        &mut self,
        import: &str,
        diagnostics: &mut Diagnostics,
        out: &mut Out<'_>,
    ) -> bool {
        let died = self.summed.is_none();
        let explained = self.panicked();
        self.end_trace(out);
        self.failing.close(out);
        if died || self.failing.is_empty() {
            // What was to run after it was not looked at.
            diagnostics.not_looked_at(import, out);
        }
        if self.failing.is_empty() || (died && !explained) {
            let last = strip_go_time(self.last.trim_ascii());
            self.failing
                .push_package(import, self.verbose.unended(), last, out);
        }
        self.failing
            .release(Some((&mut diagnostics.modules, import)), out);
        self.end();
        died
    }

    /// The runner said FAIL last, and go that the package is good: a `TestMain` made an exit status
    /// of 0 of it.
    pub(super) fn hides_failures(&self) -> bool {
        self.summed == Some(Mark::Fail) && !self.failing.is_empty()
    }

    /// It is good.
    pub(super) fn pass(&mut self) {
        self.failing.forget();
        self.end();
    }

    fn end(&mut self) {
        self.begun = false;
        self.verbose.clear();
        self.last.clear();
        self.summed = None;
    }
}
