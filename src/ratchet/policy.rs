//! The one place where facts become a status.
//!
//! Order matters and is the reading order below: what could not be judged, what was called off,
//! what ended violently, then exit 0 and its claims, then any other exit code and its rows.
//! A pass needs exit 0 and no claim against it; nothing else comes to one, but a test runner that
//! says itself that it ran nothing, where the manifest allows that.

use super::compare::{MAX_ROWS, Tally};
use super::judgement::{Facts, Judgement, Recordable};
use super::signal::signal_name;
use super::wording::{bytes, limit};
use crate::model::{Claims, Evidence, Exit, Leak, Leaks, Level, Outcome, Status, Termination};
use crate::text::{plural, thousands};

/// Whether the check looked at all it looks at, so that what is missing from its rows is gone:
/// it ended by itself with a code, its own numbers add up to its rows, and a failure names rows.
pub fn ran_whole(outcome: &Outcome, errors: u64, warnings: u64) -> bool {
    let evidence = outcome.findings.evidence.clone().unwrap_or_default();
    let (Termination::Exited, Some(Exit::Code(code))) = (outcome.termination, outcome.exit) else {
        return false;
    };
    outcome.broken.is_none()
        && errors + warnings <= MAX_ROWS
        && !evidence.stopped_early
        && outcome.findings.nothing_ran.is_none()
        && claimed(&evidence) <= if errors > 0 { errors } else { warnings }
        && (code == 0 || errors + warnings > 0)
}

/// Turns facts into a judgement.
pub fn judge(facts: &Facts<'_>) -> Judgement {
    let mut judgement = unlaunched(facts).unwrap_or_else(|| {
        match (facts.outcome.termination, facts.outcome.exit) {
            (Termination::Exited, Some(Exit::Code(0))) => exit_zero(facts),
            (Termination::Exited, Some(Exit::Code(code))) => exit_code(facts, code),
            _ => violent(facts),
        }
    });
    leaks(facts, &mut judgement);
    if judgement.status == Status::Fail && new(facts, judgement.gates) == 0 {
        judgement.made.clone_from(&judgement.reason);
    }
    let beside = match judgement.gates {
        Some(Level::Error) => facts.warnings.rows(),
        Some(Level::Warning) | None => 0,
    };
    if beside > 0 {
        let verb = if beside == 1 { "does" } else { "do" };
        judgement.notes.push(format!(
            "{} beside the errors {verb} not count",
            plural(beside, "warning")
        ));
    }
    judgement
}

/// What says nothing of the tree, or could not be judged however it ended.
fn unlaunched(facts: &Facts<'_>) -> Option<Judgement> {
    let outcome = facts.outcome;
    let broken = outcome.broken.clone();
    let reason = |fallback: &str| {
        broken
            .as_ref()
            .map_or(fallback.to_owned(), |broken| broken.reason.clone())
    };
    match outcome.termination {
        Termination::Refused => {
            return Some(Judgement {
                details: broken
                    .as_ref()
                    .map(|broken| broken.details.clone())
                    .unwrap_or_default(),
                ..Judgement::unjudged(Status::Refused, reason("not allowed to run"))
            });
        }
        Termination::NotRun => {
            return Some(Judgement::unjudged(Status::Cancelled, reason("not run")));
        }
        Termination::Exited
        | Termination::TimedOut
        | Termination::Signalled
        | Termination::KilledForMemory
        | Termination::OutputLimit
        | Termination::Interrupted
        | Termination::FailFast
        | Termination::SpawnFailed => {}
    }
    if let Some(broken) = broken {
        return Some(Judgement::broken(broken.reason, broken.details));
    }
    match outcome.termination {
        Termination::SpawnFailed => Some(Judgement::broken(
            "it could not be started".to_owned(),
            Vec::new(),
        )),
        Termination::Interrupted => Some(Judgement::unjudged(
            Status::Cancelled,
            "interrupted".to_owned(),
        )),
        Termination::FailFast => {
            let reason = "ended by --fail-fast: another check failed";
            Some(Judgement::unjudged(Status::Cancelled, reason.to_owned()))
        }
        Termination::Exited
        | Termination::TimedOut
        | Termination::Signalled
        | Termination::KilledForMemory
        | Termination::OutputLimit
        | Termination::Refused
        | Termination::NotRun => facts.too_many.then(|| {
            let reason = format!("it printed more than {} failures", thousands(MAX_ROWS));
            Judgement::broken(
                reason,
                vec!["narrow what it looks at, or split it into several checks".to_owned()],
            )
        }),
    }
}

