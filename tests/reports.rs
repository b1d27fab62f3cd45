//! What a run prints: for people, for programs, and when nobody listens.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Project, Ran, check_of};

/// A project with a check of every kind: passes, fails anew, known, broken, advisory.
fn project() -> Project {
    let project = Project::new();
    project.write("src/a.c", "int a;\nint b;\nint <c> & \"d\";\n");
    let lint = |id: &str, text: &str| json!({ "id": id, "executable": "sh", "args": ["-c", format!("cat {id}.txt; exit 1")], "category": text });
    let mut checks = vec![
        json!({ "id": "build", "executable": "sh", "args": ["-c", "echo built"], "env": { "B": "1" } }),
        lint("old", "maintainability"),
        lint("new", "behaviour"),
        lint("hint", "architecture"),
        json!({ "id": "gone", "executable": "no-such-program" }),
    ];
    checks[3]["tolerance"] = json!("advisory");
    project.write("old.txt", "src/a.c:1:5: unused (style)\n");
    project.write(
        "new.txt",
        "src/a.c:2:5: shadowed (scope)\nsrc/a.c:3:5: <odd> & \"strange\" (type)\n",
    );
    project.write("hint.txt", "src/a.c:2: consider\n");
    project.checks(&Value::Array(checks));
    project.run(["baseline", "record", "--only", "old"]).expect(
        0,
        "recorded: 1 failure in 1 check; from now on only new ones block",
    );
    project.commit();
    project
}

fn names(value: &Value) -> String {
    let object = value
        .as_object()
        .unwrap_or_else(|| panic!("no object: {value}"));
    object.keys().cloned().collect::<Vec<_>>().join(" ")
}

const ISOLATION: &str = "mechanism contained limits network home read_only note step unit";

