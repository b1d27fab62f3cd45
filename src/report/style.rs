//! How a person's report looks: decided by whoever knows the terminal and the flags.

use std::path::Path;

use crate::model::Status;
use crate::text::{Colour, Palette};

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verbosity {
    /// Failing rows and the last line.
    Quiet,
    /// Every check, and what is new.
    #[default]
    Normal,
    /// Known rows too, and what passing checks did.
    Verbose,
}

/// What detection found; a verdict does not hold it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Detected {
    /// The file that told the family, for example `go.mod`.
    pub family: String,
    /// Families found and not run: the file, and the checks it would have given.
    pub also: Vec<(String, Vec<String>)>,
}

/// How a person's report looks.
#[derive(Debug, Clone, Copy)]
pub struct Style<'a> {
    /// Colour or none.
    pub palette: Palette,
    /// Whether the reader's font and encoding have more than ASCII.
    pub unicode: bool,
    /// Columns of the terminal; `None` where there is none.
    pub width: Option<usize>,
    /// See [`Verbosity`].
    pub verbosity: Verbosity,
    /// The reader's home, shown as `~`.
    pub home: Option<&'a Path>,
    /// See [`Detected`]; `None` where a manifest was used.
    pub detected: Option<&'a Detected>,
    /// What was typed to find this tree and manifest, to be typed again: `--manifest ../harness`.
    pub place: &'a [String],
}

impl Style<'_> {
    /// The same for a file: no terminal, no colour.
    pub(super) fn for_file(self) -> Self {
        Self {
            palette: Palette::new(false),
            width: None,
            unicode: true,
            ..self
        }
    }

    /// The mark of a row, with its colour.
    pub(super) fn glyph(self, status: Status) -> (&'static str, Colour) {
        let (unicode, ascii, colour) = match status {
            Status::Pass => ("✓", "+", Colour::Green),
            Status::Fail => ("✗", "x", Colour::Red),
            Status::Known => ("~", "~", Colour::Yellow),
            Status::Broken | Status::Refused => ("!", "!", Colour::Magenta),
            Status::Skipped | Status::Cancelled => ("-", "-", Colour::Dim),
        };
        (if self.unicode { unicode } else { ascii }, colour)
    }

    /// What separates a line number from its source line.
    pub(super) fn gutter(self) -> &'static str {
        if self.unicode { "│" } else { "|" }
    }

    /// What stands for text left out.
    pub(super) fn ellipsis(self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }
}
