//! Freshness where there is no history: by when files were written.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use super::Looked;
use super::globs::{Globs, Part};
use super::rows::Rows;
use super::unseen::Unseen;
use super::{missing, walk};
use crate::run::Leash;

/// What is there and was not looked at.
const UNSEEN: &str = "is no file of the root";

/// Files with the time when each was written.
type Times = BTreeMap<String, SystemTime>;

/// Compares the files of `root`.
pub fn look(
    globs: &Globs<'_>,
    root: &Path,
    leash: &Leash,
    rows: &mut Rows<'_>,
) -> Result<Looked, Unseen> {
    let mut hits = globs.no_hits();
    let (mut artefacts, mut inputs) = (Times::new(), Times::new());
    let mut timeless = None;
    for pattern in globs.patterns() {
        walk::files(root, *pattern, leash, &mut |path, meta| {
            let files = match globs.part(path, &mut hits) {
                Some(Part::Artefact) => &mut artefacts,
                Some(Part::Input) => &mut inputs,
                None => return,
            };
            match meta.modified() {
                Ok(time) => {
                    files.insert(path.to_owned(), time);
                }
                Err(error) => timeless = Some(error),
            }
        })?;
    }
    if let Some(error) = timeless {
        let reason = format!("this system does not tell when files were written: {error}");
        return Err(Unseen::broken(reason, &[]));
    }
    missing::inputs(globs, &hits, inputs.len())?;
    missing::artefacts(globs, &hits, root, UNSEEN, leash, rows)?;
    compare(&artefacts, &inputs, rows)?;
    Ok(Looked {
        artefacts: artefacts.len() as u64,
        notes: vec!["judged by the times of files: this is no git repository".to_owned()],
    })
}

/// A row for each artefact with each input that was written after it, in the order of their
/// names. What is fresh costs nothing more than looking at the newest input.
fn compare(artefacts: &Times, inputs: &Times, rows: &mut Rows<'_>) -> Result<(), Unseen> {
    let mut newest_first: Vec<(Reverse<SystemTime>, &String)> = inputs
        .iter()
        .map(|(input, changed)| (Reverse(*changed), input))
        .collect();
    newest_first.sort_unstable();
    for (artefact, made) in artefacts {
        let end = newest_first.partition_point(|(Reverse(changed), _)| made < changed);
        let mut newer: Vec<&String> = newest_first[..end].iter().map(|(_, name)| *name).collect();
        newer.sort_unstable();
        for input in newer {
            rows.about(artefact, format!("older than {input}"))?;
        }
    }
    Ok(())
}
