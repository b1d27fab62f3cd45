use std::fs;
use std::path::Path;

use regex::bytes::Regex;

use crate::model::{Channel, Exit, Failure, Findings, OutputSpec, Streams};

use super::{Extractor, Setup, Stream, streams};

fn read(setup: &Setup<'_>, stdout: &str, stderr: &str, code: i32) -> (Vec<Failure>, Findings) {
    let mut extractor = Extractor::new(setup).unwrap();
    let mut rows = Vec::new();
    extractor.feed(Stream::Stderr, stderr.as_bytes(), &mut |row| rows.push(row));
    extractor.feed(Stream::Stdout, stdout.as_bytes(), &mut |row| rows.push(row));
    let findings = extractor.finish(Some(Exit::Code(code)), &mut |row| rows.push(row));
    (rows, findings)
}

fn words(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_owned).collect()
}

fn with_command(command: &str, stdout: &str, stderr: &str, code: i32) -> (Vec<Failure>, Findings) {
    let argv = words(command);
    let setup = Setup {
        root: Path::new("/r"),
        cwd: ".",
        argv: &argv,
        format: "auto",
        pattern: None,
        channel: Channel::Both,
        joined: false,
    };
    read(&setup, stdout, stderr, code)
}

fn place(row: &Failure) -> (Option<&str>, Option<u32>) {
    (row.path.as_deref(), row.line)
}

#[test]
fn a_go_failure_is_placed_in_the_folder_of_its_package() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fs::create_dir_all(root.join("svc/cart")).unwrap();
    fs::write(root.join("svc/go.mod"), "module example.com/shop\n").unwrap();
    fs::write(root.join("svc/cart/cart_test.go"), "").unwrap();
    let stdout = "--- FAIL: TestA (0.00s)\n    cart_test.go:3: bad\n--- FAIL: TestB (0.00s)\n    elsewhere.go:9: bad\n\
        FAIL\nFAIL\texample.com/shop/cart\t0.1s\nFAIL\texample.com/shop/b [build failed]\nFAIL\n";
    let stderr = "# example.com/shop/b\nb/b.go:2:23: cannot use \"x\"\n\thave string\n";
    let (argv, pattern) = (words("go test ./..."), None);
    let setup = Setup {
        root,
        cwd: "svc",
        argv: &argv,
        format: "auto",
        pattern,
        channel: Channel::Both,
        joined: false,
    };
    let (rows, findings) = read(&setup, stdout, stderr, 1);
    let placed: Vec<_> = rows.iter().map(place).collect();
    // A name that the package's folder does not have is not put there.
    assert_eq!(
        placed,
        [
            (Some("svc/cart/cart_test.go"), Some(3)),
            (Some("elsewhere.go"), Some(9)),
            (Some("svc/b/b.go"), Some(2))
        ]
    );
    assert_eq!(rows[2].message, "cannot use \"x\"\nhave string");
    assert_eq!(findings.not_built, ["svc/b"]);
    let evidence = findings.evidence.unwrap();
    assert_eq!(
        (evidence.claimed, evidence.failed, evidence.ran),
        (Some(3), Some(3), None)
    );
}

#[test]
fn a_test_that_prints_failures_and_passes_has_none() {
    let stdout = "=== RUN   TestA\n--- FAIL: TestFake (0.00s)\n    x_test.go:1: fake\nFAIL\texample.com/fake\t0.1s\n\
        --- PASS: TestA (0.00s)\nPASS\nok  \texample.com/a\t0.1s\n";
    let (rows, findings) = with_command("go test -v ./...", stdout, "", 0);
    assert_eq!(rows, []);
    let evidence = findings.evidence.unwrap();
    assert_eq!((evidence.ran, evidence.claimed), (Some(1), None));
    assert_eq!(findings.nothing_ran, None);
}

#[test]
fn a_masked_failure_is_still_claimed() {
    let stdout =
        "--- FAIL: TestA (0.00s)\n    a_test.go:3: bad\nFAIL\nFAIL\texample.com/a\t0.1s\nFAIL\n";
    let (rows, findings) = with_command("go test ./...", stdout, "", 0);
    assert_eq!(rows.len(), 1);
    assert_eq!(findings.evidence.unwrap().claimed, Some(1));
}

