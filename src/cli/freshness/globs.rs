//! The declared globs, and what is found for each.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::unseen::Unseen;
use crate::model::Freshness;

/// What makes a pattern of a path.
const SIGNS: [char; 4] = ['*', '?', '[', '{'];

/// One declared glob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern<'g> {
    text: &'g str,
    /// Among all globs of its check.
    index: usize,
}

impl<'g> Pattern<'g> {
    fn of((index, text): (usize, &'g String)) -> Self {
        let text = text.strip_prefix("./").unwrap_or(text);
        Self { text, index }
    }

    /// From the root.
    pub fn text(self) -> &'g str {
        self.text
    }

    /// Whether it names one path.
    pub fn is_path(self) -> bool {
        !self.text.contains(SIGNS)
    }

    /// The path that everything it matches is or lies below; empty is the root.
    pub fn lead(self) -> &'g str {
        match self.text.find(SIGNS) {
            None => self.text.trim_end_matches('/'),
            Some(sign) => {
                let plain = &self.text[..sign];
                plain.rsplit_once('/').map_or("", |(lead, _)| lead)
            }
        }
    }

    /// How many names a path that it matches can have at most.
    pub fn depth(self) -> usize {
        if self.text.contains("**") {
            usize::MAX
        } else {
            self.text.matches('/').count() + 1
        }
    }
}

/// What a file is to the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// An artefact, whatever else it is: none is its own input.
    Artefact,
    /// Something that artefacts are made from.
    Input,
}

/// Which globs found something.
#[derive(Debug, Clone)]
pub struct Hits(Vec<bool>);

/// All globs of a check.
#[derive(Debug)]
pub struct Globs<'g> {
    set: GlobSet,
    /// Artefacts' first.
    patterns: Vec<Pattern<'g>>,
    artefacts: usize,
}

impl<'g> Globs<'g> {
    /// `*` stays within one folder, `**` does not.
    pub fn new(declared: &'g Freshness) -> Result<Self, Unseen> {
        let all = declared.files.iter().chain(&declared.inputs);
        let patterns: Vec<Pattern<'g>> = all.enumerate().map(Pattern::of).collect();
        let mut set = GlobSetBuilder::new();
        let mut build = || {
            for pattern in &patterns {
                let glob = GlobBuilder::new(pattern.text)
                    .literal_separator(true)
                    .build()?;
                set.add(glob);
            }
            set.build()
        };
        let set = build().map_err(|error: globset::Error| {
            Unseen::broken(format!("no glob can be made of it: {error}"), &[])
        })?;
        Ok(Self {
            set,
            patterns,
            artefacts: declared.files.len(),
        })
    }

    /// All of them.
    pub fn patterns(&self) -> &[Pattern<'g>] {
        &self.patterns
    }

    /// Nothing found yet.
    pub fn no_hits(&self) -> Hits {
        Hits(vec![false; self.patterns.len()])
    }

    /// Whether the file at `path` is anything to the check.
    pub fn is_any(&self, path: &str) -> bool {
        !is_recorded(path) && self.set.is_match(path)
    }

    /// What the file at `path` is.
    pub fn part(&self, path: &str, hits: &mut Hits) -> Option<Part> {
        if is_recorded(path) {
            return None;
        }
        let matched = self.set.matches(path);
        for index in &matched {
            hits.0[*index] = true;
        }
        let first = matched.iter().min()?;
        Some(if *first < self.artefacts {
            Part::Artefact
        } else {
            Part::Input
        })
    }

    /// The first glob that matches the file at `path` or leads to or below it.
    pub fn reaching(&self, path: &str) -> Option<Pattern<'g>> {
        let below = |lead: &str| {
            let rest = lead.strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let matched = self.set.matches(path);
        let mut all = self.patterns.iter().copied();
        all.find(|pattern| matched.contains(&pattern.index) || below(pattern.lead()))
    }

    /// Whether `pattern` matches `path`.
    pub fn matches(&self, pattern: Pattern<'_>, path: &str) -> bool {
        self.set.matches(path).contains(&pattern.index)
    }

    /// Globs that found nothing, those of artefacts or those of inputs.
    pub fn unmet(&self, part: Part, hits: &Hits) -> impl Iterator<Item = Pattern<'g>> {
        let (artefacts, inputs) = self.patterns.split_at(self.artefacts);
        let among = match part {
            Part::Artefact => artefacts,
            Part::Input => inputs,
        };
        among
            .iter()
            .copied()
            .filter(|pattern| !hits.0[pattern.index])
    }
}

/// What is recorded of the tree is no part of it.
fn is_recorded(path: &str) -> bool {
    path.starts_with(".check/")
}

#[cfg(test)]
mod tests {
    use super::{Globs, Part, Pattern};
    use crate::model::Freshness;

    fn declared(files: &[&str], inputs: &[&str]) -> Freshness {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Freshness {
            files: texts(files),
            inputs: texts(inputs),
        }
    }

    #[test]
    fn a_file_is_what_the_first_glob_that_matches_says() {
        let declared = declared(&["gen/*.go", "./out"], &["api/**", "**/*.go"]);
        let globs = Globs::new(&declared).unwrap();
        let mut hits = globs.no_hits();
        let mut part = |path| globs.part(path, &mut hits);
        assert_eq!(part("gen/a.go"), Some(Part::Artefact));
        assert_eq!(part("gen/in/a.go"), Some(Part::Input));
        assert_eq!(part("a.go"), Some(Part::Input));
        assert_eq!(part("Gen/a.txt"), None);
        assert_eq!(part(".check/baseline/a.go"), None);
        let unmet = |part| {
            globs
                .unmet(part, &hits)
                .map(Pattern::text)
                .collect::<Vec<_>>()
        };
        assert_eq!(unmet(Part::Artefact), ["out"]);
        assert_eq!(unmet(Part::Input), ["api/**"]);
    }

    #[test]
    fn a_lead_and_a_depth_bound_what_has_to_be_walked() {
        let texts = [
            "a/b/*.go",
            "a/b.go",
            "*.go",
            "a/**/x",
            "{a,b/c}/d/?",
            "a/[bc]/d",
            "a/",
        ];
        let declared = declared(&texts, &[]);
        let globs = Globs::new(&declared).unwrap();
        let seen: Vec<_> = globs
            .patterns()
            .iter()
            .map(|p| (p.lead(), p.depth()))
            .collect();
        let all = usize::MAX;
        let wanted = [
            ("a/b", 3),
            ("a/b.go", 2),
            ("", 1),
            ("a", all),
            ("", 4),
            ("a", 3),
            ("a", 2),
        ];
        assert_eq!(seen, wanted);
        assert!(globs.patterns()[1].is_path() && !globs.patterns()[0].is_path());
    }

    #[test]
    fn what_a_glob_leads_to_is_known() {
        let declared = declared(&["vendor/lib/*.go", "x"], &["sub*/**"]);
        let globs = Globs::new(&declared).unwrap();
        let reaching = |path| globs.reaching(path).map(Pattern::text);
        assert_eq!(reaching("vendor"), Some("vendor/lib/*.go"));
        assert_eq!(reaching("vendor/lib"), Some("vendor/lib/*.go"));
        assert_eq!(reaching("vend"), None);
        assert_eq!(reaching("x"), Some("x"));
        assert_eq!(reaching("other"), None);
    }
}
