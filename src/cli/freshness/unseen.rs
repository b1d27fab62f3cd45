//! Why a look came to no end.

use crate::model::Broken;
use crate::text::Span;
use crate::vcs::GitError;

/// Why a look came to no end.
#[derive(Debug)]
pub enum Unseen {
    /// Nobody waits for it any more.
    Over,
    /// There is no telling, and why.
    Broken(Broken),
}

impl Unseen {
    /// There is no telling.
    pub fn broken(reason: impl Into<String>, details: &[&str]) -> Self {
        Self::Broken(Broken {
            reason: reason.into(),
            details: details.iter().map(|&detail| detail.to_owned()).collect(),
        })
    }

    /// The clone ends before the history of `file` does.
    pub fn shallow(file: &str) -> Self {
        Self::broken(
            format!("this clone is shallow, and the history of {file} is longer"),
            &[
                "git fetch --unshallow",
                "GitHub: actions/checkout with fetch-depth: 0.  GitLab: GIT_DEPTH: \"0\"",
            ],
        )
    }

    /// So much is stale that listing it helps nobody.
    pub fn too_many() -> Self {
        Self::broken(
            "there are more than 1,000,000 pairs of an artefact and a newer input",
            &["make the artefacts again, or split the check: fewer files, or fewer inputs"],
        )
    }
}

impl From<GitError> for Unseen {
    fn from(error: GitError) -> Self {
        match error {
            GitError::CalledOff => Self::Over,
            GitError::Slow(what, limit) => Self::broken(
                format!("{what} took longer than {}", Span(limit)),
                &["see what it waits for:  git status"],
            ),
            GitError::Failed => Self::broken(
                "git does not tell the state and history of the files",
                &["see what it says: git status && git log --raw"],
            ),
        }
    }
}
