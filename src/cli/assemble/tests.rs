use super::{RunFacts, assemble};
use crate::cli::judge::Account;
use crate::model::{
    Bar, CheckId, CheckResult, CheckSpec, Host, Isolation, JudgedFailure, Level, ManifestFacts,
    Route, RowState, Status, Termination, Tolerance, Tree, Verdict, VerdictWord,
};
use crate::ratchet::{Fingerprint, Recordable};
use crate::text::sha256_hex;

fn check(id: &str, status: Status, tolerance: Tolerance) -> CheckResult {
    let spec = CheckSpec {
        tolerance,
        ..CheckSpec::new(CheckId::new(id).unwrap(), id, Vec::new())
    };
    CheckResult {
        termination: Termination::Exited,
        isolation: Isolation::default(),
        ..CheckResult::new(&spec, status)
    }
}

fn facts() -> RunFacts {
    RunFacts {
        root: "/src/tern".to_owned(),
        tree: Tree::default(),
        manifest: ManifestFacts::default(),
        host: Host {
            os: "linux".to_owned(),
            arch: "x86_64".to_owned(),
        },
        started_at: "2026-11-30T00:00:00.000Z".to_owned(),
        duration_ms: 1,
        bar: Bar::default(),
        baseline_path: None,
        not_selected: Vec::new(),
        partition: None,
        diagnostics: Vec::new(),
        notes: Vec::new(),
        interrupted: None,
        spoiled: None,
    }
}

const ALL: [Status; 7] = [
    Status::Pass,
    Status::Fail,
    Status::Known,
    Status::Broken,
    Status::Refused,
    Status::Skipped,
    Status::Cancelled,
];

fn verdict(blocking: &[Status], others: &[Status]) -> Verdict {
    let blocking = blocking
        .iter()
        .map(|status| check("b", *status, Tolerance::Blocking));
    let tolerances = [Tolerance::Advisory, Tolerance::Report];
    let others = others
        .iter()
        .flat_map(|status| tolerances.map(|tolerance| check("o", *status, tolerance)));
    assemble(blocking.chain(others).collect(), &[], facts())
}

fn word(blocking: &[Status], others: &[Status]) -> (u8, Option<String>) {
    let verdict = verdict(blocking, others);
    assert_eq!(verdict.exit_code, verdict.verdict.exit_code());
    let route = match verdict.verdict {
        VerdictWord::Passed => Route::Pass,
        VerdictWord::Failed => Route::Repair,
        VerdictWord::None => Route::Operator,
    };
    assert_eq!(verdict.route, route);
    (verdict.exit_code, verdict.reason)
}

#[test]
fn every_pair_of_blocking_checks_comes_to_what_the_table_says() {
    use Status::{Broken, Cancelled, Fail, Known, Pass, Refused, Skipped};
    for one in ALL {
        for other in ALL {
            let either = |status: Status| one == status || other == status;
            let expected = if either(Fail) {
                1
            } else if either(Broken) || either(Refused) || either(Cancelled) {
                2
            } else if either(Pass) || either(Known) {
                0
            } else {
                assert_eq!((one, other), (Skipped, Skipped));
                2
            };
            assert_eq!(word(&[one, other], &[]).0, expected, "{one:?} {other:?}");
        }
    }
}

#[test]
fn only_blocking_checks_gate() {
    for status in ALL {
        assert_eq!(word(&[Status::Pass], &[status]), (0, None), "{status:?}");
        assert_eq!(word(&[Status::Fail], &[status]).0, 1, "{status:?}");
        let alone = (2, Some("no blocking check was judged".to_owned()));
        assert_eq!(word(&[], &[status]), alone, "{status:?}");
        assert_eq!(word(&[Status::Skipped], &[status]), alone, "{status:?}");
    }
}

#[test]
fn a_shot_check_gates_nothing_whatever_its_tolerance_says() {
    for status in ALL {
        let shot = || CheckResult {
            optional: true,
            ..check("login", status, Tolerance::Blocking)
        };
        let test = check("test", Status::Pass, Tolerance::Blocking);
        let with = assemble(vec![test, shot()], &[], facts());
        assert_eq!((with.exit_code, with.reason), (0, None), "{status:?}");
        assert_eq!(with.summary.advisory, u64::from(status == Status::Fail));
        let alone = assemble(vec![shot()], &[], facts());
        assert_eq!(alone.exit_code, 2, "{status:?}");
        assert_eq!(
            alone.reason.as_deref(),
            Some("no blocking check was judged")
        );
    }
}

#[test]
fn nothing_to_run_is_no_pass() {
    assert_eq!(word(&[], &[]), (2, Some("no check is declared".to_owned())));
    let mut selected = facts();
    selected.not_selected = vec!["lint".to_owned()];
    let verdict = assemble(Vec::new(), &[], selected);
    assert_eq!(verdict.reason.as_deref(), Some("no check was selected"));
    assert_eq!(verdict.exit_code, 2);
}

#[test]
fn an_interrupt_leaves_no_verdict_whatever_had_failed() {
    for status in ALL {
        let mut interrupted = facts();
        interrupted.interrupted = Some("SIGTERM".to_owned());
        let verdict = assemble(
            vec![check("a", status, Tolerance::Blocking)],
            &[],
            interrupted,
        );
        assert_eq!(verdict.verdict, VerdictWord::None);
        assert_eq!(verdict.reason.as_deref(), Some("interrupted by SIGTERM"));
        assert_eq!(verdict.exit_code, 2);
    }
}

