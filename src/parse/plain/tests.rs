use std::fs;
use std::path::Path;

use regex::bytes::Regex;

use crate::model::{Exit, Failure};

use super::super::lines::HEAD;
use super::super::parser::{Out, Parser as _, Tally};
use super::super::paths::Paths;
use super::{MAX_BYTES, MAX_KNOWN, PlainText};

/// A root that holds a few files, with one beside it.
struct Tree {
    dir: tempfile::TempDir,
}

impl Tree {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for file in [
            "out.go",
            "r/here.go",
            "r/a.go",
            "r/bin/tool",
            "r/Makefile",
            "r/my file.go",
            "r/svc/in.go",
        ] {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        Self { dir }
    }

    fn path(&self, below: &str) -> String {
        self.dir.path().join(below).to_str().unwrap().to_owned()
    }

    fn rows(&self, cwd: &str, lines: &[&str]) -> Vec<Failure> {
        let paths = Paths::new(Path::new(&self.path("r")), cwd);
        read(&paths, None, Some(Exit::Code(1)), lines).0
    }

    /// The one row of `line`: path, line, column, rule, message.
    fn row(&self, line: &str) -> Facts {
        let rows = self.rows(".", &[line]);
        assert_eq!(rows.len(), 1, "{line}");
        facts(&rows[0])
    }
}

type Facts = (
    Option<String>,
    Option<u32>,
    Option<u32>,
    Option<String>,
    String,
);

fn facts(row: &Failure) -> Facts {
    let message = row.message.clone();
    (
        row.path.clone(),
        row.line,
        row.column,
        row.rule.clone(),
        message,
    )
}

fn read(
    paths: &Paths,
    pattern: Option<&str>,
    exit: Option<Exit>,
    lines: &[&str],
) -> (Vec<Failure>, Tally) {
    let pattern = pattern.map(|pattern| Regex::new(pattern).unwrap());
    let mut parser = PlainText::new(pattern.as_ref());
    let mut rows = Vec::new();
    let mut give = |row| rows.push(row);
    let mut out = Out {
        paths,
        rows: &mut give,
    };
    for line in lines {
        parser.line(line.as_bytes(), &mut out);
    }
    let tally = parser.finish(exit, &mut out);
    (rows, tally)
}

fn messages(pattern: Option<&str>, exit: Option<Exit>, lines: &[&str]) -> Vec<String> {
    let paths = Paths::new(Path::new("/nowhere"), ".");
    let (rows, _) = read(&paths, pattern, exit, lines);
    rows.into_iter().map(|row| row.message).collect()
}

#[test]
fn lines_become_rows_on_a_failing_exit_only() {
    let lines = ["one", "", " \t", "  two  ", "one"];
    assert!(messages(None, Some(Exit::Code(0)), &lines).is_empty());
    for exit in [Some(Exit::Code(1)), Some(Exit::Signal(9)), None] {
        assert_eq!(messages(None, exit, &lines), ["one", "two", "one"]);
    }
}

#[test]
fn a_pattern_chooses_the_lines() {
    let lines = ["ok", "ERR one", "  ERR two", ""];
    let failed = Some(Exit::Code(2));
    assert_eq!(messages(Some("^ERR"), failed, &lines), ["ERR one"]);
    assert_eq!(
        messages(Some("ERR"), failed, &lines),
        ["ERR one", "ERR two"]
    );
    assert_eq!(messages(Some("^$"), failed, &lines), [""; 0]);
    assert!(messages(Some("ERR"), Some(Exit::Code(0)), &lines).is_empty());
}

#[test]
fn a_place_at_the_beginning_fills_the_row() {
    let tree = Tree::new();
    let at = |path: &str, line, column, rule: Option<&str>, message: &str| {
        let rule = rule.map(str::to_owned);
        (
            Some(path.to_owned()),
            Some(line),
            column,
            rule,
            message.to_owned(),
        )
    };
    for (line, wanted) in [
        (
            "a.go:3:7: bad thing (rule-x)",
            at("a.go", 3, Some(7), Some("rule-x"), "bad thing"),
        ),
        ("./a.go:3:bad", at("a.go", 3, None, None, "bad")),
        ("a.go:3:", at("a.go", 3, None, None, "a.go:3:")),
        (
            "a.go:3: bad (see below, please)",
            at("a.go", 3, None, None, "bad (see below, please)"),
        ),
        ("Makefile:2: bad", at("Makefile", 2, None, None, "bad")),
        ("bin/tool:2: bad", at("bin/tool", 2, None, None, "bad")),
        ("my file.go:2: bad", at("my file.go", 2, None, None, "bad")),
        (
            r"svc\in.go:2:1: bad",
            at("svc/in.go", 2, Some(1), None, "bad"),
        ),
    ] {
        assert_eq!(tree.row(line), wanted, "{line}");
    }
    let absolute = tree.path("r/svc/in.go:5: bad");
    assert_eq!(tree.row(&absolute), at("svc/in.go", 5, None, None, "bad"));
    let outside = tree.rows(".", &[&tree.path("out.go:5: bad")]);
    assert!(outside[0].outside);
    assert_eq!(outside[0].path.as_deref(), Some(&*tree.path("out.go")));
}