/// An end that was not the check's own code. The tree may be why, and no baseline excuses it.
fn violent(facts: &Facts<'_>) -> Judgement {
    let outcome = facts.outcome;
    let reason = match (outcome.termination, outcome.exit) {
        (Termination::TimedOut, _) => match outcome.limit {
            Some(time) => format!("timed out after {}", limit(time)),
            None => "timed out".to_owned(),
        },
        (Termination::KilledForMemory, _) => {
            let memory = bytes(facts.limits.memory_bytes);
            format!("killed for memory at {memory} (checks_max_memory_bytes)")
        }
        (Termination::OutputLimit, _) => match facts.limits.output_bytes {
            Some(most) => format!(
                "printed more than {} (checks_max_output_bytes)",
                bytes(most)
            ),
            None => "printed more than it may (checks_max_output_bytes)".to_owned(),
        },
        (_, Some(Exit::Signal(signal))) => format!("killed by {}", signal_name(signal)),
        _ => return Judgement::broken("how it ended is not known".to_owned(), Vec::new()),
    };
    let recordable = Recordable::No(reason.clone());
    Judgement {
        gates: rows_of_a_failure(facts),
        ..Judgement::new(Status::Fail, reason, recordable)
    }
}

fn exit_zero(facts: &Facts<'_>) -> Judgement {
    let evidence = evidence(facts);
    let claim = claimed(&evidence);
    if claim > 0 {
        let said = format!(
            "exit code 0, but the report says {} failed",
            thousands(claim)
        );
        if facts.spec.output.claims == Claims::Note {
            return Judgement {
                notes: vec![said],
                ..Judgement::pass()
            };
        }
        let gates = (facts.errors.rows() > 0).then_some(Level::Error);
        return with_rows(facts, gates, said);
    }
    match &facts.outcome.findings.nothing_ran {
        Some(how) => nothing_ran(facts, how, true),
        None => Judgement::pass(),
    }
}

fn exit_code(facts: &Facts<'_>, code: i32) -> Judgement {
    let gates = rows_of_a_failure(facts);
    if gates.is_some() {
        return with_rows(facts, gates, format!("exit status {code}"));
    }
    let findings = &facts.outcome.findings;
    if let Some(environment) = &findings.environment {
        return Judgement::broken(
            environment.reason.clone(),
            environment.hint.iter().cloned().collect(),
        );
    }
    match code {
        126 => {
            return Judgement::broken(
                "exit 126: a command that it runs cannot be executed".to_owned(),
                vec!["make that command executable".to_owned()],
            );
        }
        127 => {
            return Judgement::broken(
                "exit 127: a command that it runs was not found".to_owned(),
                vec!["install what is missing; its output names it".to_owned()],
            );
        }
        _ => {}
    }
    if let Some(how) = &findings.nothing_ran {
        // pytest's own word for an empty collection; any other code may be a crash.
        let said_by_code = code == 5 && findings.formats.contains(&"pytest");
        return nothing_ran(facts, how, said_by_code);
    }
    let reason = format!("exit status {code}");
    let recordable = Recordable::No(format!(
        "{reason}, and no failure could be read from its output"
    ));
    Judgement::new(Status::Fail, reason, recordable)
}

