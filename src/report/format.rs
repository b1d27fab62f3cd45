//! The formats that a report can have.

use std::io::{self, Write};
use std::path::Path;

use super::human::human;
use super::json::json;
use super::style::Style;
use crate::model::Verdict;
use crate::text::SourceTree;

/// See `--report`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Human,
    /// One document, version 1.
    Json,
}

impl Format {
    /// All of them, as messages list them.
    pub const ALL: [Self; 2] = [Self::Human, Self::Json];

    /// As typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
        }
    }

    /// The format called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The whole report.
    pub(super) fn write(
        self,
        verdict: &Verdict,
        style: &Style,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match self {
            Self::Human => {
                let root = verdict.root.as_deref().unwrap_or_default();
                let mut source = SourceTree::new(Path::new(root));
                human(verdict, &mut source, style, out)
            }
            Self::Json => json(verdict, out),
        }
    }
}
