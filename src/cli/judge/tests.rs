use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Account, Bench, TreeJudge};
use crate::model::{
    CheckId, CheckResult, CheckSpec, Exit, ExitFact, Failure, Judge as _, Limits, Outcome,
    RowState, Status, Termination,
};
use crate::ratchet::{Baselines, Places, Recordable, write};

struct Tree {
    dir: tempfile::TempDir,
}

impl Tree {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.go"), "one\n\tdefer f.Close()\nthree\n").unwrap();
        Self { dir }
    }

    fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    fn judge(&self, recording: bool) -> TreeJudge {
        let root = self.root();
        TreeJudge::new(Bench {
            places: Places::new(&root),
            baselines: Some(Baselines::load(&root, &[spec().id]).unwrap()),
            root,
            limits: Limits {
                cpu_percent: 100,
                memory_bytes: 1,
                processes: 1,
                output_bytes: None,
            },
            recording,
        })
    }

    /// Judges `rows` beside `exit`.
    fn run(&self, recording: bool, rows: Vec<Failure>, outcome: Outcome) -> (CheckResult, Account) {
        let judge = self.judge(recording);
        let mut sink = judge.open(&spec());
        for row in rows {
            sink.row(row);
        }
        let result = sink.end(outcome);
        let mut accounts = judge.accounts();
        assert_eq!(accounts.len(), 1);
        assert!(judge.accounts().is_empty());
        (result, accounts.remove(0))
    }

    fn record(&self, rows: Vec<Failure>) {
        let (_, account) = self.run(true, rows, outcome(Exit::Code(1)));
        write(&self.root(), &account.check, account.today).unwrap();
    }
}

fn spec() -> CheckSpec {
    let id = CheckId::new("lint").unwrap();
    CheckSpec::new(id, "golangci-lint", vec!["run".to_owned()])
}

fn outcome(exit: Exit) -> Outcome {
    Outcome {
        duration: Duration::from_millis(297),
        ..Outcome::of(exit)
    }
}

fn row(path: &str, line: u32, message: &str) -> Failure {
    let mut row = Failure::new("golangci-lint", message);
    row.path = Some(path.to_owned());
    row.line = Some(line);
    row
}

#[test]
fn what_was_recorded_is_known_and_the_next_one_alone_is_new() {
    let tree = Tree::new();
    let all = || (0..1400).map(|n| row("a.go", 2, &format!("finding number {n}")));
    let (before, _) = tree.run(false, all().collect(), outcome(Exit::Code(1)));
    assert_eq!(
        (before.status, before.new, before.failures.len()),
        (Status::Fail, 1400, 200)
    );
    tree.record(all().collect());
    let (known, _) = tree.run(false, all().collect(), outcome(Exit::Code(1)));
    assert_eq!(
        (known.status, known.known, known.failures_total),
        (Status::Known, 1400, 1400)
    );
    assert_eq!(known.reason.as_deref(), Some("known (1,400)"));
    let more = all().chain([row("a.go", 3, "one more")]).collect();
    let (failed, account) = tree.run(false, more, outcome(Exit::Code(1)));
    assert_eq!(
        (failed.status, failed.new, failed.known),
        (Status::Fail, 1, 1400)
    );
    assert_eq!(failed.failures[0].message, "one more");
    assert_eq!(failed.failures[0].state, RowState::New);
    assert_eq!(account.new.len(), 1);
    assert_eq!(account.new[0].to_string(), failed.failures[0].fingerprint);
    let (fewer, _) = tree.run(false, all().skip(3).collect(), outcome(Exit::Code(1)));
    assert_eq!(
        (fewer.status, fewer.fixed, fewer.unseen),
        (Status::Known, 3, 0)
    );
    assert_eq!(fewer.reason.as_deref(), Some("known (1,397), 3 fixed"));
}