/// A failure that names rows, or claims some: known only where every row is recorded and none
/// is missing.
fn with_rows(facts: &Facts<'_>, gates: Option<Level>, without_rows: String) -> Judgement {
    let evidence = evidence(facts);
    let tally = tally(facts, gates);
    let claim = claimed(&evidence);
    let bar = if claim > tally.rows() {
        let read = match tally.rows() {
            0 => "none could be read".to_owned(),
            rows => format!("only {} could be read", thousands(rows)),
        };
        Some(format!(
            "the report says {} failed, {read}",
            thousands(claim)
        ))
    } else if evidence.stopped_early {
        Some("it stopped early, so there may be more".to_owned())
    } else {
        None
    };
    let recordable = bar.clone().map_or(Recordable::Rows, Recordable::No);
    let counted = counts(tally, facts.fixed);
    if bar.is_none() && tally.new == 0 && tally.known > 0 {
        return Judgement {
            gates,
            ..Judgement::new(Status::Known, counted, Recordable::Rows)
        };
    }
    let from_zero = matches!(facts.outcome.exit, Some(Exit::Code(0)));
    let mut notes = Vec::new();
    let reason = if from_zero || (tally.rows() == 0 && bar.is_none()) {
        notes.extend(bar.filter(|_| tally.rows() > 0));
        without_rows
    } else if tally.new > 0 {
        notes.extend(bar);
        counted
    } else {
        bar.unwrap_or(counted)
    };
    Judgement {
        gates,
        notes,
        ..Judgement::new(Status::Fail, reason, recordable)
    }
}

fn counts(tally: Tally, fixed: u64) -> String {
    let rows = match (tally.new, tally.known) {
        (0, known) => format!("known ({})", thousands(known)),
        (new, 0) => format!("{} new", thousands(new)),
        (new, known) => format!("{} new, {} known", thousands(new), thousands(known)),
    };
    match fixed {
        0 => rows,
        fixed => format!("{rows}, {} fixed", thousands(fixed)),
    }
}

/// A test runner that says it ran no test. `certain`: its exit code says the same.
fn nothing_ran(facts: &Facts<'_>, how: &str, certain: bool) -> Judgement {
    if facts.spec.allow_empty && certain {
        return Judgement {
            notes: vec!["no tests ran, as allow_empty permits".to_owned()],
            ..Judgement::pass()
        };
    }
    if facts.spec.detected && certain {
        return Judgement::skipped("no tests found".to_owned());
    }
    let reason = format!("nothing ran: 0 tests ({})", facts.spec.argv().join(" "));
    let hint = "point it at tests, or set \"allow_empty\": true if there may be none";
    Judgement::broken(reason, vec![how.to_owned(), hint.to_owned()])
}

/// Under `"leaks": "fail"` a process that outlived its check is a failure of its own.
fn leaks(facts: &Facts<'_>, judgement: &mut Judgement) {
    if facts.outcome.leaks.is_empty() {
        return;
    }
    let said = left_running(&facts.outcome.leaks);
    let judged = matches!(
        judgement.status,
        Status::Pass | Status::Known | Status::Skipped
    );
    if facts.spec.leaks == Leaks::Fail && judged {
        judgement.status = Status::Fail;
        judgement.recordable = Recordable::No(said.clone());
        judgement.reason = Some(said);
    } else {
        if facts.spec.leaks == Leaks::Fail && judgement.recordable == Recordable::Rows {
            judgement.recordable = Recordable::No(said.clone());
        }
        judgement.notes.push(said);
    }
}

/// `left running and ended: sleep 300 (pid 4121)`.
fn left_running(leaks: &[Leak]) -> String {
    const NAMED: usize = 5;
    let named: Vec<String> = leaks
        .iter()
        .take(NAMED)
        .map(|leak| format!("{} (pid {})", leak.command, leak.pid))
        .collect();
    let more = match leaks.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("left running and ended: {}{more}", named.join(", "))
}

fn evidence(facts: &Facts<'_>) -> Evidence {
    facts.outcome.findings.evidence.clone().unwrap_or_default()
}

fn claimed(evidence: &Evidence) -> u64 {
    evidence.claimed.unwrap_or(0)
}

/// In anything but exit 0, warnings count only where there is no error.
fn rows_of_a_failure(facts: &Facts<'_>) -> Option<Level> {
    if facts.errors.rows() > 0 {
        Some(Level::Error)
    } else {
        (facts.warnings.rows() > 0).then_some(Level::Warning)
    }
}

