//! `--fail-fast`: the first new failure of a blocking check ends the run.

use std::fs;
use std::io::Read as _;

use serde_json::{Value, json};

use crate::support::{Project, check_of, is_alive, wait_until};

/// Fails as soon as every one of `others` has started.
fn fails_beside(id: &str, others: &[&str]) -> Value {
    let waits: Vec<_> = others
        .iter()
        .map(|other| format!("while [ ! -e {other}.pid ]; do sleep 0.01; done; "))
        .collect();
    let script = format!("{}echo a.go:1:1: bad; exit 1", waits.concat());
    json!({ "id": id, "executable": "sh", "args": ["-c", script] })
}

/// Does `first`, says its process, then does `rest`.
fn starts(id: &str, first: &str, rest: &str) -> Value {
    let script = format!("{first}; echo $$ > {id}.part; mv {id}.part {id}.pid; {rest}");
    json!({ "id": id, "executable": "sh", "args": ["-c", script] })
}

fn with(mut check: Value, field: &str, value: &Value) -> Value {
    check[field] = value.clone();
    check
}

fn pid(project: &Project, id: &str) -> i32 {
    project.read(&format!("{id}.pid")).trim().parse().unwrap()
}

/// What is known of earlier times changes what is started first.
fn forget_times(project: &Project) {
    fs::remove_file(project.path(".git/check/times.json")).unwrap();
}

/// Status, termination and reason of a check.
fn end(verdict: &Value, id: &str) -> [String; 3] {
    let check = check_of(verdict, id);
    ["status", "termination", "reason"]
        .map(|field| check[field].as_str().unwrap_or_default().to_owned())
}

#[test]
fn what_runs_is_ended_and_what_waits_is_not_started() {
    let project = Project::new().direct();
    project.checks(&json!([
        starts(
            "test",
            "trap 'touch cleaned; exit 0' TERM",
            "sleep 600 & wait"
        ),
        fails_beside("lint", &["test"]),
        json!({ "id": "build", "executable": "touch", "args": ["ran"] }),
        json!({ "id": "alone", "executable": "touch", "args": ["ran"], "exclusive": true }),
        json!({ "id": "e2e", "executable": "touch", "args": ["ran"],
            "role": "convergence-verifier" }),
        json!({ "id": "login", "executable": "touch", "args": ["ran"], "shot": "login",
            "exclusive": true }),
    ]));
    let (code, verdict) = project.json(&["--jobs", "2", "--fail-fast"]);
    assert_eq!((code, &verdict["verdict"]), (1, &json!("failed")));
    assert_eq!(
        (&verdict["route"], &verdict["reason"]),
        (&json!("repair"), &json!(null))
    );
    assert_eq!(end(&verdict, "lint")[..2], ["fail", "exited"]);
    assert_eq!(
        end(&verdict, "test"),
        [
            "cancelled",
            "fail_fast",
            "ended by --fail-fast: another check failed"
        ]
    );
    assert!(!is_alive(pid(&project, "test")));
    assert!(project.path("cleaned").exists(), "it had its grace");
    let why = "not run: lint failed and --fail-fast was given";
    for id in ["build", "alone", "e2e", "login"] {
        assert_eq!(end(&verdict, id), ["cancelled", "not_run", why], "{id}");
    }
    assert!(!project.path("ran").exists());
    let summary = &verdict["summary"];
    assert_eq!(
        (&summary["fail"], &summary["cancelled"], &summary["skipped"]),
        (&json!(1), &json!(5), &json!(0))
    );
    let notes = &check_of(&verdict, "login")["notes"];
    assert_eq!(notes, &json!([format!("no shot taken: {why}")]));
    fs::remove_file(project.path("test.pid")).unwrap();
    forget_times(&project);
    let ran = project.run(["--jobs", "2", "--fail-fast"]);
    ran.expect(1, "blocked: 1 of 5 checks failed, 4 cancelled");
    assert!(
        ran.stdout.contains(&format!("-  build  {why}")),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("-  test   cancelled: ended by --fail-fast: another check failed"),
        "{}",
        ran.stdout
    );
}

