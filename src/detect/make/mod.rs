//! `Makefile`: the targets that it has a rule for.
//!
//! The file is read as make reads it, but nothing is expanded and nothing is run. What only make
//! could know (a target that a variable names, a condition on one that the file does not set) is
//! left out: a target that is declared here is one that make would do something for.

use std::path::Path;

use super::DetectError;
use super::family::{CHECK, Command, Family, Found};
use super::file::{has_file, read_text};
use crate::model::Streams;

mod branches;
mod condition;
mod includes;
mod logical_lines;
mod reader;
mod syntax;
mod variables;

use reader::Reader;

/// In make's own order; it reads the first alone.
const FILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// Targets by their names.
const TARGETS: [&str; 3] = [CHECK, "test", "lint"];

pub(super) const FAMILY: Family = Family {
    looked_for: "Makefile",
    targets: &TARGETS,
    one_at_a_time: false,
    streams: Some(Streams::Joined),
    look,
};

fn look(root: &Path) -> Result<Option<Found>, DetectError> {
    let Some(file) = FILES.into_iter().find(|name| has_file(root, name)) else {
        return Ok(None);
    };
    let text = read_text(root, file)?;
    let mut reader = Reader::new(root, &TARGETS);
    reader.read(&text);
    let commands = TARGETS
        .into_iter()
        .filter(|target| reader.does_something_for(target))
        .map(|target| Command::new(target, &["make", target]));
    Ok(Some(Found::new(file, commands.collect())))
}

#[cfg(test)]
mod tests;
