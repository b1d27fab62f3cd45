//! How a run stands: what is over, and what runs since when.

use std::time::{Duration, Instant};

use crate::model::{CheckId, CheckResult, Status};
use crate::run::Entry;
use crate::text::{Printable, display_width};

use super::last_words::LastWords;

/// What is known of a run that goes on.
#[derive(Debug, Default)]
pub struct Standing {
    /// All checks of the run.
    pub total: usize,
    /// Those that are over, and those that were never to be launched.
    pub done: usize,
    /// Those of them that failed and count.
    pub failed: usize,
    /// In the order in which they were started, so that the first runs the longest.
    pub running: Vec<Running>,
    /// Columns of the widest id of all.
    pub id_columns: usize,
    /// When it began.
    pub begun: Option<Instant>,
}

/// A check that runs.
#[derive(Debug)]
pub struct Running {
    /// See [`CheckId`].
    pub id: CheckId,
    /// See [`LastWords`].
    pub words: LastWords,
    since: Instant,
}

impl Running {
    /// How long it has been running.
    pub fn elapsed(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.since)
    }
}

impl Standing {
    /// The run begins.
    pub fn begin(&mut self, entries: &[Entry], now: Instant) {
        self.total = entries.len();
        self.done = entries
            .iter()
            .filter(|entry| entry.decided.is_some())
            .count();
        let widths = entries.iter().map(|entry| columns(&entry.check.id));
        self.id_columns = widths.max().unwrap_or_default();
        self.begun = Some(now);
    }

    /// A check starts.
    pub fn start(&mut self, id: &CheckId, now: Instant) {
        self.running.push(Running {
            id: id.clone(),
            words: LastWords::default(),
            since: now,
        });
    }

    /// It prints.
    pub fn hear(&mut self, id: &CheckId, bytes: &[u8]) {
        if let Some(running) = self.running.iter_mut().find(|running| running.id == *id) {
            running.words.hear(bytes);
        }
    }

    /// It is over.
    pub fn end(&mut self, id: &CheckId, result: &CheckResult) {
        self.running.retain(|running| running.id != *id);
        self.done += 1;
        if result.gates() && result.status == Status::Fail {
            self.failed += 1;
        }
    }

    /// `2 of 5 done, 1 failed`.
    pub fn count(&self) -> String {
        let (done, total) = (self.done, self.total);
        match self.failed {
            0 => format!("{done} of {total} done"),
            failed => format!("{done} of {total} done, {failed} failed"),
        }
    }
}

/// Of an id as it is shown. There may be thousands, nearly all of them plain.
fn columns(id: &CheckId) -> usize {
    let text = id.as_str();
    if text.is_ascii() {
        return text.len();
    }
    display_width(&Printable::new(text).to_string())
}

#[cfg(test)]
pub use self::tests::Run;

#[cfg(test)]
mod tests {
    use super::{CheckId, CheckResult, Duration, Entry, Instant, Standing, Status};
    use crate::model::{CheckSpec, Tolerance};

    /// A run of checks with these ids, told of by seconds since it began.
    pub struct Run {
        pub standing: Standing,
        begun: Instant,
    }

    impl Run {
        pub fn of(ids: &[&str]) -> Self {
            let begun = Instant::now();
            let mut standing = Standing::default();
            let entry = |id: &&str| Entry {
                check: spec(id),
                decided: None,
                look: None,
            };
            let entries: Vec<Entry> = ids.iter().map(entry).collect();
            standing.begin(&entries, begun);
            Self { standing, begun }
        }

        pub fn at(&self, seconds: f64) -> Instant {
            self.begun + Duration::from_secs_f64(seconds)
        }

        pub fn start(mut self, id: &str, seconds: f64) -> Self {
            let at = self.at(seconds);
            self.standing.start(&CheckId::new(id).unwrap(), at);
            self
        }

        pub fn print(mut self, id: &str, text: &str) -> Self {
            let id = CheckId::new(id).unwrap();
            self.standing.hear(&id, text.as_bytes());
            self
        }

        pub fn end(mut self, id: &str, status: Status) -> Self {
            let spec = spec(id);
            let result = CheckResult::new(&spec, status);
            self.standing.end(&spec.id, &result);
            self
        }
    }

    fn spec(id: &str) -> CheckSpec {
        CheckSpec::new(CheckId::new(id).unwrap(), "true", Vec::new())
    }

    fn elapsed(run: &Run, seconds: f64) -> Vec<u64> {
        let running = run.standing.running.iter();
        running
            .map(|check| check.elapsed(run.at(seconds)).as_secs())
            .collect()
    }

    #[test]
    fn what_was_never_to_be_launched_is_over_from_the_start() {
        let check = spec("a");
        let decided = Box::new(CheckResult::new(&check, Status::Refused));
        let entries = [
            Entry {
                decided: Some(decided),
                look: None,
                check,
            },
            Entry {
                decided: None,
                look: None,
                check: spec("検査"),
            },
        ];
        let mut standing = Standing::default();
        standing.begin(&entries, Instant::now());
        assert_eq!(standing.count(), "1 of 2 done");
        assert_eq!(standing.id_columns, 4);
    }

    #[test]
    fn only_a_failure_that_counts_is_told_early() {
        let mut run = Run::of(&["a", "b", "c"]).start("a", 0.0).start("b", 1.0);
        run = run.end("b", Status::Known);
        assert_eq!(run.standing.count(), "1 of 3 done");
        let mut advisory = spec("c");
        advisory.tolerance = Tolerance::Advisory;
        let result = CheckResult::new(&advisory, Status::Fail);
        run.standing.end(&advisory.id, &result);
        assert_eq!(run.standing.count(), "2 of 3 done");
        run = run.end("a", Status::Fail);
        assert_eq!(run.standing.count(), "3 of 3 done, 1 failed");
        assert!(run.standing.running.is_empty());
    }

    #[test]
    fn checks_stand_in_the_order_in_which_they_started() {
        let run = Run::of(&["a", "b"]).start("b", 1.0).start("a", 3.0);
        assert_eq!(elapsed(&run, 10.0), [9, 7]);
        assert_eq!(elapsed(&run, 0.0), [0, 0], "a clock that went back");
    }

    #[test]
    fn what_nobody_runs_is_not_heard() {
        let run = Run::of(&["a", "b"]).start("a", 0.0).print("b", "text\n");
        assert_eq!(run.standing.running.len(), 1);
        assert_eq!(run.standing.running[0].words.line("…"), None);
    }
}