#[test]
fn lines_inserted_above_and_a_renamed_file_are_no_news() {
    let tree = Tree::new();
    tree.record(vec![row("a.go", 2, "unchecked")]);
    fs::write(
        tree.root().join("a.go"),
        "0\n0\n0\none\n  defer  f.Close()\r\n",
    )
    .unwrap();
    let (moved_down, _) = tree.run(
        false,
        vec![row("a.go", 5, "unchecked")],
        outcome(Exit::Code(1)),
    );
    assert_eq!(moved_down.status, Status::Known);
    assert_eq!(
        moved_down.failures[0].source.as_deref(),
        Some("defer f.Close()")
    );
    let copied = fs::copy(tree.root().join("a.go"), tree.root().join("b.go"));
    copied.unwrap();
    let (copy, _) = tree.run(
        false,
        vec![row("b.go", 5, "unchecked")],
        outcome(Exit::Code(1)),
    );
    assert_eq!(copy.status, Status::Fail, "a.go is still there");
    fs::remove_file(tree.root().join("a.go")).unwrap();
    let (renamed, _) = tree.run(
        false,
        vec![row("b.go", 5, "unchecked")],
        outcome(Exit::Code(1)),
    );
    assert_eq!((renamed.status, renamed.fixed), (Status::Known, 0));
}

#[test]
fn a_crash_beside_known_rows_is_one_new_row_that_names_it() {
    let tree = Tree::new();
    tree.record(vec![row("a.go", 2, "unchecked")]);
    let mut crash = outcome(Exit::Signal(9));
    crash.stdout.bytes = b"one\ntwo\n\nthree \xff\n".to_vec();
    let (result, account) = tree.run(true, vec![row("a.go", 2, "unchecked")], crash);
    assert_eq!(
        (
            result.status,
            result.new,
            result.known,
            result.failures_total
        ),
        (Status::Fail, 1, 1, 2)
    );
    assert_eq!(result.reason.as_deref(), Some("killed by SIGKILL"));
    assert_eq!(result.exit, Some(ExitFact::Signal("SIGKILL".to_owned())));
    let made = &result.failures[0];
    assert_eq!(
        (made.tool.as_str(), made.state),
        (Failure::ROW_LESS, RowState::New)
    );
    assert_eq!(made.message, "killed by SIGKILL\none\ntwo\nthree \\xFF");
    assert_eq!(result.failures[1].state, RowState::Known);
    assert_eq!(account.new.len(), 1);
    assert!(account.today.is_empty(), "a crash is not recorded");
    assert!(matches!(account.recordable, Recordable::No(_)));
}

#[test]
fn standard_error_speaks_for_a_failure_without_rows() {
    let tree = Tree::new();
    let mut silent = outcome(Exit::Code(3));
    silent.stdout.bytes = b"progress\n".to_vec();
    silent.stderr.bytes = b"1\n2\n3\n4\n5\n6\n".to_vec();
    let (result, _) = tree.run(false, Vec::new(), silent);
    assert_eq!(result.failures[0].message, "exit status 3\n2\n3\n4\n5\n6");
    assert_eq!(result.reason.as_deref(), Some("exit status 3"));
}

#[test]
fn rows_beside_exit_0_are_shown_and_do_not_count() {
    let tree = Tree::new();
    let (result, account) = tree.run(true, vec![row("a.go", 2, "hm")], outcome(Exit::Code(0)));
    assert_eq!(
        (result.status, result.new, result.failures_total),
        (Status::Pass, 0, 0)
    );
    assert_eq!(result.failures.len(), 1);
    assert!(account.today.is_empty() && account.new.is_empty());
}

#[test]
fn a_check_that_was_not_run_saw_nothing_of_its_baseline() {
    let tree = Tree::new();
    tree.record(vec![
        row("a.go", 2, "m"),
        row("a.go", 2, "m"),
        row("a.go", 3, "m"),
    ]);
    let judge = tree.judge(false);
    let result = judge.not_run(&spec(), Status::Skipped, "not run: build failed".to_owned());
    assert_eq!(
        (result.status, result.unseen, result.fixed),
        (Status::Skipped, 3, 0)
    );
    assert_eq!(result.termination, Termination::NotRun);
    assert_eq!(result.argv, ["golangci-lint", "run"]);
    assert!(matches!(
        judge.accounts()[0].recordable,
        Recordable::Nothing(_)
    ));
}

#[test]
fn paths_that_lead_out_of_the_tree_are_never_gone() {
    let tree = Tree::new();
    let gone = |path: &str| super::is_gone(&tree.root(), path);
    assert!(gone("none.go") && gone("no/such.go") && gone("a.go/below"));
    assert!(!gone("a.go") && !gone("../none") && !gone("/none") && !gone("<home>/../x"));
    assert!(!super::is_gone(Path::new("/"), "etc"));
}
