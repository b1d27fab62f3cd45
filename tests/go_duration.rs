//! Durations against real Go, on texts that nobody chose: by `manifest::parse_go_duration`, and by
//! `check` from a manifest.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use harness_check::manifest::{GoDurationError, parse_go_duration};

use serde_json::{Value, json};

use crate::support::{Project, has_tool};

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

/// Texts that nobody chose, and those that people ask about.
fn texts() -> Vec<String> {
    let mut random = Random(2026);
    let mut texts: Vec<String> = (0..6000).map(|_| random.text()).collect();
    let asked = [
        "",
        "0",
        "-0",
        "+0",
        "0s",
        "1h30m",
        "1.5h",
        ".5s",
        "5.s",
        "300ms",
        "2us",
        "2\u{b5}s",
        "2\u{3bc}s",
        "1h 30m",
        "90",
        "1e3s",
        "\u{661}s",
        "1s\0",
        "1S",
        "1d",
        ".s",
        "+1m",
        "-1m",
        "9223372036854775807ns",
        "9223372036854775808ns",
        "2562047h47m16.854775807s",
        "2562047h47m16.854775808s",
        "0.1ns",
        "0.9999999999ns",
    ];
    texts.extend(asked.map(str::to_owned));
    texts
}

/// What Go makes of each text, a line each.
fn answers(texts: &[String]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("main.go");
    fs::write(&program, PROGRAM).unwrap();
    let mut input = String::new();
    for text in texts {
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
    let answers: Vec<String> = answers.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), texts.len());
    answers
}

#[test]
fn durations_mean_what_go_says_they_mean() {
    if !has_tool("go") {
        return;
    }
    let texts = texts();
    let answers = answers(&texts);
    let accepted = answers
        .iter()
        .filter(|answer| answer.parse::<i64>().is_ok())
        .count();
    assert!(
        accepted > 1000,
        "too few of the texts are durations: {accepted}"
    );
    for (text, answer) in texts.iter().zip(&answers) {
        assert_eq!(said(text), *answer, "{text:?}");
    }
    in_a_manifest(&texts, &answers);
}

/// The same texts as limits of checks, one a line: what Go takes for more than nothing is that
/// limit, an empty text is none, and anything else is refused where it stands.
fn in_a_manifest(texts: &[String], answers: &[String]) {
    let (mut good, mut bad): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
    for (text, answer) in texts.iter().zip(answers) {
        match answer.parse::<i64>() {
            _ if text.is_empty() => good.push((text, None)),
            Ok(nanoseconds) if nanoseconds > 0 => good.push((text, Some(nanoseconds))),
            Ok(_) | Err(_) => bad.push(text),
        }
    }
    let limits: Vec<&String> = good.iter().map(|(text, _)| *text).collect();
    let document = asked("list", &limits);
    let checks = document["checks"].as_array().unwrap();
    assert_eq!(checks.len(), good.len());
    for (check, (text, nanoseconds)) in checks.iter().zip(&good) {
        let milliseconds = nanoseconds.map(|nanoseconds| {
            #[expect(clippy::cast_precision_loss, reason = "compared as loosely")]
            let nanoseconds = nanoseconds as f64;
            nanoseconds / 1e6
        });
        let told = check["timeout_ms"].as_f64();
        let same = match (told, milliseconds) {
            (Some(told), Some(meant)) => (told - meant).abs() <= meant * 1e-12,
            (told, meant) => told == meant,
        };
        assert!(same, "{text:?}: {told:?} is not {milliseconds:?}");
    }
    // In parts, since not more than a thousand problems are listed.
    for part in bad.chunks(1_000) {
        let document = asked("validate", part);
        let told = document["diagnostics"].as_array().unwrap();
        let lines: Vec<u64> = told
            .iter()
            .map(|problem| problem["line"].as_u64().unwrap())
            .collect();
        let expected: Vec<u64> = (2..).take(part.len()).collect();
        assert_eq!(lines, expected, "one problem a line");
        for problem in told {
            let message = problem["message"].as_str().unwrap();
            assert!(message.starts_with("timeout "), "{message}");
        }
    }
}

/// What a command says of a manifest with a check a line, from the second on.
fn asked(command: &str, timeouts: &[&String]) -> Value {
    let check = |(i, timeout): (usize, &&String)| {
        json!({"id": format!("c{i}"), "executable": "go", "timeout": timeout}).to_string()
    };
    let checks: Vec<String> = timeouts.iter().enumerate().map(check).collect();
    let project = Project::without_git();
    let text = format!("{{\"checks\": [\n{}\n]}}\n", checks.join(",\n"));
    project.write("harness.json", text);
    let ran = project.run([command, "--report", "json"]);
    serde_json::from_str(&ran.stdout).unwrap()
}
