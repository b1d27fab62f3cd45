//! Version probes: what a check's tool says of itself, asked beside the check.
//!
//! A probe is contained like its check and never changes a verdict.

use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::model::{CheckSpec, Exit, Leak, Streams};
use crate::parse::Stream;
use crate::text::one_line;

use super::ladder::{Forced, Ladder};
use super::launching::{self, Prepared};
use super::plan::Plan;
use super::process::{Cancel, Output, Over, drive};
use super::questions::Said;

/// A tool that has not said its version by then is killed with all it started, without grace.
const LIMIT: Duration = Duration::from_secs(5);
/// A tool that prints more is ended: its version was in it, or is not to be had.
const MOST_OUTPUT: usize = 64 * 1024;
/// Kept of a line; a longer one is cut.
const MOST_LINE: usize = 1024;

/// What came of asking.
#[derive(Default)]
pub struct Answer {
    /// `None` where it was called off, which says nothing of the tool.
    pub said: Option<Said>,
    /// What happened beside: processes that it left, and the like.
    pub notes: Vec<String>,
}

impl Answer {
    fn failed(fault: String) -> Self {
        let said = Said {
            version: None,
            fault: Some(fault),
        };
        Self {
            said: Some(said),
            notes: Vec::new(),
        }
    }
}

/// Runs the probe of `check`, which has one, to its end.
pub async fn ask(
    plan: &Plan<'_>,
    check: &CheckSpec,
    cancel: watch::Receiver<Cancel>,
    run_ends_at: Instant,
) -> Answer {
    let executable = check.version.first().map_or("", String::as_str);
    let program = match launching::program(plan, check, executable) {
        Ok(program) => program,
        Err(error) => return Answer::failed(error.to_string()),
    };
    // No check's home is named so: `#` is not left as it is in the file name of an id.
    let home = format!("{}#version", check.id.file_name());
    let laid_out = launching::lay_out(plan, check, program, &check.version, &home, Streams::Split);
    let Prepared { launch, rooms, .. } = match laid_out {
        Ok(prepared) => prepared,
        Err(broken) => return Answer::failed(broken.reason),
    };
    let begun = plan.clock.now();
    let (answer, ended) = match plan.containment.start(&launch) {
        Ok(started) => {
            let own_end = begun + LIMIT;
            let ladder = Ladder::new(Some(own_end.min(run_ends_at)), Duration::ZERO);
            let mut output = FirstLines::default();
            let over = drive(started, ladder, &mut output, plan, cancel).await;
            let answer = Answer {
                said: conclude(&over, output, run_ends_at < own_end),
                notes: notes(&over),
            };
            let Over {
                leader,
                mut cage,
                broken,
                ..
            } = over;
            cage.close();
            leader.reap();
            (answer, broken.is_none())
        }
        Err(error) => (Answer::failed(error.to_string()), true),
    };
    // As for a check: what is alive in a home is not to meet another.
    if ended {
        launching::vacate(plan, rooms).await;
    }
    answer
}

/// What an ended probe said; `None` where it was called off. `run_ended_first`: its time was cut
/// short by the run's own limit.
fn conclude(over: &Over, output: FirstLines, run_ended_first: bool) -> Option<Said> {
    let [stdout, stderr] = output.lines.map(FirstLine::finish);
    if let Some(broken) = &over.broken {
        return Some(said(stdout, stderr, Some(broken.reason.clone())));
    }
    let fault = match (over.forced, over.exit) {
        (Some(Forced::Interrupt | Forced::FailFast), _) => return None,
        (Some(Forced::Timeout), _) if run_ended_first => return None,
        (Some(Forced::Timeout), _) => Some(format!("timed out after {}s", LIMIT.as_secs())),
        (Some(Forced::OutputLimit), _) => {
            Some(format!("printed more than {} KiB", MOST_OUTPUT / 1024))
        }
        (None, Some(Exit::Code(0))) => None,
        (None, Some(Exit::Code(code))) => Some(format!("exit status {code}")),
        (None, Some(Exit::Signal(signal))) => Some(format!("killed by signal {signal}")),
        (None, None) => Some("how it ended is not known".to_owned()),
    };
    Some(said(stdout, stderr, fault))
}

