//! Artefacts that must not be older than what they are made from.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::sensors::{counts, with_sensor};
use crate::support::{Project, check_of};

/// A repository with an artefact that is as new as its input, and a sensor that says so.
fn fresh() -> Project {
    let project = Project::new();
    project
        .write("api/a.proto", "1")
        .write("api/b.proto", "1")
        .write("gen/a.go", "1");
    freshness(&project, &["gen/*.go"], &["api/**"]);
    project.commit();
    project
}

fn freshness(project: &Project, files: &[&str], inputs: &[&str]) {
    with_sensor(
        project,
        &json!({ "source": { "files": files, "inputs": inputs } }),
    );
}

/// Exit code, status and rows as `path message`.
fn looked(project: &Project) -> (i32, String, Vec<String>) {
    let (code, verdict) = project.json(&[]);
    let check = check_of(&verdict, "s");
    let failures = check["failures"].as_array().unwrap();
    let rows = failures.iter().map(|row| {
        let path = row["path"].as_str().unwrap_or("-");
        format!("{path} {}", row["message"].as_str().unwrap())
    });
    (
        code,
        check["status"].as_str().unwrap().to_owned(),
        rows.collect(),
    )
}

fn head(project: &Project) -> String {
    project.git(&["rev-parse", "HEAD"]).trim().to_owned()
}

#[track_caller]
fn is_fresh(project: &Project) {
    assert_eq!(looked(project), (0, "pass".to_owned(), Vec::new()));
}

#[track_caller]
fn is_stale(project: &Project, rows: &[&str]) {
    let (code, status, seen) = looked(project);
    assert_eq!(
        (code, status.as_str(), seen),
        (1, "fail", rows.iter().map(|r| (*r).to_owned()).collect())
    );
}

#[track_caller]
fn is_unknown(project: &Project, reason: &str) -> Value {
    let (code, verdict) = project.json(&[]);
    let check = check_of(&verdict, "s");
    assert_eq!(
        (code, &check["status"], &check["reason"]),
        (2, &json!("broken"), &json!(reason))
    );
    check.clone()
}

#[test]
fn an_artefact_that_is_older_than_an_input_fails_until_it_is_made_again() {
    let project = fresh();
    let ran = project.run([""; 0]);
    ran.expect(0, "ok: 1 passed");
    assert!(
        ran.stdout.contains("s  1 artefact fresh "),
        "{}",
        ran.stdout
    );
    let (_, verdict) = project.json(&[]);
    let check = check_of(&verdict, "s");
    assert_eq!((&check["argv"], &check["exit"]), (&json!([]), &Value::Null));
    assert_eq!(check["evidence"]["ran"], 1);

    project.write("api/a.proto", "2").commit();
    let (_, _, rows) = looked(&project);
    let [row] = &rows[..] else { panic!("{rows:?}") };
    let commit = row
        .strip_prefix("gen/a.go older than api/a.proto (changed in ")
        .and_then(|rest| rest.strip_suffix(')'))
        .unwrap_or_else(|| panic!("{row}"));
    assert!(head(&project).starts_with(commit));
    project.write("gen/a.go", "2").commit();
    is_fresh(&project);
}

#[test]
fn what_is_known_to_be_stale_hides_no_other_input() {
    let project = fresh();
    project.write("api/a.proto", "2").commit();
    project.run(["baseline", "record"]).expect(
        0,
        "recorded: 1 failure in 1 check; from now on only new ones block",
    );
    project.commit();
    project.run([""; 0]).expect(0, "ok: 1 known");
    // The same input once more is the same finding; another is another, and stays one.
    project.write("api/a.proto", "3").commit();
    project.run([""; 0]).expect(0, "ok: 1 known");
    project.write("api/b.proto", "2").commit();
    project
        .run([""; 0])
        .expect(1, "blocked: 1 of 1 check failed");
    project.write("api/a.proto", "4").commit();
    let (_, verdict) = project.json(&[]);
    assert_eq!(counts(&verdict), [("s", "fail", 1, 1, 0)]);
    project.write("gen/a.go", "2").commit();
    let (code, verdict) = project.json(&[]);
    assert_eq!((code, counts(&verdict)), (0, vec![("s", "pass", 0, 0, 1)]));
}

#[test]
fn what_differs_from_head_has_no_age() {
    let project = fresh();
    project.write("api/a.proto", "2");
    is_stale(
        &project,
        &["api/a.proto has changes that are not committed"],
    );
    project.git(&["add", "api/a.proto"]);
    project.write("gen/a.go", "2");
    is_stale(
        &project,
        &[
            "api/a.proto has changes that are not committed",
            "gen/a.go has changes that are not committed",
        ],
    );
    project.git(&["reset", "-q", "--hard"]);
    project.write("api/new.proto", "1").write("gen/new.go", "1");
    is_stale(
        &project,
        &[
            "api/new.proto is not committed",
            "gen/new.go is not committed",
        ],
    );
    project.git(&["clean", "-qfd"]);
    fs::remove_file(project.path("api/b.proto")).unwrap();
    is_stale(
        &project,
        &["api/b.proto is removed, and that is not committed"],
    );
    project.git(&["checkout", "-q", "."]);
    project.git(&["update-index", "--assume-unchanged", "gen/a.go"]);
    project.write("gen/a.go", "2");
    is_stale(
        &project,
        &["gen/a.go may have changed: git is told not to look (assume-unchanged, skip-worktree)"],
    );
}

