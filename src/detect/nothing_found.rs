//! Why there is nothing to run, and what to do about it.

use super::family::Family;
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
    /// The files that were looked for, a manifest's first.
    pub looked_for: Vec<String>,
    /// Files that are there and declare nothing to run, each a sentence.
    pub notes: Vec<String>,
}

impl NothingFound {
    pub(super) fn new(families: &[Family], silent: &[&Family]) -> Self {
        let manifests = ["harness.json", "harness.toml"].into_iter();
        let files = families.iter().map(|family| family.file);
        let note = |family: &&Family| {
            format!(
                "{} is here and declares no check, test, lint or typecheck",
                family.file
            )
        };
        Self {
            looked_for: manifests.chain(files).map(str::to_owned).collect(),
            notes: silent.iter().map(note).collect(),
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

/// `file` as a whole is what cannot be read.
pub(super) fn unreadable(file: &str, message: String) -> DetectError {
    DetectError::Unreadable(vec![Diagnostic {
        path: file.to_owned(),
        line: None,
        column: None,
        message,
        hint: None,
        excerpt: None,
        more: 0,
    }])
}
