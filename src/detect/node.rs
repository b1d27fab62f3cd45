//! `package.json`: the scripts that it names, by the package manager whose lockfile is here.

use std::path::Path;

use super::DetectError;
use super::family::{CHECK, Command, Family, Found};
use super::file::{has_file, read, unreadable};
use crate::model::{Diagnostic, Streams};
use crate::text::{FaultKind, Lines, Node, decode, parse_json};

const FILE: &str = "package.json";

/// Scripts by their names.
const TARGETS: [&str; 4] = [CHECK, "test", "lint", "typecheck"];

/// In the order in which they win where there are several.
const LOCKFILES: [(&str, &str); 6] = [
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
];

/// What `npm init` writes in place of a test.
const PLACEHOLDER: &str = "no test specified";

pub(super) const FAMILY: Family = Family {
    looked_for: FILE,
    targets: &TARGETS,
    one_at_a_time: false,
    streams: Some(Streams::Joined),
    look,
};

fn look(root: &Path) -> Result<Option<Found>, DetectError> {
    if !has_file(root, FILE) {
        return Ok(None);
    }
    let bytes = read(root, FILE)?;
    let package = parse(&bytes)?;
    let scripts = package.value.get("scripts");
    let declared = |name: &str| {
        scripts
            .and_then(|scripts| scripts.value.get(name))
            .and_then(|script| script.value.as_str())
            .is_some_and(|text| !text.trim().is_empty() && !text.contains(PLACEHOLDER))
    };
    let manager = LOCKFILES
        .iter()
        .find(|(lockfile, _)| has_file(root, lockfile))
        .map_or("npm", |(_, manager)| manager);
    let commands = TARGETS
        .into_iter()
        .filter(|name| declared(name))
        .map(|name| Command::new(name, &[manager, "run", name]));
    Ok(Some(Found::new(FILE, commands.collect())))
}

/// As package managers read it: a byte order mark is skipped, and of a key given twice the last
/// counts. Anything else that is no JSON is the package's own mistake, and it is told.
fn parse(bytes: &[u8]) -> Result<Node<'_>, DetectError> {
    let text = decode(bytes).map_err(|fault| unreadable(FILE, fault.message))?;
    let parsed = parse_json(text);
    let lines = Lines::new(text);
    let broken: Vec<Diagnostic> = parsed
        .faults
        .into_iter()
        .filter(|fault| fault.kind == FaultKind::Syntax)
        .map(|fault| {
            let place = lines.locate(fault.span.start);
            let excerpt = lines.excerpt(&fault.span);
            Diagnostic::of_file(FILE, fault.message, fault.hint).at(place, excerpt)
        })
        .collect();
    match parsed.root {
        Some(root) if broken.is_empty() => Ok(root),
        _ => Err(DetectError::Unreadable(broken)),
    }
}
