//! Who may lower the bar, what a damaged baseline comes to, and that a check cannot move the bar
//! it is measured against.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Project, Ran, check_of, has_tool, neutralise};

/// A project whose check `lint` prints two findings, and which leaves `ran` where it was run.
fn linted() -> Project {
    let project = Project::new();
    project
        .write("a.go", "one\ntwo\nthree\n")
        .write(".gitignore", "ran\n");
    project.script("lint", "#!/bin/sh\ntouch ran\ncat findings\nexit 1\n");
    project.write("findings", "a.go:1:1: first (x)\na.go:2:1: second (x)\n");
    project.checks(
        &json!([{ "id": "lint", "executable": "./lint", "output": { "format": "golangci-lint" } }]),
    );
    project.commit();
    project
}

fn recorded() -> Project {
    let project = linted();
    project.run(["baseline", "record"]).expect(
        0,
        "recorded: 2 failures in 1 check; from now on only new ones block",
    );
    fs::remove_file(project.path("ran")).unwrap();
    project
}

/// Nothing was run and nothing was written.
#[track_caller]
fn untouched(project: &Project, before: &[(String, String)]) {
    assert!(!project.path("ran").exists(), "a check was run");
    assert_eq!(project.baseline(), before);
}

fn with(project: &Project, args: &[&str], name: &str, value: &str) -> Ran {
    let mut command = project.command(args);
    command.env(name, value);
    Ran::of(&command.output().unwrap())
}

