//! Which files were last changed by a commit that others do not know of.
//!
//! A file's last commit is what `git log -1 -- file` says: from HEAD backwards, past every commit
//! that has the file as one of its parents has it, to one that has it as none of them does. All
//! files are followed in one walk, which ends as soon as the answer is certain.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;

use super::git::Git;
use super::history::History;
use super::patience::{GitError, Patience};
use super::repository::Repository;
use crate::text::{NotRead, hex, read_at_most};

use self::graph::{AT_ONCE, Graph};
use self::walk::Walk;

mod graph;
mod walk;

/// More bounds than this no clone has.
const MAX_BOUNDARY: u64 = 64 << 20;

/// Pairs of commits that are looked at together: no list is longer.
const MAX_PAIRS: usize = 1_000_000;

/// Why there is no telling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgesError {
    /// The clone ends before the history of this file (by its number) does.
    Shallow(usize),
    /// More inputs are newer than anybody could look at.
    TooMany,
    /// See [`GitError`].
    Git(GitError),
}

impl From<GitError> for AgesError {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

/// A commit's name: 20 or 32 bytes, the rest zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Id([u8; 32]);

impl Id {
    /// From hexadecimal.
    fn of(name: &[u8]) -> Option<Self> {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let mut id = [0; 32];
        if !matches!(name.len(), 40 | 64) {
            return None;
        }
        for (byte, pair) in id.iter_mut().zip(name.chunks_exact(2)) {
            *byte = u8::try_from(digit(pair[0])? << 4 | digit(pair[1])?).ok()?;
        }
        Some(Self(id))
    }
}

/// The last commits of artefacts and their inputs.
#[derive(Debug)]
pub struct Ages {
    graph: Graph,
    /// Each commit before its parents.
    order: Vec<u32>,
    /// Of each file the number of its last commit: artefacts first, then inputs.
    last: Vec<u32>,
    /// How many of the files are artefacts.
    artefacts: usize,
    /// Whether the clone is shallow.
    shallow: bool,
}

impl Repository {
    /// The ages of committed files, by their paths from `root`: artefacts first, then inputs.
    pub fn ages<'f>(
        &self,
        git: &Git,
        root: &Path,
        artefacts: impl ExactSizeIterator<Item = &'f [u8]>,
        inputs: impl Iterator<Item = &'f [u8]>,
        patience: Patience<'_>,
    ) -> Result<Ages, AgesError> {
        let below = self.below(root).ok_or(GitError::Failed)?;
        let count = artefacts.len();
        let paths: Vec<Vec<u8>> = artefacts
            .chain(inputs)
            .map(|path| [below.as_slice(), path].concat())
            .collect();
        let git_dir = self.git_dir().ok_or(GitError::Failed)?;
        let mut history = History::of(git, git_dir, self.top(), &paths, patience)?;
        let mut walk = Walk::new(&paths);
        let mut asked = false;
        while let Some(step) = history.next()? {
            walk.step(&step).ok_or(GitError::Failed)?;
            // Asked once, since asking takes its time: what is fresh is found to be so here.
            if walk.open == 0
                && !std::mem::replace(&mut asked, true)
                && all_fresh(&walk, count, patience)?
            {
                break;
            }
        }
        walk.complete();
        let last: Option<Vec<u32>> = walk.last.into_iter().collect();
        let last = last.ok_or(GitError::Failed)?;
        let boundary = self.boundary()?;
        let ends = |commit: &u32| boundary.contains(&walk.graph.names[*commit as usize]);
        if let Some(file) = last.iter().position(ends) {
            return Err(AgesError::Shallow(file));
        }
        Ok(Ages {
            order: walk.graph.order(),
            graph: walk.graph,
            last,
            artefacts: count,
            shallow: !boundary.is_empty(),
        })
    }

    /// The commits whose parents a shallow clone does not have.
    fn boundary(&self) -> Result<HashSet<Id>, GitError> {
        let common = self.common_dir().ok_or(GitError::Failed)?;
        let text = match read_at_most(&common.join("shallow"), MAX_BOUNDARY) {
            Ok(text) => text,
            Err(NotRead::System(error)) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(HashSet::new());
            }
            Err(_) => return Err(GitError::Failed),
        };
        let lines = text.split(|byte| *byte == b'\n');
        let commits = lines.filter(|line| !line.is_empty()).map(Id::of);
        commits.collect::<Option<_>>().ok_or(GitError::Failed)
    }
}

