//! Which tree is judged: asked of git when signals are heard already, before the first check can
//! change it.

use std::sync::{Arc, OnceLock};

use crate::model::{Termination, Tree};
use crate::run::{Errand, Leash};
use crate::text::Span;
use crate::vcs::{Git, GitError, Patience, Repository, TreeFacts};

/// What git says of the tree, once it has, and what was wrong where it does not.
#[derive(Debug, Clone, Default)]
pub struct AskedTree(Arc<OnceLock<(Tree, Option<String>)>>);

impl AskedTree {
    /// Asks about the whole of `repository`.
    pub fn errand(&self, repository: &Repository) -> Errand {
        let (answer, repository) = (Arc::clone(&self.0), repository.clone());
        Arc::new(move |leash: &Leash| {
            // Nobody else answers.
            let _ = answer.set(ask(&repository, leash));
        })
    }

    /// The answer, and what was wrong.
    pub fn answer(&self) -> (Tree, Option<String>) {
        self.0.get().cloned().unwrap_or_default()
    }
}

fn ask(repository: &Repository, leash: &Leash) -> (Tree, Option<String>) {
    let over = || leash.is_over();
    let git = Git::find(std::env::vars_os()).ok_or(GitError::Failed);
    let facts = git.and_then(|git| repository.tree_facts(&git, Patience::until(&over)));
    let (what, limit) = match facts {
        Ok(TreeFacts {
            commit,
            dirty,
            digest,
        }) => {
            let tree = Tree {
                commit,
                dirty,
                digest,
            };
            return (tree, None);
        }
        Err(GitError::Failed) => return (Tree::default(), None),
        Err(GitError::Slow(what, limit)) => (what, limit),
        Err(GitError::CalledOff) => match leash.end() {
            (Termination::TimedOut, Some(limit)) => ("asking git", limit),
            _ => return (Tree::default(), None),
        },
    };
    let note = format!(
        "which tree this is is not known: {what} took longer than {} (see what it waits for: git \
         status)",
        Span(limit)
    );
    (Tree::default(), Some(note))
}
