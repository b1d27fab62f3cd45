//! How long checks took when they last ran to their end, remembered between runs.

use std::time::Duration;

use indexmap::IndexMap;

use crate::model::{CheckId, CheckResult, Status, Termination};

/// Of so many checks times are remembered; of more, those that were learnt last.
const MOST_CHECKS: usize = 4096;
/// A time that differs by less is the same one: nothing is ordered otherwise because of it, and
/// every run would have something to write.
const NOISE_MS: u64 = 20;
/// So is one that differs by less than this part of it.
const NOISE_PART: u64 = 10;

/// Milliseconds by check id; what was learnt last comes last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Times(IndexMap<String, u64>);

impl Times {
    /// What an earlier run wrote; nothing where that is torn or another program's.
    pub fn read(bytes: &[u8]) -> Self {
        Self(serde_json::from_slice(bytes).unwrap_or_default())
    }

    /// To be read by the next run.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Maps with text for keys can always be written.
        serde_json::to_vec(&self.0).unwrap_or_default()
    }

    /// How long `check` took.
    pub fn of(&self, check: &CheckId) -> Option<Duration> {
        self.0
            .get(check.as_str())
            .copied()
            .map(Duration::from_millis)
    }

    /// Takes the times of those that ended by themselves and did their work; one that was ended,
    /// or lacked what it needs, says nothing of how long the whole takes. True where there was
    /// something to learn.
    pub fn learn(&mut self, results: &[CheckResult]) -> bool {
        let mut learnt = false;
        let whole = results.iter().filter(|result| {
            result.termination == Termination::Exited && result.status != Status::Broken
        });
        for result in whole {
            let now = result.duration_ms;
            match self.0.get(&result.id) {
                Some(&known) if is_the_same(known, now) => continue,
                Some(_) => {
                    self.0.shift_remove(&result.id);
                }
                None => {}
            }
            self.0.insert(result.id.clone(), now);
            learnt = true;
        }
        let excess = self.0.len().saturating_sub(MOST_CHECKS);
        self.0.drain(..excess);
        learnt
    }
}

fn is_the_same(known: u64, now: u64) -> bool {
    known.abs_diff(now) <= NOISE_MS.max(known / NOISE_PART)
}

#[cfg(test)]
mod tests {
    use super::{CheckId, CheckResult, Duration, MOST_CHECKS, Status, Termination, Times};
    use crate::model::CheckSpec;

    fn result(id: &str, termination: Termination, status: Status, ms: u64) -> CheckResult {
        let spec = CheckSpec::new(CheckId::new(id).unwrap(), id, Vec::new());
        CheckResult {
            termination,
            duration_ms: ms,
            ..CheckResult::new(&spec, status)
        }
    }

    fn of(times: &Times, id: &str) -> Option<Duration> {
        times.of(&CheckId::new(id).unwrap())
    }

    #[test]
    fn the_last_whole_run_counts_and_no_other() {
        let mut times = Times::default();
        times.learn(&[
            result("test", Termination::Exited, Status::Pass, 900),
            result("lint", Termination::Exited, Status::Fail, 30),
        ]);
        times.learn(&[
            result("test", Termination::TimedOut, Status::Fail, 1),
            result("lint", Termination::Exited, Status::Broken, 1),
            result("docs", Termination::NotRun, Status::Skipped, 0),
        ]);
        let times = Times::read(&times.to_bytes());
        assert_eq!(of(&times, "test"), Some(Duration::from_millis(900)));
        assert_eq!(of(&times, "lint"), Some(Duration::from_millis(30)));
        assert_eq!(of(&times, "docs"), None);
    }

    #[test]
    fn only_what_changes_an_order_is_worth_a_file() {
        let took = |ms| [result("test", Termination::Exited, Status::Pass, ms)];
        let mut times = Times::default();
        assert!(times.learn(&took(1000)));
        for same in [1000, 1100, 900] {
            assert!(!times.learn(&took(same)), "{same}");
        }
        assert!(times.learn(&took(1101)));
        assert!(times.learn(&took(1)));
        assert!(!times.learn(&took(21)));
        assert!(times.learn(&took(22)));
        assert_eq!(of(&times, "test"), Some(Duration::from_millis(22)));
    }

    #[test]
    fn the_times_that_were_learnt_first_are_forgotten_first() {
        let took = |id: &str, ms| result(id, Termination::Exited, Status::Pass, ms);
        let mut times = Times::default();
        let many: Vec<_> = (0..MOST_CHECKS).map(|n| took(&n.to_string(), 1)).collect();
        times.learn(&many);
        times.learn(&[took("0", 9000), took("new", 5), took("newer", 5)]);
        let times = Times::read(&times.to_bytes());
        assert_eq!(times.0.len(), MOST_CHECKS);
        assert_eq!(of(&times, "0"), Some(Duration::from_secs(9)));
        assert_eq!(of(&times, "newer"), Some(Duration::from_millis(5)));
        assert_eq!((of(&times, "1"), of(&times, "2")), (None, None));
        assert!(of(&times, "3").is_some());
    }

    #[test]
    fn a_file_that_is_torn_or_not_ours_is_as_good_as_none() {
        for bytes in [&b""[..], b"{\"test\":9", b"{\"test\":-1}", b"[]", b"\xff"] {
            assert_eq!(Times::read(bytes), Times::default(), "{bytes:?}");
        }
    }
}
