//! Commits and their parents, and which of them holds which.

use super::Id;
use crate::vcs::patience::{GitError, Patience};

/// A commit against one parent.
#[derive(Debug)]
pub(super) struct Edge {
    pub(super) parent: Option<u32>,
    /// Files by number, sorted.
    pub(super) changed: Box<[u32]>,
}

/// Commits by number, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) names: Vec<Id>,
    /// `None` for a commit that did not come yet.
    pub(super) edges: Vec<Option<Box<[Edge]>>>,
}

/// So many commits are followed at a time, one a bit.
pub(super) const AT_ONCE: usize = u64::BITS as usize;

/// After so many steps it is asked whether anybody waits.
const STEPS: usize = 1 << 16;

impl Graph {
    fn parents(&self, commit: u32) -> impl Iterator<Item = u32> {
        let edges = self.edges[commit as usize].iter().flatten();
        edges.filter_map(|edge| edge.parent)
    }

    /// All commits, each before its parents.
    pub(super) fn order(&self) -> Vec<u32> {
        let mut children = vec![0_u32; self.names.len()];
        // A number fits: there is one for each name.
        let all = || (0..).take(self.names.len());
        for parent in all().flat_map(|commit| self.parents(commit)) {
            children[parent as usize] += 1;
        }
        let mut order: Vec<u32> = all()
            .filter(|commit| children[*commit as usize] == 0)
            .collect();
        let mut at = 0;
        while let Some(commit) = order.get(at).copied() {
            at += 1;
            for parent in self.parents(commit) {
                children[parent as usize] -= 1;
                if children[parent as usize] == 0 {
                    order.push(parent);
                }
            }
        }
        order
    }

    /// Of each commit by which of `from`, at most [`AT_ONCE`], it is held: a commit holds itself
    /// and what comes before it. `order` is [`Self::order`]'s.
    pub(super) fn held(
        &self,
        from: &[u32],
        order: &[u32],
        patience: Patience<'_>,
    ) -> Result<Vec<u64>, GitError> {
        let mut held = vec![0_u64; self.names.len()];
        for (bit, commit) in from.iter().enumerate() {
            held[*commit as usize] |= 1 << bit;
        }
        for steps in order.chunks(STEPS) {
            if patience.is_over() {
                return Err(GitError::CalledOff);
            }
            for commit in steps {
                let by = held[*commit as usize];
                if by != 0 {
                    for parent in self.parents(*commit) {
                        held[parent as usize] |= by;
                    }
                }
            }
        }
        Ok(held)
    }
}
