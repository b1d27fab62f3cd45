//! Which files were last changed by a commit that others do not know of.
//!
//! A file's last commit is what `git log -1 -- file` says: from HEAD backwards, past every commit
//! that has the file as one of its parents has it, to one that has it as none of them does. All
//! files are followed in one walk, which ends as soon as the answer is certain.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::git::Git;
use super::history::{History, Step};
use super::repository::Repository;

/// Why there is no telling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgesError {
    /// The clone ends before the history of this file (by its number) does.
    Shallow(usize),
    /// Git failed, or what it said does not fit together.
    Unreadable,
}

/// The last commits of artefacts and their inputs, and which of them come after which.
#[derive(Debug)]
pub struct Ages {
    /// Commits in hexadecimal, by number.
    names: Vec<Vec<u8>>,
    /// Of each file the number of its last commit.
    last: Vec<usize>,
    /// How many of the files are artefacts.
    artefacts: usize,
    /// Commits of an artefact and an input of which the first does not hold the second.
    apart: HashSet<(usize, usize)>,
}

impl Repository {
    /// The ages of committed files, by their paths from `root`: artefacts first, then inputs.
    pub fn ages(
        &self,
        git: &Git,
        root: &Path,
        artefacts: &[impl AsRef<[u8]>],
        inputs: &[impl AsRef<[u8]>],
    ) -> Result<Ages, AgesError> {
        let below = self.below(root).ok_or(AgesError::Unreadable)?;
        let artefacts_first = artefacts.iter().map(AsRef::as_ref);
        let paths: Vec<Vec<u8>> = artefacts_first
            .chain(inputs.iter().map(AsRef::as_ref))
            .map(|path| [below.as_slice(), path].concat())
            .collect();
        let paths: Vec<&[u8]> = paths.iter().map(Vec::as_slice).collect();
        let git_dir = self.git_dir().ok_or(AgesError::Unreadable)?;
        let history = History::of(git, git_dir, self.top(), &paths);
        let mut history = history.ok_or(AgesError::Unreadable)?;
        let mut walk = Walk::new(&paths, artefacts.len());
        let mut asked = false;
        while let Some(step) = history.next().map_err(|_| AgesError::Unreadable)? {
            walk.step(step);
            // Asked once, since asking takes its time: what is fresh is found to be so here.
            if walk.open == 0 && !std::mem::replace(&mut asked, true) && walk.apart().is_empty() {
                break;
            }
        }
        walk.complete();
        walk.ages(&self.boundary().ok_or(AgesError::Unreadable)?)
    }

    /// The commits whose parents a shallow clone does not have.
    fn boundary(&self) -> Option<HashSet<Vec<u8>>> {
        let text = match fs::read(self.common_dir()?.join("shallow")) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(_) => return None,
        };
        let lines = text.split(|byte| *byte == b'\n');
        let commits = lines.filter(|line| !line.is_empty());
        Some(commits.map(<[u8]>::to_vec).collect())
    }
}

impl Ages {
    /// The last commit of the input, where it is neither the artefact's last commit nor before
    /// it. Both by their numbers in the lists that were asked about.
    pub fn newer(&self, artefact: usize, input: usize) -> Option<String> {
        let (artefact, input) = (self.last[artefact], self.last[self.artefacts + input]);
        let apart = self.apart.contains(&(artefact, input));
        apart.then(|| String::from_utf8_lossy(&self.names[input]).into_owned())
    }
}

/// A commit against one parent.
struct Edge {
    parent: Option<usize>,
    /// Files by number, sorted.
    changed: Vec<usize>,
}

/// Files on their way back to their last commits.
struct Walk<'p> {
    files: HashMap<&'p [u8], usize>,
    artefacts: usize,
    numbers: HashMap<Vec<u8>, usize>,
    names: Vec<Vec<u8>>,
    /// By number; `None` for a commit that did not come yet.
    commits: Vec<Option<Vec<Edge>>>,
    /// The commit whose steps are coming.
    coming: Option<(usize, Vec<Edge>)>,
    /// Files that came to a commit before it was known.
    waiting: HashMap<usize, Vec<usize>>,
    last: Vec<Option<usize>>,
    /// Files without a last commit.
    open: usize,
}

