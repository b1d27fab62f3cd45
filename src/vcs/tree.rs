//! What a repository's tree holds: its commit, whether it differs, and one digest of it all.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use sha2::{Digest as _, Sha256};

use super::content::add;
use super::git::Git;
use super::repository::Repository;
use super::status::{Record, record};
use crate::text::hex;

/// A tree as git and its files have it. What could not be learnt is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeFacts {
    /// HEAD's commit; `None` before the first one.
    pub commit: Option<String>,
    /// Whether a file differs from HEAD's, is missing, or is new and not ignored.
    pub dirty: Option<bool>,
    /// SHA-256 in hex over HEAD and the path, kind and content of every file that differs or is
    /// new. Staging a change does not alter it.
    pub digest: Option<String>,
}

impl Repository {
    /// The facts of the whole repository; all `None` where git is missing, fails or prints what
    /// is not known here. Large files are read in pieces.
    pub fn tree_facts(&self, git: Option<&Git>) -> TreeFacts {
        git.and_then(|git| facts(self, git)).unwrap_or_default()
    }
}

fn facts(repository: &Repository, git: &Git) -> Option<TreeFacts> {
    let mut command = status(repository, git)?;
    command.arg("--branch").stdout(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let out = child.stdout.take();
    let facts = out.and_then(|out| read(out, repository.top()));
    ended_well(child, facts.is_some())
        .then_some(facts)
        .flatten()
}

/// Says record by record what differs from HEAD, and runs nothing; paths may follow.
pub(super) fn status(repository: &Repository, git: &Git) -> Option<Command> {
    let git_dir = repository.git_dir()?;
    let top = repository.top();
    let mut command = git.command(git_dir, top);
    for filter in filters(git, git_dir, top)? {
        // Git has no switch for "no filters": each is set to nothing, and may be missing.
        for setting in ["clean=", "smudge=", "process=", "required=false"] {
            command.arg("-c").arg(format!("filter.{filter}.{setting}"));
        }
    }
    command
        .args(["status", "--porcelain=v2", "-z", "--no-ahead-behind"])
        .args(["--no-renames", "--untracked-files=all"])
        // A submodule's own changes would be asked of a git that reads the submodule's settings.
        .arg("--ignore-submodules=dirty");
    Some(command)
}

/// The filter drivers that any setting names: they run when git compares a file's content.
fn filters(git: &Git, git_dir: &Path, top: &Path) -> Option<Vec<String>> {
    let output = git
        .command(git_dir, top)
        .args([
            "config",
            "--null",
            "--name-only",
            "--get-regexp",
            r"^filter\.",
        ])
        .output()
        .ok()?;
    // 1 is git's word for "none such".
    if !matches!(output.status.code(), Some(0 | 1)) {
        return None;
    }
    let text = String::from_utf8(output.stdout).ok()?;
    let mut drivers: Vec<String> = Vec::new();
    for name in text.split_terminator('\0') {
        let Some((driver, _)) = name.strip_prefix("filter.")?.rsplit_once('.') else {
            continue;
        };
        // Such a name cannot be overruled on a command line.
        if driver.contains(['=', '\n']) {
            return None;
        }
        if drivers.last().is_none_or(|last| last != driver) {
            drivers.push(driver.to_owned());
        }
    }
    Some(drivers)
}

/// Reads the records to their end; `None` where one is not understood.
fn read(out: ChildStdout, top: &Path) -> Option<TreeFacts> {
    let mut facts = TreeFacts::default();
    let mut dirty = false;
    let mut digest = Sha256::new();
    let mut head_seen = false;
    let mut out = BufReader::new(out);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if out.read_until(0, &mut bytes).ok()? == 0 {
            break;
        }
        let bytes = bytes.strip_suffix(&[0])?;
        match record(bytes)? {
            Record::Commit(commit) => {
                head_seen = true;
                digest.update(commit);
                facts.commit = Some(String::from_utf8(commit.to_vec()).ok()?);
            }
            Record::Initial => head_seen = true,
            Record::Path(path) => {
                dirty = true;
                add(&mut digest, top, path);
            }
            Record::Other => {}
        }
    }
    if !head_seen {
        return None;
    }
    facts.dirty = Some(dirty);
    facts.digest = Some(hex(&digest.finalize()));
    Some(facts)
}

