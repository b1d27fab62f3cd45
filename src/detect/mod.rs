//! What a tree without a manifest is checked by: the commands that its own files declare.
//!
//! A family is a kind of project, known by one file; each has a file here and a row in
//! the table below. The first that declares a command is run; the others are named. Nothing is
//! launched and nothing is guessed: a family is asked only what its file says.

use std::path::Path;

mod cargo;
mod family;
mod go;
mod node;
mod nothing_found;
mod settings;

pub use crate::model::HostFacts;
pub use nothing_found::{DetectError, NothingFound};

use crate::model::{CheckSpec, RunSettings};
use family::Family;

/// In the order in which they are asked.
const FAMILIES: [Family; 3] = [node::FAMILY, cargo::FAMILY, go::FAMILY];

/// The checks of a tree that declares none.
#[derive(Debug, Clone)]
pub struct Detected {
    /// The file that its family is known by: `go.mod`.
    pub family: &'static str,
    /// At least one, each marked `detected`.
    pub checks: Vec<CheckSpec>,
    /// For the whole run.
    pub settings: RunSettings,
    /// Families that are here too and are not run, with what they declare:
    /// `Makefile`, `[test, lint]`.
    pub also: Vec<(String, Vec<String>)>,
}

/// What `root` (absolute) is checked by.
pub fn detect(root: &Path, host: &HostFacts) -> Result<Detected, DetectError> {
    let mut first = None;
    let mut also = Vec::new();
    let mut silent = Vec::new();
    for family in &FAMILIES {
        let Some(commands) = (family.look)(root)? else {
            continue;
        };
        if commands.is_empty() {
            silent.push(family);
        } else if first.is_none() {
            first = Some((family, commands));
        } else {
            let targets = commands
                .iter()
                .map(|command| command.id.to_owned())
                .collect();
            also.push((family.file.to_owned(), targets));
        }
    }
    let Some((family, commands)) = first else {
        return Err(NothingFound::new(&FAMILIES, &silent).into());
    };
    let checks: Result<_, _> = commands.into_iter().map(|c| c.into_check(family)).collect();
    Ok(Detected {
        family: family.file,
        // The ids are constants of this module, and each is one.
        checks: checks.map_err(|_| NothingFound::new(&FAMILIES, &silent))?,
        settings: settings::of(root, host),
        also,
    })
}

#[cfg(test)]
mod tests;
