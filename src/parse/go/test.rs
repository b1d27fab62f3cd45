//! `go test`, plain and `-v`: failing leaf tests, panics, builds, and packages that die outside
//! their tests. It tells the runner's own lines from all others; what tests print is read by
//! [`Package`], and builds by [`Diagnostics`].

use crate::model::Exit;
use crate::text::PlainLines;

use super::super::location::{indent, text};
use super::super::parser::{Out, Parser, Tally};
use super::build::{Diagnostics, Where};
use super::counts::Counts;
use super::event::{Event, Kind};
use super::few::Key;
use super::package::Package;
use super::package_line::{FailLine, GoodLine};
use super::result_line::{Mark, ResultLine};

/// The parser of `go test`.
#[derive(Debug)]
pub(in super::super) struct GoTest {
    /// The command is known to be `go test`.
    known: bool,
    failfast: bool,
    diagnostics: Diagnostics,
    package: Package,
    /// `-v`: a package line while a test was running; the next line of the runner decides.
    provisional: Option<String>,
    counts: Counts,
}

impl GoTest {
    /// `known`: the command is known to be `go test`; `failfast`: it has `-failfast`.
    pub(in super::super) fn new(known: bool, failfast: bool) -> Self {
        Self {
            known,
            failfast,
            diagnostics: Diagnostics::new("go-test"),
            package: Package::default(),
            provisional: None,
            counts: Counts::default(),
        }
    }

    fn event(&mut self, event: Event<'_>, out: &mut Out<'_>) {
        if self.provisional.is_some()
            && event.kind == Kind::Run
            && !self.package.verbose.runs_parent_of(event.name)
        {
            self.settle(out);
        }
        self.provisional = None;
        self.diagnostics.close(out);
        self.counts.verbose = true;
        self.package.event(event, out);
    }

    fn result(&mut self, result: ResultLine<'_>, depth: usize, out: &mut Out<'_>) {
        let key = Key::of(result.name);
        if !self.package.verbose.end(key) {
            // A test's own words, not the runner's.
            return;
        }
        self.diagnostics.close(out);
        self.provisional = None;
        self.counts.test(result.mark);
        self.package.result(result, key, depth, out);
    }

    fn fail_line(&mut self, line: FailLine<'_>, out: &mut Out<'_>) {
        self.diagnostics.close(out);
        let import = text(line.import);
        if line.unbuilt {
            self.counts.packages += 1;
            self.counts.unbuilt = true;
            self.package.failing.close(out);
            self.diagnostics.not_looked_at(&import, out);
        } else if self.package.verbose.is_running() && !self.package.panicked() {
            self.provisional.get_or_insert(import);
        } else {
            self.fail_package(&import, out);
        }
    }

    /// The package line that came while a test was running was the runner's.
    fn settle(&mut self, out: &mut Out<'_>) {
        if let Some(import) = self.provisional.take() {
            self.fail_package(&import, out);
        }
    }

    fn fail_package(&mut self, import: &str, out: &mut Out<'_>) {
        let died = self.package.fail(import, &mut self.diagnostics, out);
        self.counts.dead_packages += u64::from(died);
        self.counts.packages += 1;
        self.counts.failed_packages += 1;
    }

    fn good_line(&mut self, line: GoodLine<'_>, out: &mut Out<'_>) {
        self.diagnostics.close(out);
        self.settle(out);
        self.package.close(out);
        if self.package.hides_failures() {
            self.fail_package(&text(line.import), out);
            return;
        }
        self.package.pass();
        self.counts.packages += 1;
        self.counts.empty += u64::from(line.empty);
    }

    /// Anything but the runner's own lines.
    fn words(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        if self.package.traced(line, out.paths) {
            return true;
        }
        match line.first() {
            None | Some(b' ') => self.package.indented(line, out),
            _ if self.diagnostics.line(line, self.place(), out) => true,
            _ => self.at_margin(line, out),
        }
    }

    fn place(&self) -> Where {
        match (self.package.has_begun(), self.known) {
            (true, _) => Where::Tests,
            (false, true) => Where::Between,
            (false, false) => Where::Unknown,
        }
    }

    /// A line that is not indented and no diagnostic.
    fn at_margin(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        self.package.verbose.interrupt();
        if line.ends_with(b"s)")
            && let Some(result) = ResultLine::read_glued(line)
        {
            self.result(result, 0, out);
            return true;
        }
        let mark = match line {
            b"FAIL" => Mark::Fail,
            b"PASS" => Mark::Pass,
            b"no packages to test" => {
                self.counts.without_packages = true;
                return true;
            }
            _ => return self.package.at_margin(line, out),
        };
        self.settle(out);
        self.package.sum(mark, out);
        self.package.has_begun()
    }
}

impl Parser for GoTest {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        match line.first() {
            Some(b'=') => {
                if let Some(event) = Event::read(line) {
                    self.event(event, out);
                    return true;
                }
            }
            Some(b'-' | b' ') => {
                let depth = indent(line);
                if depth.is_multiple_of(4)
                    && let Some(result) = ResultLine::read(&line[depth..])
                {
                    self.result(result, depth / 4, out);
                    return true;
                }
            }
            Some(b'F') => {
                if let Some(failed) = line.strip_prefix(b"FAIL\t").and_then(FailLine::read) {
                    self.fail_line(failed, out);
                    return true;
                }
            }
            Some(b'o' | b'?') => {
                if let Some(good) = GoodLine::read(line) {
                    self.good_line(good, out);
                    return true;
                }
            }
            _ => {}
        }
        self.words(line, out)
    }

    fn skim(&mut self, lines: &mut PlainLines<'_>) -> u64 {
        if self.provisional.is_some() || !self.diagnostics.rests() {
            return 0;
        }
        self.package.skim(lines, &mut self.counts)
    }

    fn tail(&mut self, tail: &[u8], out: &mut Out<'_>) {
        if let Some(result) = ResultLine::read_glued(tail) {
            self.result(result, 0, out);
        }
    }

    fn open(&self) -> bool {
        self.package.has_begun()
    }

    fn finish(&mut self, exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        self.settle(out);
        self.package.end_trace(out);
        self.package.failing.close(out);
        // Without a package line or a running test, any program may have printed the shape.
        if self.known || self.counts.packages > 0 || self.counts.verbose {
            self.package.failing.release(None, out);
        }
        self.diagnostics.finish(exit, out);
        let failed = self.package.failing.released();
        self.counts
            .tally(failed, self.failfast, &mut self.diagnostics)
    }
}
