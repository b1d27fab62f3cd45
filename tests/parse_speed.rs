//! How fast output is read, beside counting its lines: `cargo bench --bench parse [-- MB]`.
//!
//! Every subject is measured in turn, again and again, and the medians are compared: on a machine
//! that does other things too, only figures of one run mean anything beside each other. What is
//! allocated is counted, since a line that says nothing must cost no allocation.

use std::alloc::{GlobalAlloc, Layout, System};
use std::error::Error;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use harness_check::model::{Channel, Exit};
use harness_check::parse::{Extractor, Setup, Stream};
use memchr::memchr_iter;
use regex::bytes::Regex;

const ROUNDS: usize = 9;
/// As a pipe is read.
const BLOCK: usize = 64 * 1024;

/// The system's allocator, and how often it was asked.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: everything is left to the system's allocator, as it was asked for.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps this function's promises, which are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` with this layout, and so from the system's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Reads a text; how many rows, or lines, it has.
type Read = Box<dyn Fn(&[u8]) -> u64>;

/// What is measured: a text, and how it is read.
struct Subject<'t> {
    name: &'static str,
    text: &'t [u8],
    read: Read,
}

/// The rows that `format` finds, where only the output tells the command.
fn rows(format: &str, pattern: Option<&Regex>, text: &[u8]) -> u64 {
    let setup = Setup {
        root: Path::new("/nowhere"),
        cwd: ".",
        argv: &[],
        format,
        pattern,
        channel: Channel::Both,
        joined: true,
    };
    let mut rows = 0;
    let Ok(mut extractor) = Extractor::new(&setup) else {
        return 0;
    };
    for block in text.chunks(BLOCK) {
        extractor.feed(Stream::Stdout, block, &mut |_| rows += 1);
    }
    extractor.finish(Some(Exit::Code(1)), &mut |_| rows += 1);
    rows
}

fn lines(text: &[u8]) -> u64 {
    text.chunks(BLOCK)
        .map(|block| memchr_iter(b'\n', block).count() as u64)
        .sum()
}

/// Numbers that look like chance and are the same in every run.
struct Dice(u32);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) % sides
    }

    fn word(&mut self) -> &'static str {
        const WORDS: [&str; 12] = [
            "parse", "cache", "retry", "commit", "token", "index", "shard", "lease", "query",
            "merge", "stream", "store",
        ];
        WORDS[self.roll(12) as usize]
    }
}

/// Blocks made by `more` until there are `size` bytes.
fn text(size: usize, mut more: impl FnMut(&mut String, &mut Dice) -> std::fmt::Result) -> String {
    let (mut text, mut dice) = (String::new(), Dice(7));
    while text.len() < size && more(&mut text, &mut dice).is_ok() {}
    text
}

/// A package of `go test -v`: tests, their subtests, what they log, and rarely a failure.
fn go_package(out: &mut String, dice: &mut Dice) -> std::fmt::Result {
    let mut failed = false;
    for n in 0..40 {
        let (name, subtests) = (format!("Test{}{n}", dice.word()), dice.roll(6));
        writeln!(out, "=== RUN   {name}")?;
        for sub in 0..subtests {
            writeln!(out, "=== RUN   {name}/{}_of_{sub:02}", dice.word())?;
            if dice.roll(3) == 0 {
                let (line, port) = (dice.roll(900) + 1, dice.roll(60_000));
                writeln!(
                    out,
                    "    {}_test.go:{line}: connected to 127.0.0.1:{port}",
                    dice.word()
                )?;
            }
        }
        for _ in 0..dice.roll(3) {
            let (second, id) = (dice.roll(60), dice.roll(u32::MAX));
            writeln!(
                out,
                "2026/11/30 18:20:{second:02} INFO {}: request id={id:016x} status=200",
                dice.word()
            )?;
        }
        let bad = dice.roll(2000) == 0;
        failed |= bad;
        if bad {
            writeln!(out, "    x_test.go:{}: got 1, want 2", dice.roll(900) + 1)?;
        }
        writeln!(
            out,
            "--- {}: {name} (0.0{}s)",
            if bad { "FAIL" } else { "PASS" },
            dice.roll(10)
        )?;
    }
    let end = if failed {
        "FAIL\nFAIL\texample.com"
    } else {
        "PASS\nok  \texample.com"
    };
    writeln!(out, "{end}/{}\t0.1s", dice.word())
}

