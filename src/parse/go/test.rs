//! `go test`, plain and `-v`: failing leaf tests, panics, builds, and packages that die outside
//! their tests.

use memchr::memmem;

use crate::model::{Exit, Failure};

use super::super::location::{indent, number, text};
use super::super::parser::{Out, Parser, Tally, add_folder};
use super::super::paths::Paths;
use super::super::prefix::strip_go_time;
use super::build::{Diagnostics, Where};
use super::captured::Captured;
use super::frames::Stack;
use super::held::{Block, Held, LogLine, Printed};
use super::live::Live;
use super::trace::{Race, Trace};

/// The longest line that can become a package's message.
const MAX_LAST: usize = 500;

/// The parser of `go test`.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts of a stream, not a state"
)]
#[derive(Debug)]
pub(in super::super) struct GoTest {
    known: bool,
    diagnostics: Diagnostics,
    held: Held,
    /// Failing tests being read, outermost first.
    blocks: Vec<Block>,
    /// A line of this package's tests was seen, and its package line was not.
    segment: bool,
    /// `-v`: results are believed of running tests only.
    verbose: bool,
    live: Live,
    /// `-v`: the test whose lines these are, and what each running test printed.
    current: Vec<u8>,
    captured: Captured,
    /// The captured lines of `current` may go on.
    continuing: bool,
    /// `-v`: a package line while a test was running; the next line of the runner decides.
    provisional: Option<String>,
    trace: Option<Trace>,
    race: Race,
    /// The last line of the package that nothing else explains.
    last: Vec<u8>,
    failfast: bool,
    /// The runner's `PASS` or `FAIL`, which it prints when all tests of a package have ended.
    summed: Option<Mark>,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    verbose: bool,
    ran: u64,
    skipped: u64,
    failed_packages: u64,
    unbuilt: bool,
    packages: u64,
    empty: u64,
    /// Packages that died before all of their tests had ended.
    dead_packages: u64,
    /// go says that its patterns name no package.
    without_packages: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Fail,
    Pass,
    Skip,
}

impl GoTest {
    /// `known`: the command is known to be `go test`; `failfast`: it has `-failfast`.
    pub(in super::super) fn new(known: bool, failfast: bool) -> Self {
        Self {
            known,
            diagnostics: Diagnostics::new("go-test"),
            held: Held::default(),
            blocks: Vec::new(),
            segment: false,
            verbose: false,
            live: Live::default(),
            current: Vec::new(),
            captured: Captured::default(),
            continuing: false,
            provisional: None,
            trace: None,
            race: Race::default(),
            last: Vec::new(),
            failfast,
            summed: None,
            counts: Counts::default(),
        }
    }

    /// `=== RUN   TestX`, `=== PAUSE`, `=== CONT`, `=== NAME`.
    fn event(&mut self, rest: &[u8], out: &mut Out<'_>) -> bool {
        let word = &rest[..memchr::memchr(b' ', rest).unwrap_or(rest.len())];
        let name = rest[word.len()..].trim_ascii();
        if name.is_empty() || !matches!(word, b"RUN" | b"PAUSE" | b"CONT" | b"NAME") {
            return false;
        }
        if self.provisional.is_some() {
            let parent = name.split(|&b| b == b'/').next().unwrap_or(name);
            if word == b"RUN" && !(parent.len() < name.len() && self.live.holds(parent)) {
                self.settle(out);
            } else {
                self.provisional = None;
            }
        }
        self.diagnostics.close(out);
        self.close_blocks(out);
        self.trace = None;
        self.summed = None;
        self.segment = true;
        self.verbose = true;
        self.counts.verbose = true;
        self.continuing = false;
        if word == b"RUN" {
            self.live.start(name);
        }
        self.current.clear();
        if word != b"PAUSE" {
            self.current.extend_from_slice(name);
        }
        true
    }

    /// `--- FAIL: TestX (0.00s)` at `depth`.
    fn result(&mut self, mark: Mark, name: &[u8], depth: usize, out: &mut Out<'_>) -> bool {
        let running = self.live.end(name);
        if self.verbose && !running && !self.live.is_empty() {
            // A test's own words, not the runner's.
            return true;
        }
        self.diagnostics.close(out);
        self.provisional = None;
        self.trace = None;
        self.summed = None;
        self.segment = true;
        self.continuing = false;
        self.counts.ran += 1;
        self.close_to(depth, out);
        if mark != Mark::Fail {
            self.captured.forget(name);
            self.counts.ran -= u64::from(mark == Mark::Skip);
            self.counts.skipped += u64::from(mark == Mark::Skip);
            return true;
        }
        let printed = self.captured.take(name).map(|lines| printed_of(&lines));
        let name = text(name);
        for above in &mut self.blocks {
            above.child_failed |=
                name.starts_with(above.name.as_str()) && name[above.name.len()..].starts_with('/');
        }
        self.blocks.push(Block {
            name,
            depth,
            child_failed: false,
            printed: printed.unwrap_or_default(),
        });
        true
    }

