//! What a repository's tree holds: its commit, whether it differs, and one digest of it all.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use sha2::{Digest as _, Sha256};

use super::call::Call;
use super::content::add;
use super::git::Git;
use super::patience::{GitError, Patience};
use super::repository::Repository;
use super::status::{Record, record};
use crate::text::hex;

/// More filter drivers than this cannot be named on one command line.
const MAX_FILTERS: usize = 1000;

/// A tree as git and its files have it.
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
    /// The facts of the whole repository. Large files are read in pieces.
    pub fn tree_facts(&self, git: &Git, patience: Patience<'_>) -> Result<TreeFacts, GitError> {
        let until = Instant::now() + patience.limit();
        let over = || patience.is_over() || Instant::now() >= until;
        let facts = facts(self, git, patience.and(&over));
        match facts {
            Err(GitError::CalledOff) if !patience.is_over() => {
                let what = "reading the files that differ from HEAD";
                Err(GitError::Slow(what, patience.limit()))
            }
            Ok(_) | Err(_) => facts,
        }
    }
}

fn facts(
    repository: &Repository,
    git: &Git,
    patience: Patience<'_>,
) -> Result<TreeFacts, GitError> {
    let mut command = status(repository, git, patience)?;
    command.arg("--branch");
    let mut call = Call::start("git status", command, patience)?;
    let facts = read(&mut call, repository.top(), patience)?;
    call.succeeded().map(|()| facts)
}

/// Says record by record what differs from HEAD, and runs nothing; paths may follow.
pub(super) fn status(
    repository: &Repository,
    git: &Git,
    patience: Patience<'_>,
) -> Result<Command, GitError> {
    let git_dir = repository.git_dir().ok_or(GitError::Failed)?;
    let top = repository.top();
    let mut command = git.command(git_dir, top);
    for filter in filters(git, git_dir, top, patience)? {
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
    Ok(command)
}

/// The filter drivers that any setting names: they run when git compares a file's content.
fn filters(
    git: &Git,
    git_dir: &Path,
    top: &Path,
    patience: Patience<'_>,
) -> Result<BTreeSet<String>, GitError> {
    let mut command = git.command(git_dir, top);
    command.args(["config", "--null", "--name-only"]);
    command.args(["--get-regexp", r"^filter\."]);
    let mut call = Call::start("git config", command, patience)?;
    let mut drivers = BTreeSet::new();
    while let Some(name) = call.next()? {
        let name = std::str::from_utf8(name).map_err(|_| GitError::Failed)?;
        let below = name.strip_prefix("filter.").ok_or(GitError::Failed)?;
        let Some((driver, _)) = below.rsplit_once('.') else {
            continue;
        };
        // Such a name cannot be overruled on a command line.
        if driver.contains(['=', '\n']) || drivers.len() == MAX_FILTERS {
            return Err(GitError::Failed);
        }
        if !drivers.contains(driver) {
            drivers.insert(driver.to_owned());
        }
    }
    // 1 is git's word for "none such".
    match call.status()?.code() {
        Some(0 | 1) => Ok(drivers),
        _ => Err(GitError::Failed),
    }
}

/// Reads the records to their end; an error where one is not understood.
fn read(call: &mut Call<'_>, top: &Path, patience: Patience<'_>) -> Result<TreeFacts, GitError> {
    let mut facts = TreeFacts::default();
    let mut dirty = false;
    let mut digest = Sha256::new();
    let mut head_seen = false;
    while let Some(bytes) = call.next()? {
        match record(bytes).ok_or(GitError::Failed)? {
            Record::Commit(commit) => {
                head_seen = true;
                digest.update(commit);
                let commit = std::str::from_utf8(commit).map_err(|_| GitError::Failed)?;
                facts.commit = Some(commit.to_owned());
            }
            Record::Initial => head_seen = true,
            Record::Path(path) => {
                dirty = true;
                add(&mut digest, top, path, patience)?;
            }
            Record::Other => {}
        }
    }
    if !head_seen {
        return Err(GitError::Failed);
    }
    facts.dirty = Some(dirty);
    facts.digest = Some(hex(&digest.finalize()));
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use super::{Git, GitError, Path, Patience, Repository, TreeFacts};
    use crate::vcs::git::sandbox::Sandbox;
    use std::ffi::OsString;
    use std::fs;

    fn asked(git: &Git, top: &Path) -> Result<TreeFacts, GitError> {
        let repository = Repository::discover(top).unwrap();
        repository.tree_facts(git, Patience::until(&|| false))
    }

    fn facts(sandbox: &Sandbox, top: &Path) -> TreeFacts {
        asked(&sandbox.tool(), top).unwrap()
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
        assert_eq!(asked(&git, &judged), Ok(clean));
    }

    #[test]
    fn without_a_git_that_works_nothing_is_claimed() {
        let sandbox = Sandbox::new();
        let top = sandbox.init("r");
        let missing = Git::new(top.join("no-git"), sandbox.env());
        assert_eq!(asked(&missing, &top), Err(GitError::Failed));
        fs::write(top.join(".git/config"), "[broken").unwrap();
        assert_eq!(asked(&sandbox.tool(), &top), Err(GitError::Failed));
    }

    #[test]
    fn nothing_is_read_that_nobody_waits_for() {
        let sandbox = Sandbox::new();
        let top = sandbox.init("r");
        fs::write(top.join("new"), "1").unwrap();
        let repository = Repository::discover(&top).unwrap();
        for answers in 0_usize.. {
            let left = std::cell::Cell::new(answers);
            let over = || left.replace(left.get().saturating_sub(1)) == 0;
            let seen = repository.tree_facts(&sandbox.tool(), Patience::until(&over));
            if seen.is_ok() {
                assert!(answers > 2, "asked several times");
                return;
            }
            assert_eq!(seen, Err(GitError::CalledOff));
        }
    }

    /// A limit of nothing stands for one that ran out.
    #[test]
    fn what_takes_too_long_is_named() {
        let sandbox = Sandbox::new();
        let top = sandbox.init("r");
        let repository = Repository::discover(&top).unwrap();
        let limit = std::time::Duration::ZERO;
        let patience = Patience::until(&|| false).at_most(limit);
        let seen = repository.tree_facts(&sandbox.tool(), patience);
        assert!(
            matches!(seen, Err(GitError::Slow(_, at)) if at == limit),
            "{seen:?}"
        );
    }
}
