//! A node project, whole: two failing tests in two files (one of them nested), and files that
//! throw, miss an import or are cut off before any test runs.

use serde_json::{Value, json};

use crate::support::{Project, check_of, has_tool, rows};

/// What the project of `fixtures/projects/node` fails at.
const ROWS: [&str; 5] = [
    "test/deep/outer.test.js:7 outer > breaks",
    "test/missing.test.js:null null",
    "test/sum.test.js:6 adds",
    "test/syntax.test.js:4 null",
    "test/throws.test.js:3 null",
];

/// A test that fails beside the ones above.
const LATE: &str = "\ntest('is late', () => {\n  throw new TypeError('late');\n});\n";

fn project(argv: &[&str]) -> Project {
    let project = Project::from_fixture("projects/node");
    project.check("test", argv);
    project
}

fn messages(verdict: &Value) -> String {
    let failures = check_of(verdict, "test")["failures"].as_array().unwrap();
    let messages: Vec<&str> = failures
        .iter()
        .map(|row| row["message"].as_str().unwrap())
        .collect();
    messages.join("\n")
}

/// A project whose one check is node's own runner.
fn on_reporter(reporter: &str) -> Project {
    let project = Project::new();
    let reporter = format!("--test-reporter={reporter}");
    project.check("test", &["node", "--test", &reporter]);
    project
}

#[test]
fn the_whole_story_is_the_same_on_every_reporter_and_through_npm() {
    if !has_tool("node") || !has_tool("npm") {
        return;
    }
    for argv in [
        &["node", "--test", "--test-reporter=tap"][..],
        &["node", "--test", "--test-reporter=spec"],
        &["npm", "test"],
    ] {
        let project = project(argv);

        let (code, verdict) = project.json(&[]);
        assert_eq!(code, 1, "{argv:?}");
        assert_eq!(rows(&verdict, "test"), ROWS, "{argv:?}");
        let evidence = &check_of(&verdict, "test")["evidence"];
        assert_eq!(
            (&evidence["ran"], &evidence["claimed"]),
            (&json!(7), &json!(5)),
            "{argv:?}"
        );
        let messages = messages(&verdict);
        for thrown in [
            "never true",
            "no database",
            "ERR_MODULE_NOT_FOUND",
            "Unexpected end of input",
        ] {
            assert!(messages.contains(thrown), "{argv:?}: {messages}");
        }
        assert!(
            !messages.contains("test failed") && !messages.contains("npm"),
            "{messages}"
        );

        let recorded = "recorded: 5 failures in 1 check; from now on only new ones block";
        project.run(["baseline", "record"]).expect(0, recorded);
        let known = project.run([""; 0]);
        known.expect(0, "ok: 1 known");
        assert!(
            known.stdout.contains("  ~  test  known (5) "),
            "{}",
            known.stdout
        );

        let sum = project.read("test/sum.test.js");
        project.write("test/sum.test.js", sum.clone() + LATE);
        let (code, verdict) = project.json(&[]);
        let check = check_of(&verdict, "test");
        assert_eq!(
            (code, &check["new"], &check["known"]),
            (1, &json!(1), &json!(5)),
            "{argv:?}"
        );
        assert_eq!(
            rows(&verdict, "test")[0],
            "test/sum.test.js:14 is late",
            "new ones first"
        );
        let shown = project.run([""; 0]);
        let at_the_left: Vec<_> = shown
            .stdout
            .lines()
            .filter(|l| l.starts_with("test/"))
            .collect();
        assert_eq!(
            at_the_left.len(),
            1,
            "only the new one is listed: {}",
            shown.stdout
        );
        assert!(
            at_the_left[0].starts_with("test/sum.test.js:14:9: is late: "),
            "{at_the_left:?}"
        );
        shown.expect(1, "blocked: 1 of 1 check failed");

        project
            .write("test/sum.test.js", sum)
            .edit("src/sum.js", "a - b", "a + b");
        let fixed = project.run([""; 0]);
        fixed.expect(0, "ok: 1 known");
        assert!(
            fixed.stdout.contains("known (4), 1 fixed"),
            "{}",
            fixed.stdout
        );
    }
}

#[test]
fn npm_is_read_as_one_stream_and_its_own_lines_are_no_rows() {
    if !has_tool("npm") {
        return;
    }
    let project = project(&["npm", "run", "lint"]);
    project.edit(
        "package.json",
        "\"test\":",
        "\"lint\": \"node lint.js\", \"test\":",
    );
    project.write(
        "lint.js",
        "console.error('src/sum.js:1:14: prefer a function (style)');\nprocess.exit(3);\n",
    );
    let (code, verdict) = project.json(&[]);
    assert_eq!(code, 1);
    let check = check_of(&verdict, "test");
    assert_eq!(check["streams"], "joined");
    assert_eq!(rows(&verdict, "test"), ["src/sum.js:1 null"], "{check}");
}

