//! Sensors: commands for the shell whose harness lies outside the tree, and what a sensor says of
//! itself.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Project, Ran, check_of, copy_folder, fixture, has_tool, rows};

/// The service under test, and beside its repository the harness that judges it.
fn till() -> Project {
    let project = Project::from_fixture("projects/sensors/service");
    project.commit();
    copy_folder(&fixture("projects/sensors/harness"), &harness(&project));
    project
}

fn harness(project: &Project) -> PathBuf {
    project.root().parent().unwrap().join("harness")
}

fn has_go_tools() -> bool {
    ["go", "gofmt", "golangci-lint"].into_iter().all(has_tool)
}

/// `check … --manifest ../harness`, the folder.
fn judged(project: &Project, args: &[&str]) -> Ran {
    let words = args.iter().chain(&["--manifest", "../harness"]);
    project.run(words)
}

/// Each check with its status, its new rows, its known ones and those that are fixed.
pub fn counts(verdict: &Value) -> Vec<(&str, &str, u64, u64, u64)> {
    let checks = verdict["checks"].as_array().unwrap();
    let count = |check: &Value, name: &str| check[name].as_u64().unwrap();
    checks
        .iter()
        .map(|check| {
            (
                check["id"].as_str().unwrap(),
                check["status"].as_str().unwrap(),
                count(check, "new"),
                count(check, "known"),
                count(check, "fixed"),
            )
        })
        .collect()
}