#[test]
fn every_declared_artefact_has_to_be_there() {
    let project = fresh();
    project.write(".gitignore", "/dist/\n");
    let files = ["gen/*.go", "gen/b.go", "out/*.js", "dist/*", "gen"];
    freshness(&project, &files, &["api/*.proto"]);
    project.commit();
    project.write("dist/b.js", "1").write("dist/a.js", "1");
    is_stale(
        &project,
        &[
            "gen/b.go is not there",
            "- no file matches out/*.js",
            "dist/a.js is ignored by git, or another repository's: no commit says how old it is",
            "gen is a folder: its files are gen/**",
        ],
    );
    freshness(&project, &["gen/*.go"], &["api/*.proto"]);
    fs::remove_file(project.path("gen/a.go")).unwrap();
    is_stale(&project, &["gen/a.go is not there"]);
}

#[test]
fn inputs_that_match_nothing_are_no_pass() {
    let project = fresh();
    freshness(&project, &["gen/*.go"], &["api/**", "apo/*.proto"]);
    is_unknown(&project, "no file matches apo/*.proto of inputs");
    freshness(&project, &["gen/**"], &["gen/*.go"]);
    is_unknown(&project, "every file that inputs match is an artefact");
}

#[test]
fn a_shallow_clone_is_no_pass_and_says_what_to_fetch() {
    let project = fresh();
    project.write("other", "1").commit();
    let source = format!("file://{}", project.root().display());
    let clone = Project::without_git();
    clone.git(&[
        "-c",
        "protocol.file.allow=always",
        "clone",
        "-q",
        "--depth",
        "1",
        &source,
        ".",
    ]);
    let check = is_unknown(
        &clone,
        "this clone is shallow, and the history of gen/a.go is longer",
    );
    assert_eq!(check["failures"], json!([]));
    let ran = clone.run([""; 0]);
    ran.has("git fetch --unshallow");
    clone.git(&[
        "-c",
        "protocol.file.allow=always",
        "fetch",
        "-q",
        "--unshallow",
    ]);
    is_fresh(&clone);
}

/// What lies beyond its end may hold what seems to be newer.
#[test]
fn a_shallow_clone_that_holds_the_last_commits_may_still_not_tell() {
    let project = fresh();
    project.write("other", "1").commit();
    project.write("gen/a.go", "2").commit();
    project.write("api/a.proto", "2").commit();
    let clone = Project::without_git();
    let source = format!("file://{}", project.root().display());
    let allow = "protocol.file.allow=always";
    clone.git(&["-c", allow, "clone", "-q", "--depth", "3", &source, "."]);
    freshness(&clone, &["gen/*.go"], &["api/a.proto"]);
    is_unknown(
        &clone,
        "this clone is shallow, and the history of gen/a.go is longer",
    );
}

#[test]
fn without_git_times_are_compared_and_that_is_said() {
    let project = Project::without_git();
    project
        .write("api/a.proto", "1")
        .write("gen/a.go", "1")
        .write("gen/b.go", "1");
    freshness(&project, &["gen/*.go"], &["api/**"]);
    let now = SystemTime::now();
    let at = |file: &str, ago: u64| {
        let file = File::options()
            .write(true)
            .open(project.path(file))
            .unwrap();
        file.set_modified(now - Duration::from_secs(ago)).unwrap();
    };
    at("api/a.proto", 60);
    at("gen/a.go", 60);
    at("gen/b.go", 30);
    is_fresh(&project);
    let ran = project.run([""; 0]);
    ran.has("note: s: judged by the times of files: this is no git repository");
    at("api/a.proto", 40);
    is_stale(&project, &["gen/a.go older than api/a.proto"]);
    project.write("api/z.proto", "1").write("api/0.proto", "1");
    at("api/z.proto", 35);
    at("api/0.proto", 20);
    is_stale(
        &project,
        &[
            "gen/a.go older than api/0.proto",
            "gen/a.go older than api/a.proto",
            "gen/a.go older than api/z.proto",
            "gen/b.go older than api/0.proto",
        ],
    );
    fs::remove_file(project.path("api/z.proto")).unwrap();
    fs::remove_file(project.path("api/0.proto")).unwrap();
    // A link out of the root is no file of it.
    fs::remove_file(project.path("gen/a.go")).unwrap();
    let outside = project.root().parent().unwrap().join("a.go");
    fs::write(&outside, "1").unwrap();
    symlink(&outside, project.path("gen/a.go")).unwrap();
    freshness(&project, &["gen/a.go"], &["api/**"]);
    is_stale(&project, &["gen/a.go is no file of the root"]);
}

#[test]
fn a_repository_that_git_cannot_read_is_not_judged_by_times() {
    let project = fresh();
    project.write(".git/config", "[broken");
    is_unknown(
        &project,
        "git does not tell the state and history of the files",
    );
}

#[test]
fn a_look_at_files_launches_nothing_so_it_needs_no_containment() {
    let project = fresh();
    let ran = project.run(["--require-containment"]);
    ran.expect(0, "ok: 1 passed");
    assert!(!ran.stderr.contains("uncontained"), "{}", ran.stderr);
    ran.lacks("uncontained");
}
