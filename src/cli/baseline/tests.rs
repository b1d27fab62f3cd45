use std::cell::RefCell;
use std::fs;
use std::path::Path;

use super::{Desk, Leave, Run, Who, show, tighten};
use crate::cli::judge::{Account, Bench, TreeJudge};
use crate::model::{
    CheckId, CheckResult, CheckSpec, Exit, Failure, Judge as _, Limits, Outcome, Status,
};
use crate::ratchet::{Baselines, Places};

/// What one check does: its id, its rows and its exit.
struct Play<'a>(&'a str, Vec<Failure>, Exit);

fn ids(names: &[&str]) -> Vec<CheckId> {
    names
        .iter()
        .map(|name| CheckId::new(name).unwrap())
        .collect()
}

fn spec(id: &str) -> CheckSpec {
    CheckSpec::new(CheckId::new(id).unwrap(), "golangci-lint", Vec::new())
}

fn rows(rule: &str, numbers: std::ops::Range<u32>) -> Vec<Failure> {
    numbers
        .map(|n| {
            let mut row = Failure::new("golangci-lint", format!("finding number {n}"));
            row.path = Some(format!("p/{}.go", n % 4));
            row.rule = Some(rule.to_owned());
            row
        })
        .collect()
}

fn run(root: &Path, plays: Vec<Play<'_>>) -> (Vec<CheckResult>, Vec<Account>, Baselines) {
    let names: Vec<&str> = plays.iter().map(|play| play.0).collect();
    let baselines = Baselines::load(root, &ids(&names)).unwrap();
    let judge = TreeJudge::new(Bench {
        root: root.to_owned(),
        places: Places::new(root),
        baselines: Some(baselines.clone()),
        limits: Limits {
            cpu_percent: 1,
            memory_bytes: 1,
            processes: 1,
            output_bytes: None,
        },
        recording: true,
    });
    let results = plays.into_iter().map(|Play(id, rows, exit)| {
        let mut sink = judge.open(&spec(id));
        for row in rows {
            sink.row(row);
        }
        sink.end(Outcome::of(exit))
    });
    let results: Vec<CheckResult> = results.collect();
    let accounts = judge.accounts();
    (results, accounts, baselines)
}

fn person() -> Desk {
    Desk {
        who: Who::default(),
        state: None,
        at: "2026-11-30T00:00:00Z".to_owned(),
        command: "check baseline record --only lint".to_owned(),
    }
}

/// Records and gives exit code and output.
fn record(root: &Path, plays: Vec<Play<'_>>) -> (u8, String) {
    let (checks, accounts, _) = run(root, plays);
    let mut out = Vec::new();
    let run = Run {
        root,
        checks: &checks,
        accounts: &accounts,
    };
    let mut never = |_: &str| panic!("nothing is to be asked");
    let code = person()
        .record(&Leave::Given, run, &mut never, &mut out)
        .unwrap();
    (code, String::from_utf8(out).unwrap())
}

fn tightened(root: &Path, plays: Vec<Play<'_>>) -> String {
    let (checks, accounts, baselines) = run(root, plays);
    let mut out = Vec::new();
    let run = Run {
        root,
        checks: &checks,
        accounts: &accounts,
    };
    assert_eq!(tighten(run, &baselines, &mut out).unwrap(), 0);
    String::from_utf8(out).unwrap()
}

#[test]
fn a_first_baseline_says_what_is_forgiven_and_what_to_commit() {
    let root = tempfile::tempdir().unwrap();
    let plays = || {
        vec![
            Play("lint", rows("unused", 0..1388), Exit::Code(1)),
            Play("typecheck", rows("E1", 0..2), Exit::Code(2)),
            Play("test", Vec::new(), Exit::Code(0)),
        ]
    };
    let (code, said) = record(root.path(), plays());
    assert_eq!(code, 0);
    assert_eq!(
        said,
        "  lint       1,388 failures in 4 files   .check/baseline/lint.jsonl\n\
         \x20 typecheck      2 failures in 2 files   .check/baseline/typecheck.jsonl\n\
         \x20 test       nothing to record: it passed\n\
         commit it:  git add .check/baseline && git commit -m \"Record the check baseline\"\n\
         recorded: 1,390 failures in 2 checks; from now on only new ones block\n"
    );
    let file = root.path().join(".check/baseline/lint.jsonl");
    let first = fs::read(&file).unwrap();
    assert_eq!(record(root.path(), plays()).1, said);
    assert_eq!(
        fs::read(&file).unwrap(),
        first,
        "recording twice is byte-identical"
    );
    let (checks, _, _) = run(root.path(), plays());
    assert_eq!(checks[0].status, Status::Known);
}

