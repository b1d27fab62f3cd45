//! The spec reporter read whole: names, joins, and what a test prints among them.

use std::path::Path;

use super::super::parser::{Out, Parser};
use super::super::paths::Paths;
use super::NodeSpec;

/// The rows of `output`, as `path:line test: message`.
fn rows(known: bool, output: &str) -> Vec<String> {
    let paths = Paths::new(Path::new("/srv/app"), ".");
    let mut rows = Vec::new();
    let mut keep = |row: crate::model::Failure| {
        let path = row.path.unwrap_or_default();
        let line = row.line.unwrap_or_default();
        let test = row.test.unwrap_or_default();
        rows.push(format!("{path}:{line} {test}: {}", row.message));
    };
    let mut out = Out {
        paths: &paths,
        rows: &mut keep,
    };
    let mut parser = NodeSpec::new(known);
    for line in output.lines() {
        parser.line(line.as_bytes(), &mut out);
    }
    parser.finish(None, &mut out);
    rows
}

const END: &str = "ℹ tests 2\nℹ fail 2\n\n✖ failing tests:\n\n";

#[test]
fn a_heading_that_a_test_prints_is_no_parent() {
    let body =
        "▶ a\n▶ printed\n  ✖ works (1.1ms)\n✔ printed too (2ms)\n  ✖ fails (1.2ms)\n✖ a (3.1ms)\n";
    let summary = "test at a.test.js:2:3\n✖ works (1.1ms)\n  Error: one\n\ntest at a.test.js:3:3\n✖ fails (1.2ms)\n  Error: two\n";
    assert_eq!(
        rows(false, &format!("{body}{END}{summary}")),
        [
            "a.test.js:2 a > works: Error: one",
            "a.test.js:3 a > fails: Error: two"
        ]
    );
    let unclosed = "▶ printed\n  ✖ works (1.1ms)\n✔ other (3.1ms)\n▶ printed\n▶ again\n";
    assert_eq!(
        rows(false, &format!("{unclosed}{END}{summary}")),
        [
            "a.test.js:2 works: Error: one",
            "a.test.js:3 fails: Error: two"
        ],
        "nothing proves a parent, and one failure is not in the body"
    );
}

#[test]
fn output_that_is_cut_has_the_parents_that_were_open() {
    let body = "▶ a\n  ▶ b\n    ✖ works (1.1ms)\n      Error: one\n          at f (/srv/app/a.test.js:3:4)\n\n";
    assert_eq!(rows(true, body), ["a.test.js:3 a > b > works: Error: one"]);
    assert!(rows(false, body).is_empty(), "nothing says that it is node");
}

#[test]
fn two_runs_in_one_output_are_joined_each_to_its_own() {
    let run = |parent: &str| {
        format!(
            "▶ {parent}\n  ✖ works (1.1ms)\n✖ {parent} (2.1ms)\n{END}test at t.js:2:3\n✖ works (1.1ms)\n  Error: {parent}\n\n"
        )
    };
    assert_eq!(
        rows(false, &format!("{}{}", run("a"), run("b"))),
        ["t.js:2 a > works: Error: a", "t.js:2 b > works: Error: b"]
    );
}

#[test]
fn what_was_expected_to_fail_ends_no_summary() {
    let body = "⚠ later (1.1ms) # when there is time\n✖ works # TODO not yet (1.2ms)\n";
    let summary = "test at t.js:1:1\n⚠ later (1.1ms) # when there is time\n  Error: one\n\ntest at t.js:2:1\n✖ works # TODO not yet (1.2ms)\n  Error: two\n";
    assert_eq!(
        rows(false, &format!("{body}{END}{summary}")),
        ["t.js:2 works # TODO not yet: Error: two"]
    );
}

#[test]
fn a_name_of_two_lines_is_whole() {
    let body = "▶ a\n  ✖ one\n  and two (1.1ms)\n✖ a (2ms)\n";
    let summary = "test at t.js:2:3\n✖ one\nand three (1.2ms)\n  Error: x\n";
    assert_eq!(
        rows(false, &format!("{body}{END}{summary}")),
        ["t.js:2 one\\nand three: Error: x"],
        "and is told from another that begins alike"
    );
}
