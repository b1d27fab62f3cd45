//! `check init`: what detection finds, as a manifest.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Project, Ran, has_tool};

const MODULE: &str = "module example.com/tern\n\ngo 1.21\n";
const TEST: &str =
    "package tern\n\nimport \"testing\"\n\nfunc TestNest(t *testing.T) {\n\tt.Log(\"ok\")\n}\n";

fn go_module() -> Project {
    let project = Project::new();
    project.write("go.mod", MODULE).write("tern_test.go", TEST);
    project
}

/// Each check with what it runs and what it came to.
fn checks(verdict: &Value) -> Vec<Value> {
    let checks = verdict["checks"].as_array().unwrap().iter();
    checks
        .map(|check| json!([check["id"], check["argv"], check["env"], check["status"]]))
        .collect()
}

#[test]
fn what_is_written_judges_as_the_detected_run_did() {
    if !has_tool("go") {
        return;
    }
    let project = go_module();
    let (code, detected) = project.json(&[]);
    assert_eq!(code, 0, "{detected}");
    let ran = project.run(["init"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (
            0,
            "wrote harness.json: 3 checks\nsee them: check list    run them: check\n"
        )
    );
    project
        .run(["validate"])
        .has("harness.json: 3 checks: test, lint, typecheck");
    let (code, declared) = project.json(&[]);
    assert_eq!((code, checks(&declared)), (0, checks(&detected)));
}

#[test]
fn nothing_is_written_over() {
    for there in [
        "harness.json",
        "harness.toml",
        ".agents/harness/plugin.json",
        ".ynh-plugin/plugin.json",
    ] {
        let project = go_module();
        let text = "{\"sensors\": {\"a\": {\"source\": {\"command\": \"true\"}}}}";
        project.write(there, text).write("below/x", "");
        for words in [&["init"][..], &["init", "-C", "below"]] {
            let last =
                format!("no verdict: {there} is there already, and init writes over nothing");
            project.run(words).expect(2, &last);
        }
        assert_eq!(project.read(there), text);
        assert_eq!(
            project.path("harness.json").exists(),
            there == "harness.json"
        );
    }
    let project = go_module();
    project.write("ci.json", "mine");
    project.run(["init", "--manifest", "ci.json"]).expect(
        2,
        "no verdict: ci.json is there already, and init writes over nothing",
    );
    assert_eq!(project.read("ci.json"), "mine");
}

/// Where nobody has set a bar, none can be lowered.
#[test]
fn an_agent_may_begin_and_a_subfolder_writes_to_the_root() {
    let project = go_module();
    project.write("below/x", "");
    let mut command = project.command(["init", "-C", "below"]);
    let output = command.env("CLAUDECODE", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(project.path("harness.json").exists());
}

/// A nearer manifest would hide the one that judges, and so would one that is named.
#[test]
fn an_agent_puts_no_manifest_beside_one() {
    let project = go_module();
    let sensors = "{\"sensors\": {\"a\": {\"source\": {\"command\": \"true\"}}}}";
    project
        .write("sub/go.mod", MODULE)
        .write("sub/a_test.go", TEST);
    project
        .write("nested/go.mod", MODULE)
        .write("nested/a_test.go", TEST);
    project.write("nested/.git/x", "");
    let outside = project.root().parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    let outside = outside.join("harness.json");
    let outside = outside.to_str().unwrap();
    let tries: [(&[&str], &str); 8] = [
        (
            &["init", "--manifest", "sub/harness.json"],
            "sub/harness.json",
        ),
        (
            &["init", "--manifest", "./sub/../sub/harness.json"],
            "sub/harness.json",
        ),
        (
            &["--manifest", "harness.json", "-C", "sub", "init"],
            "sub/harness.json",
        ),
        (&["init", "--manifest", "ci.json"], "ci.json"),
        (&["init", "--manifest", outside], outside),
        (&["-C", "nested", "init"], "nested/harness.json"),
        (
            &["-C", "nested", "init", "--manifest", "x.json"],
            "nested/x.json",
        ),
        (
            &["-C", "sub", "init", "--manifest", "../nested/harness.json"],
            "nested/harness.json",
        ),
    ];
    for there in ["harness.toml", ".agents/harness/plugin.json"] {
        project.write(there, if there.ends_with("toml") { "" } else { sensors });
        for (words, file) in tries {
            let mut command = project.command(words);
            let ran = Ran::of(&command.env("CLAUDECODE", "1").output().unwrap());
            assert_eq!(ran.code, 2, "{words:?}: {}", ran.stdout);
            let last = ran.last_line();
            assert!(
                last.starts_with(
                    "no verdict: init is refused in an agent's run (CLAUDECODE is set): "
                ) && last.ends_with(&format!(
                    "{there} is there, and another manifest could stand in its place"
                )),
                "{words:?}: {last}"
            );
            assert!(!project.path(file).exists(), "{words:?}");
        }
        fs::remove_file(project.path(there)).unwrap();
    }
    let attempts = project.read(".git/check/attempts.jsonl");
    assert!(
        attempts.contains(r#""act":"init","mark":"CLAUDECODE","done":false"#),
        "{attempts}"
    );
    // Where there is none, an agent may begin; a person may have one for a part.
    let mut command = project.command(["init", "--manifest", "ci.json"]);
    assert_eq!(
        command
            .env("CLAUDECODE", "1")
            .output()
            .unwrap()
            .status
            .code(),
        Some(0)
    );
    project.write("harness.toml", "");
    project
        .run(["init", "--manifest", "sub/harness.json"])
        .has("wrote sub/harness.json: 3 checks");
    project.run(["init", "--manifest", "harness.json"]).expect(
        2,
        "no verdict: harness.toml is there already, and init writes over nothing",
    );
}

#[test]
fn the_file_may_be_named_and_is_named_again() {
    let project = go_module();
    let ran = project.run(["init", "--manifest", "ci/harness.json"]);
    ran.expect(
        2,
        "no verdict: ci/harness.json cannot be written: No such file or directory (os error 2)",
    );
    project.write("ci/x", "");
    project.run(["init", "--manifest", "ci/harness.json"]).expect(
        0,
        "see them: check --manifest ci/harness.json list    run them: check --manifest ci/harness.json",
    );
    project
        .run(["--manifest", "ci/harness.json", "list"])
        .has("test       auto    .    go test ./...");
}

#[test]
fn where_nothing_is_found_nothing_is_written() {
    let project = Project::new();
    let ran = project.run(["init"]);
    assert_eq!(ran.code, 2);
    ran.has("write a harness.json, for example:");
    assert_eq!(
        fs::read_dir(project.root()).unwrap().count(),
        1,
        ".git alone"
    );
}
