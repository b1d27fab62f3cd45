//! Manifests that no fixture can be: what is no readable file, and what is too large to keep.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use nix::sys::stat::Mode;
use serde_json::Value;

use super::tree;
use crate::support::{Project, not_tested};

/// What `check validate` says of the `harness.json` of `project`, and what a program is told.
#[track_caller]
fn refused(project: &Project, expected: &str) {
    let ran = project.run(["validate"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (2, ""));
    assert_eq!(ran.stdout, expected.trim_start_matches('\n'));
    let json = project.run(["validate", "--report", "json"]);
    let document: Value = serde_json::from_str(&json.stdout).unwrap();
    let problem = &document["diagnostics"][0];
    let path = problem["path"].as_str().unwrap();
    let message = problem["message"].as_str().unwrap();
    assert_eq!(
        ran.stdout.lines().next().unwrap(),
        format!("{path}: {message}")
    );
    assert_eq!(
        (&problem["line"], &problem["column"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn a_folder() {
    let project = tree();
    fs::create_dir(project.path("harness.json")).unwrap();
    refused(
        &project,
        "
harness.json: is a folder, not a file
  = name the manifest in it

no verdict: 1 problem in harness.json; nothing was run
",
    );
}

#[test]
fn a_fifo_is_not_waited_for() {
    let project = tree();
    nix::unistd::mkfifo(&project.path("harness.json"), Mode::S_IRWXU).unwrap();
    refused(
        &project,
        "
harness.json: is no regular file

no verdict: 1 problem in harness.json; nothing was run
",
    );
}

#[test]
fn a_link_that_leads_nowhere() {
    let project = tree();
    symlink("nowhere", project.path("harness.json")).unwrap();
    refused(
        &project,
        "
harness.json: is a link to nowhere, which is not there

no verdict: 1 problem in harness.json; nothing was run
",
    );
}

#[test]
fn a_file_that_may_not_be_read() {
    let project = tree();
    project.write("harness.json", "{}");
    let file = project.path("harness.json");
    fs::set_permissions(&file, Permissions::from_mode(0o000)).unwrap();
    if File::open(&file).is_ok() {
        not_tested("this user reads every file, so none is unreadable");
        return;
    }
    refused(
        &project,
        "
harness.json: cannot be read: Permission denied (os error 13)

no verdict: 1 problem in harness.json; nothing was run
",
    );
}

#[test]
fn more_than_16_mib() {
    let project = tree();
    let file = File::create(project.path("harness.json")).unwrap();
    file.set_len((16 << 20) + 1).unwrap();
    refused(
        &project,
        "
harness.json: is larger than 16 MiB
  = a manifest is written by hand

no verdict: 1 problem in harness.json; nothing was run
",
    );
}

#[test]
fn a_file_that_is_named_and_not_there() {
    let project = tree();
    for args in [
        &["validate", "nope.json"][..],
        &["validate", "--manifest", "nope.json"],
        &["list", "--manifest", "nope.json"],
        &["--manifest", "nope.json"],
    ] {
        let ran = project.run(args);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (
                2,
                "nope.json: no such file\n  = name one that is there\n\n\
                 no verdict: 1 problem in nope.json; nothing was run\n"
            ),
            "{args:?}"
        );
    }
    let ran = project.run(["validate", "--record-file", "nope.json"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (
            2,
            "nope.json: no such file\n  = name one that is there\n\n\
             no verdict: 1 problem in nope.json; nothing was run\n"
        )
    );
}

#[test]
fn more_problems_than_anyone_reads_are_counted() {
    let project = tree();
    let checks = vec!["{\"executable\": \"go\"}"; 1_200].join(",\n");
    project.write("harness.json", format!("{{\"checks\": [\n{checks}\n]}}\n"));
    let ran = project.run(["validate"]);
    ran.expect(
        2,
        "no verdict: 1,200 problems in harness.json; nothing was run",
    );
    ran.has("harness.json: and 200 more problems");
    let told = ran
        .stdout
        .lines()
        .filter(|line| line.ends_with(": id is missing"));
    assert_eq!(told.count(), 1_000);
    let json = project.run(["validate", "--report", "json"]);
    let document: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(document["diagnostics"].as_array().unwrap().len(), 1_001);
}

/// Where the reading of a broken file ends is told, since what is behind it was not looked at.
#[test]
fn more_slips_than_anyone_reads_end_the_reading() {
    let project = tree();
    let args = vec!["'x'"; 300].join(",\n");
    let text = format!("{{\"checks\": [{{\"id\": \"a\", \"args\": [\n{args}\n]}}]}}\n");
    project.write("harness.json", text);
    let ran = project.run(["validate"]);
    ran.expect(
        2,
        "no verdict: 101 problems in harness.json; nothing was run",
    );
    ran.has("harness.json:102:1: more than 100 slips: what is behind this was not looked at");
}
