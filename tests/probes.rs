//! What tools say of their version.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Project, check_of, is_alive, wait_until};

/// A project whose one check runs `tool`, and asks `tool` with `--version`.
fn with_tool(script: &str) -> Project {
    let project = Project::new();
    project.script("tool", &format!("#!/bin/sh\n{script}\n"));
    project.checks(&json!([{ "id": "lint", "executable": "./tool",
        "version": ["./tool", "--version"] }]));
    project
}

/// Exit code, version and notes of the check `lint`.
fn run(project: &Project) -> (i32, Value, Value) {
    let (code, verdict) = project.json(&[]);
    let check = check_of(&verdict, "lint");
    (code, check["version"].clone(), check["notes"].clone())
}

#[test]
fn a_tool_is_asked_once_until_it_changes() {
    let project = with_tool("[ \"$1\" ] || exit 0; echo asked >> asked; echo; echo tool 1.2");
    let asked = || project.read("asked").lines().count();
    for _ in 0..2 {
        assert_eq!(run(&project), (0, json!("tool 1.2"), json!([])));
        assert_eq!(asked(), 1);
    }
    project.edit("tool", "1.2", "1.10");
    assert_eq!(run(&project), (0, json!("tool 1.10"), json!([])));
    assert_eq!(asked(), 2);
    project.edit("harness.json", "--version", "-V");
    assert_eq!(run(&project), (0, json!("tool 1.10"), json!([])));
    assert_eq!(asked(), 3);
    // What cannot be read is as good as nothing.
    for foreign in ["{\"lint\":", "[]", "{\"lint\": 1}"] {
        project.write(".git/check/versions.json", foreign);
        assert_eq!(run(&project).1, "tool 1.10");
    }
    assert_eq!(asked(), 6);
    assert!(
        project
            .run(["-v"])
            .stdout
            .contains("  version: tool 1.10\n")
    );
}

#[test]
fn a_shell_stays_the_same_whatever_it_runs_and_is_always_asked() {
    let project = with_tool("true");
    project.write("version", "1\n");
    project.checks(&json!([{ "id": "lint", "executable": "true",
        "version": ["/bin/sh", "-c", "cat version"] }]));
    assert_eq!(run(&project).1, "1");
    project.write("version", "2\n");
    assert_eq!(run(&project).1, "2");
}

#[test]
fn a_probe_that_fails_is_a_note_and_never_a_verdict() {
    for (script, version, note) in [
        (
            "echo usage >&2; exit 3",
            Value::Null,
            "version probe: exit status 3",
        ),
        (
            "kill -SEGV $$",
            Value::Null,
            "version probe: killed by signal 11",
        ),
        ("exit 0", Value::Null, "version probe: it printed nothing"),
        (
            "trap '' TERM; echo 1.2; exec yes",
            json!("1.2"),
            "version probe: printed more than 64 KiB",
        ),
    ] {
        let project = with_tool(&format!("[ \"$1\" ] || exit 0; {script}"));
        for _ in 0..2 {
            assert_eq!(
                run(&project),
                (0, version.clone(), json!([note])),
                "{script}"
            );
        }
        let human = project.run([""; 0]);
        human.expect(0, "ok: 1 passed");
        human.has(&format!("note: lint: {note}"));
    }
    let project = with_tool("true");
    project.edit(
        "harness.json",
        "\"./tool\",\n        \"--version\"",
        "\"no-such-tool\"",
    );
    let notes = json!(["version probe: no-such-tool is not on PATH"]);
    assert_eq!(run(&project), (0, Value::Null, notes));
    // Where the check has the same fault, it is said once.
    project.edit("harness.json", "./tool", "no-such-tool");
    assert_eq!(run(&project), (2, Value::Null, json!([])));
}

#[test]
fn standard_error_says_it_where_standard_output_is_silent() {
    let project = with_tool("[ \"$1\" ] || exit 0; printf '\\033[1mtool\\033[0m \\377 1.2' >&2");
    assert_eq!(run(&project), (0, json!("tool \\xFF 1.2"), json!([])));
}

#[test]
fn a_probe_runs_beside_its_check_in_its_place_with_its_environment_and_a_home_of_its_own() {
    let project = Project::new();
    project.write("web/keep", "");
    // Each waits for the other: one after another, neither would end.
    let meet = |own: &str, other: &str| {
        format!("echo $HOME > {own}; while [ ! -e {other} ]; do sleep 0.01; done; echo $MODE")
    };
    project.checks(&json!([{ "id": "lint", "executable": "sh", "cwd": "web",
        "args": ["-c", meet("check", "probe")], "env": { "MODE": "strict" },
        "version": ["sh", "-c", meet("probe", "check")] }]));
    let (code, version, notes) = run_with(&project, &["--jobs", "1"]);
    assert_eq!((code, version, notes), (0, json!("strict"), json!([])));
    let (check, probe) = (project.read("web/check"), project.read("web/probe"));
    assert_ne!(check, probe);
    let left = fs::read_dir(probe.trim()).unwrap().count();
    assert_eq!(left, 0, "its home is emptied");
}

fn run_with(project: &Project, args: &[&str]) -> (i32, Value, Value) {
    let (code, verdict) = project.json(args);
    let check = check_of(&verdict, "lint");
    (code, check["version"].clone(), check["notes"].clone())
}

#[test]
fn a_probe_that_hangs_is_ended_with_all_it_started() {
    let project = with_tool(
        "[ \"$1\" ] || exit 0; trap '' TERM; setsid sleep 600 & echo $! > pid; sleep 600",
    );
    let begun = Instant::now();
    let notes = json!(["version probe: timed out after 5s"]);
    assert_eq!(run(&project), (0, Value::Null, notes.clone()));
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(5), "{took:?}");
    assert!(!is_alive(project.read("pid").trim().parse().unwrap()));
    // It is not waited for again: it is the same tool.
    fs::remove_file(project.path("pid")).unwrap();
    assert_eq!(run(&project), (0, Value::Null, notes));
    assert!(!project.path("pid").exists());
}

#[test]
fn an_interrupt_and_the_runs_own_limit_end_probes_too() {
    let script = "[ \"$1\" ] || exit 0; trap '' TERM; sleep 600 & echo $! > pid; sleep 600";
    let project = with_tool(script);
    let child = project.spawn(["--report", "json"]);
    wait_until("the probe has started", || {
        fs::read_to_string(project.path("pid")).is_ok_and(|text| text.ends_with('\n'))
    });
    let pid = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    let out = child.wait_with_output().unwrap().stdout;
    let verdict: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(verdict["reason"], "interrupted by SIGTERM");
    assert!(!is_alive(project.read("pid").trim().parse().unwrap()));

    let project = with_tool(script);
    let begun = Instant::now();
    assert_eq!(
        run_with(&project, &["--timeout", "1s"]),
        (0, Value::Null, json!([]))
    );
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(!is_alive(project.read("pid").trim().parse().unwrap()));
    assert!(!project.path(".git/check/versions.json").exists());
}

/// Beside a probe a daemon that drops its mark cannot be told to be the check's: then there is no
/// pass, where the check would have failed for it.
#[test]
fn a_probe_hides_no_leak_that_is_a_failure() {
    let project = Project::new();
    let leaves = "setsid env -i sleep 61 & sleep 0.2; exit 0";
    project.checks(&json!([{
        "id": "a", "executable": "sh", "args": ["-c", leaves], "leaks": "fail",
        "version": ["sh", "-c", "sleep 1; echo 1"]
    }]));
    let ran = project.run([""; 0]);
    assert_ne!(ran.code, 0, "{}", ran.stdout);
}