/// Whether the last commit of every artefact holds that of every input, as far as is known.
fn all_fresh(walk: &Walk<'_>, artefacts: usize, patience: Patience<'_>) -> Result<bool, GitError> {
    let known: Vec<u32> = walk.last.iter().copied().flatten().collect();
    let (artefacts, inputs) = known.split_at(artefacts);
    let artefacts: Vec<u32> = distinct(artefacts);
    let inputs: Vec<u32> = distinct(inputs);
    let order = walk.graph.order();
    for artefacts in artefacts.chunks(AT_ONCE) {
        let held = walk.graph.held(artefacts, &order, patience)?;
        let all = u64::MAX >> (AT_ONCE - artefacts.len());
        if inputs.iter().any(|input| held[*input as usize] != all) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Each once, in the order in which they are first met.
fn distinct(commits: &[u32]) -> Vec<u32> {
    let mut seen = HashSet::new();
    let commits = commits.iter().copied();
    commits.filter(|commit| seen.insert(*commit)).collect()
}

impl Ages {
    /// Gives each artefact with each input whose last commit is neither the artefact's nor before
    /// it, and that commit; both by their numbers in the lists that were asked about, and in the
    /// order of these. Ends early where `found` wants no more.
    pub fn newer(
        &self,
        patience: Patience<'_>,
        found: &mut dyn FnMut(usize, usize, &str) -> ControlFlow<()>,
    ) -> Result<(), AgesError> {
        let (artefacts, inputs) = self.last.split_at(self.artefacts);
        let mut by_commit: HashMap<u32, Vec<usize>> = HashMap::new();
        for (input, commit) in inputs.iter().enumerate() {
            by_commit.entry(*commit).or_default().push(input);
        }
        let changes = distinct(inputs);
        let mut rest = artefacts;
        while !rest.is_empty() {
            let first = artefacts.len() - rest.len();
            let (group, behind) = Group::of(rest);
            rest = behind;
            let apart = self.apart(&group.commits, &changes, patience)?;
            for (artefact, place) in (first..).zip(group.places) {
                let mut newer: Vec<(usize, u32)> = apart[place]
                    .iter()
                    .flat_map(|commit| by_commit[commit].iter().map(|input| (*input, *commit)))
                    .collect();
                // What lies beyond a shallow clone's end may hold what seems to be apart.
                if self.shallow && !newer.is_empty() {
                    return Err(AgesError::Shallow(artefact));
                }
                newer.sort_unstable();
                for (input, commit) in newer {
                    if found(artefact, input, &self.name(commit)).is_break() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Of each of `commits`, at most [`AT_ONCE`], those of `changes` that it does not hold.
    fn apart(
        &self,
        commits: &[u32],
        changes: &[u32],
        patience: Patience<'_>,
    ) -> Result<Vec<Vec<u32>>, AgesError> {
        let held = self.graph.held(commits, &self.order, patience)?;
        let all = u64::MAX >> (AT_ONCE - commits.len());
        let mut apart = vec![Vec::new(); commits.len()];
        let mut pairs = 0;
        for change in changes {
            let mut missing = all & !held[*change as usize];
            while missing != 0 {
                apart[missing.trailing_zeros() as usize].push(*change);
                missing &= missing - 1;
                pairs += 1;
            }
            if pairs > MAX_PAIRS {
                return Err(AgesError::TooMany);
            }
        }
        Ok(apart)
    }

    fn name(&self, commit: u32) -> String {
        let Id(bytes) = self.graph.names[commit as usize];
        // SHA-1 has no more, and no name in SHA-256 ends in so many zeros.
        let long = bytes[20..].iter().any(|byte| *byte != 0);
        hex(if long { &bytes } else { &bytes[..20] })
    }
}

/// Artefacts that have no more last commits than are followed at a time.
struct Group {
    /// Each once.
    commits: Vec<u32>,
    /// Of each artefact the place of its commit.
    places: Vec<usize>,
}

impl Group {
    /// As many of the first artefacts as it can be, and the rest; all by their last commits.
    fn of(artefacts: &[u32]) -> (Self, &[u32]) {
        let mut group = Self {
            commits: Vec::new(),
            places: Vec::new(),
        };
        let mut places = HashMap::new();
        for (at, commit) in artefacts.iter().enumerate() {
            let next = group.commits.len();
            if next == AT_ONCE && !places.contains_key(commit) {
                return (group, &artefacts[at..]);
            }
            let place = *places.entry(*commit).or_insert_with(|| {
                group.commits.push(*commit);
                next
            });
            group.places.push(place);
        }
        (group, &[])
    }
}

#[cfg(test)]
mod tests;