#[test]
fn what_does_not_obey_is_killed_after_the_grace_with_all_it_started() {
    let project = Project::new().direct();
    let leaves = "trap '' TERM; setsid sleep 600 & echo $! > child";
    project.checks(&json!([
        starts("test", leaves, "sleep 600; sleep 600"),
        fails_beside("lint", &["test"])
    ]));
    project.edit(
        "harness.json",
        "\"checks\"",
        "\"checks_grace\": \"50ms\", \"checks\"",
    );
    let (code, verdict) = project.json(&["--jobs", "2", "--fail-fast"]);
    assert_eq!(code, 1);
    assert_eq!(end(&verdict, "test")[..2], ["cancelled", "fail_fast"]);
    let signal = json!({ "signal": "SIGKILL" });
    assert_eq!(check_of(&verdict, "test")["exit"], signal);
    assert!(!is_alive(pid(&project, "test")));
    assert!(!is_alive(project.read("child").trim().parse().unwrap()));
}

#[test]
fn rows_of_what_was_ended_are_not_judged() {
    let project = Project::new().direct();
    let found = "echo a.go:2:2: worse";
    project.checks(&json!([
        starts("test", found, "exec sleep 600"),
        fails_beside("lint", &["test"])
    ]));
    let (_, verdict) = project.json(&["--jobs", "2", "--fail-fast"]);
    let test = check_of(&verdict, "test");
    assert_eq!(
        (&test["status"], &test["new"]),
        (&json!("cancelled"), &json!(0))
    );
    assert_eq!(test["failures"], json!([]));
    assert_eq!(verdict["summary"]["new"], 1);
}

#[test]
fn only_a_blocking_checks_new_failure_is_a_reason() {
    let fails = |id: &str| fails_beside(id, &[]);
    let recorded = fails("recorded");
    let cases = [
        (
            "advisory",
            with(fails("first"), "tolerance", &json!("advisory")),
            0,
        ),
        (
            "report",
            with(fails("first"), "tolerance", &json!("report")),
            0,
        ),
        ("shot", with(fails("first"), "shot", &json!("login")), 0),
        (
            "broken",
            json!({ "id": "first", "executable": "no-such-tool" }),
            2,
        ),
        ("refused", with(fails("first"), "floor", &json!(true)), 2),
        ("known", recorded, 0),
    ];
    for (kind, first, code) in cases {
        let project = Project::new().direct();
        project.write("a.go", "x\n");
        let last = json!({ "id": "last", "executable": "true" });
        project.checks(&json!([first, last]));
        if kind == "known" {
            assert_eq!(project.run(["baseline", "record"]).code, 0);
            forget_times(&project);
        }
        let (got, verdict) = project.json(&["--jobs", "1", "--fail-fast"]);
        assert_eq!(
            (got, &check_of(&verdict, "last")["status"]),
            (code, &json!("pass")),
            "{kind}"
        );
    }
}

#[test]
fn without_it_and_where_all_passes_every_check_runs() {
    let project = Project::new().direct();
    let last = json!({ "id": "last", "executable": "true" });
    project.checks(&json!([fails_beside("first", &[]), last.clone()]));
    project
        .run(["--jobs", "1"])
        .expect(1, "blocked: 1 of 2 checks failed");
    forget_times(&project);
    project
        .run(["run", "--jobs", "1", "--fail-fast"])
        .expect(1, "blocked: 1 of 2 checks failed, 1 cancelled");
    project.checks(&json!([{ "id": "first", "executable": "true" }, last]));
    project
        .run(["--jobs", "1", "--fail-fast"])
        .expect(0, "ok: 2 passed");
}

