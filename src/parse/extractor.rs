//! From the bytes of a check to rows and findings.

use std::path::Path;

use regex::bytes::Regex;

use crate::model::{Exit, Failure, Findings, Level, Streams};

use super::command::{Command, joins_streams};
use super::lane::Lane;
use super::merged::Merged;
use super::paths::Paths;
use super::registry::parsers;

/// Which pipe bytes came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output; with joined streams, both.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What is to be read, and where it ran.
#[derive(Debug, Clone)]
pub struct Setup<'a> {
    /// The tree under test, absolute. It need not exist.
    pub root: &'a Path,
    /// The working folder relative to the root, `.` for the root.
    pub cwd: &'a str,
    /// The command; empty where it is not known.
    pub argv: &'a [String],
    /// See [`super::formats`].
    pub format: &'a str,
    /// Only lines (of `text`) or rows that match are kept. A row is matched as the line
    /// `path:line:column: test: message (rule)`, absent parts left out.
    pub pattern: Option<&'a Regex>,
    /// Both streams come through one pipe, as [`Stream::Stdout`].
    pub joined: bool,
}

/// A format that is not in the registry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no format is named {0:?} (check parse --list names them)")]
pub struct UnknownFormat(pub String);

/// Reads one check's output as it comes. The same rows and findings follow from the same bytes of
/// each stream, however they are split.
pub struct Extractor {
    stdout: Lane,
    stderr: Option<Lane>,
    keep: Keep,
}

/// Which rows go on, and how many did.
struct Keep {
    pattern: Option<Regex>,
    errors: u64,
    warnings: u64,
    /// Rows of level error that the pattern left out.
    left_out: u64,
}

impl Extractor {
    /// An extractor for `setup`; refused where the format is unknown.
    pub fn new(setup: &Setup<'_>) -> Result<Self, UnknownFormat> {
        let command = Command::of(setup.argv);
        let mut paths = Paths::new(setup.root, setup.cwd);
        if let Some(folder) = &command.folder {
            paths.enter(folder);
        }
        let lane = || {
            parsers(setup.format, &command, setup.pattern)
                .map(|entries| Lane::new(entries, paths.clone(), setup.format != "text"))
                .ok_or_else(|| UnknownFormat(setup.format.to_owned()))
        };
        // `text` applies the pattern to lines itself.
        let pattern = setup.pattern.filter(|_| setup.format != "text").cloned();
        Ok(Self {
            stdout: lane()?,
            stderr: if setup.joined { None } else { Some(lane()?) },
            keep: Keep {
                pattern,
                errors: 0,
                warnings: 0,
                left_out: 0,
            },
        })
    }

    /// Reads `bytes`, of any length, cut anywhere. Rows leave as soon as they are certain.
    pub fn feed(&mut self, stream: Stream, bytes: &[u8], rows: &mut dyn FnMut(Failure)) {
        let keep = &mut self.keep;
        let lane = match (stream, &mut self.stderr) {
            (Stream::Stderr, Some(stderr)) => stderr,
            _ => &mut self.stdout,
        };
        lane.feed(bytes, &mut |row| keep.row(row, rows));
    }

    /// The output has ended; `exit` is `None` where it is not known.
    pub fn finish(mut self, exit: Option<Exit>, rows: &mut dyn FnMut(Failure)) -> Findings {
        let mut findings = Findings::default();
        let mut merged = Merged::default();
        for lane in [Some(&mut self.stdout), self.stderr.as_mut()]
            .into_iter()
            .flatten()
        {
            let keep = &mut self.keep;
            lane.finish(
                exit,
                &mut |row| keep.row(row, rows),
                &mut merged,
                &mut findings,
            );
        }
        findings.errors = self.keep.errors;
        findings.warnings = self.keep.warnings;
        merged.settle(self.keep.left_out, &mut findings);
        let no_row = findings.errors + findings.warnings + self.keep.left_out == 0;
        if no_row && exit != Some(Exit::Code(0)) {
            let lanes = [Some(&mut self.stdout), self.stderr.as_mut()];
            let seen = lanes.into_iter().flatten().find_map(Lane::environment);
            findings.environment = findings.environment.take().or(seen);
        } else {
            findings.environment = None;
        }
        findings
    }
}

impl Keep {
    fn row(&mut self, row: Failure, rows: &mut dyn FnMut(Failure)) {
        if let Some(pattern) = &self.pattern
            && !pattern.is_match(one_line(&row).as_bytes())
        {
            self.left_out += u64::from(row.level == Level::Error);
            return;
        }
        match row.level {
            Level::Error => self.errors += 1,
            Level::Warning => self.warnings += 1,
        }
        rows(row);
    }
}

/// A row as a linter would print it.
fn one_line(row: &Failure) -> String {
    let mut line = String::new();
    if let Some(path) = &row.path {
        line.push_str(path);
        for number in [row.line, row.column].into_iter().flatten() {
            line.push(':');
            line.push_str(&number.to_string());
        }
        line.push_str(": ");
    }
    if let Some(test) = &row.test {
        line.push_str(test);
        line.push_str(": ");
    }
    line.push_str(&row.message);
    if let Some(rule) = &row.rule {
        line.push_str(" (");
        line.push_str(rule);
        line.push(')');
    }
    line
}

/// How the streams of `argv` are read where its manifest does not say: joined where one tool
/// spreads a fact over both.
pub fn default_streams(argv: &[String]) -> Streams {
    if joins_streams(argv) {
        Streams::Joined
    } else {
        Streams::Split
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use regex::bytes::Regex;

    use crate::model::{Exit, Failure, Findings, Streams};

    use super::{Extractor, Setup, Stream, default_streams};

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

    fn with_command(
        command: &str,
        stdout: &str,
        stderr: &str,
        code: i32,
    ) -> (Vec<Failure>, Findings) {
        let argv = words(command);
        let setup = Setup {
            root: Path::new("/r"),
            cwd: ".",
            argv: &argv,
            format: "auto",
            pattern: None,
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
        let stdout = "--- FAIL: TestA (0.00s)\n    a_test.go:3: bad\nFAIL\nFAIL\texample.com/a\t0.1s\nFAIL\n";
        let (rows, findings) = with_command("go test ./...", stdout, "", 0);
        assert_eq!(rows.len(), 1);
        assert_eq!(findings.evidence.unwrap().claimed, Some(1));
    }

    #[test]
    fn zero_tests_are_seen_only_where_every_count_is_zero() {
        let nothing = |command: &str, stdout: &str| {
            with_command(command, stdout, "", 0).1.nothing_ran.is_some()
        };
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
        assert_eq!(default_streams(&words("cargo test")), Streams::Joined);
        assert_eq!(default_streams(&words("go test ./...")), Streams::Split);
    }

    #[test]
    fn the_format_none_reads_nothing() {
        let setup = Setup {
            root: Path::new("/r"),
            cwd: ".",
            argv: &[],
            format: "none",
            pattern: None,
            joined: true,
        };
        let (rows, findings) = read(&setup, "a.c:3:5: error: bad\n", "", 1);
        assert_eq!((rows.len(), findings.evidence), (0, None));
    }
}
