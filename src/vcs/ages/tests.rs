use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{
    AT_ONCE, Ages, AgesError, ControlFlow, GitError, Graph, Group, Id, Patience, Repository,
};
use crate::vcs::git::sandbox::Sandbox;

/// Whether each artefact holds each input, with the commit that it does not hold.
fn ages(
    sandbox: &Sandbox,
    root: &Path,
    artefacts: &[&str],
    inputs: &[&str],
) -> Result<Vec<Vec<Option<String>>>, AgesError> {
    let repository = Repository::discover(root).unwrap();
    let patience = Patience::until(&|| false);
    let bytes = |names: &[&str]| -> Vec<Vec<u8>> {
        names.iter().map(|name| name.as_bytes().to_vec()).collect()
    };
    let (of, from) = (bytes(artefacts), bytes(inputs));
    let (of, from) = (of.iter().map(Vec::as_slice), from.iter().map(Vec::as_slice));
    let ages = repository.ages(&sandbox.tool(), root, of, from, patience)?;
    let mut seen = vec![vec![None; inputs.len()]; artefacts.len()];
    let mut before = None;
    ages.newer(patience, &mut |artefact, input, commit| {
        assert!(
            before.replace((artefact, input)) < Some((artefact, input)),
            "in order"
        );
        seen[artefact][input] = Some(commit.to_owned());
        ControlFlow::Continue(())
    })?;
    Ok(seen)
}

/// Of one artefact `out` and one input `in`.
fn newer(sandbox: &Sandbox, root: &Path) -> Option<String> {
    ages(sandbox, root, &["out"], &["in"]).unwrap()[0][0].clone()
}

fn write(top: &Path, names: &[&str], text: &str) {
    for name in names {
        fs::write(top.join(name), text).unwrap();
    }
}

fn head(sandbox: &Sandbox, top: &Path) -> String {
    sandbox.git(top, &["rev-parse", "HEAD"]).trim().to_owned()
}

#[test]
fn an_artefact_is_fresh_with_its_input_or_after_it() {
    let sandbox = Sandbox::new();
    let top = sandbox.init("r");
    write(&top, &["in"], "1");
    sandbox.commit(&top, "out", "1");
    assert_eq!(newer(&sandbox, &top), None, "in one commit");
    sandbox.commit(&top, "in", "2");
    let changed = head(&sandbox, &top);
    sandbox.commit(&top, "other", "1");
    assert_eq!(newer(&sandbox, &top), Some(changed));
    sandbox.commit(&top, "out", "2");
    assert_eq!(newer(&sandbox, &top), None, "made again");
    sandbox.git(&top, &["mv", "in", "moved"]);
    sandbox.git(&top, &["commit", "-qm", "move"]);
    let moved = ages(&sandbox, &top, &["out"], &["moved"]).unwrap();
    assert_eq!(
        moved[0][0],
        Some(head(&sandbox, &top)),
        "a new name is a change"
    );
}

#[test]
fn two_branches_that_each_changed_one_are_not_fresh_together() {
    let sandbox = Sandbox::new();
    let top = sandbox.init("r");
    write(&top, &["in"], "1");
    sandbox.commit(&top, "out", "1");
    sandbox.git(&top, &["checkout", "-qb", "side"]);
    sandbox.commit(&top, "in", "2");
    let input = head(&sandbox, &top);
    sandbox.git(&top, &["checkout", "-q", "-"]);
    sandbox.commit(&top, "out", "2");
    sandbox.git(&top, &["merge", "-q", "-m", "m", "side"]);
    assert_eq!(newer(&sandbox, &top), Some(input));
    // Made anew in the merge itself.
    write(&top, &["out"], "3");
    sandbox.git(&top, &["commit", "-q", "-a", "--amend", "-m", "m"]);
    assert_eq!(newer(&sandbox, &top), None);
}

#[test]
fn what_a_merge_left_behind_is_not_the_last_commit() {
    let sandbox = Sandbox::new();
    let top = sandbox.init("r");
    write(&top, &["in"], "1");
    sandbox.commit(&top, "out", "1");
    sandbox.git(&top, &["checkout", "-qb", "side"]);
    sandbox.commit(&top, "in", "2");
    sandbox.git(&top, &["checkout", "-q", "-"]);
    sandbox.commit(&top, "other", "1");
    sandbox.git(&top, &["merge", "-q", "-s", "ours", "-m", "m", "side"]);
    assert_eq!(newer(&sandbox, &top), None);
}

