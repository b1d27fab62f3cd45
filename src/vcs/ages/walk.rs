//! Files on their way back to their last commits.

use std::collections::{HashMap, HashSet};

use super::Id;
use super::graph::{Edge, Graph};
use crate::vcs::history::Step;

/// Files by number.
type Files = HashSet<u32>;

/// All files in one walk: those that a commit did not change go on together, so that a commit
/// costs what it changed and not what there is.
pub(super) struct Walk<'p> {
    numbers: HashMap<&'p [u8], u32>,
    commits: HashMap<Id, u32>,
    pub(super) graph: Graph,
    /// The commit whose steps are coming.
    coming: Option<(u32, Vec<Edge>)>,
    /// Files that came to a commit before it was known.
    waiting: HashMap<u32, Files>,
    /// Whether a commit was complete.
    begun: bool,
    /// Of each file the number of its last commit.
    pub(super) last: Vec<Option<u32>>,
    /// Files without a last commit.
    pub(super) open: usize,
}

impl<'p> Walk<'p> {
    pub(super) fn new(paths: &'p [Vec<u8>]) -> Self {
        Self {
            numbers: paths.iter().map(Vec::as_slice).zip(0..).collect(),
            commits: HashMap::new(),
            graph: Graph::default(),
            coming: None,
            waiting: HashMap::new(),
            begun: false,
            last: vec![None; paths.len()],
            open: paths.len(),
        }
    }

    /// `None` where that is no commit's name, or one too many.
    fn number(&mut self, name: &[u8]) -> Option<u32> {
        let id = Id::of(name)?;
        if let Some(number) = self.commits.get(&id) {
            return Some(*number);
        }
        let number = u32::try_from(self.graph.names.len()).ok()?;
        self.graph.names.push(id);
        self.graph.edges.push(None);
        self.commits.insert(id, number);
        Some(number)
    }

    /// `None` where the step fits no history.
    pub(super) fn step(&mut self, step: &Step) -> Option<()> {
        let commit = self.number(&step.commit)?;
        let coming = self.coming.as_ref();
        if coming.is_none_or(|(coming, _)| *coming != commit) {
            self.complete();
        }
        let parent = match &step.parent {
            Some(parent) => Some(self.number(parent)?),
            None => None,
        };
        let changed = step.changed.iter();
        let mut changed: Vec<u32> = changed
            .filter_map(|path| self.numbers.get(path.as_slice()).copied())
            .collect();
        changed.sort_unstable();
        let changed = changed.into();
        let (_, edges) = self.coming.get_or_insert((commit, Vec::new()));
        edges.push(Edge { parent, changed });
        Some(())
    }

    /// All steps of the commit that was coming are there.
    pub(super) fn complete(&mut self) {
        let Some((commit, edges)) = self.coming.take() else {
            return;
        };
        self.graph.edges[commit as usize] = Some(edges.into());
        // Every file sets out from the first commit: none before it has to do with any.
        let files = if std::mem::replace(&mut self.begun, true) {
            self.waiting.remove(&commit).unwrap_or_default()
        } else {
            (0..).take(self.last.len()).collect()
        };
        self.follow(commit, files);
    }

    /// Takes files from a commit that has them as far back as is known.
    fn follow(&mut self, commit: u32, files: Files) {
        let mut ways = vec![(commit, files)];
        while let Some((at, mut files)) = ways.pop() {
            if files.is_empty() {
                continue;
            }
            let Some(edges) = &self.graph.edges[at as usize] else {
                wait(self.waiting.entry(at).or_default(), files);
                continue;
            };
            for edge in edges {
                let changed = edge.changed.iter();
                let stay: Files = changed.filter(|file| files.remove(file)).copied().collect();
                let same = std::mem::replace(&mut files, stay);
                // A file that is as no parent has it, and that no commit added, has no last one.
                if let Some(parent) = edge.parent {
                    ways.push((parent, same));
                }
            }
            self.open -= files.len();
            for file in files {
                self.last[file as usize] = Some(at);
            }
        }
    }
}

/// The smaller set is moved into the larger.
fn wait(waiting: &mut Files, mut files: Files) {
    if waiting.len() < files.len() {
        std::mem::swap(waiting, &mut files);
    }
    waiting.extend(files);
}
