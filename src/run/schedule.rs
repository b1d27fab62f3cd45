//! Which check or version probe is started next: a state machine that is told what has ended.
//!
//! It knows no process, no clock and no result. Checks share the jobs, the longest first; then
//! come those that run alone, then the verifiers, one after another. Every step looks at the
//! first of a queue, so that a run of ten thousand checks costs ten thousand steps.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::time::Duration;

#[cfg(test)]
mod simulation;

/// What is known of a check that has not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// Its place in the plan.
    pub index: usize,
    /// It runs alone.
    pub exclusive: bool,
    /// It runs after all others, and only where those are green.
    pub verifier: bool,
    /// Its tool is to be asked for its version.
    pub asks: bool,
    /// How long it took when it last ran to its end; `None` where it never did.
    pub time: Option<Duration>,
}

/// What is to be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// See what is to be asked for the check at this place, and queue what has to be.
    Ask(usize),
    /// Start the check at this place.
    Check(usize),
    /// Start the probe that was queued by this number.
    Probe(usize),
}

/// What waits and what runs.
#[derive(Debug)]
pub struct Schedule {
    jobs: usize,
    /// In the order in which they are started.
    waiting: VecDeque<Waiting>,
    /// By number, in the order in which they were queued.
    probes: VecDeque<usize>,
    running: Running,
}

#[derive(Debug, Default)]
struct Running {
    checks: usize,
    /// Probes take no job of a check: they are short, and one beside another check costs that
    /// less than a check would have to wait. Among themselves they have as many jobs as checks.
    probes: usize,
    /// One of the checks runs alone.
    exclusive: bool,
    /// One of the checks is a verifier.
    verifier: bool,
}

impl Schedule {
    /// Nothing has started yet. `jobs`, at least 1: how many checks, and how many probes, may run
    /// at once.
    pub fn new(mut waiting: Vec<Waiting>, jobs: usize) -> Self {
        waiting.sort_by_key(place);
        Self {
            jobs,
            waiting: waiting.into(),
            probes: VecDeque::new(),
            running: Running::default(),
        }
    }

    /// Whether all that still wait are verifiers.
    pub fn is_at_verifiers(&self) -> bool {
        self.waiting.front().is_some_and(|first| first.verifier)
    }

    /// What may be started now, which counts as started; `None` until something ends. `green`:
    /// verifiers may run.
    pub fn next(&mut self, green: bool) -> Option<Next> {
        self.next_check(green).or_else(|| self.next_probe())
    }

    fn next_check(&mut self, green: bool) -> Option<Next> {
        let first = self.waiting.front_mut()?;
        let running = &mut self.running;
        let its_turn = !first.verifier || (green && !running.verifier);
        let job = running.checks < self.jobs && !running.exclusive;
        // One that runs alone is asked about while it waits for the others, not while it runs.
        if !its_turn || !(job || first.exclusive) {
            return None;
        }
        if std::mem::take(&mut first.asks) {
            return Some(Next::Ask(first.index));
        }
        let busy = running.checks + running.probes + self.probes.len() > 0;
        if first.exclusive && busy {
            return None;
        }
        running.checks += 1;
        running.exclusive = first.exclusive;
        running.verifier |= first.verifier;
        let index = first.index;
        self.waiting.pop_front();
        Some(Next::Check(index))
    }

    fn next_probe(&mut self) -> Option<Next> {
        if self.running.exclusive || self.running.probes >= self.jobs {
            return None;
        }
        let number = self.probes.pop_front()?;
        self.running.probes += 1;
        Some(Next::Probe(number))
    }

    /// A probe that has to be run, by a number of the caller's.
    pub fn queue(&mut self, probe: usize) {
        self.probes.push_back(probe);
    }

    /// A check that was started is over.
    pub fn check_ended(&mut self, verifier: bool) {
        self.running.checks -= 1;
        // One that runs alone is the only one that runs, and so is a verifier among its like.
        self.running.exclusive = false;
        if verifier {
            self.running.verifier = false;
        }
    }

    /// A probe that was started is over.
    pub fn probe_ended(&mut self) {
        self.running.probes -= 1;
    }

    /// Takes away all checks that have not started.
    pub fn set_aside(&mut self) -> impl Iterator<Item = usize> {
        std::mem::take(&mut self.waiting)
            .into_iter()
            .map(|check| check.index)
    }
}

/// Orders checks as they are started. Those that run alone come after those that share: starting
/// one needs an empty machine, and the others fill it. Longest first, so that none is left to run
/// by itself at the end; one whose time is not known may be the longest. Verifiers come last,
/// shortest first: of several, the cheap one fails first. What is equal stands as in the manifest.
fn place(check: &Waiting) -> impl Ord + use<> {
    let time = check.time.unwrap_or(Duration::MAX);
    let (group, longest_first, shortest_first) = match (check.verifier, check.exclusive) {
        (false, false) => (0, time, Duration::ZERO),
        (false, true) => (1, time, Duration::ZERO),
        (true, _) => (2, Duration::ZERO, time),
    };
    (group, Reverse(longest_first), shortest_first, check.index)
}