#[test]
fn zero_tests_are_seen_only_where_every_count_is_zero() {
    let nothing =
        |command: &str, stdout: &str| with_command(command, stdout, "", 0).1.nothing_ran.is_some();
    let none = "?   \tx/a\t[no test files]\nok  \tx/b\t0.1s [no tests to run]\n";
    assert!(nothing("go test ./...", none));
    assert!(!nothing(
        "go test ./...",
        &format!("{none}ok  \tx/c\t0.1s\n")
    ));
    let target = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    assert!(nothing("cargo test", target));
    assert!(!nothing(
        "cargo test",
        &format!(
            "{target}running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n"
        )
    ));
    assert!(nothing("node --test", "TAP version 13\n1..0\n# tests 0\n"));
    assert!(nothing("node --test", "ℹ tests 0\nℹ pass 0\n"));
    assert!(nothing("perl t/a.t", "1..0 # SKIP none\n"));
    assert!(!nothing("make test", ""));
}

#[test]
fn an_environment_failure_needs_a_failing_exit_and_no_row() {
    let stderr = "sh: 1: eslint: not found\nmake: *** [Makefile:3: lint] Error 127\n";
    let seen = |stdout: &str, code| {
        with_command("make lint", stdout, stderr, code)
            .1
            .environment
            .is_some()
    };
    assert!(seen("", 2));
    assert!(!seen("", 0));
    assert!(!seen("a.c:3:5: error: bad\n", 2));
    let fetch = "main.go:3:8: golang.org/x/text@v0.3.0: Get \"https://proxy.golang.org/x\": dial tcp: lookup proxy.golang.org: no such host\n";
    let (rows, findings) = with_command("go vet ./...", "", fetch, 1);
    assert_eq!(rows, []);
    assert_eq!(
        findings.environment.unwrap().reason,
        "module golang.org/x/text is not downloaded"
    );
    let config = "level=error msg=\"Running error: no go files to analyze\"\n";
    assert!(
        with_command("golangci-lint run", "", config, 5)
            .1
            .environment
            .is_some()
    );
    assert!(
        with_command("golangci-lint run", "", config, 1)
            .1
            .environment
            .is_none()
    );
}

#[test]
fn a_pattern_keeps_matching_rows_and_lowers_the_claim() {
    let argv = words("golangci-lint run");
    let pattern = Regex::new(r"\(errcheck\)$").unwrap();
    let setup = Setup {
        root: Path::new("/r"),
        cwd: ".",
        argv: &argv,
        format: "auto",
        pattern: Some(&pattern),
        channel: Channel::Both,
        joined: true,
    };
    let stdout = "a.go:1:2: one (errcheck)\na.go:2:2: two (unused)\n2 issues:\n* errcheck: 1\n";
    let (rows, findings) = read(&setup, stdout, "", 1);
    assert_eq!(rows.len(), 1);
    assert_eq!(findings.evidence.unwrap().claimed, Some(1));
}

#[test]
fn two_equal_findings_are_two_rows_and_a_bail_out_is_early() {
    let twice = "a.go:1:2: one (errcheck)\na.go:1:2: one (errcheck)\n";
    assert_eq!(with_command("golangci-lint run", twice, "", 1).0.len(), 2);
    let (rows, findings) = with_command("bats t", "1..3\nok 1 a\nBail out! gone\n", "", 1);
    assert_eq!(rows[0].message, "gone");
    assert!(findings.evidence.unwrap().stopped_early);
}

#[test]
fn an_expected_failure_of_nodes_spec_reporter_is_none() {
    let stdout = "✔ a (1.2ms)\n✖ later (0.2ms) # TODO\n  Error: x\nℹ tests 2\nℹ pass 1\nℹ fail 0\nℹ todo 1\n\n\
        ✖ failing tests:\n\ntest at a.test.js:4:1\n✖ later (0.2ms) # TODO\n  Error: x\n      at f (file:///r/a.test.js:4:5)\n";
    let (rows, findings) = with_command("node --test", stdout, "", 0);
    assert_eq!(rows, []);
    assert_eq!(findings.evidence.unwrap().claimed, Some(0));
}

#[test]
fn one_stray_line_of_a_runners_shape_hides_nothing_after_it() {
    let error = "a.c:3:5: error: bad\n";
    for stray in [
        "✖ 2 things\n",
        "1..9\n",
        "failures:\n",
        "# a/b\n",
        "ok 1\n",
        "panic: x\n",
        "a.js\n",
        "error: words\n",
        "=== test session starts ===\n",
        "=== 1 failed in 0.10s ===\n",
        "=== short test summary info ===\nFAILED a.py::b - c\n",
    ] {
        let (rows, _) = with_command("make all", &format!("{stray}{error}"), "", 2);
        assert_eq!(
            rows.iter().map(place).collect::<Vec<_>>(),
            [(Some("a.c"), Some(3))],
            "{stray}"
        );
    }
}

