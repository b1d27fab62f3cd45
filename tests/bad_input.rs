//! What people get wrong: each is exit 2, a message that says where, what and what to do, one
//! whole document where JSON was asked for, and nothing was run.

use std::fs;

use serde_json::Value;

use crate::support::{Project, Ran, check_of, not_tested};

/// A check that leaves a trace where it ran.
const TOUCH: &str = r#"{"id": "test", "executable": "touch", "args": ["ran"]}"#;

/// A project whose only check would leave a trace.
fn project() -> Project {
    let project = Project::new();
    project.write("harness.json", format!("{{\"checks\": [\n  {TOUCH}\n]}}\n"));
    project
}

/// A project whose manifest holds `text`.
fn manifest(text: &str) -> Project {
    let project = Project::new();
    project.write("harness.json", text);
    project
}

/// Runs `check`, and again for programs; gives what people see.
#[track_caller]
fn refused(project: &Project, args: &[&str]) -> Ran {
    let ran = project.run(args);
    assert_eq!(ran.code, 2, "{args:?}\n{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.last_line().starts_with("no verdict: "),
        "{args:?}\n{}",
        ran.stdout
    );
    for spelling in [&["--report", "json"][..], &["--report=json"], &["--json"]] {
        let json = project.run(args.iter().chain(spelling));
        let document: Value = serde_json::from_str(&json.stdout)
            .unwrap_or_else(|error| panic!("{args:?} {spelling:?}: {error}\n{}", json.stdout));
        assert_eq!(json.code, 2, "{args:?}");
        assert_eq!(
            (&document["version"], &document["exit_code"]),
            (&1.into(), &2.into())
        );
        assert_eq!(
            (&document["verdict"], &document["route"]),
            (&"none".into(), &"operator".into())
        );
        assert_eq!(document["checks"], Value::Array(Vec::new()));
        let said = format!("no verdict: {}", document["reason"].as_str().unwrap());
        // What a flag of another command would be, or two reports on one output, is its own fault.
        if !args.contains(&"--report") && args.first() != Some(&"baseline") {
            assert!(
                ran.last_line().starts_with(&said),
                "{said:?} and {:?}",
                ran.last_line()
            );
        }
    }
    assert!(!project.path("ran").exists(), "{args:?}: something was run");
    ran
}

/// As [`refused`], with all of what people see.
#[track_caller]
fn refused_with(project: &Project, args: &[&str], stdout: &str) {
    let ran = refused(project, args);
    assert_eq!(ran.stdout, stdout.trim_start_matches('\n'), "{args:?}");
    assert_eq!(ran.stderr, "", "{args:?}");
}

#[test]
fn a_manifest_that_is_no_file() {
    let project = project();
    fs::create_dir(project.path("folder")).unwrap();
    refused_with(
        &project,
        &["--manifest", "nope.json"],
        "
nope.json: no such file
  = name one that is there

no verdict: 1 problem in nope.json; nothing was run
",
    );
    refused_with(
        &project,
        &["--manifest", "folder"],
        "
folder: is a folder that holds no manifest
  = looked for harness.json, harness.toml, .agents/harness/plugin.json, .ynh-plugin/plugin.json

no verdict: 1 problem in folder; nothing was run
",
    );
}

#[test]
fn a_manifest_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = project();
    let file = project.path("harness.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(&file).is_ok() {
        not_tested("this user reads every file, so none is unreadable");
        return;
    }
    refused_with(
        &project,
        &[],
        "
harness.json: cannot be read: Permission denied (os error 13)

no verdict: 1 problem in harness.json; nothing was run
",
    );
}

#[test]
fn a_manifest_that_is_not_json() {
    refused_with(
        &manifest("checks:\n  - id: test\n"),
        &[],
        "
harness.json:1:1: expected a value, found `checks`
  1 │ checks:
    │ ^^^^^^
    = this looks like YAML: a manifest is JSON or TOML

no verdict: 1 problem in harness.json; nothing was run
",
    );
}

