//! Why there is nothing to run, and what to do about it.

use super::family::{Family, Found};
use crate::model::Diagnostic;

/// Why a tree without a manifest cannot be checked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DetectError {
    /// No family declares a command.
    #[error(transparent)]
    NothingFound(#[from] NothingFound),
    /// A family's file is there and cannot be read as what it is.
    #[error("{}", .0.first().map_or("unreadable", |first| first.message.as_str()))]
    Unreadable(Vec<Diagnostic>),
}

/// No family declares a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nothing to check is declared here: looked for {}", self.looked_for.join(", "))]
pub struct NothingFound {
    /// What was looked for, a manifest first.
    pub looked_for: Vec<String>,
    /// Files that are there and declare nothing to run, each a sentence.
    pub notes: Vec<String>,
}

impl NothingFound {
    /// `silent`: families that are there and declare nothing, each with what was found of it.
    pub(super) fn new(families: &[Family], silent: Vec<(&Family, Found)>) -> Self {
        let manifests = ["harness.json", "harness.toml", "plugin.json"].into_iter();
        let families = families.iter().map(|family| family.looked_for);
        let mut notes = Vec::new();
        for (family, found) in silent {
            if found.notes.is_empty() {
                let targets = one_of(family.targets);
                notes.push(format!("{} is here and declares no {targets}", found.file));
            }
            notes.extend(found.notes);
        }
        Self {
            looked_for: manifests.chain(families).map(str::to_owned).collect(),
            notes,
        }
    }

    /// A whole `harness.json` of three lines, to be pasted.
    pub fn example() -> &'static str {
        concat!(
            "{\"checks\": [\n",
            "  {\"id\": \"test\", \"executable\": \"make\", \"args\": [\"test\"]}\n",
            "]}",
        )
    }
}

/// `check, test or lint`.
fn one_of(words: &[&str]) -> String {
    match words {
        [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => words.concat(),
    }
}