#[test]
fn a_shallow_clone_is_believed_only_as_far_as_it_goes() {
    let sandbox = Sandbox::new();
    let top = sandbox.init("r");
    write(&top, &["in"], "1");
    sandbox.commit(&top, "out", "1");
    for text in ["1", "2", "3"] {
        sandbox.commit(&top, "other", text);
    }
    let clone = |depth: &str, name: &str| {
        let from = format!("file://{}", top.display());
        let args = [
            "-c",
            "protocol.file.allow=always",
            "clone",
            "-q",
            "--depth",
            depth,
            &from,
            name,
        ];
        sandbox.git(sandbox.path(), &args);
        sandbox.path().join(name)
    };
    let error = ages(&sandbox, &clone("2", "short"), &["out"], &["in"]).unwrap_err();
    assert_eq!(error, AgesError::Shallow(0));
    assert_eq!(
        newer(&sandbox, &clone("9", "whole")),
        None,
        "it has all there is"
    );
    write(&top, &["in"], "2");
    sandbox.commit(&top, "out", "2");
    sandbox.commit(&top, "other", "4");
    assert_eq!(newer(&sandbox, &clone("3", "enough")), None);
    sandbox.commit(&top, "in", "3");
    let doubtful = clone("3", "doubtful");
    let error = ages(&sandbox, &doubtful, &["out"], &["in"]).unwrap_err();
    assert_eq!(error, AgesError::Shallow(0));
}

#[test]
fn paths_are_names_and_start_at_the_root() {
    let sandbox = Sandbox::new();
    let top = sandbox.init("r");
    let root = top.join("svc");
    fs::create_dir_all(root.join("a b")).unwrap();
    write(&root, &["a b/*.go", "in", ":x"], "1");
    write(&top, &["in"], "1");
    sandbox.commit(&top, "z", "1");
    sandbox.commit(&top, "in", "2");
    sandbox.commit(&root, ":x", "2");
    let last = head(&sandbox, &top);
    let seen = ages(&sandbox, &root, &["a b/*.go"], &["in", ":x"]).unwrap();
    assert_eq!(seen, [[None, Some(last)]]);
}

#[test]
fn settings_of_the_repository_change_nothing_and_run_nothing() {
    let sandbox = Sandbox::new();
    let top = sandbox.init("r");
    write(&top, &["out"], "1");
    sandbox.commit(&top, "in", "1");
    sandbox.commit(&top, "in", "2");
    let seen = newer(&sandbox, &top);
    let ran = sandbox.path().join("ran");
    let run = format!("touch '{}'", ran.display());
    for (setting, value) in [
        ("log.showSignature", "true"),
        ("gpg.program", run.as_str()),
        ("log.follow", "true"),
        ("log.showRoot", "false"),
        ("diff.external", &run),
        ("diff.relative", "true"),
        ("diff.renames", "copies"),
        ("core.pager", &run),
    ] {
        sandbox.git(&top, &["config", setting, value]);
    }
    assert_eq!(newer(&sandbox, &top), seen);
    assert!(seen.is_some() && !ran.exists());
}

#[test]
fn a_history_that_cannot_be_read_is_an_error() {
    let sandbox = Sandbox::new();
    let top = sandbox.init("r");
    write(&top, &["out"], "1");
    sandbox.commit(&top, "in", "1");
    let unknown = ages(&sandbox, &top, &["out"], &["never"]).unwrap_err();
    assert_eq!(unknown, AgesError::Git(GitError::Failed));
    let tree = sandbox.git(&top, &["rev-parse", "HEAD^{tree}"]);
    let (folder, file) = tree.trim().split_at(2);
    sandbox.commit(&top, "in", "2");
    fs::remove_file(top.join(".git/objects").join(folder).join(file)).unwrap();
    let torn = ages(&sandbox, &top, &["out"], &["in"]).unwrap_err();
    assert_eq!(torn, AgesError::Git(GitError::Failed));
}

/// A history of `commits` in which one of `files` changes at a time, with merges of every kind
/// and clocks that go wrong.
fn random_history(commits: usize, files: &[String], mut seed: u64) -> String {
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let mut text = String::new();
    for number in 1..=commits {
        let time = 1_500_000_000 + number * 60 - next(4) * next(200);
        let _ = write!(
            text,
            "commit refs/heads/main\nmark :{number}\ncommitter t <t@x> {time} +0000\ndata 1\nc\n"
        );
        if number == 1 {
            for file in files {
                let _ = write!(text, "M 100644 inline {file}\ndata 1\n0\n");
            }
            continue;
        }
        let recent = |back: usize| number - 1 - back.min(number - 2);
        // The last commit takes in the ends of all branches that are near.
        let from = if number == commits {
            number - 1
        } else {
            recent(next(3))
        };
        let _ = writeln!(text, "from :{from}");
        let mut merged = vec![from];
        for _ in 0..next(4).saturating_sub(1) {
            let other = recent(next(8));
            if !merged.contains(&other) {
                merged.push(other);
                let _ = writeln!(text, "merge :{other}");
            }
        }
        if merged.len() == 1 || next(2) == 0 {
            // Few contents, so that branches come to the same by different ways.
            let file = &files[next(files.len())];
            let _ = write!(text, "M 100644 inline {file}\ndata 1\n{}\n", next(3));
        }
    }
    text
}