#[test]
fn a_spoiled_run_is_at_best_without_verdict() {
    let run = |status| {
        let mut spoiled = facts();
        spoiled.spoiled = Some("harness.json was changed while the checks ran".to_owned());
        assemble(vec![check("a", status, Tolerance::Blocking)], &[], spoiled)
    };
    assert_eq!(run(Status::Pass).verdict, VerdictWord::None);
    assert!(
        run(Status::Known)
            .reason
            .is_some_and(|reason| reason.starts_with("harness.json"))
    );
    assert_eq!(run(Status::Known).notes, [""; 0], "said once");
    let failed = run(Status::Fail);
    assert_eq!(failed.verdict, VerdictWord::Failed);
    assert_eq!(
        failed.notes,
        ["harness.json was changed while the checks ran"]
    );
}

#[test]
fn the_summary_adds_up() {
    let verdict = verdict(&ALL, &ALL);
    let sum = &verdict.summary;
    assert_eq!(sum.checks, 21);
    let parts = [
        sum.pass,
        sum.fail,
        sum.known,
        sum.broken,
        sum.refused,
        sum.skipped,
        sum.cancelled,
    ];
    assert_eq!(parts, [3; 7]);
    assert_eq!(sum.advisory, 2);
}

#[test]
fn rows_are_summed_over_all_checks_and_the_baseline_is_named() {
    let mut lint = check("lint", Status::Known, Tolerance::Blocking);
    (lint.new, lint.known, lint.fixed, lint.unseen) = (1, 20, 300, 4000);
    let mut docs = check("docs", Status::Fail, Tolerance::Advisory);
    (docs.new, docs.known, docs.fixed, docs.unseen) = (5, 60, 700, 8000);
    let mut with = facts();
    with.baseline_path = Some(".check/baseline".to_owned());
    let verdict = assemble(vec![lint, docs], &[], with);
    let sum = &verdict.summary;
    assert_eq!(
        (sum.new, sum.known_failures, sum.fixed, sum.unseen),
        (6, 80, 1000, 12000)
    );
    assert_eq!((verdict.baseline.known, verdict.baseline.fixed), (80, 1000));
    assert_eq!(verdict.baseline.path.as_deref(), Some(".check/baseline"));
}

#[test]
fn the_digest_says_whether_the_new_failures_are_the_same() {
    let account = |new: &[u8]| Account {
        check: CheckId::new("a").unwrap(),
        recordable: Recordable::Rows,
        new: new
            .iter()
            .map(|n| Fingerprint::parse(&format!("{n:032x}")).unwrap())
            .collect(),
        unmet: Vec::new(),
        today: Vec::new(),
        tools: Vec::new(),
    };
    let digest = |accounts: &[Account]| assemble(Vec::new(), accounts, facts()).summary.new_digest;
    assert_eq!(digest(&[account(&[])]), None);
    let two = digest(&[account(&[2]), account(&[1])]);
    assert_eq!(two, digest(&[account(&[1, 2])]));
    assert_ne!(two, digest(&[account(&[1, 2, 2])]));
    let lines = format!("{:032x}\n{:032x}\n", 1, 2);
    assert_eq!(two, Some(sha256_hex(lines.as_bytes())));
}

#[test]
fn what_one_check_lacked_is_not_said_of_all() {
    let with = |mechanism: &str, network: bool| {
        let mut check = check("a", Status::Pass, Tolerance::Blocking);
        check.isolation = Isolation {
            mechanism: mechanism.to_owned(),
            contained: network,
            limits: true,
            network,
            note: (!network).then(|| "no namespaces".to_owned()),
            ..Isolation::default()
        };
        check
    };
    let all = |checks| assemble(checks, &[], facts()).isolation;
    let mixed = all(vec![
        with("systemd", true),
        with("systemd", false),
        with("none", false),
    ]);
    assert!(mixed.limits && !mixed.network && !mixed.contained);
    assert_eq!(
        (mixed.mechanism.as_str(), mixed.note.as_deref()),
        ("systemd", Some("no namespaces"))
    );
    assert!(all(vec![with("systemd", true), with("none", false)]).contained);
    assert_eq!(all(vec![with("none", false)]).mechanism, "none");
}

#[test]
fn one_finding_of_two_checks_names_both() {
    let row = |line: Option<u32>, message: &str| JudgedFailure {
        path: Some("a.go".to_owned()),
        line,
        column: None,
        test: None,
        rule: None,
        level: Level::Error,
        message: message.to_owned(),
        tool: "t".to_owned(),
        outside: false,
        source: None,
        state: RowState::New,
        fingerprint: String::new(),
        count: 1,
        also: Vec::new(),
    };
    let with = |id: &str, rows: Vec<JudgedFailure>| CheckResult {
        failures: rows,
        ..check(id, Status::Fail, Tolerance::Blocking)
    };
    let verdict = assemble(
        vec![
            with(
                "vet",
                vec![row(Some(1), "m"), row(Some(1), "m"), row(None, "m")],
            ),
            with(
                "lint",
                vec![row(Some(1), "m"), row(Some(2), "m"), row(None, "m")],
            ),
        ],
        &[],
        facts(),
    );
    let also: Vec<Vec<Vec<String>>> = verdict
        .checks
        .iter()
        .map(|check| check.failures.iter().map(|row| row.also.clone()).collect())
        .collect();
    let lint = || vec!["lint".to_owned()];
    let vet = || vec!["vet".to_owned()];
    assert_eq!(
        also,
        [vec![lint(), lint(), vec![]], vec![vet(), vec![], vec![]]]
    );
}