#[cfg(test)]
mod tests {
    use super::{Duration, Next, Schedule, Waiting};

    fn check(index: usize, ms: Option<u64>) -> Waiting {
        Waiting {
            index,
            exclusive: false,
            verifier: false,
            asks: false,
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

    fn asking(check: Waiting) -> Waiting {
        Waiting {
            asks: true,
            ..check
        }
    }

    /// The places of `waiting` as they are started one by one.
    fn order(waiting: Vec<Waiting>) -> Vec<usize> {
        Schedule::new(waiting, 1).set_aside().collect()
    }

    /// All that may be started now.
    fn started(schedule: &mut Schedule, green: bool) -> Vec<Next> {
        std::iter::from_fn(|| schedule.next(green)).collect()
    }

    #[test]
    fn without_times_it_is_the_order_of_the_manifest() {
        let none = |index| check(index, None);
        assert_eq!(order(vec![none(0), none(1), none(2)]), [0, 1, 2]);
    }

    #[test]
    fn the_unknown_and_the_long_come_first_and_equals_as_they_stand() {
        let checks = vec![
            check(0, Some(10)),
            check(1, Some(900)),
            check(2, None),
            check(3, Some(10)),
        ];
        assert_eq!(order(checks), [2, 1, 0, 3]);
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
        assert_eq!(order(checks), [5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn checks_fill_the_jobs_and_one_that_runs_alone_needs_an_empty_machine() {
        let none = |index| check(index, None);
        let mut schedule = Schedule::new(vec![none(0), none(1), none(2), alone(none(3))], 2);
        assert_eq!(
            started(&mut schedule, false),
            [Next::Check(0), Next::Check(1)]
        );
        schedule.check_ended(false);
        assert_eq!(started(&mut schedule, false), [Next::Check(2)]);
        schedule.check_ended(false);
        assert_eq!(schedule.next(false), None);
        schedule.check_ended(false);
        assert_eq!(started(&mut schedule, false), [Next::Check(3)]);
    }

    #[test]
    fn probes_take_no_job_of_a_check_and_have_as_many_of_their_own() {
        let checks = (0..3).map(|index| asking(check(index, None))).collect();
        let mut schedule = Schedule::new(checks, 1);
        assert_eq!(
            started(&mut schedule, false),
            [Next::Ask(0), Next::Check(0)]
        );
        schedule.queue(7);
        schedule.queue(8);
        assert_eq!(started(&mut schedule, false), [Next::Probe(7)]);
        schedule.check_ended(false);
        assert_eq!(
            started(&mut schedule, false),
            [Next::Ask(1), Next::Check(1)],
            "what was asked before is no reason to wait"
        );
        schedule.probe_ended();
        assert_eq!(started(&mut schedule, false), [Next::Probe(8)]);
    }

    #[test]
    fn one_that_runs_alone_is_asked_about_before_and_has_no_probe_beside_it() {
        let mut schedule = Schedule::new(vec![check(0, None), alone(asking(check(1, None)))], 2);
        assert_eq!(
            started(&mut schedule, false),
            [Next::Check(0), Next::Ask(1)]
        );
        schedule.queue(1);
        assert_eq!(started(&mut schedule, false), [Next::Probe(1)]);
        schedule.check_ended(false);
        assert_eq!(schedule.next(false), None, "its own probe runs");
        schedule.probe_ended();
        assert_eq!(started(&mut schedule, false), [Next::Check(1)]);
        schedule.queue(2);
        assert_eq!(schedule.next(false), None);
        schedule.check_ended(false);
        assert_eq!(started(&mut schedule, false), [Next::Probe(2)]);
    }

    #[test]
    fn verifiers_wait_for_green_and_run_one_after_another() {
        let verifiers = || {
            vec![
                verifier(asking(check(0, Some(1)))),
                verifier(check(1, None)),
            ]
        };
        let mut schedule = Schedule::new(verifiers(), 2);
        assert!(schedule.is_at_verifiers());
        assert_eq!(
            schedule.next(false),
            None,
            "nothing is asked for one that may not run"
        );
        assert_eq!(started(&mut schedule, true), [Next::Ask(0), Next::Check(0)]);
        schedule.check_ended(true);
        assert_eq!(started(&mut schedule, true), [Next::Check(1)]);
        let others = vec![check(2, None), verifier(alone(check(3, None)))];
        let mut schedule = Schedule::new(others, 2);
        assert_eq!(started(&mut schedule, true), [Next::Check(2)]);
        schedule.check_ended(false);
        assert_eq!(started(&mut schedule, true), [Next::Check(3)]);
    }
}
