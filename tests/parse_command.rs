//! `check parse`: a tool's output in, its rows out.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Project, Ran};

/// Runs `check parse ARGS < input`.
fn parse(project: &Project, args: &[&str], input: &[u8]) -> Ran {
    let mut child = project
        .command(["parse"].iter().chain(args))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Whoever refuses its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input);
    Ran::of(&child.wait_with_output().unwrap())
}

fn document(ran: &Ran) -> Value {
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Two failing tests of two packages, as `go test ./...` prints them.
const GO: &str = "--- FAIL: TestEvict (0.00s)\n    --- FAIL: TestEvict/ttl (0.00s)\n        evict_test.go:41: got 3, want 2\n\
                  FAIL\nFAIL\texample.com/tern/internal/cache\t0.01s\nok  \texample.com/tern\t0.01s\nFAIL\n";

#[test]
fn rows_come_as_one_document_with_the_names_of_the_contract() {
    let project = Project::new();
    project.write("go.mod", "module example.com/tern\n");
    project.write(
        "internal/cache/evict_test.go",
        "package cache\n".to_owned() + &"\n".repeat(39) + "\tt.Fatalf(\"got\")\n",
    );
    let ran = parse(&project, &["--command", "go test ./..."], GO.as_bytes());
    let document = document(&ran);
    let names = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert!(
        names(&document).starts_with("version format failures failures_total evidence "),
        "{document}"
    );
    assert!(names(&document).ends_with("notes"), "{document}");
    let rows = document["failures"].as_array().unwrap();
    assert_eq!(document["failures_total"], rows.len());
    assert_eq!(
        names(&rows[0]),
        "path line column test rule level message tool outside source"
    );
    let row = rows
        .iter()
        .find(|row| row["test"] == "TestEvict/ttl")
        .unwrap();
    assert_eq!(
        (&row["path"], &row["line"], &row["message"], &row["source"]),
        (
            &json!("internal/cache/evict_test.go"),
            &json!(41),
            &json!("got 3, want 2"),
            &json!("t.Fatalf(\"got\")")
        )
    );
    assert_eq!(
        names(&document["evidence"]),
        "ran failed skipped claimed stopped_early"
    );
}

#[test]
fn people_get_a_line_a_row() {
    let project = Project::new();
    let args = ["--report", "human", "--root", "/no/such/folder"];
    let input =
        b"src/a.c:3:7: error: no such thing [-Wthing]\n/no/such/folder/b.c:9: warning: hm\n";
    let ran = parse(&project, &args, input);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", ran.stdout);
    assert!(
        lines[0].starts_with("src/a.c:3:7") && lines[1].starts_with("b.c:9"),
        "{}",
        ran.stdout
    );
    assert!(lines[2].starts_with("2 rows"), "{}", ran.stdout);
}

#[test]
fn every_format_that_is_listed_reads_any_bytes_and_nothing_at_all() {
    let project = Project::new();
    let list = document(&project.run(["parse", "--list"]));
    let formats: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["name"].as_str().unwrap())
        .collect();
    for seed in [
        "auto",
        "text",
        "none",
        "go-test",
        "tap",
        "node-test",
        "golangci-lint",
        "generic",
    ] {
        assert!(formats.contains(&seed), "{formats:?}");
    }
    let shown = project.run(["parse", "--list", "--report", "human"]).stdout;
    let mut garbage: Vec<u8> = (0..=255).collect();
    garbage.extend(b"\nnot ok 1 - \xff\x1b[31m\n--- FAIL: \x9b\n\xe2\x9c\x96 \x80\na:\xff:1:2: \x1b]0;x\x07\n{\n");
    garbage.extend((0..100_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8));
    for format in formats {
        assert!(
            shown
                .lines()
                .any(|line| line.split_whitespace().next() == Some(format)),
            "{shown}"
        );
        let read = document(&parse(&project, &["--format", format], &garbage));
        assert_eq!(
            (&read["version"], &read["format"]),
            (&json!(1), &json!(format))
        );
        let human = parse(
            &project,
            &["--format", format, "--report", "human"],
            &garbage,
        );
        assert_eq!(human.code, 0);
        let raw = human.stdout.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(raw, None, "{format} lets a control character through");
        let nothing = document(&parse(&project, &["--format", format], b""));
        assert_eq!(
            (&nothing["failures"], &nothing["failures_total"]),
            (&json!([]), &json!(0)),
            "{format}"
        );
    }
}

#[test]
fn what_it_cannot_do_is_said_and_is_2() {
    let project = Project::new();
    for (args, stderr) in [
        (
            &["--format", "nope"][..],
            "check parse: no format is named \"nope\" (check parse --list names them)\n",
        ),
        (
            &["--command", "go 'test"],
            "check parse: --command has no closing ': go 'test\n",
        ),
    ] {
        let ran = parse(&project, args, GO.as_bytes());
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
            (2, "", stderr)
        );
    }
    let ran = parse(&project, &["--report", "xml"], b"");
    ran.expect(2, "no verdict: invalid value 'xml' for '--report <REPORT>'");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let project = Project::new();
    let mut child = project
        .command(["parse", "--report", "human"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let many = "src/a.c:3:7: no such thing\n".repeat(10_000);
    let _ = child.stdin.take().unwrap().write_all(many.as_bytes());
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}
