//! `justfile`: the recipes that it has.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::DetectError;
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

/// How many files are looked for beside the first, whatever imports what.
const MAX_IMPORTS: usize = 256;

/// Larger ones are not read.
const MAX_BYTES: u64 = 1 << 20;

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
    let mut justfile = Justfile::default();
    justfile.add(root, &root.join(file), &text);
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
#[derive(Debug, Default)]
struct Justfile {
    recipes: BTreeMap<String, Recipe>,
    aliases: BTreeMap<String, String>,
    imported: Vec<PathBuf>,
    /// How many files were looked for.
    imports: usize,
}

impl Justfile {
    /// The recipe that `just name` runs.
    fn recipe(&self, name: &str) -> Option<Recipe> {
        let name = self.aliases.get(name).map_or(name, String::as_str);
        self.recipes.get(name).copied()
    }

    /// `text` is that of `file`. A name that it has twice, which just may be told to allow, is the
    /// later one's; what it has itself wins over what it imports.
    fn add(&mut self, root: &Path, file: &Path, text: &str) {
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
                Item::Import(path) => imports.push(path),
            }
        }
        for (name, recipe) in own {
            self.recipes.entry(name.to_owned()).or_insert(recipe);
        }
        let folder = file.parent().unwrap_or(root);
        for path in imports {
            self.import(root, &folder.join(path));
        }
    }

    /// Only files inside the root are followed, each once.
    fn import(&mut self, root: &Path, path: &Path) {
        self.imports += 1;
        if self.imports > MAX_IMPORTS {
            return;
        }
        let Ok(file) = path.canonicalize() else {
            return;
        };
        let small = fs::metadata(&file).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES);
        if !file.starts_with(root) || !small || self.imported.contains(&file) {
            return;
        }
        self.imported.push(file.clone());
        if let Ok(bytes) = fs::read(&file) {
            self.add(root, &file, &String::from_utf8_lossy(&bytes));
        }
    }
}

#[cfg(test)]
mod tests;
