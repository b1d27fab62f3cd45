//! Which tree is judged: asked of git when signals are heard already, before the first check can
//! change it.

use std::sync::{Arc, OnceLock};

use crate::model::Tree;
use crate::run::{Errand, Leash};
use crate::text::Span;
use crate::vcs::{Git, GitError, Patience, Repository, TreeFacts};

/// What git says of the tree, once it has.
#[derive(Debug, Clone, Default)]
pub struct AskedTree(Arc<OnceLock<Result<TreeFacts, GitError>>>);

impl AskedTree {
    /// Asks about the whole of `repository`.
    pub fn errand(&self, repository: &Repository) -> Errand {
        let (answer, repository) = (Arc::clone(&self.0), repository.clone());
        Arc::new(move |leash: &Leash| {
            let over = || leash.is_over();
            let git = Git::find(std::env::vars_os()).ok_or(GitError::Failed);
            let facts = git.and_then(|git| repository.tree_facts(&git, Patience::until(&over)));
            // Nobody else answers.
            let _ = answer.set(facts);
        })
    }

    /// The answer, and what was wrong where there is none though there should be.
    pub fn answer(&self) -> (Tree, Option<String>) {
        match self.0.get() {
            Some(Ok(facts)) => {
                let TreeFacts {
                    commit,
                    dirty,
                    digest,
                } = facts.clone();
                let tree = Tree {
                    commit,
                    dirty,
                    digest,
                };
                (tree, None)
            }
            Some(Err(GitError::Slow(what, limit))) => {
                let note = format!(
                    "which tree this is could not be told: {what} took longer than {} (see what it \
                     waits for: git status)",
                    Span(*limit)
                );
                (Tree::default(), Some(note))
            }
            Some(Err(GitError::Failed | GitError::CalledOff)) | None => (Tree::default(), None),
        }
    }
}
