//! Which files a folder has, and how each stands against HEAD.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::call::Call;
use super::content::native;
use super::git::Git;
use super::patience::{GitError, Patience};
use super::repository::Repository;
use super::status::{Record, record};
use super::tree::status;

/// How a file stands against HEAD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// As HEAD has it.
    Committed,
    /// As HEAD has it, and a sparse checkout leaves it out of the work tree.
    LeftOut,
    /// Its content, kind or mode differs, staged or not.
    Changed,
    /// HEAD or the index has it, and the work tree does not.
    Removed,
    /// Neither committed nor ignored.
    Untracked,
    /// The index is told to take it as unchanged, so that git does not say whether it is.
    Unwatched,
    /// A submodule, whose files are another repository's.
    Submodule,
}

/// The files that differ from HEAD, by their paths from the top.
type Differing = BTreeMap<Vec<u8>, FileState>;

impl Repository {
    /// Gives the files of `root` (the top or a folder below it; absolute, links resolved) that are
    /// not ignored, by their paths from it and in the order of these. Only what differs from HEAD
    /// and is `wanted` is held in memory.
    pub fn files(
        &self,
        git: &Git,
        root: &Path,
        patience: Patience<'_>,
        wanted: &dyn Fn(&[u8]) -> bool,
        found: &mut dyn FnMut(&[u8], FileState),
    ) -> Result<(), GitError> {
        let below = self.below(root).ok_or(GitError::Failed)?;
        let mut found = |path: &[u8], state| {
            if let Some(path) = path.strip_prefix(below.as_slice()) {
                found(path, state);
            }
        };
        let wanted = |path: &[u8]| path.strip_prefix(below.as_slice()).is_some_and(wanted);
        let mut differing = self
            .differing(git, &below, patience, &wanted)?
            .into_iter()
            .peekable();
        let mut files = self.indexed(git, &below, patience)?;
        let mut last = Vec::new();
        while let Some(entry) = files.next()? {
            let (path, state) = indexed_file(entry).ok_or(GitError::Failed)?;
            // One that is being merged stands there up to three times.
            if path == last.as_slice() {
                continue;
            }
            last.clear();
            last.extend_from_slice(path);
            while let Some((other, state)) = differing.next_if(|(other, _)| *other < last) {
                found(&other, state);
            }
            let differs = differing.next_if(|(other, _)| *other == last);
            let state = match (state, differs) {
                (FileState::Submodule, _) => state,
                (_, Some((_, differs))) => differs,
                // What a sparse checkout leaves out and is there all the same was put there.
                (FileState::LeftOut, None) if self.has(path) => FileState::Unwatched,
                (_, None) => state,
            };
            found(path, state);
        }
        files.succeeded()?;
        for (path, state) in differing {
            found(&path, state);
        }
        Ok(())
    }

    /// What git puts before the paths of files in `root`: empty, or the folder and a `/`.
    pub(super) fn below(&self, root: &Path) -> Option<Vec<u8>> {
        let mut prefix = Vec::new();
        for part in root.strip_prefix(self.top()).ok()? {
            prefix.extend_from_slice(part.as_encoded_bytes());
            prefix.push(b'/');
        }
        Some(prefix)
    }

    /// Says what the index has, in the order of paths.
    fn indexed<'p>(
        &self,
        git: &Git,
        below: &[u8],
        patience: Patience<'p>,
    ) -> Result<Call<'p>, GitError> {
        let git_dir = self.git_dir().ok_or(GitError::Failed)?;
        let mut command = git.command(git_dir, self.top());
        command.args(["ls-files", "-z", "-v", "--stage"]);
        files_below(&mut command, below)?;
        Call::start("git ls-files", command, patience)
    }

    /// What is new, and how what has changed stands.
    fn differing(
        &self,
        git: &Git,
        below: &[u8],
        patience: Patience<'_>,
        wanted: &dyn Fn(&[u8]) -> bool,
    ) -> Result<Differing, GitError> {
        let mut command = status(self, git, patience)?;
        files_below(&mut command, below)?;
        let mut call = Call::start("git status", command, patience)?;
        let mut differing = Differing::new();
        while let Some(entry) = call.next()? {
            let Record::Path(path) = record(entry).ok_or(GitError::Failed)? else {
                continue;
            };
            // A repository inside this one is not its file.
            if path.ends_with(b"/") || !wanted(path) {
                continue;
            }
            if entry.starts_with(b"?") {
                // What was taken out of the index and is there differs from HEAD.
                differing
                    .entry(path.to_vec())
                    .or_insert(FileState::Untracked);
            } else if self.has(path) {
                differing.insert(path.to_vec(), FileState::Changed);
            } else {
                differing.insert(path.to_vec(), FileState::Removed);
            }
        }
        call.succeeded().map(|()| differing)
    }

    fn has(&self, path: &[u8]) -> bool {
        native(path).is_some_and(|path| self.top().join(path).symlink_metadata().is_ok())
    }
}

/// Asks for the files below a folder alone.
fn files_below(command: &mut Command, below: &[u8]) -> Result<(), GitError> {
    command.env("GIT_LITERAL_PATHSPECS", "1").arg("--");
    if !below.is_empty() {
        command.arg(native(below).ok_or(GitError::Failed)?);
    }
    Ok(())
}

