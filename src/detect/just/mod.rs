//! `justfile`: the recipes that it has.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::DetectError;
use super::beside::Beside;
use super::family::{CHECK, Command, Family, Found};
use super::file::{has_file, read_text, unreadable};
use crate::model::Streams;

mod items;
mod lexer;

use items::{Item, Recipe, items};

/// In any letter case.
const FILES: [&str; 2] = ["justfile", ".justfile"];

/// Recipes by their names.
const TARGETS: [&str; 4] = [CHECK, "test", "lint", "typecheck"];

pub(super) const FAMILY: Family = Family {
    looked_for: "justfile",
    targets: &TARGETS,
    one_at_a_time: false,
    streams: Some(Streams::Joined),
    look,
};

fn look(root: &Path) -> Result<Option<Found>, DetectError> {
    let names = justfiles(root)?;
    let file = match &names[..] {
        [one] if has_file(root, one) => one,
        [] | [_] => return Ok(None),
        [first, ..] => {
            let note = format!(
                "{} are here, and just does not choose one",
                names.join(" and ")
            );
            return Ok(Some(Found {
                file: first.clone(),
                commands: Vec::new(),
                notes: vec![note],
            }));
        }
    };
    let text = read_text(root, file)?;
    let mut justfile = Justfile::new();
    justfile.add(root, &root.join(file), text);
    let mut found = Found::new(file, Vec::new());
    for target in TARGETS {
        let why = match justfile.recipe(target) {
            None => continue,
            Some(Recipe::Runs) => {
                found.commands.push(Command::new(target, &["just", target]));
                continue;
            }
            Some(Recipe::Idle) => "does nothing",
            Some(Recipe::NeedsArguments) => "needs an argument",
            Some(Recipe::Asks) => "asks for confirmation",
        };
        found
            .notes
            .push(format!("just {target} {why}, so it is no check"));
    }
    Ok(Some(found))
}

/// Everything in `root` that just takes for its file.
fn justfiles(root: &Path) -> Result<Vec<String>, DetectError> {
    let entries = fs::read_dir(root)
        .map_err(|error| unreadable(".", format!("cannot be looked into: {error}")))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| FILES.iter().any(|file| name.eq_ignore_ascii_case(file)))
        .collect();
    names.sort();
    Ok(names)
}

/// The recipes of a justfile and of what it imports.
#[derive(Debug)]
struct Justfile {
    recipes: BTreeMap<String, Recipe>,
    aliases: BTreeMap<String, String>,
    imported: Vec<PathBuf>,
    beside: Beside,
}

impl Justfile {
    fn new() -> Self {
        Self {
            recipes: BTreeMap::new(),
            aliases: BTreeMap::new(),
            imported: Vec::new(),
            beside: Beside::new(),
        }
    }

    /// The recipe that `just name` runs.
    fn recipe(&self, name: &str) -> Option<Recipe> {
        let name = self.aliases.get(name).map_or(name, String::as_str);
        self.recipes.get(name).copied()
    }

    /// `text` is that of `file`, and gone before what it imports is read.
    fn add(&mut self, root: &Path, file: &Path, text: String) {
        let folder = file.parent().unwrap_or(root);
        let imports = self.declared(&text);
        drop(text);
        for path in imports {
            self.import(root, &folder.join(path));
        }
    }

    /// Adds what a file has itself, and gives what it imports. A name that it has twice, which
    /// just may be told to allow, is the later one's; what it has itself wins over what it
    /// imports.
    fn declared(&mut self, text: &str) -> Vec<String> {
        let mut imports = Vec::new();
        let mut own = BTreeMap::new();
        for item in items(text) {
            match item {
                Item::Recipe(name, recipe) => {
                    own.insert(name, recipe);
                }
                Item::Alias(name, target) => {
                    self.aliases.insert(name.to_owned(), target.to_owned());
                }
                Item::Import(path) => imports.push(path.to_owned()),
            }
        }
        for (name, recipe) in own {
            self.recipes.entry(name.to_owned()).or_insert(recipe);
        }
        imports
    }

    /// Only files inside the root are followed, each once.
    fn import(&mut self, root: &Path, path: &Path) {
        if !self.beside.may_look() {
            return;
        }
        let Ok(file) = path.canonicalize() else {
            return;
        };
        if !file.starts_with(root) || self.imported.contains(&file) {
            return;
        }
        self.imported.push(file.clone());
        if let Some(text) = self.beside.text(&file) {
            self.add(root, &file, text);
        }
    }
}

#[cfg(test)]
mod tests;