    fn close_to(&mut self, depth: usize, out: &mut Out<'_>) {
        while self.blocks.last().is_some_and(|block| block.depth >= depth) {
            if let Some(mut block) = self.blocks.pop() {
                self.place_elsewhere(&mut block.printed, out.paths);
                self.held.add(block, out);
            }
        }
    }

    /// Two lines name a place in a library: the race detector's, whose report says where the race
    /// is, and testify's of a panic, which the stack below it explains.
    fn place_elsewhere(&mut self, printed: &mut Printed, paths: &Paths) {
        let message = printed.message.text();
        let testing = printed
            .place
            .as_ref()
            .is_some_and(|place| place.path == "testing.go");
        if testing && message.starts_with("race detected during execution of test") {
            printed.place = self.race.take();
        } else if message.starts_with("test panicked: ") {
            let mut stack = Stack::default();
            for line in message.lines().skip(2) {
                stack.line(line.as_bytes(), None, paths);
            }
            printed.place = stack.best().cloned();
        }
    }

    fn close_blocks(&mut self, out: &mut Out<'_>) {
        self.close_to(0, out);
    }

    /// An indented line: the message of a test, or more of it.
    fn indented(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let depth = indent(line);
        if self.blocks.is_empty() {
            if self.verbose && !self.current.is_empty() {
                // A message stands at four; deeper, it is more of the one before.
                let more = self.continuing && depth >= 8;
                if more || (depth >= 4 && log_line(&line[depth..]).is_some()) {
                    self.continuing = true;
                    self.captured.add(&self.current, line);
                }
                return true;
            }
            return self.segment;
        }
        let whose = self
            .blocks
            .iter()
            .rposition(|block| block.indent() == depth);
        if let Some(at) = whose
            && let Some(log) = log_line(&line[depth..])
        {
            self.close_to(self.blocks[at].depth + 1, out);
            self.blocks[at].printed.add(&log, &line[depth..]);
        } else if let Some(block) = self.blocks.last_mut() {
            let base = block.indent();
            if depth >= base || line.is_empty() {
                let more = line.get(base..).unwrap_or_default();
                block
                    .printed
                    .message
                    .push(more.strip_prefix(b"    ").unwrap_or(more));
            }
        }
        true
    }

    /// `FAIL\tpkg\t0.1s`, `FAIL\tpkg [build failed]`.
    fn fail_line(&mut self, rest: &[u8], out: &mut Out<'_>) -> bool {
        let import = rest
            .split(|&b| b == b'\t' || b == b' ')
            .next()
            .unwrap_or_default();
        let after = rest[import.len()..].trim_ascii();
        let unbuilt = after.ends_with(b"[build failed]") || after.ends_with(b"[setup failed]");
        let timed = after.ends_with(b"s") && after.first().is_some_and(u8::is_ascii_digit);
        if import.is_empty() || !(unbuilt || timed || after.is_empty() || after.starts_with(b"[")) {
            return false;
        }
        self.diagnostics.close(out);
        let import = text(import);
        if unbuilt {
            self.counts.packages += 1;
            self.counts.unbuilt = true;
            self.close_blocks(out);
            if let Some(folder) = self.diagnostics.modules.folder(out.paths, &import) {
                add_folder(&mut self.diagnostics.not_built, &folder);
            }
            return true;
        }
        let believed = self.trace.as_ref().is_some_and(|trace| trace.believed);
        if self.verbose && !self.live.is_empty() && !believed {
            self.provisional.get_or_insert(import);
            return true;
        }
        self.fail_package(&import, out);
        true
    }

    fn settle(&mut self, out: &mut Out<'_>) {
        if let Some(import) = self.provisional.take() {
            self.fail_package(&import, out);
        }
    }

    fn fail_package(&mut self, import: &str, out: &mut Out<'_>) {
        let died = self.summed.is_none();
        let explained = self.trace.as_ref().is_some_and(|trace| trace.believed);
        self.counts.dead_packages += u64::from(died);
        self.end_trace(out);
        self.close_blocks(out);
        if died || self.held.is_empty() {
            // What was to run after it was not looked at.
            if let Some(folder) = self.diagnostics.modules.folder(out.paths, import) {
                add_folder(&mut self.diagnostics.not_built, &folder);
            }
        }
        if self.held.is_empty() || (died && !explained) {
            let test = (self.live.holds(&self.current)).then(|| text(&self.current));
            let mut message = match test {
                Some(_) => format!("{import} ended in the middle of this test"),
                None => format!("{import} failed outside its tests"),
            };
            let last = text(strip_go_time(self.last.trim_ascii()));
            if !last.is_empty() {
                message.push_str(": ");
                message.push_str(&last);
            }
            let mut row = Failure::new("go-test", message);
            row.test = test;
            self.held.push(row, None, out);
        }
        self.held
            .release(Some((&mut self.diagnostics.modules, import)), out);
        self.counts.packages += 1;
        self.counts.failed_packages += 1;
        self.end_segment();
    }

