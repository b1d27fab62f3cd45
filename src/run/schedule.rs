//! In which order checks are started, and whether the next one may be: pure functions.

use std::cmp::Reverse;
use std::time::Duration;

/// What the scheduler knows of a check that has not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// Its place in the plan.
    pub index: usize,
    /// It runs alone.
    pub exclusive: bool,
    /// It runs after all others, and only where those are green.
    pub verifier: bool,
    /// How long it took when it last ran to its end; `None` where it never did.
    pub time: Option<Duration>,
}

/// What runs now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Running {
    /// Checks.
    pub checks: usize,
    /// Version probes, which take no job: they are short, and one beside another check costs that
    /// less than a check would have to wait.
    pub probes: usize,
    /// One of the checks runs alone.
    pub exclusive: bool,
    /// One of the checks is a verifier.
    pub verifier: bool,
}

/// Puts `waiting` in the order in which they are started. Checks that run alone come after those
/// that share: starting one needs an empty machine, and the others fill it. Longest first, so that
/// none is left to run by itself at the end; one whose time is not known may be the longest.
/// Verifiers come last, shortest first: of several, the cheap one fails first. What is equal
/// stands as in the manifest.
pub fn order(waiting: &mut [Waiting]) {
    waiting.sort_by_key(|check| {
        let time = check.time.unwrap_or(Duration::MAX);
        if check.verifier {
            (true, false, Reverse(Duration::MAX), time, check.index)
        } else {
            let longest_first = Reverse(time);
            (
                false,
                check.exclusive,
                longest_first,
                Duration::ZERO,
                check.index,
            )
        }
    });
}

/// Whether `next`, the first in order, may be started now. `green`: verifiers may run.
pub fn may_start(next: Waiting, running: Running, jobs: usize, green: bool) -> bool {
    let idle = running.checks == 0 && running.probes == 0;
    let free = running.checks < jobs && !running.exclusive;
    let its_turn = !next.verifier || (green && !running.verifier);
    free && its_turn && (!next.exclusive || idle)
}

#[cfg(test)]
mod tests {
    use super::{Duration, Running, Waiting, may_start, order};

    fn check(index: usize, ms: Option<u64>) -> Waiting {
        Waiting {
            index,
            exclusive: false,
            verifier: false,
            time: ms.map(Duration::from_millis),
        }
    }

    fn alone(check: Waiting) -> Waiting {
        Waiting {
            exclusive: true,
            ..check
        }
    }

    fn verifier(check: Waiting) -> Waiting {
        Waiting {
            verifier: true,
            ..check
        }
    }

    fn ordered(mut waiting: Vec<Waiting>) -> Vec<usize> {
        order(&mut waiting);
        waiting.iter().map(|check| check.index).collect()
    }

    #[test]
    fn without_times_it_is_the_order_of_the_manifest() {
        let none = |index| check(index, None);
        assert_eq!(ordered(vec![none(0), none(1), none(2)]), [0, 1, 2]);
    }

    #[test]
    fn the_unknown_and_the_long_come_first_and_equals_as_they_stand() {
        let checks = vec![
            check(0, Some(10)),
            check(1, Some(900)),
            check(2, None),
            check(3, Some(10)),
        ];
        assert_eq!(ordered(checks), [2, 1, 0, 3]);
    }

    #[test]
    fn those_that_run_alone_come_late_and_verifiers_last_the_shortest_first() {
        let checks = vec![
            verifier(check(0, None)),
            verifier(alone(check(1, Some(20)))),
            verifier(check(2, Some(10))),
            alone(check(3, Some(5))),
            alone(check(4, Some(50))),
            check(5, Some(1)),
        ];
        assert_eq!(ordered(checks), [5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn checks_fill_the_jobs_and_one_that_runs_alone_needs_an_empty_machine() {
        let idle = Running::default();
        let one = Running {
            checks: 1,
            ..Running::default()
        };
        let next = check(0, None);
        assert!(may_start(next, idle, 1, false));
        assert!(may_start(next, one, 2, false));
        assert!(!may_start(next, one, 1, false));
        assert!(!may_start(next, idle, 0, false));
        assert!(may_start(alone(next), idle, 2, false));
        assert!(!may_start(alone(next), one, 2, false));
        let beside = Running {
            exclusive: true,
            ..one
        };
        assert!(!may_start(next, beside, 2, false));
        let probing = Running { probes: 1, ..idle };
        assert!(may_start(next, probing, 1, false), "a probe takes no job");
        assert!(!may_start(alone(next), probing, 1, false));
    }

    #[test]
    fn verifiers_wait_for_green_and_run_one_after_another() {
        let idle = Running::default();
        let next = verifier(check(0, None));
        assert!(!may_start(next, idle, 2, false));
        assert!(may_start(next, idle, 2, true));
        let beside = |verifier| Running {
            checks: 1,
            verifier,
            ..idle
        };
        assert!(may_start(next, beside(false), 2, true));
        assert!(!may_start(next, beside(true), 2, true));
        assert!(!may_start(alone(next), beside(false), 2, true));
    }
}