/// A build that nothing is wrong with.
fn build(out: &mut String, dice: &mut Dice) -> std::fmt::Result {
    let (a, b, n) = (dice.word(), dice.word(), dice.roll(10_000));
    match dice.roll(5) {
        0 => writeln!(out, "   Compiling {a}-{b} v0.{n}.1 (registry)"),
        1 => writeln!(
            out,
            "[{n}/10000] Building CXX object src/{a}/CMakeFiles/{b}.dir/{a}.cpp.o"
        ),
        2 => writeln!(out, "added {n} packages, and audited {n} packages in {a}"),
        3 => writeln!(
            out,
            "{a}: the {b} of {n} was made; see (the docs): it is all right"
        ),
        _ => writeln!(out, "  {a} {b} {a} {b} {n} {a} {b}"),
    }
}

/// Tests of `pytest -v`, all of which pass but one of a thousand.
fn pytest(size: usize) -> String {
    let mut failed = String::new();
    let body = text(size, |out, dice| {
        let (file, test, part) = (dice.word(), dice.word(), dice.roll(100));
        let bad = dice.roll(1000) == 0;
        if bad {
            writeln!(
                failed,
                "FAILED tests/test_{file}.py::test_{test} - assert 1 == 2"
            )?;
        }
        let word = if bad { "FAILED" } else { "PASSED" };
        writeln!(
            out,
            "tests/test_{file}.py::test_{test}[{part}-{test}] {word} [ {part:2}%]"
        )
    });
    format!(
        "==== test session starts ====\nplatform linux -- Python 3.11.7, pytest-9.2.0\n\n{body}\n\
         ==== short test summary info ====\n{failed}==== {} failed in 9.99s ====\n",
        failed.lines().count()
    )
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    let size = std::env::args().find_map(|word| word.parse::<usize>().ok());
    let size = size.unwrap_or(50) * 1_000_000;
    let (go, built, tested) = (text(size, go_package), text(size, build), pytest(size));
    let (go, built, tested) = (go.as_bytes(), built.as_bytes(), tested.as_bytes());
    let pattern = Regex::new(r"^src/.*\(error\)$")?;
    let subject = |name, text, read: Read| Subject { name, text, read };
    let count = || Box::new(lines) as Read;
    let parse = |format| Box::new(move |text: &[u8]| rows(format, None, text)) as Read;
    let subjects = [
        subject("go test -v: lines counted", go, count()),
        subject("go test -v: go-test", go, parse("go-test")),
        subject("go test -v: auto", go, parse("auto")),
        subject("unmatched text: lines counted", built, count()),
        subject("unmatched text: auto", built, parse("auto")),
        subject(
            "unmatched text: text with a pattern",
            built,
            Box::new(move |text| rows("text", Some(&pattern), text)),
        ),
        subject("pytest -v: lines counted", tested, count()),
        subject("pytest -v: pytest", tested, parse("pytest")),
        subject("pytest -v: auto", tested, parse("auto")),
    ];
    let mut times = vec![Vec::new(); subjects.len()];
    let mut allocated = vec![0; subjects.len()];
    for _ in 0..ROUNDS {
        for (at, subject) in subjects.iter().enumerate() {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            let begun = Instant::now();
            black_box((subject.read)(black_box(subject.text)));
            times[at].push(begun.elapsed());
            allocated[at] = ALLOCATIONS.load(Ordering::Relaxed) - before;
        }
    }
    let mut out = std::io::stdout().lock();
    let mut floor = Duration::ZERO;
    for ((subject, times), allocated) in subjects.iter().zip(times).zip(allocated) {
        let time = median(times);
        if subject.name.ends_with("counted") {
            floor = time;
        }
        let speed = f64::from(u32::try_from(subject.text.len())?) / time.as_secs_f64() / 1e6;
        let ratio = time.as_secs_f64() / floor.as_secs_f64();
        let lines = lines(subject.text);
        writeln!(
            out,
            "{:<38} {speed:8.0} MB/s  x{ratio:6.2} of counting  {allocated} allocations in {lines} lines",
            subject.name
        )?;
    }
    Ok(())
}
