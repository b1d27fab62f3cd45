use std::time::Duration;

use super::{Facts, Judgement, Recordable, judge, ran_whole};
use crate::model::{
    Broken, CheckId, CheckSpec, Claims, EnvironmentFailure, Evidence, Exit, Freshness, Leak, Leaks,
    Level, Limits, Outcome, Pattern, Source, Status, Termination,
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
    Case {
        spec: spec(),
        outcome: Outcome::of(exit),
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
    let args = vec!["test".to_owned(), "./x".to_owned()];
    CheckSpec::new(CheckId::new("test").unwrap(), "go", args)
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
        ran_whole(
            &self.spec,
            &self.outcome,
            self.errors.rows(),
            self.warnings.rows(),
        )
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
        network: true,
        reason: "module golang.org/x/text is not downloaded".to_owned(),
        hint: Some("go mod download".to_owned()),
    });
    let judged = offline.judged();
    assert_eq!(judged.status, Status::Broken);
    assert_eq!(
        judged.reason.as_deref(),
        Some("module golang.org/x/text is not downloaded")
    );
    assert_eq!(
        judged.details,
        ["run this once, then check again:  go mod download"]
    );
    offline.outcome.isolation.network = true;
    assert_eq!(
        offline.judged().details,
        ["checks have no network. Run this once, then check again:  go mod download"]
    );
    offline.outcome.isolation.network = false;
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

/// A sensor whose `match` is `^ERR`, and what it printed on standard error.
fn sensor(exit: Exit, stderr: &str) -> Case {
    let mut sensor = case(exit);
    sensor.spec.sensor = true;
    sensor.spec.output.pattern = Some(Pattern::new("^ERR").unwrap());
    sensor.outcome.stderr.bytes = stderr.as_bytes().to_vec();
    sensor
}

#[test]
fn a_sensor_that_exits_above_1_and_names_nothing_cannot_judge() {
    let broken = |reason: &str| (Status::Broken, reason.to_owned(), None);
    let config = sensor(
        Exit::Code(3),
        "reading config\n\x1b[31mno such linter\x1b[0m: x\n\n",
    );
    assert_eq!(config.says(), broken("no such linter: x"));
    assert_eq!(
        config.judged().details,
        [
            "exit status 3 and no line that matches: the sensor says that it cannot judge",
            "reading config",
            "no such linter: x"
        ]
    );
    assert!(matches!(config.judged().recordable, Recordable::No(_)));
    assert!(!config.whole());
    let silent = sensor(Exit::Code(2), " \n");
    assert_eq!(silent.says(), broken("exit status 2, and it says nothing"));
    let mut joined = sensor(Exit::Code(127), "");
    joined.outcome.stdout.bytes = b"sh: 1: lint: gone".to_vec();
    assert_eq!(joined.says(), broken("sh: 1: lint: gone"));
}

#[test]
fn a_sensor_judges_by_1_by_rows_and_by_a_signal() {
    let one = sensor(Exit::Code(1), "odd\n");
    assert_eq!(one.says(), fail("exit status 1", true), "never a pass");
    assert_eq!(
        sensor(Exit::Code(2), "x").errors(1, 0).says(),
        fail("1 new", false)
    );
    assert_eq!(
        sensor(Exit::Code(2), "x").errors(0, 1).judged().status,
        Status::Known
    );
    assert_eq!(
        sensor(Exit::Signal(9), "x").says(),
        fail("killed by SIGKILL", true)
    );
    assert_eq!(sensor(Exit::Code(0), "x").judged().status, Status::Pass);
    let mut without_match = sensor(Exit::Code(2), "x");
    without_match.spec.output.pattern = None;
    assert_eq!(without_match.says(), fail("exit status 2", true));
    let mut no_sensor = sensor(Exit::Code(2), "x");
    no_sensor.spec.sensor = false;
    assert_eq!(no_sensor.says(), fail("exit status 2", true));
}

#[test]
fn what_says_more_than_a_sensors_last_words_is_said_instead() {
    let mut offline = sensor(Exit::Code(3), "x");
    offline.outcome.findings.environment = Some(EnvironmentFailure {
        network: true,
        reason: "module a/b is not downloaded".to_owned(),
        hint: None,
    });
    assert_eq!(offline.says().1, "module a/b is not downloaded");
    let mut empty = sensor(Exit::Code(5), "x").nothing_ran();
    empty.outcome.findings.formats = vec!["pytest"];
    empty.spec.allow_empty = true;
    assert_eq!(empty.judged().status, Status::Pass);
    let unsaid = sensor(Exit::Code(2), "crash").nothing_ran();
    assert_eq!(unsaid.says().1, "crash");
}

/// A look at files, which no process answers.
fn look() -> Case {
    let mut look = case(Exit::Code(0));
    look.spec.source = Source::Files(Freshness {
        files: vec!["a".to_owned()],
        inputs: vec!["b".to_owned()],
    });
    look.ended(Termination::Exited, None)
}

#[test]
fn a_look_at_files_is_its_rows() {
    assert_eq!(look().says(), (Status::Pass, String::new(), None));
    assert!(look().whole(), "what is recorded and not seen is fixed");
    assert_eq!(look().errors(2, 1).says(), fail("2 new, 1 known", false));
    assert_eq!(look().errors(2, 1).judged().recordable, Recordable::Rows);
    assert_eq!(
        look().errors(0, 3).says(),
        (Status::Known, "known (3)".to_owned(), None)
    );
    let mut unseen = look();
    unseen.outcome.broken = Some(Broken {
        reason: "this clone is shallow".to_owned(),
        details: Vec::new(),
    });
    assert_eq!(unseen.says().0, Status::Broken);
    assert!(!unseen.whole());
    let mut flood = look().errors(MAX_ROWS + 1, 0);
    flood.too_many = true;
    assert_eq!(flood.says().0, Status::Broken);
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
    let mut late = case(Exit::Code(1)).ended(Termination::Interrupted, None);
    assert_eq!(late.says().1, "interrupted");
    late.outcome.limit = Some(Duration::from_mins(30));
    assert_eq!(late.says().1, "the run's limit of 30m ran out");
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
