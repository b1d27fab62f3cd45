//! `check init`: what detection finds, as a manifest.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Project, has_tool};

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
