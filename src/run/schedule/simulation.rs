//! The scheduler and the gate driven as a run drives them, over random mixes of checks, by a
//! clock that is a number.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Range;
use std::time::Duration;

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::{collection, prop_assert, prop_assert_eq};

use super::{Next, Schedule, Waiting};
use crate::model::{CheckId, CheckSpec, Role, Status, Tolerance};
use crate::run::gate::{Gate, Way};

/// A check as it will turn out; times in milliseconds.
#[derive(Debug, Clone)]
struct Check {
    takes: u64,
    /// What an earlier run wrote down.
    recorded: Option<u64>,
    exclusive: bool,
    role: Role,
    advisory: bool,
    red: bool,
    probe: Probe,
}

impl Check {
    fn is_verifier(&self) -> bool {
        self.role == Role::ConvergenceVerifier
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Probe {
    None,
    /// Its answer is known.
    Remembered,
    Takes(u64),
}

/// What ran, in the order in which it was started: from when until when.
#[derive(Debug, Default, PartialEq, Eq)]
struct Trace {
    checks: Vec<(usize, Range<u64>)>,
    probes: Vec<(usize, Range<u64>)>,
    aside: Vec<usize>,
    /// How often the schedule was asked.
    steps: usize,
}

impl Trace {
    fn makespan(&self) -> u64 {
        let spans = self.checks.iter().chain(&self.probes);
        spans.map(|(_, span)| span.end).max().unwrap_or(0)
    }

    fn span(&self, index: usize) -> Option<&Range<u64>> {
        let mut checks = self.checks.iter();
        checks.find_map(|(of, span)| (*of == index).then_some(span))
    }
}

fn spec(index: usize, check: &Check) -> CheckSpec {
    let id = CheckId::new(&format!("c{index}")).unwrap();
    CheckSpec {
        role: check.role,
        tolerance: if check.advisory {
            Tolerance::Advisory
        } else {
            Tolerance::Blocking
        },
        ..CheckSpec::new(id, "true", Vec::new())
    }
}

fn simulate(mix: &[Check], jobs: usize) -> Trace {
    let waiting = mix.iter().enumerate().map(|(index, check)| Waiting {
        index,
        exclusive: check.exclusive,
        verifier: check.is_verifier(),
        asks: check.probe != Probe::None,
        time: check.recorded.map(Duration::from_millis),
    });
    let specs: Vec<_> = mix.iter().enumerate().map(|(i, c)| spec(i, c)).collect();
    let mut schedule = Schedule::new(waiting.collect(), jobs);
    let mut gate = Gate::new(specs.iter());
    let mut trace = Trace::default();
    let mut now = 0;
    // When it ends, whether it is a probe, and whose.
    let mut running = BinaryHeap::new();
    loop {
        loop {
            let green = schedule.is_at_verifiers()
                && match gate.way() {
                    Way::Open => true,
                    Way::Waiting => false,
                    Way::Shut(_) => {
                        trace.aside.extend(schedule.set_aside());
                        false
                    }
                };
            trace.steps += 1;
            match schedule.next(green) {
                Some(Next::Ask(index)) => match mix[index].probe {
                    Probe::Takes(_) => schedule.queue(index),
                    Probe::Remembered => {}
                    Probe::None => panic!("{index} has no probe"),
                },
                Some(Next::Check(index)) => {
                    let end = now + mix[index].takes;
                    trace.checks.push((index, now..end));
                    running.push(Reverse((end, false, index)));
                }
                Some(Next::Probe(index)) => {
                    let Probe::Takes(time) = mix[index].probe else {
                        panic!("nothing is to be asked for {index}")
                    };
                    trace.probes.push((index, now..now + time));
                    running.push(Reverse((now + time, true, index)));
                }
                None => break,
            }
        }
        let Some(Reverse((end, is_probe, index))) = running.pop() else {
            return trace;
        };
        now = end;
        if is_probe {
            schedule.probe_ended();
        } else {
            schedule.check_ended(mix[index].is_verifier());
            let status = if mix[index].red {
                Status::Fail
            } else {
                Status::Pass
            };
            gate.over(index, &specs[index], status);
        }
    }
}

fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

/// How many of `spans` there are at the worst moment, which is where one starts.
fn most_at_once(spans: &[(usize, Range<u64>)]) -> usize {
    let at = |moment: u64| spans.iter().filter(|(_, s)| s.contains(&moment)).count();
    spans.iter().map(|(_, s)| at(s.start)).max().unwrap_or(0)
}

/// A time that no way of running checks of these times on `jobs` can go below. The last two say
/// what an average cannot: of more checks than jobs two share one.
///
/// Longest first stays within 4/3 of it, for any times. Say the check that ends last is the n-th
/// longest, with time p. It started when every job was busy, so it ended within sum/jobs + p. Where
/// n is above 2 x jobs, three no shorter share a job in any order: p is at most a third of that
/// bound. Where n is at most jobs, it started at once. In between, longest first starts it no
/// later than the (2 x jobs + 1 - n)-th longest ends, which is `pair`; and any order in which no
/// three of the first n share a job puts two together that take that long.
fn lower_bound(times: &[u64], jobs: usize) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable_by_key(|time| Reverse(*time));
    let sum: u64 = times.iter().sum();
    let average = ms(sum) / f64::from(u32::try_from(jobs).unwrap());
    let longest = times.first().copied().unwrap_or(0);
    let pairs = (jobs + 1..=2 * jobs).filter_map(|n| {
        let p = times.get(n - 1)?;
        Some((3 * p).min(times[2 * jobs - n] + p))
    });
    let three = times
        .get(2 * jobs - 2..2 * jobs + 1)
        .map(|three| three.iter().sum());
    let whole = pairs.chain(three).fold(longest, u64::max);
    average.max(ms(whole))
}

fn ms(time: u64) -> f64 {
    f64::from(u32::try_from(time).unwrap())
}

/// The shortest that `times` can be run in on `jobs`, by trying everything.
fn shortest(times: &[u64], jobs: usize) -> u64 {
    fn place(times: &[u64], loads: &mut [u64], best: &mut u64) {
        let Some((time, rest)) = times.split_first() else {
            *best = (*best).min(loads.iter().copied().max().unwrap_or(0));
            return;
        };
        for job in 0..loads.len() {
            loads[job] += time;
            place(rest, loads, best);
            loads[job] -= time;
        }
    }
    let mut best = u64::MAX;
    place(times, &mut vec![0; jobs], &mut best);
    best
}

/// Checks of all kinds; what was recorded may be anything.
fn check() -> impl Strategy<Value = Check> {
    let takes = prop_oneof![1..10_u64, 1..1000_u64, Just(100_u64), 1000..100_000_u64];
    let recorded = prop_oneof![
        3 => Just(None),
        3 => (1..1000_u64).prop_map(Some),
    ];
    let probe = prop_oneof![
        3 => Just(Probe::None),
        1 => Just(Probe::Remembered),
        3 => (1..5000_u64).prop_map(Probe::Takes),
    ];
    let rarely = || prop_oneof![6 => Just(false), 1 => Just(true)];
    (
        (takes, recorded, probe),
        (rarely(), rarely(), rarely(), any::<[bool; 5]>()),
    )
        .prop_map(
            |((takes, recorded, probe), (exclusive, verifier, advisory, red))| Check {
                takes,
                recorded,
                exclusive,
                role: role(verifier),
                advisory,
                red: red.into_iter().all(|red| red),
                probe,
            },
        )
}

fn role(verifier: bool) -> Role {
    if verifier {
        Role::ConvergenceVerifier
    } else {
        Role::Regular
    }
}

fn mix(most: usize) -> impl Strategy<Value = Vec<Check>> {
    collection::vec(check(), 0..most)
}

/// The mix where every time is known, nothing is asked and nothing is red.
fn known(mix: &[Check]) -> Vec<Check> {
    let known = |check: &Check| Check {
        recorded: Some(check.takes),
        red: false,
        probe: Probe::None,
        ..check.clone()
    };
    mix.iter().map(known).collect()
}

fn shared(mix: &[Check]) -> Vec<u64> {
    let shared = mix
        .iter()
        .filter(|check| !check.exclusive && !check.is_verifier());
    shared.map(|check| check.takes).collect()
}

/// Those that run one after another whatever is done.
fn serial(mix: &[Check]) -> u64 {
    let serial = mix
        .iter()
        .filter(|check| check.exclusive || check.is_verifier());
    serial.map(|check| check.takes).sum()
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 256,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_check_is_run_once_or_set_aside_and_the_same_mix_runs_the_same(
        mix in mix(40), jobs in 1..=8_usize
    ) {
        let trace = simulate(&mix, jobs);
        let run = trace.checks.iter().map(|(index, _)| *index);
        let mut seen: Vec<_> = run.chain(trace.aside.iter().copied()).collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..mix.len()).collect::<Vec<_>>());
        let asked: BTreeSet<_> = trace.probes.iter().map(|(index, _)| *index).collect();
        prop_assert_eq!(asked.len(), trace.probes.len());
        for (index, check) in mix.iter().enumerate() {
            let to_ask = matches!(check.probe, Probe::Takes(_)) && !trace.aside.contains(&index);
            prop_assert_eq!(asked.contains(&index), to_ask);
        }
        prop_assert_eq!(simulate(&mix, jobs), trace);
    }

    #[test]
    fn no_more_than_the_jobs_run_at_once_and_one_that_runs_alone_is_alone(
        mix in mix(40), jobs in 1..=8_usize
    ) {
        let trace = simulate(&mix, jobs);
        prop_assert!(most_at_once(&trace.checks) <= jobs);
        prop_assert!(most_at_once(&trace.probes) <= jobs);
        for (index, span) in trace.checks.iter().filter(|(index, _)| mix[*index].exclusive) {
            let others = trace.checks.iter().filter(|(other, _)| other != index);
            for (_, other) in others.chain(&trace.probes) {
                prop_assert!(!overlap(span, other), "{} beside {:?}", index, other);
            }
        }
    }

    #[test]
    fn verifiers_run_one_after_another_once_all_is_green_or_not_at_all(
        mix in mix(40), jobs in 1..=8_usize
    ) {
        let trace = simulate(&mix, jobs);
        let gating = || mix.iter().enumerate().filter(|(_, c)| !c.is_verifier() && !c.advisory);
        let is_red = gating().any(|(_, check)| check.red);
        let green_at = gating().map(|(index, _)| trace.span(index).unwrap().end).max();
        let mut free_at = green_at.unwrap_or(0);
        for (_, span) in trace.checks.iter().filter(|(index, _)| mix[*index].is_verifier()) {
            prop_assert!(!is_red && span.start >= free_at);
            free_at = span.end;
        }
        let verifiers = mix.iter().filter(|check| check.is_verifier()).count();
        prop_assert_eq!(trace.aside.len(), if is_red { verifiers } else { 0 });
    }

    /// A check that shares is held up by nothing but checks that share, so none starves.
    #[test]
    fn no_job_is_idle_while_a_check_that_shares_waits(mix in mix(40), jobs in 1..=8_usize) {
        let trace = simulate(&mix, jobs);
        let shares = |index: usize| !mix[index].exclusive && !mix[index].is_verifier();
        let last = trace.checks.iter().filter(|(index, _)| shares(*index));
        let last = last.map(|(_, span)| span.start).max().unwrap_or(0);
        for (_, span) in &trace.checks {
            if span.end < last {
                let busy = trace.checks.iter().filter(|(_, s)| s.contains(&span.end));
                prop_assert_eq!(busy.count(), jobs);
            }
        }
    }

    /// See [`lower_bound`]. Where what does not gate stands beside verifiers, these could overtake
    /// it, and do not: then it is no bound of what is promised.
    #[test]
    fn with_known_times_a_run_takes_at_most_a_third_longer_than_it_must(
        mix in mix(60), jobs in 1..=8_usize
    ) {
        let mut mix = known(&mix);
        if mix.iter().any(Check::is_verifier) {
            for check in &mut mix {
                check.advisory = false;
            }
        }
        let least = lower_bound(&shared(&mix), jobs) + ms(serial(&mix));
        let took = ms(simulate(&mix, jobs).makespan());
        prop_assert!(least <= took + 1e-6, "{} < {}", took, least);
        prop_assert!(took <= least * 4.0 / 3.0 + 1e-6, "{} > 4/3 of {}", took, least);
    }

    /// Graham's bound for any order in which no job idles: it holds whatever was recorded.
    #[test]
    fn with_unknown_times_a_run_takes_less_than_twice_as_long_as_it_must(
        mut mix in mix(60), jobs in 1..=8_usize
    ) {
        for check in &mut mix {
            (check.red, check.probe) = (false, Probe::None);
        }
        let least = lower_bound(&shared(&mix), jobs);
        let most = least * (2.0 - 1.0 / f64::from(u32::try_from(jobs).unwrap()));
        let took = ms(simulate(&mix, jobs).makespan());
        prop_assert!(took <= most + ms(serial(&mix)) + 1e-6, "{} > {}", took, most);
    }

    /// Where the shortest can be found by trying, it is what [`lower_bound`] is said to be below.
    #[test]
    fn the_bound_is_one_and_longest_first_is_within_a_third_of_the_shortest(
        times in collection::vec(1..40_u64, 1..8), jobs in 1..=4_usize
    ) {
        let mix: Vec<_> = times.iter().map(|&takes| Check {
            takes,
            recorded: Some(takes),
            exclusive: false,
            role: Role::Regular,
            advisory: false,
            red: false,
            probe: Probe::None,
        }).collect();
        let took = ms(simulate(&mix, jobs).makespan());
        let shortest = ms(shortest(&times, jobs));
        prop_assert!(lower_bound(&times, jobs) <= shortest + 1e-6);
        let jobs = f64::from(u32::try_from(jobs).unwrap());
        prop_assert!(took <= shortest * (4.0 / 3.0 - 1.0 / (3.0 * jobs)) + 1e-6);
    }
}

#[test]
fn ten_thousand_checks_are_tens_of_thousands_of_steps() {
    let kinds = [(false, false), (true, false), (false, true), (true, true)];
    let mix: Vec<_> = (0..10_000)
        .map(|index| Check {
            takes: 1 + index % 97,
            recorded: (index % 3 > 0).then_some(1 + index % 97),
            exclusive: kinds[(index % 40 / 10) as usize].0,
            role: role(kinds[(index % 40 / 10) as usize].1),
            advisory: false,
            red: false,
            probe: Probe::Takes(1),
        })
        .collect();
    let trace = simulate(&mix, 4);
    assert_eq!(trace.checks.len(), mix.len());
    // Each is asked about, probed, run and heard of, twice.
    assert!(trace.steps <= 5 * mix.len() + 1, "{}", trace.steps);
}