    /// `ok  \tpkg\t0.1s`, `?   \tpkg\t[no test files]`.
    fn good_line(&mut self, rest: &[u8], out: &mut Out<'_>) {
        self.diagnostics.close(out);
        self.settle(out);
        self.trace = None;
        self.close_blocks(out);
        if self.summed == Some(Mark::Fail) && !self.held.is_empty() {
            // The runner said FAIL last, and a `TestMain` made an exit status of 0 of it.
            let import = rest.split(|&b| b == b'\t').nth(1).unwrap_or_default();
            self.fail_package(&text(import), out);
            return;
        }
        self.held.forget();
        self.counts.packages += 1;
        let empty = rest.ends_with(b"[no test files]") || rest.ends_with(b"[no tests to run]");
        self.counts.empty += u64::from(empty);
        self.end_segment();
    }

    fn end_segment(&mut self) {
        self.segment = false;
        self.verbose = false;
        self.live.clear();
        self.captured.clear();
        self.current.clear();
        self.continuing = false;
        self.last.clear();
        self.race = Race::default();
        self.summed = None;
    }

    /// A panic ends the test it is of, or the package.
    fn end_trace(&mut self, out: &mut Out<'_>) {
        let Some(trace) = self.trace.take().filter(|trace| trace.believed) else {
            return;
        };
        let running = trace.running.clone();
        let top_is_its = !trace.timed_out
            && self
                .blocks
                .last()
                .is_some_and(|top| trace.recovered || top.printed.is_empty());
        let (message, place) = trace.into_place();
        if top_is_its && let Some(top) = self.blocks.last_mut() {
            top.printed.message.push(message.as_bytes());
            top.printed.place = top.printed.place.take().or(place);
            return;
        }
        let mut row = Failure::new("go-test", message);
        row.test = running
            .or_else(|| (self.verbose && !self.current.is_empty()).then(|| text(&self.current)));
        if let Some(test) = &row.test
            && let Some(lines) = self.captured.take(test.as_bytes())
        {
            let printed = printed_of(&lines);
            row.message.push('\n');
            row.message.push_str(printed.message.text());
        }
        self.close_blocks(out);
        self.held.push(row, place, out);
    }

    /// Anything but the runner's own lines.
    fn words(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        if let Some(mut trace) = self.trace.take() {
            let going_on = line != b"FAIL"
                && trace.line(
                    line,
                    str::from_utf8(&self.current)
                        .ok()
                        .filter(|test| !test.is_empty()),
                    out.paths,
                );
            let believed = trace.believed;
            if going_on {
                self.trace = Some(trace);
                if believed {
                    return true;
                }
            }
        }
        if self.race.line(line, out.paths) {
            return true;
        }
        match line.first() {
            None | Some(b' ') => self.indented(line, out),
            _ if self.diagnostics.line(line, self.place(), out) => true,
            _ => self.plain(line, out),
        }
    }

    fn place(&self) -> Where {
        match (self.segment, self.known) {
            (true, _) => Where::Tests,
            (false, true) => Where::Between,
            (false, false) => Where::Unknown,
        }
    }

    /// Column 0, nothing of the runner's.
    fn plain(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        self.continuing = false;
        if line.ends_with(b"s)") && self.glued(line, out) {
            return true;
        }
        if let Some(trace) = Trace::begin(line) {
            self.trace = Some(trace);
            return self.segment;
        }
        match line {
            b"FAIL" | b"PASS" => {
                self.settle(out);
                self.trace = None;
                self.close_blocks(out);
                self.summed = Some(if line == b"FAIL" {
                    Mark::Fail
                } else {
                    Mark::Pass
                });
                return self.segment;
            }
            b"no packages to test" => {
                self.counts.without_packages = true;
                return true;
            }
            // The last test did not end its line.
            _ if line.ends_with(b"FAIL") => self.summed = Some(Mark::Fail),
            _ if line.starts_with(b"exit status ") => return self.segment,
            // go's own word on how the binary ended, after all that its tests said.
            _ if line.starts_with(b"signal: ") => self.close_blocks(out),
            _ => {}
        }
        // An example prints `got:` and `want:` at the margin.
        if let Some(block) = self.blocks.last_mut() {
            let example = block.depth == 0 && block.printed.place.is_none();
            if example && (line == b"got:" || !block.printed.message.is_empty()) {
                block.printed.message.push(line);
            }
            return true;
        }
        if !line.is_empty() && line.len() <= MAX_LAST {
            self.last.clear();
            self.last.extend_from_slice(line);
        }
        self.segment
    }