#[test]
fn the_json_document_has_every_name_of_the_contract_in_its_order() {
    let project = project();
    let ran = project.run(["--json"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.ends_with("}\n") && !ran.stdout.contains('\x1b'));
    assert!(
        ran.stdout.contains(r#"<odd> & \"strange\""#),
        "nothing is escaped for HTML"
    );
    let mut documents = serde_json::Deserializer::from_str(&ran.stdout).into_iter::<Value>();
    let verdict = documents.next().unwrap().unwrap();
    assert!(documents.next().is_none(), "one document");

    assert_eq!(
        names(&verdict),
        "version verdict exit_code route reason root tree manifest host started_at duration_ms isolation \
         summary checks baseline bar not_selected partition diagnostics notes"
    );
    assert_eq!(names(&verdict["tree"]), "commit dirty digest");
    assert_eq!(names(&verdict["manifest"]), "path sha256");
    assert_eq!(names(&verdict["host"]), "os arch");
    assert_eq!(names(&verdict["isolation"]), ISOLATION);
    assert_eq!(
        names(&verdict["summary"]),
        "checks pass fail known broken refused skipped cancelled advisory new known_failures fixed unseen new_digest"
    );
    assert_eq!(names(&verdict["baseline"]), "path known fixed");
    assert_eq!(
        names(&verdict["bar"]),
        "manifest_sha256 baseline_sha256 source trusted changes"
    );
    for check in verdict["checks"].as_array().unwrap() {
        assert_eq!(
            names(check),
            // The last two are beside the contract: what people's reports need.
            "id status reason tolerance category role argv cwd env exit termination duration_ms isolation version \
             streams evidence failures failures_total new known fixed unseen leaks shot stdout_tail stderr_tail \
             truncated log notes details detected network optional"
        );
        assert_eq!(names(&check["isolation"]), ISOLATION);
        assert_eq!(names(&check["truncated"]), "stdout stderr");
        for row in check["failures"].as_array().unwrap() {
            assert_eq!(
                names(row),
                "path line column test rule level message tool outside source state fingerprint count also"
            );
        }
    }
    project.check("tap", &["printf", "1..1\\nok 1 - a\\n"]);
    let (_, verdict) = project.json(&[]);
    assert_eq!(
        names(&check_of(&verdict, "tap")["evidence"]),
        "ran failed skipped claimed stopped_early"
    );
}

#[test]
fn the_json_document_says_what_was_and_null_or_an_empty_list_of_what_was_not() {
    let project = project();
    let (code, verdict) = project.json(&["--skip", "hint"]);
    assert_eq!(code, 1);
    let head = project.git(&["rev-parse", "HEAD"]);
    assert_eq!(
        (
            &verdict["version"],
            &verdict["verdict"],
            &verdict["exit_code"],
            &verdict["route"],
            &verdict["reason"]
        ),
        (
            &json!(1),
            &json!("failed"),
            &json!(1),
            &json!("repair"),
            &json!(null)
        )
    );
    assert_eq!(verdict["root"], project.root().to_str().unwrap());
    assert_eq!(
        (&verdict["tree"]["commit"], &verdict["tree"]["dirty"]),
        (&json!(head.trim()), &json!(false))
    );
    assert_eq!(verdict["manifest"]["path"], "harness.json");
    assert_eq!(
        verdict["manifest"]["sha256"],
        verdict["bar"]["manifest_sha256"]
    );
    assert_eq!(verdict["host"]["os"], "linux");
    let started = verdict["started_at"].as_str().unwrap();
    assert!(
        started.len() == "2026-11-30T10:42:01.123Z".len() && started.ends_with('Z'),
        "{started}"
    );
    assert_eq!(verdict["not_selected"], json!(["hint"]));
    assert_eq!(
        (
            &verdict["partition"],
            &verdict["diagnostics"],
            &verdict["notes"]
        ),
        (&json!(null), &json!([]), &json!([]))
    );
    assert_eq!(
        verdict["baseline"],
        json!({ "path": ".check/baseline", "known": 1, "fixed": 0 })
    );
    assert_eq!(
        (&verdict["bar"]["source"], &verdict["bar"]["trusted"]),
        (&json!("tree"), &json!(null))
    );
}

#[test]
fn a_check_of_the_json_document_says_what_became_of_it() {
    let project = project();
    let (_, verdict) = project.json(&[]);
    let build = check_of(&verdict, "build");
    assert_eq!(
        (&build["status"], &build["reason"], &build["category"]),
        (&json!("pass"), &json!(null), &json!(null))
    );
    assert_eq!(
        (&build["env"], &build["exit"], &build["cwd"]),
        (&json!(["B"]), &json!({ "code": 0 }), &json!("."))
    );
    assert_eq!(
        (&build["stdout_tail"], &build["stderr_tail"]),
        (&json!("built\n"), &json!(""))
    );
    assert_eq!(
        (&build["version"], &build["shot"], &build["leaks"]),
        (&json!(null), &json!(null), &json!([]))
    );
    assert_eq!(
        build["log"],
        json!(null),
        "what passes and is short is not kept"
    );

    let new = check_of(&verdict, "new");
    assert_eq!(
        (&new["new"], &new["known"], &new["failures_total"]),
        (&json!(2), &json!(0), &json!(2))
    );
    let mut row = new["failures"][1].clone();
    let fingerprint = row["fingerprint"].take();
    assert_eq!(fingerprint.as_str().unwrap().len(), 32);
    assert_eq!(
        row,
        json!({
            "path": "src/a.c", "line": 3, "column": 5, "test": null, "rule": "type", "level": "error",
            "message": "<odd> & \"strange\"", "tool": "generic", "outside": false,
            "source": "int <c> & \"d\";", "state": "new", "fingerprint": null, "count": 1, "also": [],
        })
    );
    let gone = check_of(&verdict, "gone");
    assert_eq!(
        (&gone["status"], &gone["termination"]),
        (&json!("broken"), &json!("spawn_failed"))
    );
    assert_eq!(
        (&gone["exit"], &gone["evidence"], &gone["failures"]),
        (&json!(null), &json!(null), &json!([]))
    );
    assert_eq!(check_of(&verdict, "old")["failures"][0]["state"], "known");
}

#[test]
fn the_summary_adds_up() {
    let project = project();
    let (_, verdict) = project.json(&[]);
    let checks = verdict["checks"].as_array().unwrap();
    let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
    for check in checks {
        *counted
            .entry(check["status"].as_str().unwrap())
            .or_default() += 1;
    }
    let summary = &verdict["summary"];
    let statuses = [
        "pass",
        "fail",
        "known",
        "broken",
        "refused",
        "skipped",
        "cancelled",
    ];
    for status in statuses {
        assert_eq!(
            summary[status],
            counted.get(status).copied().unwrap_or(0),
            "{status}"
        );
    }
    let all: u64 = statuses
        .iter()
        .map(|status| summary[status].as_u64().unwrap())
        .sum();
    assert_eq!((summary["checks"].as_u64().unwrap(), all), (5, 5));
    assert_eq!(
        (&summary["advisory"], &summary["known_failures"]),
        (&json!(1), &json!(1))
    );
    for (sum, each) in [
        ("new", "new"),
        ("known_failures", "known"),
        ("fixed", "fixed"),
        ("unseen", "unseen"),
    ] {
        let total: u64 = checks
            .iter()
            .map(|check| check[each].as_u64().unwrap())
            .sum();
        assert_eq!(summary[sum], total, "{sum}");
    }
    let (_, again) = project.json(&[]);
    assert_eq!(
        again["summary"]["new_digest"], summary["new_digest"],
        "two runs that fail alike say so"
    );
    project.write("new.txt", "src/a.c:2:5: shadowed (scope)\n");
    let (_, other) = project.json(&[]);
    assert_ne!(other["summary"]["new_digest"], summary["new_digest"]);
}

#[test]
fn people_see_what_is_wrong_and_only_that() {
    let project = project();
    let ran = project.run(["--skip", "hint", "--uncontained"]);
    let shown = without_times(&ran.stdout);
    let expected = format!(
        "{}  harness.json
not isolated: asked for

  ✓  build  exit 0
  ~  old    known (1)
  ✗  new    2 new
  !  gone   could not run: no-such-program is not on PATH

new: 2 new
src/a.c:2:5: shadowed (scope)
    2 │ int b;
      │     ^
src/a.c:3:5: <odd> & \"strange\" (type)
    3 │ int <c> & \"d\";
      │     ^
log: .git/check/logs/new.log    again: check new

gone: could not run
",
        project.root().display()
    );
    assert!(shown.starts_with(&expected), "{shown}");
    ran.expect(
        1,
        "blocked: 1 of 4 checks failed, 1 could not be judged (1 not selected)",
    );
}

#[test]
fn quiet_keeps_failing_rows_and_the_last_line_and_verbose_adds_known_ones() {
    let project = project();
    let args = ["--skip", "gone,hint"];
    let quiet = project.run(["-q"].iter().chain(&args));
    assert_eq!(
        without_times(&quiet.stdout),
        "  ✗  new  2 new\n\nnew: 2 new\nsrc/a.c:2:5: shadowed (scope)\n\
         src/a.c:3:5: <odd> & \"strange\" (type)\n\nblocked: 1 of 3 checks failed (2 not selected)\n"
    );
    let normal = project.run(args);
    normal.lacks("unused (style)");
    let verbose = project.run(["-v"].iter().chain(&args));
    verbose
        .has("src/a.c:1:5: unused (style)")
        .has("ran: sh -c 'echo built'");
    let green = project.run(["-q", "--only", "build"]);
    assert_eq!(green.stdout, "ok: 1 passed (4 not selected)\n");
}

#[test]
fn the_isolation_is_said_before_the_first_check_and_in_line_two() {
    let project = project();
    let ran = project.run(["--only", "build"]);
    assert_eq!(ran.stderr, "check: checks will run uncontained\n");
    assert!(
        ran.stdout
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("checks ran uncontained: "),
        "{}",
        ran.stdout
    );
    let asked_for = project.run(["--only", "build", "--uncontained"]);
    assert_eq!(asked_for.stderr, "");
    assert_eq!(
        asked_for.stdout.lines().nth(1),
        Some("not isolated: asked for")
    );
}

#[test]
fn reports_go_to_files_beside_standard_output() {
    let project = project();
    let ran = project.run([
        "--report",
        "human",
        "--report",
        "json=out/../v.json",
        "--report",
        "human=r.txt",
    ]);
    assert_eq!(ran.code, 2, "out is no folder: {}", ran.stdout);
    assert!(
        !project.path("r.txt").exists(),
        "nothing was run, so there is nothing to report of"
    );

    let ran = project.run([
        "--color=always",
        "--report",
        "human",
        "--report",
        "json=v.json",
        "--report=human=r.txt",
    ]);
    assert_eq!(ran.code, 1);
    let verdict: Value = serde_json::from_str(&project.read("v.json")).unwrap();
    assert_eq!(verdict["verdict"], "failed");
    assert_eq!(
        plain(&ran.stdout),
        project.read("r.txt"),
        "a file has no colour and says the same"
    );

    let file_alone = project.run(["--report", "json=v.json"]);
    assert_eq!(
        file_alone.last_line(),
        "blocked: 1 of 4 checks failed, 1 could not be judged, 1 advisory"
    );
    let swapped = project.run(["--json", "--report", "human=r.txt"]);
    let document: Value = serde_json::from_str(&swapped.stdout).unwrap();
    assert_eq!(document["exit_code"], 1);
    assert!(
        project
            .read("r.txt")
            .ends_with("blocked: 1 of 4 checks failed, 1 could not be judged, 1 advisory\n")
    );
}

#[test]
fn a_report_that_cannot_be_written_takes_a_pass_back() {
    let project = project();
    let mut command = project.command(["--only", "build", "--report", "json=/dev/full"]);
    let ran = Ran::of(&command.output().unwrap());
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(
        ran.last_line()
            .starts_with("no verdict: could not write the report /dev/full: "),
        "{}",
        ran.stdout
    );
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let ran = Ran::of(
        &project
            .command(["--only", "build"])
            .stdout(full)
            .output()
            .unwrap(),
    );
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}

#[test]
fn a_closed_standard_output_changes_nothing_and_leaves_no_trace() {
    let project = project();
    for (args, code) in [
        (&["--only", "build"][..], 0),
        (&["--only", "new"], 1),
        (&["--only", "gone", "--json"], 2),
        (&["tset"], 2),
        (&["--no-such-flag"], 2),
        (&["last"], 2),
        (&["baseline", "show"], 0),
        (&["baseline", "tighten", "--only", "old"], 0),
        (&["parse", "--list"], 0),
        (&["--help"], 0),
        (&["--version"], 0),
    ] {
        let mut child = project
            .command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let ran = Ran::of(&child.wait_with_output().unwrap());
        assert_eq!(ran.code, code, "{args:?}: {}", ran.stderr);
        let stderr = ran
            .stderr
            .replace("check: checks will run uncontained\n", "");
        assert_eq!(stderr, "", "{args:?}");
    }
}

#[test]
fn colour_is_for_those_who_ask() {
    let project = project();
    let run = |args: &[&str], vars: &[(&str, &str)]| {
        let mut command = project.command(args);
        command.envs(vars.iter().copied());
        without_times(&Ran::of(&command.output().unwrap()).stdout)
    };
    let plain_text = run(&[], &[]);
    assert!(!plain_text.contains('\x1b'));
    for (args, vars) in [
        (&["--color", "always"][..], &[][..]),
        (&["--color=always"], &[("NO_COLOR", "1")]),
        (&[], &[("CLICOLOR_FORCE", "1")]),
    ] {
        let coloured = run(args, vars);
        assert!(coloured.contains("\x1b["), "{args:?} {vars:?}");
        assert_eq!(
            plain(&coloured),
            plain_text,
            "colour says nothing that words do not"
        );
        let red = coloured
            .lines()
            .find(|line| line.contains("checks ran uncontained"))
            .unwrap();
        assert!(red.starts_with("\x1b[31m"), "{red:?}");
    }
    for (args, vars) in [
        (&["--color", "never"][..], &[("CLICOLOR_FORCE", "1")][..]),
        (&[], &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]),
        (&[], &[("CLICOLOR_FORCE", "0")]),
    ] {
        assert_eq!(run(args, vars), plain_text, "{args:?} {vars:?}");
    }
    assert!(!run(&["--json", "--color=always"], &[]).contains('\x1b'));
}

#[test]
fn without_utf_8_every_sign_is_ascii() {
    let project = project();
    let mut command = project.command([""; 0]);
    command.env("LC_ALL", "C");
    let ran = Ran::of(&command.output().unwrap());
    assert!(ran.stdout.is_ascii(), "{}", ran.stdout);
    for row in ["  +  build ", "  ~  old ", "  x  new ", "  !  gone "] {
        assert!(ran.stdout.contains(row), "{row:?} in\n{}", ran.stdout);
    }
}

#[test]
fn on_a_narrow_terminal_times_stand_at_its_edge_and_failures_are_never_wrapped() {
    let project = project();
    for (columns, at_the_edge) in [(200, 80), (60, 60)] {
        let text = plain(&on_a_terminal(&project, &["--skip", "gone,hint"], columns));
        let row = text
            .lines()
            .find(|line| line.starts_with("  ✓  build "))
            .unwrap();
        assert_eq!(row.chars().count(), at_the_edge, "{row:?}");
    }
    let text = on_a_terminal(&project, &["--skip", "gone,hint"], 40);
    assert!(text.contains("\x1b["), "a terminal has colour");
    let text = plain(&text);
    let row = text
        .lines()
        .find(|line| line.starts_with("  ✓  build "))
        .unwrap();
    assert!(
        row.chars().count() < 40 && row.ends_with('s'),
        "right after the text: {row:?}"
    );
    assert!(
        text.lines()
            .any(|line| line == "src/a.c:3:5: <odd> & \"strange\" (type)"),
        "{text}"
    );
    assert_eq!(
        text.lines().last(),
        Some("blocked: 1 of 3 checks failed (2 not selected)")
    );
}

#[test]
fn the_last_verdict_is_shown_again_and_returned_again() {
    let project = project();
    for (args, code) in [
        (&["--only", "build"][..], 0),
        (&["--only", "gone"], 2),
        (&["--skip", "gone"], 1),
    ] {
        let ran = project.run(args);
        assert_eq!(ran.code, code);
        let last = project.run(["last"]);
        assert_eq!((last.code, &last.stdout), (code, &ran.stdout), "{args:?}");
        assert_eq!(last.stderr, "", "nothing was run");
    }
    let document = project.run(["--json"]).stdout;
    assert_eq!(project.run(["last", "--json"]).stdout, document);
    project.run(["last", "old"]).lacks("unused (style)");
    let one = project.run(["last", "-v", "old"]);
    one.has("src/a.c:1:5: unused (style)").lacks("shadowed");
    assert_eq!(one.code, 1, "the verdict stays that of all");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

/// Runs `check` on a terminal of so many columns.
fn on_a_terminal(project: &Project, args: &[&str], columns: u16) -> String {
    let size = nix::pty::Winsize {
        ws_row: 24,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    let pty = nix::pty::openpty(&size, None).unwrap();
    let mut command: Command = project.command(args);
    command
        .stdout(pty.slave)
        .stderr(Stdio::null())
        .env("TERM", "xterm");
    let mut child = command.spawn().unwrap();
    // The command holds the other end open as long as it lives.
    drop(command);
    let mut terminal = std::fs::File::from(pty.master);
    let mut bytes = Vec::new();
    // Linux says EIO where the last writer is gone.
    let _ = terminal.read_to_end(&mut bytes);
    child.wait().unwrap();
    let _ = terminal.flush();
    String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
}

/// Without what sets colours.
fn plain(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        shown.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    shown + rest
}

/// Without the times at the end of check rows, and what stands before them.
fn without_times(text: &str) -> String {
    let mut shown = String::new();
    for line in text.lines() {
        let is_row = ["  ✓  ", "  ✗  ", "  ~  ", "  !  ", "  -  "]
            .iter()
            .any(|mark| plain(line).starts_with(mark));
        let kept = if is_row {
            line.rsplit_once("  ").unwrap().0.trim_end()
        } else {
            line
        };
        shown.push_str(kept);
        shown.push('\n');
    }
    shown
}