#[test]
fn streams_are_joined_where_one_story_is_told_on_both() {
    let joined =
        |command: &str, output: &OutputSpec| streams(&words(command), output) == Streams::Joined;
    let auto = OutputSpec::default();
    assert!(joined("cargo test", &auto));
    assert!(!joined("go test ./...", &auto));
    let shell = "/bin/sh -c golangci-lint";
    assert!(joined(shell, &auto));
    let text = OutputSpec {
        format: "text",
        ..OutputSpec::default()
    };
    assert!(!joined(shell, &text));
    let declared = OutputSpec {
        streams: Some(Streams::Joined),
        ..text
    };
    assert!(joined("go vet", &declared));
    for channel in [Channel::Stdout, Channel::Stderr] {
        let one = OutputSpec {
            channel,
            ..declared.clone()
        };
        assert!(!joined(shell, &one));
    }
}

fn of_format<'a>(format: &'a str, pattern: Option<&'a Regex>, channel: Channel) -> Setup<'a> {
    Setup {
        root: Path::new("/r"),
        cwd: ".",
        argv: &[],
        format,
        pattern,
        channel,
        joined: false,
    }
}

fn messages(setup: &Setup<'_>, stdout: &str, stderr: &str, code: i32) -> Vec<String> {
    let (rows, _) = read(setup, stdout, stderr, code);
    rows.into_iter().map(|row| row.message).collect()
}

#[test]
fn text_has_the_rows_of_stdout_first_and_those_of_the_channel_only() {
    let lines = |channel| {
        let setup = of_format("text", None, channel);
        messages(&setup, "out 1\nout 2", "err 1\nerr 2", 1)
    };
    assert_eq!(lines(Channel::Both), ["out 1", "out 2", "err 1", "err 2"]);
    assert_eq!(lines(Channel::Stdout), ["out 1", "out 2"]);
    assert_eq!(lines(Channel::Stderr), ["err 1", "err 2"]);
}

#[test]
fn the_other_channel_is_not_read_by_any_format() {
    let error = "a.c:3:5: error: bad\n";
    for (channel, code) in [(Channel::Stdout, 1), (Channel::Stderr, 1)] {
        let setup = of_format("auto", None, channel);
        let out = read(&setup, error, "", code).0.len();
        let err = read(&setup, "", error, code).0.len();
        let wanted = usize::from(channel == Channel::Stdout);
        assert_eq!((out, err), (wanted, 1 - wanted));
    }
    let setup = of_format("auto", None, Channel::Stdout);
    let (_, findings) = read(&setup, "", "sh: 1: eslint: not found\n", 1);
    assert_eq!(findings.environment, None);
}

#[test]
fn lines_of_a_check_that_lacks_its_tool_are_no_rows_unless_a_pattern_chose_them() {
    let setup = of_format("text", None, Channel::Both);
    let missing = "sh: 1: gofmt: not found";
    let (rows, findings) = read(&setup, "a.go:3: bad\n", missing, 1);
    assert_eq!(rows, []);
    assert!(findings.environment.unwrap().reason.contains("gofmt"));
    for code in [126, 127] {
        assert_eq!(messages(&setup, "a.go:3: bad\n", "", code).len(), 0);
    }
    let far = format!("{missing}\n{}", "more\n".repeat(20));
    assert_eq!(messages(&setup, "", &far, 1).len(), 21);
    let pattern = Regex::new("^a").unwrap();
    let chosen = of_format("text", Some(&pattern), Channel::Both);
    for code in [1, 127] {
        assert_eq!(
            messages(&chosen, "a.go:3: bad\n", missing, code),
            ["a.go:3: bad"]
        );
    }
}

#[test]
fn the_format_none_reads_nothing() {
    let setup = Setup {
        root: Path::new("/r"),
        cwd: ".",
        argv: &[],
        format: "none",
        pattern: None,
        channel: Channel::Both,
        joined: true,
    };
    let (rows, findings) = read(&setup, "a.c:3:5: error: bad\n", "", 1);
    assert_eq!((rows.len(), findings.evidence), (0, None));
}
