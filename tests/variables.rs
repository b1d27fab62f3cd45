//! What a check gets of its caller, variables and network, and what it is told it lacked.

use serde_json::{Value, json};

use crate::support::{Project, Ran, check_of};

/// Runs the one check `test`, a shell's `script`, with these variables of the caller.
fn run(script: &str, fields: &Value, caller: &[(&str, &str)]) -> Value {
    let project = Project::new();
    let mut check = json!({ "id": "test", "executable": "sh", "args": ["-c", script] });
    for (name, value) in fields.as_object().unwrap() {
        check[name] = value.clone();
    }
    project.write(
        "harness.json",
        json!({ "checks_env": { "BOTH": "all", "ALL": "all" }, "checks": [check] }).to_string(),
    );
    let mut command = project.command(["--report", "json"]);
    command.envs(caller.iter().copied());
    let ran = Ran::of(&command.output().unwrap());
    let verdict: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(!ran.stdout.contains("s3cret"), "{}", ran.stdout);
    check_of(&verdict, "test").clone()
}

#[test]
fn a_failing_check_is_told_which_variable_it_lacked_and_never_its_value() {
    let caller = [("DATABASE_URL", "s3cret"), ("OTHER_URL", "s3cret")];
    let script = "echo \"KeyError: 'DATABASE_URL' (in $SHELL, PATH, MY_OTHER_URL)\"; exit 1";
    let note = "DATABASE_URL is set in your shell but not inside checks; \
                add \"pass_env\": [\"DATABASE_URL\"]";
    assert_eq!(run(script, &json!({}), &caller)["notes"], json!([note]));
    let passing = script.replace("exit 1", "exit 0");
    assert_eq!(run(&passing, &json!({}), &caller)["notes"], json!([]));
    let passed = json!({ "pass_env": ["DATABASE_URL"] });
    assert_eq!(run(script, &passed, &caller)["notes"], json!([]));
    assert_eq!(run(script, &json!({}), &[])["notes"], json!([]));
}

#[test]
fn a_checks_own_value_wins_and_every_value_arrives_as_it_is() {
    let fields = json!({
        "env": { "BOTH": "own", "LINES2": "one\ntwo = \"$X\"", "NONE": "", "GOCACHE": "/own" },
        "pass_env": ["BOTH", "EMPTY", "ABSENT"],
    });
    let script = "printf '%s|' \"$ALL\" \"$BOTH\" \"$LINES2\" \"$GOCACHE\" \
                  \"${NONE-unset}\" \"${EMPTY-unset}\" \"${ABSENT-unset}\"";
    let check = run(script, &fields, &[("BOTH", "s3cret"), ("EMPTY", "")]);
    assert_eq!(
        check["stdout_tail"],
        "all|own|one\ntwo = \"$X\"|/own|||unset|"
    );
    assert_eq!(
        check["env"],
        json!(["ALL", "BOTH", "EMPTY", "GOCACHE", "LINES2", "NONE"])
    );
    let notes = json!(["ABSENT is in pass_env, but your shell does not have it"]);
    assert_eq!(check["notes"], notes);
}

#[test]
fn a_check_in_the_hosts_network_is_named_in_line_2_and_in_the_verdict() {
    let project = Project::new();
    project.checks(&json!([
        { "id": "e2e", "executable": "true", "network": "host" },
        { "id": "test", "executable": "true" },
    ]));
    let human = project.run([""; 0]);
    human.expect(0, "ok: 2 passed");
    let second = human.stdout.lines().nth(1).unwrap();
    assert!(second.ends_with("; host network: e2e"), "{second}");
    let (_, verdict) = project.json(&[]);
    assert_eq!(check_of(&verdict, "e2e")["network"], "host");
    assert_eq!(check_of(&verdict, "test")["network"], "none");
    // The permission grants nothing else: what cannot be contained is refused all the same.
    let refused = project.run(["--require-containment", "--network", "host"]);
    assert!(
        refused
            .last_line()
            .starts_with("no verdict: 2 of 2 checks refused")
    );
    assert!(!refused.stdout.contains("host network:"));
    assert_eq!(project.run(["--network", "none"]).code, 2);
}