#[test]
fn a_linter_at_its_own_cap_is_noted() {
    let root = tempfile::tempdir().unwrap();
    let all = [rows("errcheck", 0..50), rows("unused", 0..49)].concat();
    let (_, said) = record(root.path(), vec![Play("lint", all, Exit::Code(1))]);
    assert!(
        said.contains(
            "note: errcheck has exactly 50. golangci-lint stops at 50 a linter and 3 a text,\n  \
         so each fix will uncover another. Set issues.max-issues-per-linter and\n  \
         issues.max-same-issues to 0, then record again.\ncommit it:"
        ),
        "{said}"
    );
    let (_, said) = record(
        root.path(),
        vec![Play("lint", rows("x", 0..51), Exit::Code(1))],
    );
    assert!(!said.contains("note:"), "{said}");
}

#[test]
fn what_was_not_seen_whole_is_not_recorded_and_nothing_is_written() {
    let root = tempfile::tempdir().unwrap();
    let plays = vec![
        Play("lint", rows("unused", 0..3), Exit::Code(1)),
        Play("test", Vec::new(), Exit::Signal(11)),
        Play("build", Vec::new(), Exit::Code(2)),
        Play("tool", Vec::new(), Exit::Code(127)),
    ];
    let (code, said) = record(root.path(), plays);
    assert_eq!(code, 2);
    assert_eq!(
        said,
        "  test: killed by SIGSEGV\n\
         \x20 build: exit status 2, and no failure could be read from its output\n\
         \x20 tool: could not be judged: exit 127: a command that it runs was not found\n\
         \x20 record the others:  check baseline record --only lint\n\
         no verdict: 3 of 4 checks cannot be recorded; nothing was written\n"
    );
    assert!(!root.path().join(".check").exists());
}

#[test]
fn what_was_recorded_and_not_seen_stays() {
    let root = tempfile::tempdir().unwrap();
    record(
        root.path(),
        vec![Play("lint", rows("unused", 0..8), Exit::Code(1))],
    );
    let (checks, mut accounts, _) = run(
        root.path(),
        vec![Play("lint", rows("unused", 0..2), Exit::Code(1))],
    );
    for unmet in &mut accounts[0].unmet {
        unmet.fixed = unmet.record.path.as_deref() != Some("p/2.go");
    }
    let mut out = Vec::new();
    let run_ = Run {
        root: root.path(),
        checks: &checks,
        accounts: &accounts,
    };
    let mut never = |_: &str| panic!("nothing is to be asked");
    person()
        .record(&Leave::Given, run_, &mut never, &mut out)
        .unwrap();
    let said = String::from_utf8(out).unwrap();
    assert!(said.starts_with("  lint  4 failures in 3 files   .check/baseline/lint.jsonl\n  lint  2 of these not seen this time, kept\n"), "{said}");
}

#[test]
fn tightening_only_removes_what_is_fixed() {
    let root = tempfile::tempdir().unwrap();
    let all = [rows("errcheck", 0..5), rows("unused", 0..5)].concat();
    record(root.path(), vec![Play("lint", all, Exit::Code(1))]);
    let fewer = || {
        [
            rows("errcheck", 2..5),
            rows("unused", 1..5),
            rows("new", 0..9),
        ]
        .concat()
    };
    assert_eq!(
        tightened(root.path(), vec![Play("lint", fewer(), Exit::Code(1))]),
        "  lint  3 fixed, removed: errcheck 2, unused 1\n\
         tightened: 10 recorded failures, now 7\n"
    );
    let (checks, _, _) = run(root.path(), vec![Play("lint", fewer(), Exit::Code(1))]);
    assert_eq!((checks[0].new, checks[0].known, checks[0].fixed), (9, 7, 0));
    assert_eq!(
        tightened(root.path(), vec![Play("lint", Vec::new(), Exit::Signal(9))]),
        "  lint  7 not seen this time, kept\ntightened: 7 recorded failures, none of them fixed\n"
    );
    assert_eq!(
        tightened(root.path(), vec![Play("lint", Vec::new(), Exit::Code(0))]),
        "  lint  7 fixed, removed: unused 4, errcheck 3\ntightened: 7 recorded failures, now 0\n"
    );
    assert!(!root.path().join(".check/baseline/lint.jsonl").exists());
}

