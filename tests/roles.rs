//! In which order checks run, and which wait for others to be green.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Project, check_of, wait_until};

/// A check that writes down when it starts and when it ends.
fn logged(id: &str, seconds: &str) -> Value {
    let script = format!("echo {id}+ >> order; sleep {seconds}; echo {id}- >> order");
    json!({ "id": id, "executable": "sh", "args": ["-c", script] })
}

fn with(mut check: Value, field: &str, value: &str) -> Value {
    check[field] = json!(value);
    check
}

fn verifier(check: Value) -> Value {
    with(check, "role", "convergence-verifier")
}

/// What was written down since this was last asked.
fn order(project: &Project) -> String {
    let order = project.read("order").replace('\n', " ");
    fs::remove_file(project.path("order")).unwrap();
    order.trim_end().to_owned()
}

#[test]
fn verifiers_run_when_all_others_are_over_one_after_another() {
    let project = Project::new();
    project.checks(&json!([
        verifier(logged("e2e", "0.1")),
        verifier(logged("smoke", "0")),
        logged("test", "0.2"),
        logged("lint", "0"),
    ]));
    project.run(["--jobs", "4"]).expect(0, "ok: 4 passed");
    let first = order(&project);
    assert!(first.ends_with("e2e+ e2e- smoke+ smoke-"), "{first}");
    // Now it is known which is the shortest; the report keeps the order of the manifest.
    let ran = project.run(["--jobs", "4"]);
    ran.expect(0, "ok: 4 passed");
    let second = order(&project);
    assert!(second.ends_with("smoke+ smoke- e2e+ e2e-"), "{second}");
    let rows: Vec<_> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("  ✓"))
        .map(|line| line.split_whitespace().nth(1).unwrap())
        .collect();
    assert_eq!(rows, ["e2e", "smoke", "test", "lint"]);
}

#[test]
fn where_something_is_red_verifiers_are_not_started_and_count_as_neither() {
    let project = Project::new();
    let e2e = json!({ "id": "e2e", "executable": "touch", "args": ["ran"] });
    for (executable, words, code, last) in [
        ("false", "lint failed", 1, "blocked: 1 of 3 checks failed"),
        (
            "no-such-linter",
            "lint could not run",
            2,
            "no verdict: 1 of 3 checks could not be judged; nothing failed",
        ),
    ] {
        project.checks(&json!([
            verifier(e2e.clone()),
            { "id": "test", "executable": "true" },
            { "id": "lint", "executable": executable },
        ]));
        let ran = project.run([""; 0]);
        ran.expect(code, last);
        let row = format!("-  e2e   not run: {words}");
        let found = ran.stdout.lines().any(|line| {
            line.trim_start().starts_with(&row) && line.ends_with(" -") && line.len() == 80
        });
        assert!(found, "{row}\n{}", ran.stdout);
        let (_, verdict) = project.json(&[]);
        let check = check_of(&verdict, "e2e");
        assert_eq!(
            (&check["status"], &check["reason"], &check["termination"]),
            (
                &json!("skipped"),
                &json!(format!("not run: {words}")),
                &json!("not_run")
            )
        );
        assert_eq!(verdict["summary"]["skipped"], 1);
        assert!(!project.path("ran").exists());
    }
}

#[test]
fn known_failures_and_what_does_not_gate_hold_no_verifier_up() {
    let project = Project::new();
    project.write("a.go", "x\n");
    let fails = json!({ "id": "lint", "executable": "sh",
        "args": ["-c", "echo a.go:1:1: broken; exit 1"] });
    let docs = json!({ "id": "docs", "executable": "false" });
    project.checks(&json!([
        verifier(json!({ "id": "e2e", "executable": "touch", "args": ["ran"] })),
        fails,
        with(docs, "tolerance", "advisory"),
    ]));
    project
        .run([""; 0])
        .expect(1, "blocked: 1 of 2 checks failed, 1 advisory");
    let recorded = project.run(["baseline", "record", "--only", "lint"]);
    assert_eq!(recorded.code, 0, "{}", recorded.stdout);
    project
        .run([""; 0])
        .expect(0, "ok: 1 passed, 1 known, 1 advisory");
    assert!(project.path("ran").exists());
}

#[test]
fn verifiers_that_are_selected_alone_are_run() {
    let project = Project::new();
    project.checks(&json!([
        verifier(json!({ "id": "e2e", "executable": "true" })),
        { "id": "lint", "executable": "false" },
    ]));
    project
        .run(["e2e"])
        .expect(0, "ok: 1 passed (1 not selected)");
}

#[test]
fn an_interrupt_leaves_verifiers_cancelled() {
    let project = Project::new();
    project.checks(&json!([
        verifier(json!({ "id": "e2e", "executable": "touch", "args": ["ran"] })),
        { "id": "test", "executable": "sh", "args": ["-c", "touch started; exec sleep 600"] },
    ]));
    let child = project.spawn(["--report", "json"]);
    wait_until("the check has started", || project.path("started").exists());
    let pid = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    let out = child.wait_with_output().unwrap().stdout;
    let verdict: Value = serde_json::from_slice(&out).unwrap();
    let check = check_of(&verdict, "e2e");
    assert_eq!(check["status"], "cancelled");
    assert_eq!(check["reason"], "not run: interrupted");
    assert!(!project.path("ran").exists());
}

#[test]
fn the_longest_is_started_first_once_its_time_is_known() {
    let project = Project::new();
    project.checks(&json!([
        logged("short", "0"),
        logged("long", "0.3"),
        logged("middle", "0.1"),
    ]));
    let starts = || {
        project.run(["--jobs", "1"]).expect(0, "ok: 3 passed");
        let order = order(&project);
        let starts = order.split(' ').filter(|word| word.ends_with('+'));
        starts.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(starts(), "short+ long+ middle+");
    assert_eq!(starts(), "long+ middle+ short+");
    let times: Value = serde_json::from_str(&project.read(".git/check/times.json")).unwrap();
    assert!(times["long"].as_u64().unwrap() >= 300, "{times}");
    // What cannot be read is as good as nothing.
    for foreign in ["{\"long\":", "[]", "\u{0}"] {
        project.write(".git/check/times.json", foreign);
        assert_eq!(starts(), "short+ long+ middle+", "{foreign:?}");
    }
    // A check that did not come to its end leaves the time of its last whole run.
    project.edit(
        "harness.json",
        "\"id\": \"long\"",
        "\"id\": \"long\", \"timeout\": \"50ms\"",
    );
    assert_eq!(project.run(["--jobs", "1"]).code, 1);
    let times: Value = serde_json::from_str(&project.read(".git/check/times.json")).unwrap();
    assert!(times["long"].as_u64().unwrap() >= 300, "{times}");
}
