//! `manifest::parse_go_duration` against real Go, on texts that nobody chose.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use harness_check::manifest::{GoDurationError, parse_go_duration};

use crate::support::has_tool;

/// Reads a text a line, in hex; says a line for each.
const PROGRAM: &str = r#"package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		text, _ := hex.DecodeString(in.Text())
		d, err := time.ParseDuration(string(text))
		switch {
		case err == nil:
			fmt.Fprintln(out, int64(d))
		case strings.Contains(err.Error(), "missing unit"):
			fmt.Fprintln(out, "missing unit")
		case strings.Contains(err.Error(), "unknown unit"):
			fmt.Fprintln(out, "unknown unit")
		default:
			fmt.Fprintln(out, "invalid")
		}
	}
}
"#;

/// What [`PROGRAM`] must say of `text`.
fn said(text: &str) -> String {
    match parse_go_duration(text) {
        Ok(nanoseconds) => nanoseconds.to_string(),
        Err(GoDurationError::MissingUnit) => "missing unit".to_owned(),
        Err(GoDurationError::UnknownUnit(_)) => "unknown unit".to_owned(),
        Err(GoDurationError::Invalid | GoDurationError::Overflow) => "invalid".to_owned(),
    }
}

/// A fixed sequence of numbers without a pattern.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn digits(&mut self) -> String {
        // Around the largest number, where the rules are finest.
        const EDGES: [&str; 8] = [
            "9223372036854775807",
            "9223372036854775808",
            "9223372036854775809",
            "922337203685477580",
            "2562047",
            "153722867",
            "18446744073709551616",
            "0",
        ];
        if self.below(6) == 0 {
            return self.pick(&EDGES).to_owned();
        }
        let most = [1, 2, 4, 10, 24][self.below(5)];
        let length = self.below(most + 1);
        (0..length)
            .map(|_| char::from(b"0123456789"[self.below(10)]))
            .collect()
    }

    fn text(&mut self) -> String {
        const UNITS: [&str; 16] = [
            "ns", "us", "\u{b5}s", "\u{3bc}s", "ms", "s", "m", "h", "h", "m", "s", "d", "S", "",
            " ", "min",
        ];
        let mut text = self.pick(&["", "", "", "", "-", "+", "--", " "]).to_owned();
        for _ in 0..=self.below(4) {
            text += &self.digits();
            if self.below(3) == 0 {
                text.push('.');
                text += &self.digits();
            }
            // Mostly one that exists, so that most texts get far.
            let known = if self.below(8) == 0 { UNITS.len() } else { 8 };
            text += UNITS[self.below(known)];
        }
        text
    }
}

#[test]
fn durations_mean_what_go_says_they_mean() {
    if !has_tool("go") {
        return;
    }
    let mut random = Random(2026);
    let mut texts: Vec<String> = (0..6000).map(|_| random.text()).collect();
    texts.extend(["", "0", "1h 30m", "90", "1e3s", "\u{661}s", "1s\0"].map(str::to_owned));

    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("main.go");
    fs::write(&program, PROGRAM).unwrap();
    let mut input = String::new();
    for text in &texts {
        input += &harness_check::text::hex(text.as_bytes());
        input.push('\n');
    }
    let mut go = Command::new("go")
        .arg("run")
        .arg(&program)
        .current_dir(dir.path())
        .env("GOFLAGS", "")
        .env("GOWORK", "off")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The program reads while it writes, so the input goes in beside the reading.
    let mut stdin = go.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = go.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());

    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), texts.len());
    let accepted = answers
        .iter()
        .filter(|answer| answer.parse::<i64>().is_ok())
        .count();
    assert!(
        accepted > 1000,
        "too few of the texts are durations: {accepted}"
    );
    for (text, answer) in texts.iter().zip(answers) {
        assert_eq!(said(text), answer, "{text:?}");
    }
}