/// Waits for git, ended first where its output is of no use; whether it succeeded.
pub(super) fn ended_well(mut child: Child, useful: bool) -> bool {
    if !useful {
        // It may have ended already, which is as good.
        let _ = child.kill();
    }
    child.wait().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::{Git, Repository, TreeFacts};
    use crate::vcs::git::sandbox::Sandbox;
    use std::ffi::OsString;
    use std::fs;
    use std::path::Path;

    fn facts(sandbox: &Sandbox, top: &Path) -> TreeFacts {
        Repository::discover(top)
            .unwrap()
            .tree_facts(Some(&sandbox.tool()))
    }

    #[test]
    fn a_clean_tree_is_its_commit_and_every_change_has_its_own_digest() {
        let sandbox = Sandbox::new();
        let top = sandbox.init("r");
        sandbox.commit(&top, "a.txt", "a\n");
        let clean = facts(&sandbox, &top);
        let head = sandbox.git(&top, &["rev-parse", "HEAD"]);
        assert_eq!(clean.commit.as_deref(), Some(head.trim()));
        assert_eq!(clean.dirty, Some(false));
        let mut digests = vec![clean.digest.clone().unwrap()];
        let mut differs = |what: &str| {
            let now = facts(&sandbox, &top);
            assert_eq!(now.dirty, Some(true), "{what}");
            let digest = now.digest.unwrap();
            assert!(!digests.contains(&digest), "{what}");
            digests.push(digest);
        };
        fs::write(top.join("new"), "1").unwrap();
        differs("an untracked file");
        fs::write(top.join("new"), "2").unwrap();
        differs("its content");
        fs::write(top.join("a.txt"), "b\n").unwrap();
        differs("a tracked file");
        fs::remove_file(top.join("a.txt")).unwrap();
        differs("a missing file");
        sandbox.git(&top, &["checkout", "-q", "."]);
        fs::remove_file(top.join("new")).unwrap();
        assert_eq!(facts(&sandbox, &top), clean);
    }

    #[test]
    fn staging_and_touching_change_nothing_and_nothing_is_written() {
        let sandbox = Sandbox::new();
        let top = sandbox.init("r");
        sandbox.commit(&top, "a.txt", "a\n");
        let clean = facts(&sandbox, &top);
        // The same bytes in a new file: only its times and number differ.
        fs::remove_file(top.join("a.txt")).unwrap();
        fs::write(top.join("a.txt"), "a\n").unwrap();
        let index = fs::read(top.join(".git/index")).unwrap();
        assert_eq!(facts(&sandbox, &top), clean);
        assert_eq!(fs::read(top.join(".git/index")).unwrap(), index);
        fs::write(top.join("n"), "n").unwrap();
        let unstaged = facts(&sandbox, &top);
        sandbox.git(&top, &["add", "-A"]);
        assert_eq!(facts(&sandbox, &top), unstaged);
    }

    #[test]
    fn before_the_first_commit_there_is_a_digest_and_no_commit() {
        let sandbox = Sandbox::new();
        let top = sandbox.init("r");
        let empty = facts(&sandbox, &top);
        assert_eq!((empty.commit, empty.dirty), (None, Some(false)));
        fs::write(top.join("a"), "a").unwrap();
        let one = facts(&sandbox, &top);
        assert_eq!(one.dirty, Some(true));
        assert_ne!(one.digest, empty.digest);
    }

    #[test]
    fn a_worktree_is_judged_by_its_own_head_and_files() {
        let sandbox = Sandbox::new();
        let main = sandbox.init("main");
        sandbox.commit(&main, "a.txt", "a\n");
        sandbox.git(&main, &["worktree", "add", "-q", "../other"]);
        let other = sandbox.path().join("other");
        sandbox.commit(&other, "b.txt", "b\n");
        fs::write(main.join("dirt"), "x").unwrap();
        let head = sandbox.git(&other, &["rev-parse", "HEAD"]);
        let facts = facts(&sandbox, &other);
        assert_eq!(facts.commit.as_deref(), Some(head.trim()));
        assert_eq!(facts.dirty, Some(false));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_that_a_repository_sets_up_runs() {
        let sandbox = Sandbox::new();
        let top = sandbox.init("r");
        sandbox.commit(&top, "a.txt", "a\n");
        // Same length, so that git has to look at the content.
        fs::write(top.join("a.txt"), "b\n").unwrap();
        fs::write(top.join("q"), "q\n").unwrap();
        let seen = facts(&sandbox, &top);
        let ran = sandbox.path().join("ran");
        let evil = sandbox.path().join("evil");
        let body = format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\nexit 1\n", ran.display());
        fs::write(&evil, body).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&evil, mode).unwrap();
        let evil = evil.to_str().unwrap();
        for setting in [
            "core.fsmonitor",
            "diff.external",
            "diff.x.textconv",
            "diff.x.command",
            "filter.x.clean",
            "filter.x.process",
            "filter.y.z.clean",
            "core.pager",
            "pager.status",
            "core.sshCommand",
        ] {
            sandbox.git(&top, &["config", setting, evil]);
        }
        sandbox.git(&top, &["config", "filter.x.required", "true"]);
        sandbox.git(&top, &["config", "core.worktree", "/"]);
        fs::write(
            top.join(".git/info/attributes"),
            "* filter=x diff=x\nq filter=y.z\n",
        )
        .unwrap();
        for hook in ["post-index-change", "fsmonitor-watchman", "pre-auto-gc"] {
            fs::copy(evil, top.join(".git/hooks").join(hook)).unwrap();
        }
        assert_eq!(facts(&sandbox, &top), seen);
        let ran = fs::read_to_string(&ran).unwrap_or_default();
        assert_eq!(ran, "");
    }

    #[cfg(unix)]
    #[test]
    fn a_fifo_and_odd_names_are_no_obstacle() {
        use std::os::unix::ffi::OsStrExt as _;
        let sandbox = Sandbox::new();
        let top = sandbox.init("r");
        sandbox.commit(&top, "a.txt", "a\n");
        let odd = std::ffi::OsStr::from_bytes(b"odd\n\xff \"name");
        fs::write(top.join(odd), "1").unwrap();
        let before = facts(&sandbox, &top);
        fs::write(top.join(odd), "2").unwrap();
        let after = facts(&sandbox, &top);
        assert_ne!(before.digest, after.digest);
        fs::remove_file(top.join("a.txt")).unwrap();
        let fifo = top.join("a.txt");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert_eq!(facts(&sandbox, &top).dirty, Some(true));
    }

    #[test]
    fn the_callers_git_variables_do_not_reach_git() {
        let sandbox = Sandbox::new();
        let (judged, other) = (sandbox.init("judged"), sandbox.init("other"));
        sandbox.commit(&judged, "a", "a\n");
        sandbox.commit(&other, "b", "b\n");
        let clean = facts(&sandbox, &judged);
        let mut env = sandbox.env();
        let git_dir: OsString = other.join(".git").into();
        env.push(("GIT_DIR".into(), git_dir.clone()));
        env.push(("GIT_INDEX_FILE".into(), other.join(".git/index").into()));
        env.push(("GIT_WORK_TREE".into(), other.clone().into()));
        let git = Git::find(env).unwrap();
        let repository = Repository::discover(&judged).unwrap();
        assert_eq!(repository.tree_facts(Some(&git)), clean);
    }

    #[test]
    fn without_a_git_that_works_nothing_is_claimed() {
        let sandbox = Sandbox::new();
        let top = sandbox.init("r");
        let repository = Repository::discover(&top).unwrap();
        let nothing = TreeFacts::default();
        assert_eq!(repository.tree_facts(None), nothing);
        let missing = Git::new(top.join("no-git"), sandbox.env());
        assert_eq!(repository.tree_facts(Some(&missing)), nothing);
        fs::write(top.join(".git/config"), "[broken").unwrap();
        assert_eq!(facts(&sandbox, &top), nothing);
    }
}