#[test]
fn a_list_where_a_map_belongs() {
    refused_with(
        &manifest(&format!("[{TOUCH}]\n")),
        &[],
        "
harness.json:1:1: a manifest must be a map, is a list
  1 │ [{\"id\": \"test\", \"executable\": \"touch\", \"args\": [\"ran\"]}]
    │ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

no verdict: 1 problem in harness.json; nothing was run
",
    );
}

#[test]
fn every_problem_is_told_at_once_each_with_its_place_and_the_way_out() {
    let project = manifest(
        r#"{"checks": [
  {"id": "test", "executable": "go test"},
  {"id": "Test", "executable": "true"},
  {"id": "up", "executable": "true", "cwd": "../x"},
  {"id": "soon", "executable": "true", "timeout": "5"},
  {"id": "typo", "executable": "true", "tolerence": "advisory"}
]}
"#,
    );
    refused_with(
        &project,
        &[],
        r#"
harness.json:2:32: executable holds a space and names no file
  2 │   {"id": "test", "executable": "go test"},
    │                                ^^^^^^^^^
    = write "executable": "go", "args": ["test"]
harness.json:3:10: id "Test" is taken: see line 2, column 10
  3 │   {"id": "Test", "executable": "true"},
    │          ^^^^^^
    = ids differ in more than letter case
harness.json:4:45: cwd leaves the root
  4 │   {"id": "up", "executable": "true", "cwd": "../x"},
    │                                             ^^^^^^
    = name a folder inside the root
harness.json:5:51: timeout "5" has no unit
  5 │   {"id": "soon", "executable": "true", "timeout": "5"},
    │                                                   ^^^
    = write "5s" for seconds
harness.json:6:40: unknown field "tolerence"
  6 │   {"id": "typo", "executable": "true", "tolerence": "advisory"}
    │                                        ^^^^^^^^^^^
    = did you mean "tolerance"?

no verdict: 5 problems in harness.json; nothing was run
"#,
    );
}

#[test]
fn a_folder_that_a_link_leads_out_of_the_root() {
    let project = manifest(
        "{\"checks\": [\n  {\"id\": \"test\", \"executable\": \"touch\", \"args\": [\"ran\"], \"cwd\": \"out\"}\n]}\n",
    );
    std::os::unix::fs::symlink("..", project.path("out")).unwrap();
    refused_with(
        &project,
        &[],
        r#"
harness.json:2:65: cwd leads out of the root through a symlink
  2 │   {"id": "test", "executable": "touch", "args": ["ran"], "cwd": "out"}
    │                                                                 ^^^^^
    = name a folder inside the root

no verdict: 1 problem in harness.json; nothing was run
"#,
    );
    assert!(!project.path("../ran").exists());
}

#[test]
fn two_manifests_beside_each_other() {
    let project = project();
    project.write(
        "harness.toml",
        "[[checks]]\nid = \"test\"\nexecutable = \"true\"\n",
    );
    refused_with(
        &project,
        &[],
        &format!(
            "harness.toml: harness.json and harness.toml both stand in {}\n  = keep one\n\n\
             no verdict: 1 problem in harness.toml; nothing was run\n",
            project.root().display()
        ),
    );
}

#[test]
fn no_check_is_declared() {
    refused_with(
        &manifest("{\"checks\": []}\n"),
        &[],
        r#"
harness.json:1:12: no check declared
  1 │ {"checks": []}
    │            ^^
    = an entry of checks: {"id": "test", "executable": "go", "args": ["test", "./..."]}

no verdict: 1 problem in harness.json; nothing was run
"#,
    );
}

#[test]
fn a_word_that_names_nothing() {
    let project = project();
    let two =
        "  did you mean:  check test\nno verdict: no check and no command is named \"tset\"\n";
    refused_with(&project, &["tset"], two);
    refused_with(&project, &["run", "tset"], two);
    refused_with(
        &project,
        &["--only", "tset"],
        "  did you mean:  --only test\nno verdict: no check is named \"tset\"\n",
    );
    refused_with(
        &project,
        &["--skip", "nothing"],
        "no verdict: no check is named \"nothing\"\n",
    );
    refused_with(
        &project,
        &["basline"],
        "  did you mean:  check baseline\nno verdict: no check and no command is named \"basline\"\n",
    );
}

#[test]
fn nothing_is_left_to_run() {
    refused(&project(), &["--skip", "test"])
        .expect(2, "no verdict: no check was selected (1 not selected)");
}

#[test]
fn flags_that_are_wrong() {
    let project = project();
    for (args, last) in [
        (
            &["--repeat"][..],
            "no verdict: unexpected argument '--repeat' found",
        ),
        (&["--jobs", "0"], "no verdict: --jobs must be at least 1"),
        (
            &["--jobs", "many"],
            "no verdict: invalid value 'many' for '--jobs <N>': invalid digit found in string",
        ),
        (
            &["--timeout", "5"],
            "no verdict: --timeout takes a positive duration such as 10m or 1h30m, not \"5\"",
        ),
        (
            &["--wait=soon"],
            "no verdict: --wait takes a positive duration such as 30s or 5m, not \"soon\"",
        ),
        (
            &["--color", "blue"],
            "no verdict: invalid value 'blue' for '--color <WHEN>'",
        ),
        (
            &["-C", "/no/such/folder"],
            "no verdict: cannot work in /no/such/folder: No such file or directory (os error 2)",
        ),
        (
            &["-C", "harness.json"],
            "no verdict: cannot work in harness.json: it is not a folder",
        ),
    ] {
        refused(&project, args).expect(2, last);
    }
    refused(&project, &["--report"]);
    refused(&project, &["baseline"]).expect(2, "no verdict: this command takes another word");
    refused(&project, &["baseline", "recrod"]).has("tip: a similar subcommand exists: 'record'");
}