#[test]
fn what_a_passing_test_prints_is_not_believed() {
    if !has_tool("node") {
        return;
    }
    for reporter in ["tap", "spec"] {
        let project = on_reporter(reporter);
        project.write(
            "print.test.js",
            "const test = require('node:test');\n\
             test('prints', () => {\n\
               console.log('not ok 1 - x');\n\
               console.log('✖ y (1ms)');\n\
               console.log('    not ok 2 - z');\n\
               console.error('src/a.js:3:4: error: not ours');\n\
             });\n",
        );
        let ran = project.run([""; 0]);
        ran.expect(0, "ok: 1 passed")
            .lacks("not ok")
            .lacks("✖")
            .lacks("not ours");
        let (_, verdict) = project.json(&[]);
        let check = check_of(&verdict, "test");
        // On the spec reporter what was printed looks like a row. It is kept, and counts nowhere.
        let counted = (
            &check["failures_total"],
            &check["new"],
            &verdict["summary"]["new"],
        );
        assert_eq!(counted, (&json!(0), &json!(0), &json!(0)), "{check}");
        assert_eq!(check["status"], "pass", "{reporter}");
        assert_eq!(check["evidence"]["ran"], 1, "{reporter}");
    }
}

#[test]
fn a_failing_test_does_not_make_what_was_printed_true() {
    if !has_tool("node") {
        return;
    }
    for reporter in ["tap", "spec"] {
        let project = on_reporter(reporter);
        project.write(
            "print.test.js",
            "const test = require('node:test');\n\
             test('prints', () => {\n  console.log('not ok 1 - x');\n  console.log('✖ y (1ms)');\n});\n\
             test('fails', () => {\n  throw new Error('really');\n});\n",
        );
        let (code, verdict) = project.json(&[]);
        assert_eq!(code, 1);
        assert_eq!(
            rows(&verdict, "test"),
            ["print.test.js:7 fails"],
            "{reporter}"
        );
    }
}

#[test]
fn a_project_below_the_root_has_paths_from_the_root() {
    if !has_tool("node") {
        return;
    }
    for reporter in ["tap", "spec"] {
        let project = Project::new();
        project.write(
            "packages/a/a.test.mjs",
            "import test from 'node:test';\n\nthrow new Error('early');\n",
        );
        project.checks(&json!([{
            "id": "test", "executable": "node", "cwd": "packages/a",
            "args": ["--test", format!("--test-reporter={reporter}")],
        }]));
        let (code, verdict) = project.json(&[]);
        assert_eq!(code, 1);
        assert_eq!(rows(&verdict, "test").len(), 1);
        let row = &check_of(&verdict, "test")["failures"][0];
        assert_eq!(
            (&row["path"], &row["line"]),
            (&json!("packages/a/a.test.mjs"), &json!(3)),
            "{row}"
        );
    }
}

/// The ways in which a project runs its tests.
const RUNS: [&[&str]; 3] = [
    &["node", "--test", "--test-reporter=tap"],
    &["node", "--test", "--test-reporter=spec"],
    &["npm", "test"],
];

/// A project whose check `test` is `argv`.
fn empty(argv: &[&str]) -> Project {
    let project = Project::new();
    project.check("test", argv);
    project.write(
        "package.json",
        r#"{"name": "x", "private": true, "scripts": {"test": "node --test"}}"#,
    );
    project
}

/// Runs, and gives the rows with how many are new, known and fixed.
#[track_caller]
fn judged(project: &Project, code: i32) -> (Vec<String>, [Value; 3]) {
    let (exit, verdict) = project.json(&[]);
    let check = check_of(&verdict, "test");
    assert_eq!(exit, code, "{check}");
    let counts = ["new", "known", "fixed"].map(|key| check[key].clone());
    (rows(&verdict, "test"), counts)
}

/// Two suites of one file that have a test of the same name; those in `broken` fail, and the second
/// has a good test after its nested one.
fn suites(broken: [bool; 2]) -> String {
    let [a, b] = broken;
    format!(
        "const {{ describe, it }} = require('node:test');\n\
         const assert = require('node:assert');\n\
         describe('a', () => {{\n\
           it('works', () => assert.ok({}));\n\
         }});\n\
         describe('b', () => {{\n\
           describe('deep', () => {{\n\
             it('works', () => assert.ok({}));\n\
           }});\n\
           it('is good', () => {{}});\n\
         }});\n",
        !a, !b
    )
}

