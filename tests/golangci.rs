//! Linters with more findings than anyone reads: nothing stands between them and the baseline.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::{Project, Ran, check_of, has_tool};

/// A Go file whose function drops `count` errors, one a line.
fn dropped(package: &str, function: &str, count: usize) -> String {
    let mut text = format!(
        "// Package {package} drops errors.\npackage {package}\n\nimport \"os\"\n\n// {function} is careless.\nfunc {function}() {{\n"
    );
    for number in 0..count {
        writeln!(text, "\tos.Remove(\"{function}-{number}\")").unwrap();
    }
    text + "}\n"
}

/// A module with `files` files in as many packages, `each` dropped errors in each.
fn careless(files: usize, each: usize) -> Project {
    let project = Project::new();
    project.write("go.mod", "module example.invalid/careless\n\ngo 1.22\n");
    for file in 0..files {
        project.write(
            &format!("p{file:02}/drop.go"),
            dropped(&format!("p{file:02}"), "Drop", each),
        );
    }
    project
}

fn no_caps(project: &Project) {
    project.write(
        ".golangci.yml",
        "version: \"2\"\nissues:\n  max-issues-per-linter: 0\n  max-same-issues: 0\n",
    );
}

/// golangci-lint lets one of it run on a machine at a time, if it is not told otherwise.
fn lint(project: &Project) {
    project.check(
        "lint",
        &["golangci-lint", "run", "--allow-parallel-runners", "./..."],
    );
}

/// 1,400 are all recorded and known; the 1,401st is new, alone.
#[track_caller]
fn all_recorded_all_known_and_one_more_is_new(
    project: &Project,
    files: usize,
    one_more: impl FnOnce(),
    new: &str,
) {
    let ran = project.run([""; 0]);
    ran.expect(1, "blocked: 1 of 1 check failed");
    let listed: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.contains(".go:"))
        .collect();
    assert_eq!(listed.len(), 10, "{}", ran.stdout);
    ran.has("… and 1,390 more (check last -v lint)");
    ran.has("lint: 1,400 new");

    let (code, verdict) = project.json(&[]);
    let check = check_of(&verdict, "lint");
    assert_eq!(
        (code, check["failures"].as_array().unwrap().len()),
        (1, 200)
    );
    assert_eq!(
        (&check["failures_total"], &check["new"]),
        (&json!(1400), &json!(1400))
    );

    let recorded = project.run(["baseline", "record"]);
    assert_eq!(
        (recorded.code, recorded.stdout.as_str()),
        (
            0,
            &*format!(
                "  lint  1,400 failures in {files} files   .check/baseline/lint.jsonl\n\
                 commit it:  git add .check/baseline && git commit -m \"Record the check baseline\"\n\
                 recorded: 1,400 failures in 1 check; from now on only new ones block\n"
            )
        )
    );
    assert_eq!(counted(project), 1400);
    let before = project.baseline();
    assert_eq!(project.run(["baseline", "record"]).code, 0);
    assert_eq!(
        project.baseline(),
        before,
        "recording twice is byte-identical"
    );
    let ran = project.run([""; 0]);
    ran.expect(0, "ok: 1 known");
    assert!(
        ran.stdout.contains("  ~  lint  known (1,400) "),
        "{}",
        ran.stdout
    );

    one_more();
    let ran = project.run([""; 0]);
    ran.expect(1, "blocked: 1 of 1 check failed");
    assert!(
        ran.stdout.contains("  ✗  lint  1 new, 1,400 known "),
        "{}",
        ran.stdout
    );
    ran.has("lint: 1 new");
    let listed: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.contains(".go:"))
        .collect();
    assert_eq!(listed, [new]);
    let (_, verdict) = project.json(&[]);
    let check = check_of(&verdict, "lint");
    assert_eq!(
        (&check["failures_total"], &check["new"], &check["known"]),
        (&json!(1401), &json!(1), &json!(1400))
    );
    let rows = check["failures"].as_array().unwrap();
    assert_eq!(
        (rows.len(), &rows[0]["state"]),
        (200, &json!("new")),
        "the new one comes first"
    );
    assert!(rows[1..].iter().all(|row| row["state"] == "known"));
    let shown = &rows[0];
    assert!(new.starts_with(&format!(
        "{}:{}:",
        shown["path"].as_str().unwrap(),
        shown["line"]
    )));
}

/// Failures in the baseline of `lint`.
fn counted(project: &Project) -> u64 {
    let text = project.read(".check/baseline/lint.jsonl");
    let records = text
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    records
        .map(|record| record["count"].as_u64().unwrap())
        .sum()
}

#[test]
fn a_linter_with_1400_findings_is_known_and_the_1401st_is_new() {
    if !has_tool("golangci-lint") || !has_tool("go") {
        return;
    }
    let project = careless(14, 100);
    no_caps(&project);
    lint(&project);
    let one_more = || {
        project.edit(
            "p07/drop.go",
            "\tos.Remove(\"Drop-50\")\n",
            "\tos.Remove(\"Drop-50\")\n\tos.RemoveAll(\"one more\")\n",
        );
    };
    let new = "p07/drop.go:59:14: Error return value of `os.RemoveAll` is not checked (errcheck)";
    all_recorded_all_known_and_one_more_is_new(&project, 14, one_more, new);
}

