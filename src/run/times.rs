//! How long checks took when they last ran to their end, remembered between runs.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::model::{CheckId, CheckResult, Status, Termination};

/// More checks than this are not remembered: no manifest has so many.
const MOST_CHECKS: usize = 20_000;

/// Milliseconds by check id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Times(BTreeMap<String, u64>);

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
    /// or lacked what it needs, says nothing of how long the whole takes.
    pub fn learn(&mut self, results: &[CheckResult]) {
        let whole = results.iter().filter(|result| {
            result.termination == Termination::Exited && result.status != Status::Broken
        });
        for result in whole {
            if self.0.len() >= MOST_CHECKS && !self.0.contains_key(&result.id) {
                self.0.clear();
            }
            self.0.insert(result.id.clone(), result.duration_ms);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckId, CheckResult, Duration, Status, Termination, Times};
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
    fn a_file_that_is_torn_or_not_ours_is_as_good_as_none() {
        for bytes in [&b""[..], b"{\"test\":9", b"{\"test\":-1}", b"[]", b"\xff"] {
            assert_eq!(Times::read(bytes), Times::default(), "{bytes:?}");
        }
    }
}