impl<'p> Walk<'p> {
    fn new(paths: &[&'p [u8]], artefacts: usize) -> Self {
        Self {
            files: paths.iter().copied().zip(0..).collect(),
            artefacts,
            numbers: HashMap::new(),
            names: Vec::new(),
            commits: Vec::new(),
            coming: None,
            waiting: HashMap::new(),
            last: vec![None; paths.len()],
            open: paths.len(),
        }
    }

    fn number(&mut self, name: Vec<u8>) -> usize {
        let Self {
            numbers,
            names,
            commits,
            ..
        } = self;
        *numbers.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            commits.push(None);
            names.len() - 1
        })
    }

    fn step(&mut self, step: Step) {
        let commit = self.number(step.commit);
        if self
            .coming
            .as_ref()
            .is_none_or(|(coming, _)| *coming != commit)
        {
            self.complete();
        }
        let parent = step.parent.map(|parent| self.number(parent));
        let changed = step.changed.iter();
        let mut changed: Vec<usize> = changed
            .filter_map(|path| self.files.get(path.as_slice()).copied())
            .collect();
        changed.sort_unstable();
        let (_, edges) = self.coming.get_or_insert((commit, Vec::new()));
        edges.push(Edge { parent, changed });
    }

    /// All steps of the commit that was coming are there.
    fn complete(&mut self) {
        let Some((commit, edges)) = self.coming.take() else {
            return;
        };
        let first = self.commits.iter().all(Option::is_none);
        self.commits[commit] = Some(edges);
        // Every file sets out from the first commit: none before it has to do with any.
        let files = if first {
            (0..self.last.len()).collect()
        } else {
            self.waiting.remove(&commit).unwrap_or_default()
        };
        for file in files {
            self.follow(file, commit);
        }
    }

    /// Takes a file from a commit that has it as far back as is known.
    fn follow(&mut self, file: usize, mut at: usize) {
        while let Some(edges) = &self.commits[at] {
            let same = edges
                .iter()
                .find(|edge| edge.changed.binary_search(&file).is_err());
            match same.map(|edge| edge.parent) {
                None => {
                    self.last[file] = Some(at);
                    self.open -= 1;
                    return;
                }
                Some(Some(parent)) => at = parent,
                // A file that nobody ever added.
                Some(None) => return,
            }
        }
        self.waiting.entry(at).or_default().push(file);
    }

    /// The last commits of artefacts and inputs of which the first is not known to hold the
    /// second.
    fn apart(&self) -> HashSet<(usize, usize)> {
        let (artefacts, inputs) = self.last.split_at(self.artefacts);
        let artefacts: HashSet<usize> = artefacts.iter().copied().flatten().collect();
        let inputs: HashSet<usize> = inputs.iter().copied().flatten().collect();
        let mut apart = HashSet::new();
        for artefact in artefacts {
            let missing = self.missing(artefact, &inputs);
            apart.extend(missing.into_iter().map(|input| (artefact, input)));
        }
        apart
    }

    /// Which of `wanted` are neither `from` nor before it.
    fn missing(&self, from: usize, wanted: &HashSet<usize>) -> HashSet<usize> {
        let mut missing = wanted.clone();
        let mut seen = vec![false; self.commits.len()];
        let mut next = vec![from];
        while let Some(at) = next.pop() {
            if missing.is_empty() {
                break;
            }
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            missing.remove(&at);
            let edges = self.commits[at].iter().flatten();
            next.extend(edges.filter_map(|edge| edge.parent));
        }
        missing
    }

    /// What came out; `boundary` are commits whose parents are not there.
    fn ages(self, boundary: &HashSet<Vec<u8>>) -> Result<Ages, AgesError> {
        let apart = self.apart();
        let last: Option<Vec<usize>> = self.last.iter().copied().collect();
        let last = last.ok_or(AgesError::Unreadable)?;
        let mut files = 0..last.len();
        let unknown = |file: usize| boundary.contains(&self.names[last[file]]);
        // What lies beyond the boundary may hold what seems to be apart.
        let doubtful = |file: usize| {
            !boundary.is_empty() && apart.iter().any(|(artefact, _)| *artefact == last[file])
        };
        if let Some(file) = files.find(|file| unknown(*file) || doubtful(*file)) {
            return Err(AgesError::Shallow(file));
        }
        Ok(Ages {
            names: self.names,
            last,
            artefacts: self.artefacts,
            apart,
        })
    }
}

#[cfg(test)]
mod tests;