/// A failure without a process is one like any other.
#[test]
fn stale_files_end_the_run_too() {
    let project = Project::new().direct();
    project
        .write("api.proto", "one\n")
        .write("gen/api.go", "one\n")
        .commit();
    project.write("api.proto", "two\n").commit();
    project.write(
        "harness.json",
        r#"{"sensors": {
            "api": {"source": {"files": ["gen/*.go"], "inputs": ["api.proto"]}},
            "lint": {"source": {"command": "touch ran"}}}}"#,
    );
    let (code, verdict) = project.json(&["--fail-fast", "--jobs", "1"]);
    assert_eq!(code, 1);
    let why = "not run: api failed and --fail-fast was given";
    assert_eq!(end(&verdict, "lint"), ["cancelled", "not_run", why]);
    assert!(!project.path("ran").exists());
}

#[test]
fn probes_are_called_off_too() {
    let project = Project::new().direct();
    let slow = "echo $$ > probe.part; mv probe.part probe.pid; exec sleep 600";
    let lint = fails_beside("lint", &["probe"]);
    project.checks(&json!([with(lint, "version", &json!(["sh", "-c", slow]))]));
    let (code, verdict) = project.json(&["--fail-fast"]);
    let lint = check_of(&verdict, "lint");
    assert_eq!(
        (code, &lint["version"], &lint["notes"]),
        (1, &json!(null), &json!([]))
    );
    assert!(!is_alive(pid(&project, "probe")));
}

/// A signal that comes while checks are being ended has the last word on the process, and the
/// second one on the grace.
#[test]
fn an_interrupt_during_it_still_ends_the_run_by_its_signal() {
    use std::os::unix::process::ExitStatusExt as _;

    let project = Project::new().direct();
    let stubborn = "trap 'touch asked' TERM";
    project.checks(&json!([
        starts("test", stubborn, "while true; do sleep 0.01; done"),
        fails_beside("lint", &["test"])
    ]));
    project.edit(
        "harness.json",
        "\"checks\"",
        "\"checks_grace\": \"10m\", \"checks\"",
    );
    let mut child = project.spawn(["--jobs", "2", "--fail-fast", "--report", "json"]);
    wait_until("the check is asked to end", || {
        project.path("asked").exists()
    });
    let check = nix::unistd::Pid::from_raw(child.id().cast_signed());
    let mut out = child.stdout.take().unwrap();
    let mut ended = None;
    // Of two that come in a moment only one is heard.
    wait_until("the second signal is heard", || {
        let _ = nix::sys::signal::kill(check, nix::sys::signal::Signal::SIGINT);
        ended = child.try_wait().unwrap();
        ended.is_some()
    });
    let mut text = String::new();
    out.read_to_string(&mut text).unwrap();
    assert_eq!(ended.unwrap().signal(), Some(2));
    let verdict: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&verdict["verdict"], &verdict["reason"]),
        (&json!("none"), &json!("interrupted by SIGINT"))
    );
    assert_eq!(end(&verdict, "test")[..2], ["cancelled", "fail_fast"]);
    assert_eq!(
        check_of(&verdict, "test")["exit"],
        json!({ "signal": "SIGKILL" })
    );
    assert!(!is_alive(pid(&project, "test")));
}

/// What was not judged cannot be recorded, and records of it would be dropped as fixed.
#[test]
fn nothing_is_recorded_from_a_run_that_may_end_early() {
    let project = Project::new().direct();
    project.checks(&json!([fails_beside("lint", &[])]));
    for args in [
        &["baseline", "record", "--fail-fast"][..],
        &["baseline", "tighten", "--fail-fast"],
        &["--update-baseline", "--fail-fast"],
        &["--fail-fast", "baseline", "record"],
    ] {
        let ran = project.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.stdout);
        assert!(
            ran.last_line().contains("--fail-fast"),
            "{args:?}: {}",
            ran.stdout
        );
        assert!(project.baseline().is_empty());
    }
}
