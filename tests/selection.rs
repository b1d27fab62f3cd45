//! Which checks run: words, flags, roles, and records in place of a manifest.

use serde_json::{Value, json};

use crate::support::Project;

/// Five checks: two in an area, one of a category, one for when nothing helps, one whose id is a
/// command's name.
fn project() -> Project {
    let project = Project::new();
    project.checks(&json!([
        {"id": "test", "executable": "true", "area": "api", "category": "behaviour"},
        {"id": "lint", "executable": "true", "area": "api"},
        {"id": "docs", "executable": "true", "category": "maintainability"},
        {"id": "rescue", "executable": "true", "role": "stuck-recovery", "area": "api"},
        {"id": "list", "executable": "true"}
    ]));
    project
}

/// The ids that ran, and those that were not selected.
fn ran(project: &Project, words: &[&str]) -> (String, String) {
    let (code, verdict) = project.json(words);
    assert_eq!(code, 0, "{verdict}");
    let ids = |list: &Value, id: fn(&Value) -> &Value| {
        let ids = list.as_array().unwrap().iter();
        let ids: Vec<_> = ids.map(|entry| id(entry).as_str().unwrap()).collect();
        ids.join(" ")
    };
    (
        ids(&verdict["checks"], |check| &check["id"]),
        ids(&verdict["not_selected"], |id| id),
    )
}

#[test]
fn a_word_is_an_id_an_area_or_a_category() {
    let project = project();
    for (words, runs, rest) in [
        (&[][..], "test lint docs list", "rescue"),
        (&["all"], "test lint docs list", "rescue"),
        (&["DOCS"], "docs", "test lint rescue list"),
        (&["api"], "test lint", "docs rescue list"),
        (&["behaviour"], "test", "lint docs rescue list"),
        (
            &["maintainability", "lint"],
            "lint docs",
            "test rescue list",
        ),
        (&["--only", "docs,test"], "test docs", "lint rescue list"),
        (
            &["--only", "docs", "--only=test"],
            "test docs",
            "lint rescue list",
        ),
        (&["--skip", "api"], "docs list", "test lint rescue"),
        (&["api", "--skip", "lint"], "test", "lint docs rescue list"),
        (&["rescue"], "rescue", "test lint docs list"),
        (&["all", "rescue"], "test lint docs rescue list", ""),
    ] {
        let expected = (runs.to_owned(), rest.to_owned());
        assert_eq!(ran(&project, words), expected, "{words:?}");
    }
    let human = project.run(["api"]);
    human.expect(0, "ok: 2 passed (3 not selected)");
}

/// A command's name wins; the check is reached all the same, and reports say how.
#[test]
fn an_id_that_is_a_commands_name_is_reached_behind_a_flag() {
    let project = project();
    let listed = project.run(["list"]);
    listed.has("id    category         format  cwd  source");
    for words in [&["run", "list"][..], &["--only", "list"]] {
        let answer = project.run(words);
        answer.expect(0, "ok: 1 passed (4 not selected)");
        assert!(
            answer.stdout.contains("  ✓  list  exit 0"),
            "{}",
            answer.stdout
        );
    }
    project.checks(&json!([{"id": "list", "executable": "false"}]));
    project
        .run(["--only=list"])
        .has("log: .git/check/logs/list.log    again: check --only=list");
}

#[test]
fn an_unknown_word_is_answered_with_what_can_be_typed() {
    let project = project();
    for (words, told) in [
        (&["tset"][..], "did you mean:  check test"),
        (&["behavior"], "did you mean:  check behaviour"),
        (&["baselin"], "did you mean:  check baseline"),
        (&["--only", "lst"], "did you mean:  --only list"),
        (&["--skip", "dcos"], "did you mean:  --skip docs"),
        (&["list", "tset"], "did you mean:  check test"),
    ] {
        let answer = project.run(words);
        assert_eq!(answer.code, 2, "{words:?}");
        answer.has(told);
        assert!(answer.last_line().starts_with("no verdict: no check "));
    }
    project
        .run(["--skip", "all"])
        .expect(2, "no verdict: no check was selected (5 not selected)");
}

#[test]
fn where_to_look_may_be_said_before_a_command_and_nothing_else() {
    let project = project();
    project.write(
        "below/harness.json",
        r#"{"checks": [{"id": "deep", "executable": "true"}]}"#,
    );
    for words in [
        &["-C", "below", "list"][..],
        &["list", "-C", "below"],
        &["--agent", "-C", "below", "list"],
    ] {
        project.run(words).has("deep  auto    .    true");
    }
    project.run(["-j", "2", "list"]).expect(
        2,
        "no verdict: --jobs goes behind the command: check list --jobs",
    );
}

#[test]
fn a_trackers_records_stand_for_the_manifest_and_run_in_the_root() {
    let project = project();
    project.script("tool.sh", "#!/bin/sh\npwd > seen\n");
    project.write("below/x", "");
    let records = json!([
        {"id": "a", "executable": "./tool.sh", "args": [], "timeout": "1m"},
        {"id": "b", "executable": "true"}
    ]);
    let file = project.path("records.json");
    project.write("records.json", records.to_string());
    let (code, verdict) = project.json(&["-C", "below", "--record-file", file.to_str().unwrap()]);
    assert_eq!(
        (code, &verdict["summary"]["pass"]),
        (0, &json!(2)),
        "{verdict}"
    );
    assert_eq!(verdict["manifest"]["path"], "records.json");
    assert_eq!(
        project.read("seen").trim(),
        project.root().to_str().unwrap()
    );

    project.write(
        "records.json",
        r#"[{"id": "a", "executable": "true", "cwd": "below", "shot": "x"}]"#,
    );
    let refused = project.run(["--record-file", "records.json"]);
    refused.expect(2, "no verdict: 2 problems in records.json; nothing was run");
    refused.has("= a record always runs in the root");
    let both = project.run([
        "--record-file",
        "records.json",
        "--manifest",
        "harness.json",
    ]);
    assert_eq!(both.code, 2);
}
