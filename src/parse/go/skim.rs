//! The lines that make up nearly all of `go test -v`: a test begins, goes on or passes, or prints
//! something. Here they are read a block at a time; each means what it means line by line, and
//! whatever else a line may mean ends the block.

use crate::text::PlainLines;

use super::super::environment::Environment;
use super::super::lines::HEAD;
use super::super::location::indent;
use super::counts::Counts;
use super::event::Event;
use super::few::Key;
use super::package::MAX_LAST;
use super::result_line::{Mark, ResultLine};
use super::verbose::{Verbose, whose};

/// What came of some lines.
#[derive(Debug, Default)]
pub(super) struct Skim<'b> {
    /// How many there were, and how many of them were blank.
    pub read: u64,
    pub blank: u64,
    /// The runner spoke of some test.
    pub told: bool,
    /// The last line at the margin, if there was one.
    pub last: Option<&'b [u8]>,
}

/// Passes `lines` as far as they are of this kind. The package has begun, its tests are shown as
/// they run, and nothing of it is being read that goes on over several lines.
pub(super) fn skim<'b>(
    lines: &mut PlainLines<'b>,
    verbose: &mut Verbose,
    counts: &mut Counts,
) -> Skim<'b> {
    let mut skim = Skim::default();
    let mut printing = verbose.printing_key();
    let mut current = None;
    while let Some(line) = lines.peek().filter(|line| line.len() <= HEAD) {
        // What most lines are comes first.
        if let Some(name) = Event::plain_run(line) {
            let key = Key::of(name);
            verbose.start(key);
            printing = Some(key);
            current = Some(name);
            skim.told = true;
        } else if let Some(name) = ResultLine::plain_pass(line) {
            skim.told |= good(Mark::Pass, Key::of(name), verbose, counts);
        } else {
            match Line::of(line) {
                Line::Event(event) => {
                    let (name, key) = (whose(event), Key::of(event.name));
                    verbose.follow(event, key);
                    printing = (!name.is_empty()).then_some(key);
                    current = Some(name);
                    skim.told = true;
                }
                Line::Good(result) => {
                    let key = Key::of(result.name);
                    skim.told |= good(result.mark, key, verbose, counts);
                }
                Line::Indented(depth) => {
                    if let Some(test) = printing {
                        verbose.capture_for(test, line, depth);
                    }
                }
                Line::Words => {
                    verbose.interrupt();
                    skim.last = Some(line);
                }
                Line::Blank => skim.blank += 1,
                Line::Other => break,
            }
        }
        skim.read += 1;
        lines.pass();
    }
    if let Some(name) = current {
        verbose.set_current(name);
    }
    skim
}

/// A test has ended, and not failed; false where these are only a running test's own words.
#[inline]
fn good(mark: Mark, key: Key, verbose: &mut Verbose, counts: &mut Counts) -> bool {
    let ended = verbose.end(key);
    if ended {
        counts.test(mark);
        verbose.interrupt();
        verbose.forget(key);
    }
    ended
}

/// What a line is.
enum Line<'b> {
    Blank,
    Event(Event<'b>),
    /// A test passed or was skipped.
    Good(ResultLine<'b>),
    /// What a test printed, indented so far.
    Indented(usize),
    /// What a test printed at the margin, no longer than what is kept of it.
    Words,
    /// Anything else.
    Other,
}

impl<'b> Line<'b> {
    #[inline]
    fn of(line: &'b [u8]) -> Self {
        let depth = match line {
            [] => return Self::Blank,
            [b'=', ..] => return Event::read(line).map_or(Self::Other, Self::Event),
            [b'-', ..] => 0,
            [b' ', b' ', b' ', b' ', next, ..] if *next != b' ' => 4,
            [b' ', ..] => indent(line),
            [first, ..] if is_words(*first, line) => return Self::Words,
            _ => return Self::Other,
        };
        let nests = depth.is_multiple_of(4);
        match ResultLine::read(&line[depth..]).filter(|_| nests) {
            Some(result) if result.mark == Mark::Fail => Self::Other,
            Some(result) => Self::Good(result),
            None if depth == 0 => Self::Other,
            None => Self::Indented(depth),
        }
    }
}

/// Whether a line at the margin that begins with `first` is certain to be a test's own words, and
/// neither the runner's nor anyone else's.
fn is_words(first: u8, line: &[u8]) -> bool {
    !MEANS_SOMETHING[usize::from(first)]
        && line.len() <= MAX_LAST
        && !line.ends_with(b"s)")
        && !line.ends_with(b"FAIL")
        && !is_dated(line)
        && Environment::has_no_word_in(line)
}

/// A log collector's timestamp may stand before anything: `2026-11-30T…`.
fn is_dated(line: &[u8]) -> bool {
    line[0] == b'2' && line.get(4) == Some(&b'-')
}

/// The first bytes of what the runner, a build, a panic, the race detector or a launcher may say.
const MEANS_SOMETHING: [bool; 256] = {
    let mut table = [false; 256];
    let firsts = b"\t#/?CFPWbdefgmnopsz";
    let mut at = 0;
    while at < firsts.len() {
        table[firsts[at] as usize] = true;
        at += 1;
    }
    table
};