/// What happened beside the answer. It is the probe's alone: the check is judged as if nothing had
/// been asked.
fn notes(over: &Over) -> Vec<String> {
    let leak = |leak: &Leak| {
        let (command, pid) = (&leak.command, leak.pid);
        format!("left running and ended: {command} (pid {pid})")
    };
    let leaks = over.leaks.iter().map(leak);
    leaks.chain(over.notes.iter().cloned()).collect()
}

/// Standard output says the version, however the tool ended: some end with 1 after they have said
/// it. Standard error has complaints too, and counts only beside a clean end.
fn said(stdout: Option<String>, stderr: Option<String>, fault: Option<String>) -> Said {
    let version = stdout.or(stderr.filter(|_| fault.is_none()));
    let silent = version.is_none().then(|| "it printed nothing".to_owned());
    Said {
        fault: fault.or(silent),
        version,
    }
}

/// The first line that says something, on each stream.
#[derive(Default)]
struct FirstLines {
    lines: [FirstLine; 2],
    total: usize,
}

impl Output for FirstLines {
    fn take(&mut self, stream: Stream, bytes: &[u8]) {
        self.total += bytes.len();
        match stream {
            Stream::Stdout => self.lines[0].take(bytes),
            Stream::Stderr => self.lines[1].take(bytes),
        }
    }

    fn is_too_much(&self) -> bool {
        self.total > MOST_OUTPUT
    }
}

#[derive(Default)]
struct FirstLine {
    so_far: Vec<u8>,
    whole: Option<String>,
}

impl FirstLine {
    fn take(&mut self, mut bytes: &[u8]) {
        while self.whole.is_none() && !bytes.is_empty() {
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let line = &bytes[..end.unwrap_or(bytes.len())];
            let room = MOST_LINE.saturating_sub(self.so_far.len());
            self.so_far.extend_from_slice(&line[..line.len().min(room)]);
            let Some(end) = end else { return };
            self.end_line();
            bytes = &bytes[end + 1..];
        }
    }

    fn end_line(&mut self) {
        let line = one_line(&std::mem::take(&mut self.so_far));
        if !line.is_empty() {
            self.whole = Some(line);
        }
    }

    /// A last line needs no line end.
    fn finish(mut self) -> Option<String> {
        if self.whole.is_none() {
            self.end_line();
        }
        self.whole
    }
}

#[cfg(test)]
mod tests {
    use super::{FirstLine, MOST_LINE, Said, said};

    fn first(chunks: &[&[u8]]) -> Option<String> {
        let mut line = FirstLine::default();
        for chunk in chunks {
            line.take(chunk);
            assert!(line.so_far.len() <= MOST_LINE);
        }
        line.finish()
    }

    #[test]
    fn the_first_line_that_says_something_is_taken_wherever_reads_cut_it() {
        assert_eq!(
            first(&[b"\n \r\n\x1b[0m\nto", b"ol 1", b".2\nmore\n"]).unwrap(),
            "tool 1.2"
        );
        assert_eq!(first(&[b"tool 1.2"]).unwrap(), "tool 1.2");
        assert_eq!(first(&[b"\n\n"]), None);
        assert_eq!(first(&[]), None);
        let flood = vec![b'x'; 100_000];
        assert_eq!(first(&[&flood, &flood, b"\nnext\n"]).unwrap().len(), 200);
    }

    #[test]
    fn standard_error_counts_only_beside_a_clean_end() {
        let of = |stdout: &str, stderr: &str, fault: &str| {
            let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            let Said { version, fault } = said(text(stdout), text(stderr), text(fault));
            (version.unwrap_or_default(), fault.unwrap_or_default())
        };
        let both = |version: &str, fault: &str| (version.to_owned(), fault.to_owned());
        assert_eq!(of("1.2", "warning", ""), both("1.2", ""));
        assert_eq!(of("", "1.2", ""), both("1.2", ""));
        let failed = "exit status 3";
        assert_eq!(of("", "usage", failed), both("", failed));
        assert_eq!(of("1.2", "", failed), both("1.2", failed));
        assert_eq!(of("", "", ""), both("", "it printed nothing"));
    }
}