#[test]
fn what_only_has_the_shape_of_a_place_is_words() {
    let tree = Tree::new();
    for line in [
        "10:42:01: started",
        "localhost:8080: refused",
        "127.0.0.1:80: refused",
        "his file.go:2: bad",
        "  a.go:3: indented",
        "a.go:0: bad",
        "a.go:3",
        "http://x/y:3: bad",
        "example.com:443: refused",
        "git@github.com:22: refused",
        "1/2:3: of it",
        "error/warning:5: of each",
        "//host/share:99: not mounted",
        "gone.go:3: bad",
        "svc/gone.go:3:1: bad (rule-x)",
        "svc:3: a folder",
        r"C:\w\a.js:5:1: bad",
        "(no-rule)",
    ] {
        let (path, number, column, rule, message) = tree.row(line);
        assert_eq!(
            (path, number, column, rule),
            (None, None, None, None),
            "{line}"
        );
        assert_eq!(message, line.trim());
    }
}

#[test]
fn each_folder_has_its_own_files_however_many_are_asked_for() {
    let tree = Tree::new();
    let gone: Vec<String> = (0..3 * MAX_KNOWN)
        .map(|n| format!("{n}.go:1: bad"))
        .collect();
    let mut lines: Vec<&str> = gone.iter().map(String::as_str).collect();
    for at in [0, MAX_KNOWN, 2 * MAX_KNOWN] {
        lines.insert(at, "here.go:3: bad");
    }
    let placed = |rows: Vec<Failure>| rows.iter().filter(|row| row.path.is_some()).count();
    assert_eq!(placed(tree.rows(".", &lines)), 3);
    assert_eq!(placed(tree.rows("svc", &lines)), 0);
}

#[test]
fn a_line_that_is_a_files_path_is_that_path() {
    let tree = Tree::new();
    let path_of = |cwd: &str, line: &str| tree.rows(cwd, &[line])[0].path.clone();
    let inside = |path: &str| Some(path.to_owned());
    assert_eq!(path_of(".", "here.go"), inside("here.go"));
    assert_eq!(path_of(".", " ./svc/in.go "), inside("svc/in.go"));
    assert_eq!(path_of(".", "my file.go"), inside("my file.go"));
    assert_eq!(path_of(".", &tree.path("r/here.go")), inside("here.go"));
    assert_eq!(path_of("svc", "in.go"), inside("svc/in.go"));
    assert_eq!(path_of("svc", "../here.go"), inside("here.go"));
    assert_eq!(tree.row(r"svc\in.go").4, "svc/in.go");
    for words in [
        "gone.go",
        "svc",
        "svc/",
        ".",
        "words",
        "here.go is bad",
        "here.go\0",
    ] {
        assert_eq!(path_of(".", words), None, "{words}");
    }
    let outside = &tree.rows(".", &["../out.go"])[0];
    assert_eq!(
        (outside.path.as_deref(), outside.outside),
        (Some("../out.go"), true)
    );
}

#[test]
fn paths_start_where_the_line_was_printed() {
    let tree = Tree::new();
    let mut paths = Paths::new(Path::new(&tree.path("r")), ".");
    let mut parser = PlainText::new(None);
    let mut rows = Vec::new();
    let mut say = |paths: &Paths, line: &str| {
        parser.line(
            line.as_bytes(),
            &mut Out {
                paths,
                rows: &mut |_| {},
            },
        );
    };
    say(&paths, "here.go");
    paths.enter("svc");
    say(&paths, "in.go");
    say(&paths, "in.go:3: bad");
    paths.leave();
    say(&paths, "here.go");
    let mut give = |row: Failure| rows.push(row.path.unwrap());
    parser.finish(
        Some(Exit::Code(2)),
        &mut Out {
            paths: &paths,
            rows: &mut give,
        },
    );
    assert_eq!(rows, ["here.go", "svc/in.go", "svc/in.go", "here.go"]);
}

#[test]
fn the_end_of_a_long_line_can_match_too() {
    let paths = Paths::new(Path::new("/nowhere"), ".");
    let head = "x".repeat(HEAD);
    let pattern = Regex::new(r"\(rule\)$").unwrap();
    for (tail, wanted) in [("the end (rule)", 1), ("the end", 0)] {
        let mut parser = PlainText::new(Some(&pattern));
        let mut rows = 0;
        let mut give = |_| rows += 1;
        let mut out = Out {
            paths: &paths,
            rows: &mut give,
        };
        parser.line(head.as_bytes(), &mut out);
        parser.tail(tail.as_bytes(), &mut out);
        parser.tail(b"(rule)", &mut out);
        parser.finish(Some(Exit::Code(1)), &mut out);
        assert_eq!(rows, wanted, "{tail}");
    }
}

#[test]
fn what_is_kept_is_bounded_and_what_is_not_kept_is_said() {
    let paths = Paths::new(Path::new("/nowhere"), ".");
    let line = "x".repeat(HEAD);
    let lines: Vec<&str> = std::iter::repeat_n(line.as_str(), MAX_BYTES / HEAD + 2).collect();
    let (rows, tally) = read(&paths, None, Some(Exit::Code(1)), &lines);
    assert_eq!(rows.len(), MAX_BYTES / HEAD - 1);
    assert!(tally.stopped_early);
    assert_eq!(tally.notes, ["3 lines beyond 16 MiB of text are no rows"]);
    let (_, tally) = read(&paths, None, Some(Exit::Code(0)), &lines);
    assert!(!tally.stopped_early);
}
