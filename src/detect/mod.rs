//! What a tree without a manifest is checked by: the commands that its own files declare.
//!
//! A family is a kind of project, known by its files; each has a file here and a row in
//! the table below. The first that declares a command is run; the others are named. Nothing is
//! launched and nothing is guessed: a family is asked only what its files say.

use std::path::Path;

mod beside;
mod cargo;
mod family;
mod file;
mod go;
mod harness_json;
mod just;
mod make;
mod node;
mod nothing_found;
mod python;
mod settings;

pub use crate::model::HostFacts;
pub use harness_json::harness_json;
pub use nothing_found::{DetectError, NothingFound};

use crate::model::{CheckSpec, RunSettings};
use family::Family;

/// In the order in which they are asked.
const FAMILIES: [Family; 6] = [
    node::FAMILY,
    cargo::FAMILY,
    go::FAMILY,
    python::FAMILY,
    just::FAMILY,
    make::FAMILY,
];

/// The checks of a tree that declares none.
#[derive(Debug, Clone)]
pub struct Detected {
    /// The file that its family was found by: `go.mod`, `.justfile`, `tests/`.
    pub family: String,
    /// At least one, each marked `detected`: those that are run by default, and after them the
    /// targets that one of these stands for, each marked `only_named`.
    pub checks: Vec<CheckSpec>,
    /// For the whole run.
    pub settings: RunSettings,
    /// Families that are here too and are not run, with what they declare:
    /// `Makefile`, `[test, lint]`.
    pub also: Vec<(String, Vec<String>)>,
}

/// What `root` (absolute, links resolved) is checked by.
pub fn detect(root: &Path, host: &HostFacts) -> Result<Detected, DetectError> {
    let mut first = None;
    let mut also = Vec::new();
    let mut silent = Vec::new();
    for family in &FAMILIES {
        let found = match (family.look)(root) {
            Ok(Some(found)) => found,
            Ok(None) => continue,
            // What is run does not depend on it.
            Err(_) if first.is_some() => continue,
            Err(error) => return Err(error),
        };
        if found.commands.is_empty() {
            silent.push((family, found));
        } else if first.is_none() {
            first = Some((family, found));
        } else {
            also.push((found.file.clone(), found.targets()));
        }
    }
    let Some((family, found)) = first else {
        return Err(NothingFound::new(&FAMILIES, silent).into());
    };
    Ok(Detected {
        family: found.file.clone(),
        // The ids are constants of this module, and each is one.
        checks: found
            .into_checks(family)
            .map_err(|_| NothingFound::new(&FAMILIES, Vec::new()))?,
        settings: settings::of(root, host),
        also,
    })
}

#[cfg(test)]
mod tests;
