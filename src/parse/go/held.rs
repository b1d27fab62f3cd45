//! A package's rows, kept until the line that names the package, which comes last.

use crate::model::Failure;

use super::super::location::Place;
use super::super::parser::Out;
use super::super::paths::fold;
use super::block::Block;
use super::modules::Modules;

/// Beyond this many, rows go out with the base name alone.
const MAX: usize = 10_000;

/// Rows whose package is not known yet.
#[derive(Debug, Default)]
pub(super) struct Held {
    rows: Vec<(Failure, Option<Place>)>,
    /// Rows that went out.
    pub released: u64,
}

impl Held {
    pub(super) fn add(&mut self, block: Block, out: &mut Out<'_>) {
        if let Some((row, place)) = block.row() {
            self.push(row, place, out);
        }
    }

    pub(super) fn push(&mut self, row: Failure, place: Option<Place>, out: &mut Out<'_>) {
        if self.rows.len() >= MAX {
            self.release(None, out);
        }
        self.rows.push((row, place));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// They were a passing test's own words.
    pub(super) fn forget(&mut self) {
        self.rows.clear();
    }

    /// Hands every row out, in the folder of its package where that is known.
    pub(super) fn release(&mut self, package: Option<(&mut Modules, &str)>, out: &mut Out<'_>) {
        let folder = package.and_then(|(modules, import)| modules.folder(out.paths, import));
        for (mut row, place) in self.rows.drain(..) {
            if let Some(place) = place {
                locate(&mut row, &place, folder.as_deref(), out);
            }
            self.released += 1;
            out.row(row);
        }
    }
}

/// A base name lies in the package's folder, except where that folder can be seen not to have it
/// (a helper of another package): then nothing more than the name is known.
fn locate(row: &mut Failure, place: &Place, folder: Option<&str>, out: &Out<'_>) {
    if place.path.contains(['/', '\\']) {
        out.paths.put(row, place);
        return;
    }
    let joined = folder
        .and_then(|folder| fold(folder, &place.path).map(|joined| (folder, joined)))
        .filter(|(folder, joined)| !out.paths.is_folder(folder) || out.paths.is_file(joined))
        .map(|(_, joined)| joined);
    row.path = Some(joined.unwrap_or_else(|| place.path.clone()));
    row.line = place.line;
}
