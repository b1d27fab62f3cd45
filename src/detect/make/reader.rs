//! A makefile from its first line to its last, and the files that it includes.

use std::path::{Path, PathBuf};

use super::branches::Branches;
use super::condition::Step;
use super::includes::included;
use super::logical_lines::LogicalLines;
use super::syntax::{Assignment, assignment, first_word, opens_define, rule, words};
use super::variables::Variables;
use crate::detect::beside::Beside;

/// What a recipe's lines begin with.
#[derive(Debug, Clone, Copy)]
enum Prefix {
    Char(char),
    /// The file computes it: white space is taken for one.
    Unknown,
}

impl Prefix {
    fn begins(self, line: &str) -> bool {
        match self {
            Self::Char(prefix) => line.starts_with(prefix),
            Self::Unknown => line.starts_with([' ', '\t']),
        }
    }
}

/// Follows which of some targets something is done for.
pub(super) struct Reader<'a> {
    root: &'a Path,
    /// At most eight.
    targets: &'a [&'a str],
    prefix: Prefix,
    variables: Variables,
    branches: Branches,
    /// The lines that follow a rule, its recipe's among them.
    in_rule: bool,
    beside: Beside,
    /// The files that include each other at this line.
    including: Vec<PathBuf>,
}

impl<'a> Reader<'a> {
    /// `root`: absolute, links resolved.
    pub(super) fn new(root: &'a Path, targets: &'a [&'a str]) -> Self {
        Self {
            root,
            targets,
            prefix: Prefix::Char('\t'),
            variables: Variables::default(),
            branches: Branches::default(),
            in_rule: false,
            beside: Beside::new(),
            including: Vec::new(),
        }
    }

    /// Whether `make target` would do something. A rule without recipe and prerequisites does
    /// nothing; so does one without prerequisites whose target is there, as a folder `test` is,
    /// unless it is phony. Make exits 0 for either, and nothing was tested.
    pub(super) fn does_something_for(&self, target: &str) -> bool {
        let state = self.branches.now;
        let bit = self.bit(target);
        (state.recipe | state.needs) & bit != 0
            && (state.always & bit != 0 || !self.root.join(target).exists())
    }

    /// No bit for what is not asked for.
    fn bit(&self, word: &str) -> u8 {
        let name = word.trim_start_matches("./");
        let at = self.targets.iter().position(|target| *target == name);
        at.map_or(0, |at| 1 << at)
    }

    /// Reads a file's text.
    pub(super) fn read(&mut self, text: &str) {
        let mut lines = LogicalLines::new(text);
        while let Some(line) = lines.next() {
            let prefixed = self.prefix.begins(&line);
            if prefixed && self.in_rule {
                if !self.branches.is_dead() && !line.trim().is_empty() {
                    self.branches.now.recipe |= self.branches.now.rule;
                }
                continue;
            }
            let line = line.trim_start();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(assignment) = assignment(line) {
                self.assign(&assignment);
            } else if let Some(name) = opens_define(line) {
                self.variables.forget(name);
                self.in_rule = false;
                self.skip_define(&mut lines);
            } else if let Some(step) = Step::read(line, &self.variables) {
                self.branches.step(&step);
            } else if !self.branches.is_dead() && !prefixed {
                self.line(line);
            }
        }
    }

    fn assign(&mut self, assignment: &Assignment<'_>) {
        if self.branches.is_dead() {
            return;
        }
        self.in_rule = false;
        self.variables
            .assign(assignment, self.branches.is_certain());
        if assignment.name == ".RECIPEPREFIX" {
            // An empty reference lets a blank be the value.
            let value = assignment.value.replace("$()", "").replace("${}", "");
            self.prefix = match value.chars().next() {
                _ if value.contains('$') || !self.branches.is_certain() => Prefix::Unknown,
                Some(first) => Prefix::Char(first),
                None => Prefix::Char('\t'),
            };
        }
    }

    /// Defines may stand in each other.
    fn skip_define(&self, lines: &mut LogicalLines<'_>) {
        let mut depth = 1;
        for line in lines {
            if self.prefix.begins(&line) {
                continue;
            }
            match first_word(&line).0 {
                "define" => depth += 1,
                "endef" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// A directive or a rule.
    fn line(&mut self, line: &str) {
        self.in_rule = false;
        let (word, rest) = first_word(line);
        match word {
            "include" | "-include" | "sinclude" => self.include(rest),
            "undefine" => self.variables.forget(first_word(rest).0),
            "export" | "unexport" | "vpath" | "load" | "-load" => {}
            _ => self.rule(line),
        }
    }

    fn include(&mut self, rest: &str) {
        let names = rest.split('#').next().unwrap_or_default();
        for word in words(names) {
            if !self.beside.may_look() {
                return;
            }
            for file in included(self.root, word) {
                if self.including.contains(&file) || !self.beside.may_look() {
                    continue;
                }
                let Some(text) = self.beside.text(&file) else {
                    continue;
                };
                self.including.push(file);
                self.read(&text);
                self.including.pop();
                self.in_rule = false;
            }
        }
    }

    fn rule(&mut self, line: &str) {
        let Some(rule) = rule(line) else {
            return;
        };
        self.in_rule = true;
        let bits = |words: &[&str]| words.iter().fold(0, |bits, word| bits | self.bit(word));
        let own = bits(&rule.targets);
        let needs = words(rule.prerequisites);
        let mut state = self.branches.now;
        state.rule = own;
        if rule.targets.contains(&".PHONY") {
            // Any target may be among those that a variable names.
            let unknown = rule.prerequisites.contains('$');
            state.always |= if unknown { u8::MAX } else { bits(&needs) };
        }
        match rule.recipe {
            Some("") if !rule.double => state.recipe &= !own,
            None | Some("") => {}
            Some(_) => state.recipe |= own,
        }
        if !needs.is_empty() {
            state.needs |= own;
        }
        if !needs.is_empty() || rule.double {
            state.always |= own;
        }
        self.branches.now = state;
    }
}
