//! Output that is made to be slow, or large, to read. Every parser reads each piece in time and
//! memory that its bounds allow; one that went over what it has read again and again would not
//! come to an end here.

use std::path::Path;

use crate::model::{Channel, Exit, Failure, Findings};

use super::lines::HEAD;
use super::{Extractor, Setup, Stream, formats};

fn read(format: &str, output: &str, size: usize) -> (Vec<Failure>, Findings) {
    let setup = Setup {
        root: Path::new("/nowhere"),
        cwd: ".",
        argv: &[],
        format,
        pattern: None,
        channel: Channel::Both,
        joined: true,
    };
    let mut extractor = Extractor::new(&setup).unwrap();
    let mut rows = Vec::new();
    for chunk in output.as_bytes().chunks(size) {
        extractor.feed(Stream::Stdout, chunk, &mut |row| rows.push(row));
    }
    let findings = extractor.finish(Some(Exit::Code(1)), &mut |row| rows.push(row));
    (rows, findings)
}

/// A line as long as one is read that begins with `begin` and goes on with `more` again and again.
fn line(begin: &str, more: &str) -> String {
    let times = (HEAD - begin.len()) / more.len();
    format!("{begin}{}\n", more.repeat(times))
}

fn pieces() -> Vec<String> {
    let session = "=== test session starts ===\nplatform linux -- Python 3, pytest-9.0\n\
         === short test summary info ===\n";
    let tap = "TAP version 13\n";
    let deep: Vec<String> = (0..200)
        .map(|n| {
            format!(
                "{}--- FAIL: T{} (0.00s)\n",
                " ".repeat(4 * n),
                "/t".repeat(n)
            )
        })
        .collect();
    let deep = deep.concat();
    vec![
        format!("{session}{}", line("FAILED a.py::t[", " - ")),
        format!("{session}{}", line("SUBFAILED[", "] ")),
        line("✖ ", "ms) # "),
        line("✖ ", "(1ms) # (2"),
        line("not ok 1 - ", "# TODO \\\\"),
        line("ok 1 - ", "\\"),
        format!(
            "{tap}not ok 1\n  ---\n{}",
            line("  stack: \"", "at f (a.js:1:2) ")
        ),
        format!("{tap}not ok 1 - a\n{}", line("# ", "in test file , line ")),
        line("thread '", "' panicked at "),
        line("--- FAIL: ", "(0.00s) "),
        format!("=== RUN   T\n{}", line("", "--- FAIL: T (0.0s)")),
        format!(
            "{}panic: x\n\ngoroutine 1 [running]:\n{}",
            line("=== RUN   ", "T"),
            "f\n".repeat(20_000)
        ),
        format!("{deep}{}", "\n".repeat(50_000)),
        line("a.c:", "(.text): "),
        line("a.go:1:1: ", "(x) "),
        line("", "("),
        line("a", "(1,"),
        line("", "a.go:1:"),
        line("[", "/"),
        line("error[", "]: "),
        line("1 passed", ", 1 failed in 1s"),
        line("", "="),
        line("", "9"),
        line("", "\u{1b}["),
        "(((\n".repeat(50_000),
        "▶ a\n".repeat(20_000) + &"  ✖ t\n".repeat(20_000) + &"✔ a\n".repeat(20_000),
        format!(
            "{}a.c:1:1: error: x\n",
            line("make: Entering directory '", "d/").repeat(20)
        )
        .repeat(3)
            + &"a.c:1:1: error: x\n".repeat(2000),
    ]
}

#[test]
fn nothing_is_read_again_and_again() {
    for (at, piece) in pieces().iter().enumerate() {
        for format in formats() {
            let (rows, findings) = read(format.name, piece, HEAD);
            let counted = findings.errors + findings.warnings;
            assert_eq!(counted, rows.len() as u64, "{at} as {}", format.name);
        }
    }
}

#[test]
fn how_hostile_output_arrives_changes_nothing() {
    for (at, piece) in pieces().iter().enumerate() {
        assert!(
            read("auto", piece, 7) == read("auto", piece, piece.len()),
            "{at}"
        );
    }
}

#[test]
fn a_line_of_any_length_is_bounded_in_what_is_kept_of_it() {
    let long = "x".repeat(20 * HEAD);
    for format in formats() {
        let output = format!("{long}: error: {long}\n--- FAIL: T{long} (0.00s)\n");
        for row in read(format.name, &output, 4096).0 {
            let kept = [Some(row.message), row.test, row.path];
            let kept: usize = kept.iter().flatten().map(String::len).sum();
            assert!(kept <= 2 * HEAD, "{}: {kept}", format.name);
        }
    }
}