#[test]
fn what_is_forgiven_can_be_read() {
    let root = tempfile::tempdir().unwrap();
    let mut all = rows("unused", 0..2);
    all.extend(rows("unused", 1..2));
    let mut test = Failure::new("go-test", "got\x1b[2J 3\nwant 2");
    test.test = Some("TestEvict/ttl".to_owned());
    all.push(test);
    record(root.path(), vec![Play("lint", all, Exit::Code(1))]);
    let checks = ids(&["lint", "vet"]);
    let baselines = Baselines::load(root.path(), &checks).unwrap();
    let mut out = Vec::new();
    assert_eq!(show(&baselines, &checks, &mut out).unwrap(), 0);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "lint: 4 failures in 2 files\n\
         \x20 TestEvict/ttl\n\
         \x20 p/0.go: finding number 0 (unused)\n\
         \x20 p/1.go: finding number 1 (unused) (2 times)\n\n\
         4 failures in 1 check recorded: these do not block\n"
    );
    let mut out = Vec::new();
    show(&Baselines::default(), &checks, &mut out).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "nothing is recorded: every failure blocks\n"
    );
}

#[test]
fn an_agent_and_ci_are_refused_and_every_attempt_is_logged() {
    let state = tempfile::tempdir().unwrap();
    let asked = |who: Who| {
        let desk = Desk {
            who,
            state: Some(state.path().join("check")),
            ..person()
        };
        let mut out = Vec::new();
        let leave = desk.open(&mut out).unwrap();
        (leave, String::from_utf8(out).unwrap())
    };
    let mark = |name: &str| Some(name.to_owned());
    assert_eq!(asked(Who::default()), (Some(Leave::Given), String::new()));
    assert_eq!(
        asked(Who {
            agent: mark("CLAUDECODE"),
            ..Who::default()
        }),
        (
            None,
            "  ask a person to run in their own terminal:  check baseline record --only lint\n\
             no verdict: recording forgives failures, so a person does it (CLAUDECODE is set)\n"
                .to_owned()
        )
    );
    assert_eq!(
        asked(Who {
            agent: mark("CLAUDECODE"),
            terminal: true,
            ci: None
        })
        .0,
        Some(Leave::WhenTyped("CLAUDECODE".to_owned()))
    );
    let (leave, said) = asked(Who {
        ci: mark("CI"),
        terminal: true,
        agent: None,
    });
    assert_eq!(leave, None);
    assert!(said.ends_with(
        "\nno verdict: recording forgives failures, so it is not done in CI (CI is set)\n"
    ));
    let (_, said) = asked(Who {
        agent: mark("--agent"),
        ..Who::default()
    });
    assert!(said.ends_with("so a person does it (--agent was given)\n"));
    let log = fs::read_to_string(state.path().join("check/attempts.jsonl")).unwrap();
    let marks: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["mark"].clone())
        .collect();
    assert_eq!(marks, ["CLAUDECODE", "CI", "--agent"]);
}

#[test]
fn where_a_mark_is_set_the_number_of_failures_is_to_be_typed() {
    let root = tempfile::tempdir().unwrap();
    let state = tempfile::tempdir().unwrap();
    let (checks, accounts, _) = run(
        root.path(),
        vec![Play("lint", rows("unused", 0..1400), Exit::Code(1))],
    );
    let desk = Desk {
        state: Some(state.path().to_owned()),
        ..person()
    };
    let prompts = RefCell::new(Vec::new());
    let typed = |answer: &str| {
        let mut out = Vec::new();
        let run = Run {
            root: root.path(),
            checks: &checks,
            accounts: &accounts,
        };
        let mut ask = |prompt: &str| {
            prompts.borrow_mut().push(prompt.to_owned());
            Ok(answer.to_owned())
        };
        let leave = Leave::WhenTyped("CLAUDECODE".to_owned());
        let code = desk.record(&leave, run, &mut ask, &mut out).unwrap();
        (code, String::from_utf8(out).unwrap())
    };
    for answer in ["", "yes\n", "140\n"] {
        let refused = (
            2,
            "no verdict: 1400 was not typed, so nothing was recorded\n".to_owned(),
        );
        assert_eq!(typed(answer), refused);
        assert!(!root.path().join(".check").exists());
    }
    assert_eq!(typed("1400\n").0, 0);
    assert!(root.path().join(".check/baseline/lint.jsonl").exists());
    assert_eq!(
        prompts.borrow()[0],
        "CLAUDECODE is set, so this may be an agent. Recording forgives 1,400 failures.\n\
         Type 1400 to go on: "
    );
    let log = fs::read_to_string(state.path().join("attempts.jsonl")).unwrap();
    let done: Vec<bool> = log
        .lines()
        .map(|line| line.contains("\"done\":true"))
        .collect();
    assert_eq!(done, [false, false, false, true]);
}