#[test]
fn the_same_of_a_script_that_prints_such_lines() {
    let project = Project::new();
    let print = |extra: &str| {
        project.script(
            "lint",
            &format!(
                "#!/bin/sh\ni=0\nwhile [ $i -lt 1400 ]; do\n  echo \"pkg/f$((i % 20)).go:$((i + 1)):2: finding number $i (custom)\"\n  i=$((i + 1))\ndone\n{extra}echo '1400 issues:'\nexit 1\n"
            ),
        );
    };
    print("");
    project.checks(
        &json!([{ "id": "lint", "executable": "./lint", "output": { "format": "golangci-lint" } }]),
    );
    let one_more = || print("echo 'pkg/f3.go:9:9: one more (custom)'\n");
    all_recorded_all_known_and_one_more_is_new(
        &project,
        20,
        one_more,
        "pkg/f3.go:9:9: one more (custom)",
    );
}

#[test]
fn one_more_of_a_kind_that_is_recorded_often_is_new() {
    let project = Project::new();
    // The same finding on the same source line, three times: a multiset, not a set.
    project.write("a.go", "x()\nx()\nx()\nx()\n");
    let print = |times: usize| {
        let lines: String = (1..=times).fold(String::new(), |mut all, n| {
            let _ = writeln!(all, "echo 'a.go:{n}:1: unchecked (errcheck)'");
            all
        });
        project.script("lint", &format!("#!/bin/sh\n{lines}exit 1\n"));
    };
    project.checks(
        &json!([{ "id": "lint", "executable": "./lint", "output": { "format": "golangci-lint" } }]),
    );
    print(3);
    project.run(["baseline", "record"]).expect(
        0,
        "recorded: 3 failures in 1 check; from now on only new ones block",
    );
    project.run([""; 0]).expect(0, "ok: 1 known");
    print(4);
    let ran = project.run([""; 0]);
    ran.expect(1, "blocked: 1 of 1 check failed");
    assert!(
        ran.stdout.contains("  ✗  lint  1 new, 3 known "),
        "{}",
        ran.stdout
    );
    print(2);
    let ran = project.run([""; 0]);
    ran.expect(0, "ok: 1 known");
    assert!(ran.stdout.contains("known (2), 1 fixed"), "{}", ran.stdout);
}

#[test]
fn golangci_lints_own_cap_is_noted_when_recording() {
    if !has_tool("golangci-lint") || !has_tool("go") {
        return;
    }
    // Many functions, so that its other cap, three of a text, is not reached first.
    let functions = [
        "Remove",
        "RemoveAll",
        "Chdir",
        "Mkdir",
        "Setenv",
        "Unsetenv",
        "Truncate",
        "Chmod",
        "Rename",
        "Symlink",
        "Link",
        "MkdirAll",
        "Chown",
        "Lchown",
        "WriteFile",
        "Chtimes",
        "Pipe",
        "Getwd",
        "Hostname",
        "UserHomeDir",
        "Executable",
    ];
    let project = Project::new();
    project.write("go.mod", "module example.invalid/capped\n\ngo 1.22\n");
    let mut text = "// Package capped drops errors.\npackage capped\n\nimport (\n\t\"os\"\n\t\"time\"\n)\n\n// Drop is careless.\nfunc Drop() {\n".to_owned();
    for function in functions {
        let args = match function {
            "Setenv" | "Rename" | "Symlink" | "Link" => "\"a\", \"b\"",
            "Mkdir" | "MkdirAll" | "Chmod" => "\"a\", 0o700",
            "Truncate" => "\"a\", 0",
            "Chown" | "Lchown" => "\"a\", 0, 0",
            "WriteFile" => "\"a\", nil, 0o600",
            "Chtimes" => "\"a\", time.Time{}, time.Time{}",
            "Pipe" | "Getwd" | "Hostname" | "UserHomeDir" | "Executable" => "",
            _ => "\"a\"",
        };
        for _ in 0..3 {
            writeln!(text, "\tos.{function}({args})").unwrap();
        }
    }
    project.write("drop.go", text + "}\n");
    lint(&project);
    let recorded = project.run(["baseline", "record"]);
    assert_eq!(
        recorded.stdout,
        "  lint  50 failures in 1 file   .check/baseline/lint.jsonl\n\
         note: errcheck has exactly 50. golangci-lint stops at 50 a linter and 3 a text,\n  \
         so each fix will uncover another. Set issues.max-issues-per-linter and\n  \
         issues.max-same-issues to 0, then record again.\n\
         commit it:  git add .check/baseline && git commit -m \"Record the check baseline\"\n\
         recorded: 50 failures in 1 check; from now on only new ones block\n"
    );
    no_caps(&project);
    let recorded: Ran = project.run(["baseline", "record"]);
    recorded.lacks("note:");
    recorded.expect(
        0,
        "recorded: 63 failures in 1 check; from now on only new ones block",
    );
}