/// The lines of `attempts.jsonl`.
fn attempts(project: &Project) -> Vec<Value> {
    let text = fs::read_to_string(project.path(".git/check/attempts.jsonl")).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn an_agents_run_does_not_record() {
    let marks = [
        ("AI_AGENT", "1"),
        ("AGENT", "goose"),
        ("AGENT", "amp"),
        ("CLAUDECODE", "1"),
        ("CLAUDE_CODE_CHILD_SESSION", "abc"),
        ("CODEX_SANDBOX", "seatbelt"),
        ("CODEX_THREAD_ID", "0199"),
        ("CURSOR_AGENT", "1"),
        ("GEMINI_CLI", "1"),
        ("OPENCODE", "1"),
        ("COPILOT_AGENT", "true"),
        ("PI_CODING_AGENT", "true"),
        ("YNH_AGENT_SESSION", "x"),
    ];
    let project = linted();
    let forms: [&[&str]; 3] = [
        &["baseline", "record", "--only", "lint"],
        &["--update-baseline", "--only", "lint"],
        &["run", "--update-baseline", "--only=lint"],
    ];
    let mut asked = 0;
    for (name, value) in marks {
        for form in forms {
            let ran = with(&project, form, name, value);
            let reason =
                format!("recording forgives failures, so a person does it ({name} is set)");
            ran.expect(2, &format!("no verdict: {reason}"));
            ran.has(
                "ask a person to run in their own terminal:  check baseline record --only lint",
            );
            untouched(&project, &[]);
            asked += 1;
            let attempts = attempts(&project);
            let last = attempts.last().expect("the attempt is logged");
            assert_eq!(attempts.len(), asked);
            assert_eq!(
                (&last["act"], &last["mark"], &last["done"], &last["outcome"]),
                (
                    &json!("baseline record"),
                    &json!(name),
                    &json!(false),
                    &json!(reason)
                )
            );
        }
    }
    let ran = project.run(["baseline", "record", "--agent"]);
    ran.expect(
        2,
        "no verdict: recording forgives failures, so a person does it (--agent was given)",
    );
    ran.has("ask a person to run in their own terminal:  check baseline record");
    untouched(&project, &[]);
}

#[test]
fn what_is_no_mark_does_not_refuse() {
    let project = linted();
    let no_marks = [
        ("AGENT", "Mozilla/5.0"),
        ("AGENT", "1"),
        ("CLAUDECODE", ""),
        ("CLAUDECODE", "0"),
        ("GEMINI_CLI", "false"),
        ("SSH_AGENT_PID", "12"),
        ("CI", "false"),
    ];
    for (name, value) in no_marks {
        let ran = with(&project, &["baseline", "record"], name, value);
        assert_eq!(ran.code, 0, "{name}={value}: {}", ran.stdout);
    }
}

#[test]
fn a_mark_never_makes_a_pass_and_never_takes_one() {
    let project = recorded();
    let ran = with(&project, &[], "CLAUDECODE", "1");
    ran.expect(0, "ok: 1 known");
    project.write(
        "findings",
        "a.go:1:1: first (x)\na.go:2:1: second (x)\na.go:3:1: third (x)\n",
    );
    assert_eq!(with(&project, &[], "CLAUDECODE", "1").code, 1);
    // Tightening only raises the bar, so anyone may.
    project.write("findings", "a.go:1:1: first (x)\n");
    let ran = with(&project, &["baseline", "tighten"], "CLAUDECODE", "1");
    ran.expect(0, "tightened: 2 recorded failures, now 1");
}

#[test]
fn ci_does_not_record_whoever_asks() {
    let project = linted();
    for name in ["CI", "GITHUB_ACTIONS", "GITLAB_CI"] {
        let ran = with(&project, &["baseline", "record"], name, "true");
        ran.expect(
            2,
            &format!(
                "no verdict: recording forgives failures, so it is not done in CI ({name} is set)"
            ),
        );
        ran.has("run on your own machine, then commit .check/baseline:  check baseline record");
        untouched(&project, &[]);
        assert_eq!(attempts(&project).last().unwrap()["mark"], name);
    }
}

#[test]
fn what_was_not_seen_whole_is_not_recorded() {
    let project = recorded();
    let before = project.baseline();
    let cases = [
        (
            "exit 127",
            "could not be judged: exit 127: a command that it runs was not found",
        ),
        ("kill -SEGV $$", "killed by SIGSEGV"),
        (
            "exit 3",
            "exit status 3, and no failure could be read from its output",
        ),
        ("sleep 60", "timed out after 300ms"),
        ("cat findings; kill -9 $$", "killed by SIGKILL"),
    ];
    for (body, why) in cases {
        let limit = if body.starts_with("sleep") {
            "300ms"
        } else {
            "5m"
        };
        project.checks(&json!([
            { "id": "lint", "executable": "./lint", "output": { "format": "golangci-lint" } },
            { "id": "other", "executable": "sh", "args": ["-c", body], "timeout": limit },
        ]));
        let ran = project.run(["baseline", "record"]);
        ran.expect(
            2,
            "no verdict: 1 of 2 checks cannot be recorded; nothing was written",
        );
        ran.has(&format!("other: {why}"));
        ran.has("record the others:  check baseline record --only lint");
        assert_eq!(project.baseline(), before, "{body}");
        let last = attempts(&project);
        assert_eq!(last.last().unwrap()["done"], false);
        let ran = project.run(["baseline", "record", "--only", "lint"]);
        assert_eq!(ran.code, 0, "the hint works: {}", ran.stdout);
        assert_eq!(project.baseline(), before);
    }
    project.checks(&json!([{ "id": "other", "executable": "no-such-program" }]));
    let ran = project.run(["baseline", "record"]);
    ran.expect(
        2,
        "no verdict: 1 of 1 check cannot be recorded; nothing was written",
    );
    ran.has("other: could not be judged: no-such-program is not on PATH");
}

#[test]
fn recording_one_check_leaves_the_others_alone() {
    let project = Project::new();
    project.script("say", "#!/bin/sh\ncat $1\nexit 1\n");
    project
        .write("one", "a.go:1:1: first (x)\n")
        .write("two", "b.go:1:1: other (y)\n");
    project.checks(&json!([
        { "id": "one", "executable": "./say", "args": ["one"], "output": { "format": "golangci-lint" } },
        { "id": "two", "executable": "./say", "args": ["two"], "output": { "format": "golangci-lint" } },
    ]));
    for form in [
        &["baseline", "record", "--only", "two"][..],
        &["--update-baseline", "--only", "two"],
    ] {
        let ran = project.run(form);
        assert_eq!(
            ran.stdout,
            "  two  1 failure in 1 file   .check/baseline/two.jsonl\n\
             commit it:  git add .check/baseline && git commit -m \"Record the check baseline\"\n\
             recorded: 1 failure in 1 check; from now on only new ones block\n"
        );
        let names: Vec<String> = project
            .baseline()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["two.jsonl"]);
        fs::remove_dir_all(project.path(".check")).unwrap();
    }
    let ran = project.run(["baseline", "record", "--only", "tow"]);
    ran.expect(2, "no verdict: no check is named \"tow\"");
    ran.has("did you mean:  --only two");
    assert_eq!(project.baseline(), []);
}