#[test]
fn reports_that_cannot_be_written() {
    let project = project();
    for (args, last) in [
        (
            &["--report", "xml"][..],
            "no verdict: unknown report format \"xml\"; known: human, json",
        ),
        (
            &["--report", "json="],
            "no verdict: --report json= names no file; leave the = out for standard output",
        ),
        (
            &["--report", "human=no/such/r.txt"],
            "no verdict: cannot open report file no/such/r.txt: No such file or directory (os error 2)",
        ),
        (
            &["--report", "human=."],
            "no verdict: report file . is a folder; name a file in it",
        ),
        (
            &["--report", "human=r", "--report", "json=./r"],
            "no verdict: two reports go to ./r; give each a file of its own",
        ),
    ] {
        refused(&project, args).expect(2, last);
    }
    let two = project.run(["--report", "human", "--report", "human"]);
    two.expect(
        2,
        "no verdict: --report human and --report human both go to standard output; give one a file: --report human=FILE",
    );
    // Whoever asked for a document beside it gets one.
    let (code, document) = project.json(&["--report", "human"]);
    assert_eq!((code, &document["verdict"]), (2, &"none".into()));
    assert!(!project.path("ran").exists() && !project.path("r").exists());
}

#[test]
fn the_last_verdict_where_there_is_none() {
    let project = project();
    refused(&project, &["last"]).expect(2, "no verdict: no verdict is kept of this tree yet");
    project.run([""; 0]).expect(0, "ok: 1 passed");
    fs::remove_file(project.path("ran")).unwrap();
    refused_with(
        &project,
        &["last", "tset"],
        "  did you mean:  check last test\nno verdict: no check of the last run is named \"tset\"\n",
    );
    project.write(".git/check/last.json", "{\"version\": 1, \"verd");
    refused(&project, &["last"]).expect(2, "no verdict: no verdict is kept of this tree yet");
}

/// Every byte there is, sequences that drive terminals, and a line without end.
fn garbage() -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..=255).collect();
    bytes.extend(
        b"\x1b[2J\x1b]0;title\x07\x1bP+q\x1b\\\xc2\x9b31m\r\x08\x08not ok 1 - \x1b[31mred\xff\n",
    );
    bytes.extend(b"--- FAIL: Test\x9c\xe2\x80\xaeX (0.00s)\n\x00a.go:\xff3: \x1b[8mhidden\n");
    bytes.extend((0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8));
    bytes
}

#[test]
fn garbage_is_judged_by_its_exit_code_and_never_reaches_the_terminal() {
    let raw = |text: &str| text.chars().find(|c| c.is_control() && *c != '\n');
    let harmless = |text: &str| {
        assert_eq!(raw(text), None, "{text:?}");
        assert!(
            !text.contains('\u{202e}'),
            "text that runs backwards: {text:?}"
        );
    };
    for (code, last) in [(0, "ok: 1 passed"), (3, "blocked: 1 of 1 check failed")] {
        let project = Project::new();
        project.write("garbage", garbage());
        let script = format!("cat garbage; cat garbage >&2; exit {code}");
        project.check("dump", &["sh", "-c", &script]);
        for flags in [&["--color=never"][..], &["-v", "--color=never"]] {
            let ran = project.run(flags);
            ran.expect(i32::from(code != 0), last);
            harmless(&ran.stdout);
            harmless(&ran.stderr);
        }
        let ran = project.run(["--json"]);
        assert_eq!(raw(&ran.stdout), None);
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        let check = check_of(&document, "dump");
        assert_eq!(check["exit"]["code"], code);
        assert!(
            check["stdout_tail"].as_str().unwrap().contains("\\xFF"),
            "bytes that are no text are kept"
        );
        let log = check["log"]
            .as_str()
            .map(|log| fs::read(project.path(log)).unwrap());
        let kept = log.map(|log| log.len());
        assert_eq!(kept, Some(2 * garbage().len()), "nothing is lost");
        harmless(&project.run(["last", "-v", "--color=never"]).stdout);
    }
}