    /// A result after text that did not end its line.
    fn glued(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        match memmem::rfind(line, b"--- FAIL: ") {
            Some(at) if at > 0 => match result_line(&line[at..]) {
                Some((mark, name)) => self.result(mark, name, 0, out),
                None => false,
            },
            _ => false,
        }
    }
}

impl Parser for GoTest {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        match line.first() {
            Some(b'=')
                if line
                    .strip_prefix(b"=== ")
                    .is_some_and(|rest| self.event(rest, out)) =>
            {
                return true;
            }
            Some(b'-') => {
                if let Some((mark, name)) = result_line(line) {
                    return self.result(mark, name, 0, out);
                }
            }
            Some(b' ') => {
                let depth = indent(line);
                if let Some((mark, name)) =
                    result_line(&line[depth..]).filter(|_| depth.is_multiple_of(4))
                {
                    return self.result(mark, name, depth / 4, out);
                }
            }
            Some(b'F')
                if line
                    .strip_prefix(b"FAIL\t")
                    .is_some_and(|rest| self.fail_line(rest, out)) =>
            {
                return true;
            }
            Some(b'o') if line.starts_with(b"ok  \t") => {
                self.good_line(line, out);
                return true;
            }
            Some(b'?') if line.starts_with(b"?   \t") => {
                self.good_line(line, out);
                return true;
            }
            _ => {}
        }
        self.words(line, out)
    }

    fn tail(&mut self, tail: &[u8], out: &mut Out<'_>) {
        self.glued(tail, out);
    }

    fn open(&self) -> bool {
        self.segment
    }

    fn finish(&mut self, exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        self.settle(out);
        self.end_trace(out);
        self.close_blocks(out);
        // Without a package line or a running test, any program may have printed the shape.
        if self.known || self.counts.packages > 0 || self.counts.verbose {
            self.held.release(None, out);
        }
        self.diagnostics.finish(exit, out);
        let counts = &self.counts;
        let failed = self.held.released;
        let seen = counts.packages > 0
            || counts.without_packages
            || failed > 0
            || self.diagnostics.errors > 0
            || self.diagnostics.stopped_early;
        let claims = counts.failed_packages > 0 || counts.unbuilt;
        Tally {
            seen,
            ran: counts.verbose.then_some(counts.ran),
            failed: seen.then_some(failed + self.diagnostics.errors),
            skipped: counts.verbose.then_some(counts.skipped),
            claimed: claims.then_some(failed + u64::from(counts.unbuilt)),
            stopped_early: self.diagnostics.stopped_early
                || counts.dead_packages > 0
                || (self.failfast && failed > 0),
            nothing_ran: (counts.packages > 0 || counts.without_packages)
                .then_some(counts.empty == counts.packages),
            not_built: std::mem::take(&mut self.diagnostics.not_built),
            ..Tally::default()
        }
    }
}

/// `--- FAIL: TestX (0.00s)`.
fn result_line(line: &[u8]) -> Option<(Mark, &[u8])> {
    let rest = line.strip_prefix(b"--- ")?;
    let (mark, rest) = match rest.get(..6)? {
        b"FAIL: " => (Mark::Fail, &rest[6..]),
        b"PASS: " => (Mark::Pass, &rest[6..]),
        b"SKIP: " => (Mark::Skip, &rest[6..]),
        _ => return None,
    };
    let inner = rest.strip_suffix(b"s)")?;
    let paren = memchr::memrchr(b'(', inner)?;
    let open = paren.checked_sub(1).filter(|&at| inner[at] == b' ')?;
    let time = &inner[paren + 1..];
    let timed = !time.is_empty() && time.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    (timed && open > 0).then(|| (mark, &rest[..open]))
}

/// `x_test.go:12: message`.
fn log_line(line: &[u8]) -> Option<LogLine<'_>> {
    let colon = memchr::memchr(b':', line)?;
    let path = &line[..colon];
    if !path.ends_with(b".go") || path.iter().any(u8::is_ascii_whitespace) {
        return None;
    }
    let (value, rest) = number(&line[colon + 1..])?;
    let message = rest.strip_prefix(b":")?;
    Some(LogLine {
        path,
        line: value,
        message: message.strip_prefix(b" ").unwrap_or(message),
    })
}

/// The captured lines of a test that failed after all.
fn printed_of(lines: &[u8]) -> Printed {
    let mut printed = Printed::default();
    let mut continuing = false;
    for line in lines.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
        let depth = indent(line);
        match log_line(&line[depth..]) {
            Some(log) if !(continuing && depth >= 8) => {
                continuing = true;
                printed.add(&log, &line[depth..]);
            }
            _ => printed.message.push(line.get(8..).unwrap_or_default()),
        }
    }
    printed
}
