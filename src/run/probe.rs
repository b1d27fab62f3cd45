//! Version probes: what a check's tool says of itself, asked beside the check.
//!
//! A probe is contained like its check and never changes a verdict. It is only run where the
//! programs may have changed since it was last asked.

use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::launch::HomePlace;
use crate::model::{CheckSpec, Exit, Streams};
use crate::parse::{Stream, launches_another};
use crate::text::one_line;

use super::ladder::{Forced, Ladder};
use super::launching::{self, Prepared};
use super::plan::Plan;
use super::process::{Cancel, Output, Over, drive};
use super::versions::{Asked, Program, Said};

/// A tool that has not said its version by then is killed with all it started, without grace.
const LIMIT: Duration = Duration::from_secs(5);
/// A tool that prints more is ended: its version was in it, or is not to be had.
const MOST_OUTPUT: usize = 64 * 1024;
/// Kept of a line; a longer one is cut.
const MOST_LINE: usize = 1024;

/// What came of asking.
pub struct Answer {
    /// See [`Said`].
    pub said: Said,
    /// Under what it may be kept for later runs.
    pub keep: Option<Asked>,
}

/// Asks for the version of the tool of `check`, which has a probe: the run before, where its
/// answer still holds, else the tool.
pub async fn version(
    plan: &Plan<'_>,
    check: &CheckSpec,
    cancel: watch::Receiver<Cancel>,
    run_ends_at: Instant,
) -> Answer {
    let asked = asked(plan, check);
    let kept = asked
        .as_ref()
        .and_then(|asked| plan.versions.of(&check.id, asked));
    if let Some(kept) = kept {
        return Answer {
            said: kept.clone(),
            keep: asked,
        };
    }
    match ask(plan, check, cancel, run_ends_at).await {
        // What was called off says nothing of the tool.
        Asking::CalledOff => Answer {
            said: Said::default(),
            keep: None,
        },
        Asking::Failed(why) => Answer {
            said: Said::new(None, Some(&why)),
            keep: None,
        },
        Asking::Said(said) => Answer { said, keep: asked },
    }
}

/// The programs of which an answer holds as long as they are the same files. `None` where no file
/// says what is run: a shell or launcher stays the same whatever it starts, and is always asked.
fn asked(plan: &Plan<'_>, check: &CheckSpec) -> Option<Asked> {
    if launches_another(&check.version) {
        return None;
    }
    let file = |executable: &str| {
        let path = launching::program(plan, check, executable).ok()?;
        Program::at(&path)
    };
    Some(Asked {
        argv: check.version.clone(),
        programs: vec![file(check.version.first()?)?, file(check.executable())?],
    })
}

enum Asking {
    Said(Said),
    /// It could not be asked, and why.
    Failed(String),
    CalledOff,
}

async fn ask(
    plan: &Plan<'_>,
    check: &CheckSpec,
    cancel: watch::Receiver<Cancel>,
    run_ends_at: Instant,
) -> Asking {
    let executable = check.version.first().map_or("", String::as_str);
    let program = match launching::program(plan, check, executable) {
        Ok(program) => program,
        Err(error) => return Asking::Failed(error.to_string()),
    };
    // No check's home is named so: `#` is not left as it is in the file name of an id.
    let home = format!("{}#version", check.id.file_name());
    let laid_out = launching::lay_out(plan, check, program, &check.version, &home, Streams::Split);
    let Prepared { launch, home, .. } = match laid_out {
        Ok(prepared) => prepared,
        Err(broken) => return Asking::Failed(broken.reason),
    };
    let begun = plan.clock.now();
    let asking = match plan.containment.start(&launch) {
        Ok(started) => {
            let own_end = begun + LIMIT;
            let ladder = Ladder::new(Some(own_end.min(run_ends_at)), Duration::ZERO);
            let mut output = FirstLines::default();
            let over = drive(started, ladder, &mut output, plan, cancel).await;
            let asking = conclude(&over, output, run_ends_at < own_end);
            let Over {
                leader, mut cage, ..
            } = over;
            cage.close();
            leader.reap();
            asking
        }
        Err(error) => Asking::Failed(error.to_string()),
    };
    // What cannot be removed now is removed by the next probe.
    let _ = HomePlace::clear(home);
    asking
}

/// What an ended probe said. `run_ended_first`: its time was cut short by the run's own limit.
fn conclude(over: &Over, output: FirstLines, run_ended_first: bool) -> Asking {
    let [stdout, stderr] = output.lines.map(FirstLine::finish);
    let fault = match (over.forced, over.exit) {
        (Some(Forced::Interrupt), _) => return Asking::CalledOff,
        (Some(Forced::Timeout), _) if run_ended_first => return Asking::CalledOff,
        (Some(Forced::Timeout), _) => Some(format!("timed out after {}s", LIMIT.as_secs())),
        (Some(Forced::OutputLimit), _) => {
            Some(format!("printed more than {} KiB", MOST_OUTPUT / 1024))
        }
        (None, Some(Exit::Code(0))) => None,
        (None, Some(Exit::Code(code))) => Some(format!("exit status {code}")),
        (None, Some(Exit::Signal(signal))) => Some(format!("killed by signal {signal}")),
        (None, None) => Some("how it ended is not known".to_owned()),
    };
    Asking::Said(said(stdout, stderr, fault.as_deref()))
}

/// Standard output says the version, however the tool ended: some end with 1 after they have said
/// it. Standard error has complaints too, and counts only beside a clean end.
fn said(stdout: Option<String>, stderr: Option<String>, fault: Option<&str>) -> Said {
    let version = stdout.or(stderr.filter(|_| fault.is_none()));
    let silent = version.is_none().then_some("it printed nothing");
    Said::new(version, fault.or(silent))
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
        let of = |stdout: &str, stderr: &str, fault: Option<&str>| {
            let line = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            let Said { version, note } = said(line(stdout), line(stderr), fault);
            (version.unwrap_or_default(), note.unwrap_or_default())
        };
        let both = |version: &str, note: &str| (version.to_owned(), note.to_owned());
        assert_eq!(of("1.2", "warning", None), both("1.2", ""));
        assert_eq!(of("", "1.2", None), both("1.2", ""));
        let failed = Some("exit status 3");
        assert_eq!(
            of("", "usage", failed),
            both("", "version probe: exit status 3")
        );
        assert_eq!(
            of("1.2", "", failed),
            both("1.2", "version probe: exit status 3")
        );
        assert_eq!(
            of("", "", None),
            both("", "version probe: it printed nothing")
        );
    }
}