fn tally(facts: &Facts<'_>, gates: Option<Level>) -> Tally {
    match gates {
        Some(Level::Error) => facts.errors,
        Some(Level::Warning) => facts.warnings,
        None => Tally::default(),
    }
}

fn new(facts: &Facts<'_>, gates: Option<Level>) -> u64 {
    tally(facts, gates).new
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Facts, Judgement, Recordable, judge, ran_whole};
    use crate::model::{
        Broken, CheckId, CheckSpec, Claims, EnvironmentFailure, Evidence, Exit, Findings,
        Isolation, Leak, Leaks, Level, Limits, Outcome, OutputSpec, Role, Status, Streams, Tail,
        Termination, Tolerance,
    };
    use crate::ratchet::{MAX_ROWS, Tally};

    /// A check and what became of it; each test changes what it is about.
    struct Case {
        spec: CheckSpec,
        outcome: Outcome,
        limits: Limits,
        errors: Tally,
        warnings: Tally,
        too_many: bool,
        fixed: u64,
    }

    fn case(exit: Exit) -> Case {
        let termination = match exit {
            Exit::Code(_) => Termination::Exited,
            Exit::Signal(_) => Termination::Signalled,
        };
        Case {
            spec: spec(),
            outcome: Outcome {
                exit: Some(exit),
                termination,
                duration: Duration::ZERO,
                limit: None,
                findings: Findings::default(),
                broken: None,
                leaks: Vec::new(),
                isolation: Isolation::default(),
                streams: Streams::Split,
                stdout: Tail::default(),
                stderr: Tail::default(),
                env: Vec::new(),
                log: None,
                notes: Vec::new(),
            },
            limits: Limits {
                cpu_percent: 200,
                memory_bytes: 4 << 30,
                processes: 1,
                output_bytes: Some(1 << 20),
            },
            errors: Tally::default(),
            warnings: Tally::default(),
            too_many: false,
            fixed: 0,
        }
    }

    fn spec() -> CheckSpec {
        CheckSpec {
            id: CheckId::new("test").unwrap(),
            executable: "go".to_owned(),
            args: vec!["test".to_owned(), "./x".to_owned()],
            cwd: ".".to_owned(),
            timeout: None,
            tolerance: Tolerance::Blocking,
            category: None,
            role: Role::Regular,
            area: None,
            output: OutputSpec::default(),
            env: std::collections::BTreeMap::new(),
            pass_env: Vec::new(),
            allow_empty: false,
            leaks: Leaks::Note,
            exclusive: false,
            detected: false,
            declared_at: None,
        }
    }

    impl Case {
        fn errors(mut self, new: u64, known: u64) -> Self {
            self.errors = Tally { new, known };
            self
        }

        fn warnings(mut self, new: u64, known: u64) -> Self {
            self.warnings = Tally { new, known };
            self
        }

        fn claim(mut self, claimed: u64) -> Self {
            self.outcome.findings.evidence = Some(Evidence {
                claimed: Some(claimed),
                ..Evidence::default()
            });
            self
        }

        fn stopped_early(mut self) -> Self {
            self.outcome.findings.evidence = Some(Evidence {
                stopped_early: true,
                ..Evidence::default()
            });
            self
        }

        fn ended(mut self, termination: Termination, exit: Option<Exit>) -> Self {
            self.outcome.termination = termination;
            self.outcome.exit = exit;
            self
        }

        fn nothing_ran(mut self) -> Self {
            self.outcome.findings.nothing_ran = Some("[no test files] everywhere".to_owned());
            self
        }

        fn leaky(mut self, leaks: Leaks) -> Self {
            self.spec.leaks = leaks;
            self.outcome.leaks = vec![Leak {
                pid: 4121,
                command: "sleep 300".to_owned(),
            }];
            self
        }

        fn judged(&self) -> Judgement {
            judge(&Facts {
                spec: &self.spec,
                outcome: &self.outcome,
                limits: &self.limits,
                errors: self.errors,
                warnings: self.warnings,
                too_many: self.too_many,
                fixed: self.fixed,
            })
        }

        /// Status, reason and the made-up row.
        fn says(&self) -> (Status, String, Option<String>) {
            let judged = self.judged();
            (
                judged.status,
                judged.reason.unwrap_or_default(),
                judged.made,
            )
        }

        fn whole(&self) -> bool {
            ran_whole(&self.outcome, self.errors.rows(), self.warnings.rows())
        }
    }

    fn fail(reason: &str, made: bool) -> (Status, String, Option<String>) {
        (
            Status::Fail,
            reason.to_owned(),
            made.then(|| reason.to_owned()),
        )
    }

    #[test]
    fn exit_0_passes_whatever_it_printed_beside() {
        let pass = (Status::Pass, String::new(), None);
        assert_eq!(case(Exit::Code(0)).says(), pass);
        let printed = case(Exit::Code(0)).errors(3, 1).warnings(2, 0);
        assert_eq!(printed.says(), pass);
        assert_eq!(printed.judged().gates, None);
        assert!(case(Exit::Code(0)).whole());
    }

    #[test]
    fn a_claim_beside_exit_0_is_a_failure() {
        let said = "exit code 0, but the report says 2 failed";
        assert_eq!(case(Exit::Code(0)).claim(2).says(), fail(said, true));
        assert_eq!(
            case(Exit::Code(0)).claim(2).errors(2, 0).says(),
            fail(said, false)
        );
        assert_eq!(
            case(Exit::Code(0)).claim(2).warnings(2, 0).says(),
            fail(said, true),
            "warnings are no claim"
        );
        let known = case(Exit::Code(0)).claim(2).errors(0, 2);
        assert_eq!(known.says(), (Status::Known, "known (2)".to_owned(), None));
        assert_eq!(
            case(Exit::Code(0)).claim(3).errors(0, 2).says().0,
            Status::Fail,
            "one is not accounted for"
        );
        let mut noted = case(Exit::Code(0)).claim(2).errors(2, 0);
        noted.spec.output.claims = Claims::Note;
        assert_eq!(noted.judged().status, Status::Pass);
        assert_eq!(noted.judged().notes, [said]);
    }

    #[test]
    fn rows_of_a_failure_are_new_or_known() {
        assert_eq!(
            case(Exit::Code(1)).errors(1, 11).says(),
            fail("1 new, 11 known", false)
        );
        assert_eq!(
            case(Exit::Code(1)).errors(1, 0).says(),
            fail("1 new", false)
        );
        let mut known = case(Exit::Code(1)).errors(0, 1400);
        assert_eq!(
            known.says(),
            (Status::Known, "known (1,400)".to_owned(), None)
        );
        known.fixed = 3;
        assert_eq!(known.says().1, "known (1,400), 3 fixed");
        assert_eq!(known.judged().recordable, Recordable::Rows);
    }

    #[test]
    fn warnings_gate_only_where_there_is_no_error() {
        let both = case(Exit::Code(1)).errors(0, 1).warnings(7, 0);
        assert_eq!(both.judged().status, Status::Known);
        assert_eq!(both.judged().gates, Some(Level::Error));
        assert_eq!(
            both.judged().notes,
            ["7 warnings beside the errors do not count"]
        );
        let alone = case(Exit::Code(1)).warnings(7, 0);
        assert_eq!(alone.judged().gates, Some(Level::Warning));
        assert_eq!(alone.says(), fail("7 new", false));
    }

    #[test]
    fn a_failure_without_rows_is_one_row_and_is_never_recorded() {
        let silent = case(Exit::Code(3));
        assert_eq!(silent.says(), fail("exit status 3", true));
        assert!(matches!(silent.judged().recordable, Recordable::No(_)));
        assert!(!silent.whole());
    }

    #[test]
    fn numbers_that_do_not_add_up_are_never_known() {
        let short = case(Exit::Code(1)).claim(5).errors(0, 3);
        assert_eq!(
            short.says(),
            fail("the report says 5 failed, only 3 could be read", true)
        );
        assert!(!short.whole());
        assert!(matches!(short.judged().recordable, Recordable::No(_)));
        let none = case(Exit::Code(1)).claim(5);
        assert_eq!(
            none.says(),
            fail("exit status 1", true),
            "without a row the exit status speaks"
        );
        let early = case(Exit::Code(1)).stopped_early().errors(0, 3);
        assert_eq!(
            early.says(),
            fail("it stopped early, so there may be more", true)
        );
        assert!(!early.whole());
        let fresh = case(Exit::Code(1)).stopped_early().errors(1, 3);
        assert_eq!(fresh.says(), fail("1 new, 3 known", false));
        assert_eq!(
            fresh.judged().notes,
            ["it stopped early, so there may be more"]
        );
        assert!(case(Exit::Code(1)).claim(3).errors(0, 3).whole());
    }

    #[test]
    fn no_baseline_excuses_a_violent_end() {
        let mut slow = case(Exit::Code(0))
            .errors(0, 2)
            .ended(Termination::TimedOut, Some(Exit::Signal(15)));
        slow.outcome.limit = Some(Duration::from_mins(10));
        assert_eq!(slow.says(), fail("timed out after 10m", true));
        let crash = case(Exit::Signal(11)).errors(0, 2);
        assert_eq!(crash.says(), fail("killed by SIGSEGV", true));
        assert_eq!(
            case(Exit::Signal(9)).errors(1, 0).says(),
            fail("killed by SIGKILL", false)
        );
        let memory = case(Exit::Code(0)).ended(Termination::KilledForMemory, Some(Exit::Signal(9)));
        assert_eq!(
            memory.says(),
            fail("killed for memory at 4 GiB (checks_max_memory_bytes)", true)
        );
        let loud = case(Exit::Code(0)).ended(Termination::OutputLimit, Some(Exit::Signal(15)));
        assert_eq!(
            loud.says(),
            fail("printed more than 1 MiB (checks_max_output_bytes)", true)
        );
        for violent in [slow, crash, memory, loud] {
            assert!(matches!(violent.judged().recordable, Recordable::No(_)));
            assert!(!violent.whole());
        }
    }

    #[test]
    fn a_leak_is_named_and_fails_only_where_it_is_told_to() {
        let said = "left running and ended: sleep 300 (pid 4121)";
        let noted = case(Exit::Code(0)).leaky(Leaks::Note);
        assert_eq!(
            (noted.judged().status, noted.judged().notes),
            (Status::Pass, vec![said.to_owned()])
        );
        assert_eq!(
            case(Exit::Code(0)).leaky(Leaks::Fail).says(),
            fail(said, true)
        );
        assert_eq!(
            case(Exit::Code(1)).errors(0, 2).leaky(Leaks::Fail).says(),
            fail(said, true)
        );
        let both = case(Exit::Code(1)).errors(1, 0).leaky(Leaks::Fail);
        assert_eq!(both.says(), fail("1 new", false));
        assert!(matches!(both.judged().recordable, Recordable::No(_)));
    }

    #[test]
    fn zero_tests_are_no_pass() {
        let declared = case(Exit::Code(0)).nothing_ran();
        let reason = "nothing ran: 0 tests (go test ./x)".to_owned();
        assert_eq!(declared.says(), (Status::Broken, reason.clone(), None));
        assert!(!declared.whole());
        let mut detected = case(Exit::Code(0)).nothing_ran();
        detected.spec.detected = true;
        assert_eq!(
            detected.says(),
            (Status::Skipped, "no tests found".to_owned(), None)
        );
        let mut allowed = case(Exit::Code(0)).nothing_ran();
        allowed.spec.allow_empty = true;
        assert_eq!(allowed.judged().status, Status::Pass);
        allowed.outcome.exit = Some(Exit::Code(101));
        assert_eq!(
            allowed.says(),
            (Status::Broken, reason.clone(), None),
            "a crash is not an empty run"
        );
        let mut pytest = case(Exit::Code(5)).nothing_ran();
        assert_eq!(pytest.says().1, reason);
        pytest.outcome.findings.formats = vec!["pytest"];
        pytest.spec.allow_empty = true;
        assert_eq!(pytest.judged().status, Status::Pass);
        assert_eq!(
            case(Exit::Code(1))
                .nothing_ran()
                .errors(1, 0)
                .judged()
                .status,
            Status::Fail
        );
    }

    #[test]
    fn what_is_missing_outside_the_tree_is_no_failure_unless_a_row_says_so() {
        let mut offline = case(Exit::Code(1));
        offline.outcome.findings.environment = Some(EnvironmentFailure {
            reason: "module golang.org/x/text is not downloaded".to_owned(),
            hint: Some("go mod download".to_owned()),
        });
        let judged = offline.judged();
        assert_eq!(judged.status, Status::Broken);
        assert_eq!(
            judged.reason.as_deref(),
            Some("module golang.org/x/text is not downloaded")
        );
        assert_eq!(judged.details, ["go mod download"]);
        assert_eq!(offline.errors(1, 0).judged().status, Status::Fail);
        for code in [126, 127] {
            assert_eq!(case(Exit::Code(code)).judged().status, Status::Broken);
            assert_eq!(
                case(Exit::Code(code)).errors(1, 0).judged().status,
                Status::Fail
            );
            assert_eq!(case(Exit::Code(code - 2)).judged().status, Status::Fail);
        }
    }

    #[test]
    fn what_could_not_be_judged_is_said_to_be_so() {
        let mut missing = case(Exit::Code(0)).ended(Termination::SpawnFailed, None);
        assert_eq!(missing.judged().status, Status::Broken);
        missing.outcome.broken = Some(Broken {
            reason: "go is not on PATH".to_owned(),
            details: vec!["looked in /bin".to_owned()],
        });
        let judged = missing.judged();
        assert_eq!(
            (judged.status, judged.reason.as_deref()),
            (Status::Broken, Some("go is not on PATH"))
        );
        assert_eq!(judged.details, ["looked in /bin"]);
        missing.outcome.termination = Termination::Exited;
        missing.outcome.exit = Some(Exit::Code(0));
        assert_eq!(
            missing.judged().status,
            Status::Broken,
            "a process that could not be ended"
        );
        let mut flood = case(Exit::Code(1)).errors(MAX_ROWS + 1, 0);
        flood.too_many = true;
        assert_eq!(flood.says().1, "it printed more than 1,000,000 failures");
        assert!(!flood.whole());
        assert_eq!(
            case(Exit::Code(0))
                .ended(Termination::Exited, None)
                .judged()
                .status,
            Status::Broken
        );
    }

    #[test]
    fn what_was_called_off_says_nothing_of_the_tree() {
        for termination in [
            Termination::Interrupted,
            Termination::FailFast,
            Termination::NotRun,
        ] {
            let off = case(Exit::Code(1))
                .errors(3, 0)
                .ended(termination, Some(Exit::Signal(15)));
            assert_eq!(off.judged().status, Status::Cancelled);
            assert_eq!(off.judged().gates, None);
            assert!(matches!(off.judged().recordable, Recordable::No(_)));
            assert!(!off.whole());
        }
        let refused = case(Exit::Code(0)).ended(Termination::Refused, None);
        assert_eq!(refused.judged().status, Status::Refused);
    }

    #[test]
    fn every_failure_has_a_new_row() {
        for exit in [
            Exit::Code(0),
            Exit::Code(1),
            Exit::Code(127),
            Exit::Signal(9),
        ] {
            for rows in [(0, 0), (0, 2), (1, 2)] {
                for claim in [0, 1, 9] {
                    for leaks in [Leaks::Note, Leaks::Fail] {
                        let judged = case(exit)
                            .errors(rows.0, rows.1)
                            .claim(claim)
                            .leaky(leaks)
                            .judged();
                        let new = rows.0 * u64::from(judged.gates.is_some())
                            + u64::from(judged.made.is_some());
                        assert_eq!(
                            judged.status == Status::Fail,
                            new > 0,
                            "{exit:?} {rows:?} {claim} {leaks:?}"
                        );
                        assert!(judged.status != Status::Pass || exit == Exit::Code(0));
                    }
                }
            }
        }
    }
}