/// One record of `git ls-files -v --stage`: `H 100644 <object> 0<tab>path`. The tag's letter is
/// small where the file is to be taken as unchanged, and `S` where it is left out.
fn indexed_file(entry: &[u8]) -> Option<(&[u8], FileState)> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let (facts, path) = (&entry[..tab], &entry[tab + 1..]);
    let [tag, b' ', mode @ ..] = facts else {
        return None;
    };
    let state = match tag {
        _ if mode.starts_with(b"160000 ") => FileState::Submodule,
        b'a'..=b'z' => FileState::Unwatched,
        b'S' => FileState::LeftOut,
        _ => FileState::Committed,
    };
    Some((path, state))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{FileState, GitError, Path, Patience, Repository};
    use crate::vcs::git::sandbox::Sandbox;

    fn asked(sandbox: &Sandbox, root: &Path) -> Result<Vec<(String, FileState)>, GitError> {
        let repository = Repository::discover(root).unwrap();
        let patience = Patience::until(&|| false);
        let mut files = Vec::new();
        let mut found = |path: &[u8], state| {
            files.push((String::from_utf8(path.to_vec()).unwrap(), state));
        };
        let all = |_: &[u8]| true;
        repository.files(&sandbox.tool(), root, patience, &all, &mut found)?;
        Ok(files)
    }

    fn states(sandbox: &Sandbox, root: &Path) -> Vec<(String, FileState)> {
        asked(sandbox, root).unwrap()
    }

    fn all(files: &[(&str, FileState)]) -> Vec<(String, FileState)> {
        files
            .iter()
            .map(|(path, state)| ((*path).to_owned(), *state))
            .collect()
    }

    #[test]
    fn each_file_stands_as_it_does_staged_or_not() {
        use FileState::{Changed, Committed, Removed, Untracked};
        let sandbox = Sandbox::new();
        let top = sandbox.init("r");
        for name in [
            "clean", "edited", "staged", "gone", "rm", "unlisted", "[x] y",
        ] {
            fs::write(top.join(name), "1\n").unwrap();
        }
        sandbox.commit(&top, ".gitignore", "ignored\n");
        fs::write(top.join("edited"), "2\n").unwrap();
        fs::write(top.join("staged"), "2\n").unwrap();
        fs::write(top.join("added"), "").unwrap();
        sandbox.git(&top, &["add", "staged", "added"]);
        fs::remove_file(top.join("gone")).unwrap();
        sandbox.git(&top, &["rm", "-q", "rm"]);
        sandbox.git(&top, &["rm", "-q", "--cached", "unlisted"]);
        fs::write(top.join("new"), "").unwrap();
        fs::write(top.join("ignored"), "").unwrap();
        sandbox.init("r/nested");
        fs::write(top.join("nested/file"), "").unwrap();
        assert_eq!(
            states(&sandbox, &top),
            all(&[
                (".gitignore", Committed),
                ("[x] y", Committed),
                ("added", Changed),
                ("clean", Committed),
                ("edited", Changed),
                ("gone", Removed),
                ("new", Untracked),
                ("rm", Removed),
                ("staged", Changed),
                ("unlisted", Changed),
            ])
        );
    }

    #[test]
    fn a_root_below_the_top_has_its_own_files_by_its_own_paths() {
        let sandbox = Sandbox::new();
        let top = sandbox.init("r");
        let root = top.join("a [b]");
        fs::create_dir_all(root.join("in")).unwrap();
        fs::create_dir(top.join("a b")).unwrap();
        fs::write(root.join("in/x"), "1").unwrap();
        fs::write(top.join("a b/y"), "1").unwrap();
        sandbox.commit(&top, "z", "1");
        fs::write(root.join("new"), "1").unwrap();
        let wanted = [
            ("in/x", FileState::Committed),
            ("new", FileState::Untracked),
        ];
        assert_eq!(states(&sandbox, &root), all(&wanted));
    }

    #[test]
    fn what_git_is_told_not_to_look_at_is_not_taken_for_unchanged() {
        let sandbox = Sandbox::new();
        let top = sandbox.init("r");
        for name in ["assumed", "skipped", "sparse"] {
            sandbox.commit(&top, name, "1\n");
        }
        sandbox.git(&top, &["update-index", "--assume-unchanged", "assumed"]);
        sandbox.git(
            &top,
            &["update-index", "--skip-worktree", "skipped", "sparse"],
        );
        fs::remove_file(top.join("sparse")).unwrap();
        assert_eq!(
            states(&sandbox, &top),
            all(&[
                ("assumed", FileState::Unwatched),
                ("skipped", FileState::Unwatched),
                ("sparse", FileState::LeftOut),
            ])
        );
    }

    #[test]
    fn a_submodule_is_no_file() {
        let sandbox = Sandbox::new();
        let (top, module) = (sandbox.init("r"), sandbox.init("module"));
        sandbox.commit(&module, "x", "1");
        let from = module.to_str().unwrap();
        let add = [
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "add",
            "-q",
            from,
            "m",
        ];
        sandbox.git(&top, &add);
        sandbox.commit(&top, "a", "1");
        sandbox.commit(&top.join("m"), "y", "1");
        assert_eq!(
            states(&sandbox, &top),
            all(&[
                (".gitmodules", FileState::Committed),
                ("a", FileState::Committed),
                ("m", FileState::Submodule),
            ])
        );
    }

    #[test]
    fn before_the_first_commit_nothing_is_committed_and_without_git_nothing_is_known() {
        let sandbox = Sandbox::new();
        let top = sandbox.init("r");
        fs::write(top.join("staged"), "1").unwrap();
        sandbox.git(&top, &["add", "staged"]);
        fs::write(top.join("new"), "1").unwrap();
        let wanted = [
            ("new", FileState::Untracked),
            ("staged", FileState::Changed),
        ];
        assert_eq!(states(&sandbox, &top), all(&wanted));
        fs::write(top.join(".git/config"), "[broken").unwrap();
        assert_eq!(asked(&sandbox, &top), Err(GitError::Failed));
    }
}
