//! Where a repository lies, without asking git.

use std::fs;
use std::path::{Path, PathBuf};

use crate::text::{read_at_most, sha256_hex};

/// A `.git` file, a `commondir` file: one short line each.
const MAX_POINTER: u64 = 64 * 1024;

/// A repository, by its work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    top: PathBuf,
    folders: Option<Folders>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Folders {
    git: PathBuf,
    common: PathBuf,
}

impl Repository {
    /// The repository of the folder `from`: the nearest `.git` file or folder, upwards.
    pub fn discover(from: &Path) -> Option<Self> {
        let from = fs::canonicalize(from).ok()?;
        let top = from
            .ancestors()
            .find(|folder| folder.join(".git").exists())?;
        Some(Self {
            top: top.to_owned(),
            folders: folders(top),
        })
    }

    /// The folder that holds `.git`: absolute, links resolved.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Its git folder, of which each worktree has its own: absolute, links resolved. `None` where
    /// `.git` leads to no repository.
    pub fn git_dir(&self) -> Option<&Path> {
        self.folders.as_ref().map(|folders| folders.git.as_path())
    }

    /// The git folder that all worktrees share.
    pub fn common_dir(&self) -> Option<&Path> {
        self.folders
            .as_ref()
            .map(|folders| folders.common.as_path())
    }

    /// Where state about `root` (absolute, links resolved) is kept: `check` in the git folder, and
    /// for a root below the top a folder of its own in it. `None` where `root` lies elsewhere.
    pub fn state_dir(&self, root: &Path) -> Option<PathBuf> {
        let state = self.git_dir()?.join("check");
        let below = root.strip_prefix(&self.top).ok()?;
        if below.as_os_str().is_empty() {
            return Some(state);
        }
        let mut name = Vec::new();
        for part in below {
            if !name.is_empty() {
                name.push(b'/');
            }
            name.extend_from_slice(part.as_encoded_bytes());
        }
        let digest = sha256_hex(&name);
        Some(state.join("roots").join(&digest[..16]))
    }
}

/// What `.git` in `top` leads to.
fn folders(top: &Path) -> Option<Folders> {
    let dot_git = top.join(".git");
    let git = if dot_git.is_dir() {
        dot_git
    } else {
        let pointer = pointer(&dot_git)?;
        top.join(pointer.strip_prefix("gitdir:")?.trim())
    };
    let git = fs::canonicalize(git).ok()?;
    let common = match pointer(&git.join("commondir")) {
        Some(common) => fs::canonicalize(git.join(common.trim())).ok()?,
        None => git.clone(),
    };
    // HEAD may be a link to a branch that has no commit yet.
    let has_head = fs::symlink_metadata(git.join("HEAD")).is_ok();
    (has_head && common.join("objects").is_dir()).then_some(Folders { git, common })
}

/// The text of a file that points elsewhere.
fn pointer(path: &Path) -> Option<String> {
    String::from_utf8(read_at_most(path, MAX_POINTER).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::Repository;
    use crate::vcs::git::sandbox::Sandbox;
    use std::fs;

    #[test]
    fn the_nearest_git_folder_is_the_repository_and_agrees_with_git() {
        let sandbox = Sandbox::new();
        let outer = sandbox.init("outer");
        let below = outer.join("a/b");
        fs::create_dir_all(&below).unwrap();
        let found = Repository::discover(&below).unwrap();
        assert_eq!(found.top(), outer);
        let git_dir = sandbox.git(&below, &["rev-parse", "--absolute-git-dir"]);
        assert_eq!(found.git_dir().unwrap().to_str(), Some(git_dir.trim()));
        assert_eq!(found.common_dir(), found.git_dir());
        let inner = sandbox.init("outer/a/b");
        assert_eq!(Repository::discover(&below).unwrap().top(), inner);
        assert_eq!(Repository::discover(&sandbox.path().join("none")), None);
    }

    #[test]
    fn a_worktree_has_its_own_git_folder_and_shares_the_common_one() {
        let sandbox = Sandbox::new();
        let main = sandbox.init("main");
        sandbox.commit(&main, "a.txt", "a\n");
        sandbox.git(&main, &["worktree", "add", "-q", "../other"]);
        let other = sandbox.path().join("other");
        let found = Repository::discover(&other).unwrap();
        assert_eq!(found.top(), other);
        assert_eq!(found.git_dir().unwrap(), main.join(".git/worktrees/other"));
        assert_eq!(found.common_dir().unwrap(), main.join(".git"));
        let state = found.state_dir(&other).unwrap();
        assert_eq!(state, main.join(".git/worktrees/other/check"));
    }

    #[test]
    fn a_git_file_is_followed_and_one_that_leads_nowhere_still_ends_the_search() {
        let sandbox = Sandbox::new();
        let outer = sandbox.init("outer");
        let module = sandbox.init("module");
        fs::rename(module.join(".git"), outer.join(".git/modules-m")).unwrap();
        let inside = outer.join("m");
        fs::create_dir(&inside).unwrap();
        fs::write(inside.join(".git"), "gitdir: ../.git/modules-m\n").unwrap();
        let found = Repository::discover(&inside).unwrap();
        assert_eq!(found.top(), inside);
        assert_eq!(found.git_dir().unwrap(), outer.join(".git/modules-m"));
        for pointer in ["gitdir: ../nowhere\n", "not a pointer", ""] {
            fs::write(inside.join(".git"), pointer).unwrap();
            let found = Repository::discover(&inside).unwrap();
            assert_eq!(found.top(), inside);
            assert_eq!(found.git_dir(), None, "{pointer}");
            assert_eq!(found.state_dir(&inside), None);
        }
    }

    #[test]
    fn roots_of_one_repository_keep_their_state_apart() {
        let sandbox = Sandbox::new();
        let top = sandbox.init("top");
        let found = Repository::discover(&top).unwrap();
        let state = |root: &str| found.state_dir(&top.join(root)).unwrap();
        let check = top.join(".git/check");
        assert_eq!(found.state_dir(&top).unwrap(), check);
        assert_eq!(state("a/b").parent().unwrap(), check.join("roots"));
        assert_eq!(state("a/b").file_name().unwrap().len(), 16);
        assert_ne!(state("a/b"), state("a"));
        assert_eq!(found.state_dir(sandbox.path()), None);
    }
}