/// A repository with such a history, and its files.
fn random_repository(sandbox: &Sandbox, seed: u64, count: usize) -> (PathBuf, Vec<String>) {
    let folder = |i: usize| {
        if i.is_multiple_of(2) {
            format!("d{i}/f")
        } else {
            format!("f{i}")
        }
    };
    let files: Vec<String> = (0..count).map(folder).collect();
    let top = sandbox.init(&format!("r{seed}"));
    let stream = sandbox.path().join("stream");
    let commits = 60.max(count * 2);
    fs::write(&stream, random_history(commits, &files, seed)).unwrap();
    let import = Command::new("git")
        .args(["fast-import", "--quiet", "--force"])
        .env_clear()
        .envs(sandbox.env())
        .current_dir(&top)
        .stdin(File::open(&stream).unwrap())
        .status();
    assert!(import.unwrap().success());
    sandbox.git(&top, &["symbolic-ref", "HEAD", "refs/heads/main"]);
    (top, files)
}

/// More commits than are followed at a time.
#[test]
fn many_are_as_each_of_them_is() {
    let sandbox = Sandbox::new();
    let (top, files) = random_repository(&sandbox, 7, 200);
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let (of, from) = names.split_at(150);
    let together = ages(&sandbox, &top, of, from).unwrap();
    let mut apart = Vec::new();
    for of in of.chunks(30) {
        apart.extend(ages(&sandbox, &top, of, from).unwrap());
    }
    assert_eq!(together, apart);
    let newer = together.iter().flatten().flatten().count();
    assert!(newer > 100, "{newer}: one answer is no test");
}

#[test]
fn artefacts_go_in_groups_of_as_many_commits_as_there_are_bits() {
    let all: Vec<u32> = (0..=u32::try_from(AT_ONCE).unwrap()).collect();
    let (group, rest) = Group::of(&all);
    assert_eq!((group.commits.as_slice(), rest), all.split_at(AT_ONCE));
    let twice = [&all[..AT_ONCE], &all[..AT_ONCE]].concat();
    let (group, rest) = Group::of(&twice);
    assert_eq!(
        (group.commits.len(), group.places.len(), rest.len()),
        (64, 128, 0)
    );
    assert_eq!(group.places[AT_ONCE + 3], 3);
}

#[test]
fn what_nobody_could_look_at_is_not_listed() {
    let inputs = 20_000;
    let id = |number: u32| {
        let mut id = [0; 32];
        id[..4].copy_from_slice(&number.to_le_bytes());
        Id(id)
    };
    let commits: Vec<u32> = (0..64 + inputs).collect();
    let ages = Ages {
        graph: Graph {
            names: commits.iter().copied().map(id).collect(),
            edges: commits.iter().map(|_| None).collect(),
        },
        order: commits.clone(),
        last: commits,
        artefacts: 64,
        shallow: false,
    };
    let patience = Patience::until(&|| false);
    let mut found = |_: usize, _: usize, _: &str| ControlFlow::Continue(());
    let told = ages.newer(patience, &mut found);
    assert_eq!(told, Err(AgesError::TooMany));
    let told = ages.newer(Patience::until(&|| true), &mut found);
    assert_eq!(told, Err(AgesError::Git(GitError::CalledOff)));
}

#[test]
fn every_answer_is_gits_own() {
    let sandbox = Sandbox::new();
    let mut pairs = [0, 0];
    for (seed, count) in [(1, 5), (2, 5), (3, 8), (4, 3), (5, 40), (6, 5)] {
        let (top, files) = random_repository(&sandbox, seed, count);
        let last = |file: &str| {
            let said = sandbox.git(&top, &["log", "-1", "--format=%H", "--", file]);
            said.trim().to_owned()
        };
        let names: Vec<&str> = files.iter().map(String::as_str).collect();
        let last: Vec<String> = names.iter().map(|file| last(file)).collect();
        let (of, from) = names.split_at(2);
        let seen = ages(&sandbox, &top, of, from).unwrap();
        for (artefact, row) in seen.into_iter().enumerate() {
            for (input, newer) in (of.len()..).zip(row) {
                let (made, changed) = (&last[artefact], &last[input]);
                let base = sandbox.git(&top, &["merge-base", made, changed]);
                let wanted = (base.trim() != changed).then(|| changed.clone());
                pairs[usize::from(wanted.is_some())] += 1;
                assert_eq!(
                    newer, wanted,
                    "seed {seed}: {} of {}",
                    names[input], names[artefact]
                );
            }
        }
    }
    assert!(
        pairs[0] > 10 && pairs[1] > 10,
        "{pairs:?}: one answer is no test"
    );
}
