//! Freshness where there is no history: by when files were written.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use super::globs::{Globs, Part};
use super::{Looked, missing, row, walk};
use crate::model::{Broken, Failure};

/// What is there and was not looked at.
const UNSEEN: &str = "is no file of the root";

/// Compares the files of `root`.
pub fn look(
    globs: &Globs<'_>,
    root: &Path,
    rows: &mut dyn FnMut(Failure),
) -> Result<Looked, Broken> {
    let mut hits = globs.no_hits();
    let mut artefacts: BTreeMap<String, SystemTime> = BTreeMap::new();
    let mut inputs = artefacts.clone();
    let mut timeless = None;
    for pattern in globs.patterns() {
        walk::files(root, *pattern, &mut |path, meta| {
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
        return Err(Broken {
            reason: format!("this system does not tell when files were written: {error}"),
            details: Vec::new(),
        });
    }
    missing::inputs(globs, &hits, inputs.len())?;
    missing::artefacts(globs, &hits, root, UNSEEN, rows)?;
    for (artefact, made) in &artefacts {
        for (input, changed) in &inputs {
            if made < changed {
                rows(row(artefact, format!("older than {input}")));
            }
        }
    }
    Ok(Looked {
        artefacts: artefacts.len() as u64,
        notes: vec!["judged by the times of files: this is no git repository".to_owned()],
    })
}
