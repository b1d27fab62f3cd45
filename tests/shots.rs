//! Checks that take a picture, and never gate.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{Project, check_of};

const SHOT: &str = "web/.smith/shots/login.png";

/// A project with a check that passes and a shot check in `web` that runs `script`.
fn project(script: &str) -> Project {
    let project = Project::new();
    project.write("web/.smith/shots/keep", "");
    project.checks(&json!([
        { "id": "test", "executable": "true" },
        { "id": "login", "executable": "sh", "args": ["-c", script], "cwd": "web",
          "shot": "login" },
    ]));
    project
}

/// Exit code, and what the verdict says of the shot check.
fn run(project: &Project) -> (i32, Value) {
    let (code, verdict) = project.json(&[]);
    (code, check_of(&verdict, "login").clone())
}

#[test]
fn a_picture_is_named_only_by_the_run_that_wrote_it() {
    let project = project("[ -e ../skip ] || date +%N > .smith/shots/login.png");
    for _ in 0..2 {
        let (code, check) = run(&project);
        assert_eq!(
            (code, &check["shot"], &check["notes"]),
            (0, &json!(SHOT), &json!([]))
        );
        assert_eq!(
            (&check["optional"], &check["tolerance"]),
            (&json!(true), &json!("blocking"))
        );
    }
    let human = project.run([""; 0]);
    human.expect(0, "ok: 1 passed");
    let row = human.stdout.lines().find(|line| line.contains("  login"));
    let row = row.unwrap().trim_start();
    assert!(
        row.starts_with(&format!("✓  login  shot {SHOT}  ")),
        "{row}"
    );
    project.write("skip", "");
    let (code, check) = run(&project);
    assert_eq!((code, &check["shot"]), (0, &Value::Null));
    assert_eq!(check["notes"], json!(["no shot taken: exit status 0"]));
}

#[test]
fn a_shot_check_never_gates_however_it_ends() {
    for (script, status, note) in [
        ("exit 3", "fail", "no shot taken: exit status 3"),
        ("kill -SEGV $$", "fail", "no shot taken: killed by SIGSEGV"),
        ("exit 127", "broken", "no shot taken: exit status 127"),
        (
            "echo 'no shot taken: no display'; exit 1",
            "fail",
            "no shot taken: no display",
        ),
    ] {
        let project = project(script);
        let (code, check) = run(&project);
        assert_eq!(
            (code, &check["status"], &check["shot"]),
            (0, &json!(status), &Value::Null),
            "{script}"
        );
        assert_eq!(
            check["notes"].as_array().unwrap().last(),
            Some(&json!(note)),
            "{script}"
        );
    }
    let failed = project("echo x > .smith/shots/login.png; exit 3").run([""; 0]);
    failed.expect(0, "ok: 1 passed, 1 advisory");
    failed.has("login: optional: exit status 3");
    assert!(
        failed
            .stdout
            .contains(&format!("optional: exit status 3, shot {SHOT}"))
    );
}

#[test]
fn one_that_was_not_launched_says_so_and_does_not_gate() {
    let project = project("true");
    project.edit("harness.json", "\"sh\"", "\"no-such-browser\"");
    let (code, check) = run(&project);
    assert_eq!((code, &check["status"]), (0, &json!("broken")));
    assert_eq!(
        check["notes"],
        json!(["no shot taken: no-such-browser is not on PATH"])
    );
    let (_, verdict) = project.json(&["--require-containment"]);
    let refused = check_of(&verdict, "login");
    assert_eq!(refused["status"], "refused");
    let note = refused["notes"][0].as_str().unwrap();
    assert!(
        note.starts_with("no shot taken: command check \"login\" containment: "),
        "{note}"
    );
    project.run(["--require-containment"]).expect(
        2,
        "no verdict: 1 of 1 check refused: the host can't contain checks",
    );
}

#[test]
fn a_run_of_shot_checks_alone_judged_nothing() {
    let project = project("echo x > .smith/shots/login.png");
    project.run(["login"]).expect(
        2,
        "no verdict: no blocking check was judged (1 not selected)",
    );
    let (_, verdict) = project.json(&["login"]);
    assert_eq!(check_of(&verdict, "login")["shot"], SHOT);
    assert_eq!(verdict["summary"]["pass"], 1);
}

#[test]
fn a_link_is_no_picture_and_one_outside_the_root_is_none_either() {
    let linked = project("echo x > real.png; ln -sf ../../real.png .smith/shots/login.png");
    assert_eq!(run(&linked).1["shot"], Value::Null);
    let outside = project("echo x > .smith/shots/login.png");
    fs::remove_dir_all(outside.path("web/.smith")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::create_dir(elsewhere.path().join("shots")).unwrap();
    symlink(elsewhere.path(), outside.path("web/.smith")).unwrap();
    let outside = outside.direct();
    let (code, check) = run(&outside);
    assert_eq!((code, &check["shot"]), (0, &Value::Null));
    assert!(elsewhere.path().join("shots/login.png").exists());
}

#[test]
fn a_shot_check_that_fails_keeps_nobody_from_recording_a_baseline() {
    let project = project("exit 3");
    let ran = project.run(["baseline", "record"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}