/// Runs `check` at a pseudo-terminal with an agent's mark set, and types `typed`.
fn at_a_terminal(project: &Project, typed: &str) -> (i32, String) {
    let line = format!("'{}' baseline record", env!("CARGO_BIN_EXE_check"));
    let mut command = Command::new("script");
    neutralise(&mut command);
    command
        .args(["-qec", &line, "/dev/null"])
        .env("CLAUDECODE", "1")
        .env("TERM", "xterm")
        .env("SHELL", "/bin/sh")
        .current_dir(project.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut script = command.spawn().unwrap();
    let mut stdin = script.stdin.take().unwrap();
    writeln!(stdin, "{typed}").unwrap();
    let output = script.wait_with_output().unwrap();
    drop(stdin);
    (
        output.status.code().unwrap(),
        String::from_utf8_lossy(&output.stdout).replace('\r', ""),
    )
}

#[test]
fn at_a_terminal_with_a_mark_the_number_has_to_be_typed() {
    if !has_tool("script") {
        return;
    }
    let project = linted();
    for wrong in ["", "yes", "1", "22"] {
        let (code, shown) = at_a_terminal(&project, wrong);
        assert_eq!(code, 2, "{wrong:?}: {shown}");
        assert!(
            shown.contains("CLAUDECODE is set, so this may be an agent. Recording forgives 2 failures.\nType 2 to go on: "),
            "{shown}"
        );
        assert!(
            shown.contains("no verdict: 2 was not typed, so nothing was recorded"),
            "{shown}"
        );
        assert_eq!(project.baseline(), []);
        let attempts = attempts(&project);
        assert_eq!(
            (
                &attempts.last().unwrap()["done"],
                &attempts.last().unwrap()["mark"]
            ),
            (&json!(false), &json!("CLAUDECODE"))
        );
    }
    let (code, shown) = at_a_terminal(&project, "2");
    assert_eq!(code, 0, "{shown}");
    assert!(
        shown.contains("recorded: 2 failures in 1 check; from now on only new ones block"),
        "{shown}"
    );
    assert_eq!(project.baseline().len(), 1);
    assert_eq!(attempts(&project).last().unwrap()["done"], true);
    project.run([""; 0]).expect(0, "ok: 1 known");
}

#[test]
fn a_damaged_baseline_is_refused_with_its_line_and_nothing_is_run() {
    let project = recorded();
    let file = ".check/baseline/lint.jsonl";
    let whole = project.read(file);
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(lines.len(), 3);
    let edited = whole.replacen("first", "second", 1);
    let uncounted = whole.replacen("\"count\":1", "\"count\":99", 1);
    let cut = &whole[..whole.len() - 20];
    let cut_at_a_line = whole.trim_end();
    let conflict = format!(
        "{}\n<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> topic\n",
        lines[0], lines[1], lines[2]
    );
    let twice = format!("{whole}{}\n", lines[1]);
    let again = "take .check/baseline/lint.jsonl from git again, or delete it and then check baseline record --only lint";
    let cases: [(&str, u32, &str, &str); 8] = [
        (
            &conflict,
            2,
            "holds a conflict marker",
            "take one side, then check baseline record",
        ),
        (
            &edited,
            2,
            "does not match its own line_sum: it was edited by hand",
            again,
        ),
        (
            &uncounted,
            2,
            "does not match its own line_sum: it was edited by hand",
            again,
        ),
        (cut, 3, "is cut short", again),
        (cut_at_a_line, 3, "is cut short", again),
        (&twice, 4, "holds a record twice", again),
        ("", 1, "is empty", again),
        (
            "{\"format\":9,\"check\":\"lint\"}\n",
            1,
            "has format 9, and this version of check knows 1",
            "use the version of check that wrote it, or a newer one",
        ),
    ];
    for (text, line, what, hint) in cases {
        project.write(file, text);
        let before = project.baseline();
        for args in [
            &[][..],
            &["baseline", "record"],
            &["baseline", "tighten"],
            &["baseline", "show"],
        ] {
            let ran = project.run(args);
            assert_eq!(ran.code, 2, "{what} {args:?}: {}", ran.stdout);
            ran.has(&format!("{file}:{line}: {what}"));
            assert!(ran.stdout.contains(hint), "{what}: {}", ran.stdout);
            assert!(
                ran.last_line().starts_with("no verdict: 1 problem in "),
                "{}",
                ran.stdout
            );
            untouched(&project, &before);
        }
        let (code, verdict) = project.json(&[]);
        assert_eq!((code, &verdict["verdict"]), (2, &json!("none")));
        let diagnostic = &verdict["diagnostics"][0];
        assert_eq!(
            (
                &diagnostic["path"],
                &diagnostic["line"],
                &diagnostic["message"]
            ),
            (&json!(file), &json!(line), &json!(what))
        );
        assert!(diagnostic["hint"].as_str().unwrap().contains(hint));
    }
    project.write(file, &whole);
    project.run([""; 0]).expect(0, "ok: 1 known");
}

#[test]
fn a_baseline_through_a_link_is_refused() {
    let refusals = [
        (
            ".check",
            ".check/baseline: is or lies behind a symbolic link",
        ),
        (
            ".check/baseline",
            ".check/baseline: is or lies behind a symbolic link",
        ),
        (
            ".check/baseline/lint.jsonl",
            ".check/baseline/lint.jsonl: is a symbolic link",
        ),
    ];
    for (linked, refusal) in refusals {
        let project = recorded();
        let elsewhere = tempfile::tempdir().unwrap();
        let target = elsewhere.path().join("moved");
        fs::rename(project.path(linked), &target).unwrap();
        symlink(&target, project.path(linked)).unwrap();
        for args in [&[][..], &["baseline", "record"], &["baseline", "tighten"]] {
            let ran = project.run(args);
            assert_eq!(ran.code, 2, "{linked} {args:?}: {}", ran.stdout);
            ran.has(refusal);
            assert!(!project.path("ran").exists(), "nothing was run");
            assert!(
                fs::symlink_metadata(project.path(linked))
                    .unwrap()
                    .is_symlink(),
                "nothing was lost"
            );
        }
    }
}

#[test]
fn without_the_baseline_every_failure_counts() {
    let project = recorded();
    let before = project.baseline();
    project.run([""; 0]).expect(0, "ok: 1 known");
    let ran = project.run(["--no-baseline"]);
    ran.expect(1, "blocked: 1 of 1 check failed");
    ran.has("lint: 2 new");
    let (code, verdict) = project.json(&["--no-baseline"]);
    assert_eq!((code, &verdict["baseline"]["path"]), (1, &json!(null)));
    assert_eq!(project.baseline(), before);
    // A damaged one is then not looked at.
    project.write(".check/baseline/lint.jsonl", "<<<<<<< HEAD\n");
    project
        .run(["--no-baseline"])
        .expect(1, "blocked: 1 of 1 check failed");
}

#[test]
fn a_check_that_moves_the_bar_gets_no_pass() {
    let forged = recorded().read(".check/baseline/lint.jsonl");
    let moves = [
        (
            "echo >> .check/baseline/lint.jsonl",
            ".check/baseline was changed while the checks ran",
        ),
        (
            "rm -r .check",
            ".check/baseline was changed while the checks ran",
        ),
        (
            "echo x > .check/baseline/other.jsonl",
            ".check/baseline was changed while the checks ran",
        ),
        (
            "echo ' ' >> harness.json",
            "harness.json was changed while the checks ran",
        ),
        (
            "rm harness.json",
            "harness.json was changed while the checks ran",
        ),
    ];
    for (body, reason) in moves {
        let project = recorded();
        let manifest = json!({ "checks": [
            { "id": "lint", "executable": "./lint", "output": { "format": "golangci-lint" } },
            { "id": "moves", "executable": "sh", "args": ["-c", body] },
        ]});
        project.write("harness.json", manifest.to_string());
        // A contained check could not do it.
        let ran = project.run(["--uncontained"]);
        ran.expect(2, &format!("no verdict: {reason}"));
        // Nothing is recorded of such a run.
        let project = recorded();
        project.write("harness.json", manifest.to_string());
        let ran = project.run(["baseline", "record", "--uncontained"]);
        ran.expect(2, &format!("no verdict: {reason}; nothing was recorded"));
        // A failure stays a failure.
        let project = recorded();
        project.write("findings", "a.go:3:1: third (x)\n");
        project.write("harness.json", manifest.to_string());
        let ran = project.run(["--uncontained"]);
        ran.expect(1, "blocked: 1 of 2 checks failed");
        ran.has(&format!("note: {reason}"));
    }
    // What it writes into the baseline judges nothing: not this run, and no run is passed by it.
    let project = linted();
    project.write("forged", &forged);
    project.checks(&json!([
        { "id": "forge", "executable": "sh", "args": ["-c", "mkdir -p .check/baseline; cp forged .check/baseline/lint.jsonl"] },
        { "id": "lint", "executable": "./lint", "output": { "format": "golangci-lint" } },
    ]));
    let (code, verdict) = project.json(&["-j", "1"]);
    assert_eq!((code, &check_of(&verdict, "lint")["new"]), (1, &json!(2)));
}

#[test]
fn a_moved_file_takes_its_records_along_and_a_copy_does_not() {
    let project = recorded();
    fs::rename(project.path("a.go"), project.path("b.go")).unwrap();
    project.write("findings", "b.go:1:1: first (x)\nb.go:2:1: second (x)\n");
    project.run([""; 0]).expect(0, "ok: 1 known");
    project.write("a.go", project.read("b.go"));
    project.write(
        "findings",
        "a.go:1:1: first (x)\na.go:2:1: second (x)\nb.go:1:1: first (x)\n",
    );
    let ran = project.run([""; 0]);
    ran.expect(1, "blocked: 1 of 1 check failed");
    assert!(
        ran.stdout.contains("  ✗  lint  1 new, 2 known "),
        "{}",
        ran.stdout
    );
}

#[test]
fn an_interrupted_recording_writes_nothing() {
    let project = recorded();
    let before = project.baseline();
    project.write("findings", "a.go:3:1: third (x)\n");
    project.script(
        "lint",
        "#!/bin/sh\ncat findings\ntouch ran\nkill -TERM $PPID\nsleep 60\n",
    );
    let ran = project.run(["baseline", "record", "--uncontained"]);
    assert_eq!(ran.code, 128 + 15, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(project.baseline(), before);
}