#[test]
fn a_known_failure_excuses_no_test_of_the_same_name() {
    if !has_tool("node") || !has_tool("npm") {
        return;
    }
    for argv in RUNS {
        let project = empty(argv);
        project.write("test/one.test.js", suites([true, false]));
        let (found, _) = judged(&project, 1);
        assert_eq!(found, ["test/one.test.js:4 a > works"], "{argv:?}");
        project.run(["baseline", "record"]).expect(
            0,
            "recorded: 1 failure in 1 check; from now on only new ones block",
        );
        project.run([""; 0]).expect(0, "ok: 1 known");

        project.write("test/one.test.js", suites([false, true]));
        let (found, counts) = judged(&project, 1);
        assert_eq!(found, ["test/one.test.js:8 b > deep > works"], "{argv:?}");
        assert_eq!(counts, [json!(1), json!(0), json!(1)], "{argv:?}");
        project
            .run([""; 0])
            .expect(1, "blocked: 1 of 1 check failed");
    }
}

#[test]
fn equal_names_in_two_files_are_two_tests_even_where_one_helper_fails() {
    if !has_tool("node") || !has_tool("npm") {
        return;
    }
    let text = |broken: bool, helped: bool| {
        format!(
            "const test = require('node:test');\n\
             const {{ holds }} = require('../helper.js');\n\
             test('works', () => {{ if ({broken}) throw new Error('no'); }});\n\
             test('parent', async (t) => {{\n\
               await t.test('is helped', () => holds({}));\n\
             }});\n",
            !helped
        )
    };
    for argv in RUNS {
        let project = empty(argv);
        project.write(
            "helper.js",
            "exports.holds = (it) => {\n  if (!it) throw new Error('does not hold');\n};\n",
        );
        project.write("test/a.test.js", text(true, true));
        project.write("test/b.test.js", text(false, false));
        let (mut found, _) = judged(&project, 1);
        found.sort();
        let first = [
            "helper.js:2 test/a.test.js > parent > is helped",
            "test/a.test.js:3 works",
        ];
        assert_eq!(found, first, "{argv:?}");
        project.run(["baseline", "record"]).expect(
            0,
            "recorded: 2 failures in 1 check; from now on only new ones block",
        );

        project.write("test/a.test.js", text(false, false));
        project.write("test/b.test.js", text(true, true));
        let (mut found, counts) = judged(&project, 1);
        found.sort();
        let second = [
            "helper.js:2 test/b.test.js > parent > is helped",
            "test/b.test.js:3 works",
        ];
        assert_eq!(found, second, "{argv:?}");
        assert_eq!(counts, [json!(2), json!(0), json!(2)], "{argv:?}");
    }
}

#[test]
fn a_file_that_did_not_load_excuses_no_other_end_of_it() {
    if !has_tool("node") || !has_tool("npm") {
        return;
    }
    let ends = [
        ("throw new Error('no queue');\n", "Error: no queue"),
        ("process.kill(process.pid, 'SIGKILL');\n", "test failed"),
        (
            "const test = require('node:test');\n\
             test('passes', () => { setTimeout(() => { throw new TypeError('late'); }, 5); });\n",
            "TypeError: late\nafter the test \"passes\" had ended",
        ),
    ];
    for argv in RUNS {
        // Where the runner works in the file's own folder, and where it does not.
        for file in ["load.test.js", "test/load.test.js"] {
            let project = empty(argv);
            project.write(file, "throw new Error('no database');\n");
            let (found, _) = judged(&project, 1);
            assert_eq!(found, [format!("{file}:1 null")], "{argv:?}");
            project.run(["baseline", "record"]).expect(
                0,
                "recorded: 1 failure in 1 check; from now on only new ones block",
            );
            project.run([""; 0]).expect(0, "ok: 1 known");
            for (text, said) in ends {
                project.write(file, text);
                let (exit, verdict) = project.json(&[]);
                let check = check_of(&verdict, "test");
                assert_eq!((exit, &check["new"]), (1, &json!(1)), "{argv:?} {check}");
                let row = &check["failures"][0];
                assert_eq!((&row["path"], &row["test"]), (&json!(file), &json!(null)));
                let message = row["message"].as_str().unwrap();
                assert!(message.starts_with(said), "{argv:?}: {message}");
                if argv.contains(&"--test-reporter=tap") && said == "test failed" {
                    assert_eq!(message, "test failed (signal SIGKILL)");
                }
            }
        }
    }
}