/// The lines of `git status` that are not about recorded failures.
fn status(project: &Project) -> Vec<String> {
    let status = project.status();
    let lines = status.lines().filter(|line| !line.contains(".check/"));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_harness_outside_the_tree_judges_it_step_by_step() {
    if !has_go_tools() {
        return;
    }
    let project = till();
    let at = ["--manifest", "../harness"];

    // Red, with what is planted and nothing else.
    what_is_planted_is_found(&project.json(&at));
    let shown = judged(&project, &["gofmt"]);
    shown.expect(1, "blocked: 1 of 1 check failed (3 not selected)");
    shown.has("internal/ledger/line.go");

    // What a tool can heal is healed.
    gofmt(&project);
    let (code, verdict) = project.json(&at);
    assert_eq!(
        (code, &counts(&verdict)[0]),
        (1, &("gofmt", "pass", 0, 0, 0))
    );
    project.commit();
    let before = status(&project);
    assert_eq!(before, [""; 0]);

    // The rest is recorded, and from then on known.
    let ran = judged(&project, &["baseline", "record"]);
    ran.expect(
        0,
        "recorded: 9 failures in 3 checks; from now on only new ones block",
    );
    let ran = judged(&project, &[]);
    ran.expect(0, "ok: 1 passed, 2 known");

    // One new finding is shown, alone.
    let healthy = project.read("internal/ledger/ledger.go");
    project.edit(
        "internal/ledger/ledger.go",
        "// Close ends the account.",
        "// Hide hides the file.\nfunc (a *Account) Hide() {\n\tos.Chmod(a.log.Name(), 0)\n}\n\n// Close ends the account.",
    );
    let ran = judged(&project, &[]);
    ran.expect(1, "blocked: 1 of 3 checks failed");
    let listed = |line: &&str| line.starts_with("internal/");
    assert_eq!(
        ran.stdout.lines().filter(listed).collect::<Vec<_>>(),
        [
            "internal/ledger/ledger.go:35:10: Error return value of `os.Chmod` is not checked (errcheck)"
        ]
    );
    project.write("internal/ledger/ledger.go", healthy);

    // Three that are gone are counted.
    project.edit(
        "internal/ledger/ledger.go",
        "\ta.log.Sync()\n",
        "\t_ = a.log.Sync()\n",
    );
    project.edit(
        "internal/ledger/ledger.go",
        "\ta.log.Close()\n",
        "\t_ = a.log.Close()\n",
    );
    let line = project.read("internal/ledger/line.go");
    let used = line.split("\n\nfunc old").next().unwrap();
    project.write("internal/ledger/line.go", format!("{used}\n"));
    let (code, verdict) = project.json(&at);
    assert_eq!(code, 0);
    assert_eq!(counts(&verdict)[1], ("lint", "known", 0, 2, 3));
    let ran = judged(&project, &[]);
    assert!(ran.stdout.contains("known (2), 3 fixed"), "{}", ran.stdout);
    ran.has("baseline: 3 recorded failures are now fixed (drop them: check baseline tighten)");

    // Nothing of the harness, its scripts or its contract was ever in the tree.
    project.git(&["checkout", "-q", "."]);
    assert_eq!(status(&project), before);
    assert!(!project.path("internal/ledger/contract_test.go").exists());
    project.commit();
    let history = project.git(&["log", "-p", "--", ".", ":!.check"]);
    assert!(!history.contains("TestBalanceIsNeverNegative"));
}

fn what_is_planted_is_found((code, verdict): &(i32, Value)) {
    assert_eq!(*code, 1);
    assert_eq!(
        counts(verdict),
        [
            ("gofmt", "fail", 1, 0, 0),
            ("lint", "fail", 5, 0, 0),
            ("strict", "fail", 3, 0, 0),
            ("contract", "fail", 1, 0, 0),
        ]
    );
    assert_eq!(
        rows(verdict, "gofmt"),
        ["internal/ledger/line.go:null null"]
    );
    assert_eq!(
        rows(verdict, "strict"),
        [
            "internal/ledger/ledger.go:21 null",
            "internal/ledger/ledger.go:35 null",
            "internal/ledger/ledger.go:23 null",
        ]
    );
    assert_eq!(
        rows(verdict, "contract"),
        ["contract_test.go:15 TestBalanceIsNeverNegative"]
    );
    assert_eq!(verdict["summary"]["advisory"], 1);
    for check in verdict["checks"].as_array().unwrap() {
        assert_eq!(check["argv"][0], "/bin/sh");
        assert_eq!(
            check["env"],
            json!(["CHECK_HARNESS_DIR", "YNH_HARNESS_DIR"])
        );
        assert!(check["version"].is_string(), "{check}");
    }
}

fn gofmt(project: &Project) {
    let mut command = Command::new("gofmt");
    let done = command
        .args(["-w", "."])
        .current_dir(project.root())
        .status();
    assert!(done.unwrap().success());
}

#[test]
fn a_plugin_under_its_other_name_is_the_same_harness() {
    if !has_go_tools() {
        return;
    }
    let project = till();
    let harness = harness(&project);
    fs::create_dir(harness.join(".ynh-plugin")).unwrap();
    let plugin = harness.join(".agents/harness/plugin.json");
    fs::rename(plugin, harness.join(".ynh-plugin/plugin.json")).unwrap();
    judged(&project, &["contract"]).expect(1, "blocked: 1 of 1 check failed (3 not selected)");
    let file = [
        "contract",
        "--manifest",
        "../harness/.ynh-plugin/plugin.json",
    ];
    project
        .run(file)
        .expect(1, "blocked: 1 of 1 check failed (3 not selected)");
}

#[test]
fn a_linter_that_cannot_read_its_configuration_has_judged_nothing() {
    if !has_go_tools() {
        return;
    }
    let project = till();
    project.write(
        ".golangci.yml",
        "version: \"2\"\nlinters:\n  enable: [nosuchlinter]\n",
    );
    let (code, verdict) = project.json(&["lint", "--manifest", "../harness"]);
    let lint = check_of(&verdict, "lint");
    assert_eq!((code, &lint["status"]), (2, &json!("broken")), "{lint}");
    let reason = lint["reason"].as_str().unwrap();
    assert!(reason.contains("nosuchlinter"), "{reason}");
}

/// A project whose only sensor is `s`, with these fields.
pub fn with_sensor(project: &Project, fields: &Value) {
    let manifest = json!({ "sensors": { "s": fields } });
    project.write("harness.json", manifest.to_string());
}

/// What the sensor `s` comes to: exit code and its entry.
fn seen(project: &Project, fields: &Value) -> (i32, Value) {
    with_sensor(project, fields);
    let (code, verdict) = project.json(&[]);
    (code, check_of(&verdict, "s").clone())
}

/// Its rows, as `path:line:column message (rule)`.
fn said(check: &Value) -> Vec<String> {
    let text = |value: &Value| {
        let plain = value.as_str().map(str::to_owned);
        plain.unwrap_or_else(|| value.to_string().replace("null", "-"))
    };
    let failures = check["failures"].as_array().unwrap();
    let row = |row: &Value| {
        let [path, line, column, rule] = ["path", "line", "column", "rule"].map(|n| text(&row[n]));
        format!("{path}:{line}:{column} {} ({rule})", text(&row["message"]))
    };
    failures.iter().map(row).collect()
}

fn text(command: &str) -> Value {
    json!({ "source": { "command": command }, "output": { "format": "text" } })
}

#[test]
fn text_has_rows_on_a_failing_exit_only_stdout_before_stderr() {
    let project = Project::new();
    project.write("svc/a.go", "package svc\n");
    let print = "echo late >&2; printf 'svc/a.go:3:7: bad (rule-x)\\n\\nsvc/a.go\\nsvc\\n12:30:01: tick\\n'";
    let (code, failed) = seen(&project, &text(&format!("{print}; exit 1")));
    assert_eq!((code, &failed["streams"]), (1, &json!("split")));
    assert_eq!(
        said(&failed),
        [
            "svc/a.go:3:7 bad (rule-x)",
            "svc/a.go:-:- svc/a.go (-)",
            "-:-:- svc (-)",
            "-:-:- 12:30:01: tick (-)",
            "-:-:- late (-)",
        ]
    );
    let (code, passed) = seen(&project, &text(print));
    assert_eq!((code, said(&passed)), (0, Vec::new()));
}

#[test]
fn a_match_chooses_lines_and_without_one_exit_1_is_still_a_failure() {
    let project = Project::new();
    let sensor = |pattern: &str, code: u8| {
        let command = format!("echo ok; echo 'ERR one' >&2; echo '  ERR two'; exit {code}");
        json!({ "source": { "command": command }, "output": { "format": "text", "match": pattern } })
    };
    let (code, one) = seen(&project, &sensor("^ERR", 1));
    assert_eq!(
        (code, said(&one)),
        (1, vec!["-:-:- ERR one (-)".to_owned()])
    );
    let (code, both) = seen(&project, &sensor("ERR", 7));
    assert_eq!(
        (code, both["new"].as_u64()),
        (1, Some(2)),
        "rows speak, whatever the code"
    );
    let (code, none) = seen(&project, &sensor("^nothing", 1));
    assert_eq!(
        (code, &none["reason"], none["new"].as_u64()),
        (1, &json!("exit status 1"), Some(1))
    );
    let (code, passed) = seen(&project, &sensor("ERR", 0));
    assert_eq!((code, &passed["status"]), (0, &json!("pass")));
}

#[test]
fn a_channel_is_all_that_is_read_and_the_other_is_kept() {
    let project = Project::new();
    project.write("o.go", "").write("e.go", "");
    for (format, message) in [("text", "one"), ("generic", "one")] {
        for (channel, path) in [("stdout", "o.go"), ("stderr", "e.go")] {
            let command = "echo 'o.go:1:2: one'; echo 'e.go:1:2: one' >&2; exit 1";
            let fields = json!({
                "source": { "command": command },
                "output": { "format": format, "channel": channel },
            });
            let (code, check) = seen(&project, &fields);
            assert_eq!(
                (code, said(&check)),
                (1, vec![format!("{path}:1:2 {message} (-)")])
            );
            assert_eq!(check["streams"], "split");
            assert_eq!(check["stdout_tail"], "o.go:1:2: one\n");
            assert_eq!(check["stderr_tail"], "e.go:1:2: one\n");
        }
    }
    let both = json!({ "source": { "command": "echo x >&2; echo y; exit 1" } });
    let (_, check) = seen(&project, &both);
    assert_eq!(
        (&check["streams"], &check["stdout_tail"]),
        (&json!("joined"), &json!("x\ny\n"))
    );
}

#[test]
fn a_sensor_that_cannot_judge_says_so_and_why() {
    let project = Project::new();
    let sensor = |end: &str, format: &str| {
        let command =
            format!("echo reading; echo 'a.go:1:1: fine'; echo 'no config file' >&2; {end}");
        json!({ "source": { "command": command }, "output": { "format": format, "match": "bad" } })
    };
    for format in ["text", "auto", "generic"] {
        let (code, check) = seen(&project, &sensor("exit 3", format));
        assert_eq!((code, &check["status"]), (2, &json!("broken")), "{format}");
        assert_eq!(check["reason"], "no config file");
        assert_eq!(check["exit"], json!({ "code": 3 }));
        let (code, check) = seen(&project, &sensor("exit 1", format));
        assert_eq!((code, &check["status"]), (1, &json!("fail")), "{format}");
        let (code, check) = seen(&project, &sensor("kill -9 $$", format));
        assert_eq!((code, &check["status"]), (1, &json!("fail")), "{format}");
        let (code, check) = seen(&project, &sensor("echo 'a.go:1:1: bad'; exit 3", format));
        assert_eq!((code, check["new"].as_u64()), (1, Some(1)), "{format}");
    }
    with_sensor(&project, &sensor("exit 3", "text"));
    let ran = project.run([""; 0]);
    ran.expect(
        2,
        "no verdict: 1 of 1 check could not be judged; nothing failed",
    );
    ran.has("exit status 3 and no line that matches: the sensor says that it cannot judge");
    project.run(["baseline", "record"]).expect(
        2,
        "no verdict: 1 of 1 check cannot be recorded; nothing was written",
    );
}

#[test]
fn a_sensor_whose_tool_is_missing_is_not_a_failure_to_be_recorded() {
    let project = Project::new();
    for command in [
        "nosuchfmt -l .",
        "nosuchfmt -l . || exit 1",
        "echo a.go; nosuchfmt",
    ] {
        let (code, check) = seen(&project, &text(command));
        assert_eq!((code, &check["status"]), (2, &json!("broken")), "{command}");
    }
}
