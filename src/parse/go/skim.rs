//! The lines that make up nearly all of `go test -v`: a test begins, goes on or passes, or prints
//! something. Here they are read a block at a time; each means what it means line by line, and
//! whatever else a line may mean ends the block.

use memchr::memchr_iter;

use super::super::environment::Environment;
use super::super::lines::HEAD;
use super::super::location::indent;
use super::super::parser::Skimmed;
use super::counts::Counts;
use super::event::Event;
use super::few::Key;
use super::package::MAX_LAST;
use super::result_line::{Mark, ResultLine};
use super::verbose::{Verbose, whose};

/// What came of a block.
#[derive(Debug, Default)]
pub(super) struct Skim<'b> {
    pub read: Skimmed,
    /// The runner spoke of some test.
    pub told: bool,
    /// The last line at the margin, if there was one.
    pub last: Option<&'b [u8]>,
}

/// Reads lines from the start of `block`, as far as they are of this kind. The package has begun,
/// and nothing of it is being read that goes on over several lines.
pub(super) fn skim<'b>(
    block: &'b [u8],
    verbose: &mut Verbose,
    counts: &mut Counts,
) -> Skim<'b> {
    let mut skim = Skim::default();
    let mut printing = verbose.printing_key();
    let mut current = None;
    for end in memchr_iter(b'\n', block) {
        let line = &block[skim.read.bytes..end];
        if line.len() > HEAD {
            break;
        }
        match line.first() {
            None => {}
            Some(b'=') => {
                let Some(event) = Event::read(line) else {
                    break;
                };
                let key = Key::of(event.name);
                counts.verbose = true;
                verbose.follow(event, key);
                let name = whose(event);
                printing = (!name.is_empty()).then_some(key);
                current = Some(name);
                skim.told = true;
            }
            Some(b'-' | b' ') => {
                let depth = indent(line);
                if let Some(result) = result(line, depth) {
                    if result.mark == Mark::Fail {
                        break;
                    }
                    let key = Key::of(result.name);
                    if verbose.end(key) {
                        counts.test(result.mark);
                        verbose.interrupt();
                        verbose.forget(key);
                        skim.told = true;
                    }
                } else if depth == 0 {
                    break;
                } else if let Some(test) = printing {
                    verbose.capture_for(test, line);
                }
            }
            Some(&first) => {
                if !is_words(first, line) {
                    break;
                }
                verbose.interrupt();
                if line.len() <= MAX_LAST {
                    skim.last = Some(line);
                }
            }
        }
        skim.read.lines += u64::from(!line.is_empty());
        skim.read.bytes = end + 1;
    }
    if let Some(name) = current {
        verbose.set_current(name);
    }
    skim
}

/// The result of a test whose line is indented by `depth`.
fn result(line: &[u8], depth: usize) -> Option<ResultLine<'_>> {
    let nests = depth.is_multiple_of(4);
    nests.then(|| ResultLine::read(&line[depth..])).flatten()
}

/// Whether a line at the margin that begins with `first` is certain to be a test's own words, and
/// neither the runner's nor anyone else's.
fn is_words(first: u8, line: &[u8]) -> bool {
    !MEANS_SOMETHING[usize::from(first)]
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
