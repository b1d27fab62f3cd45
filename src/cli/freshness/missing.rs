//! What there is to say of a glob that found nothing.

use std::path::Path;

use super::globs::{Globs, Hits, Part, Pattern};
use super::{row, walk};
use crate::model::{Broken, Failure};

/// A row for each glob of artefacts that found none. `unseen` says of a file that is there why it
/// was not looked at.
pub fn artefacts(
    globs: &Globs<'_>,
    hits: &Hits,
    root: &Path,
    unseen: &str,
    rows: &mut dyn FnMut(Failure),
) -> Result<(), Broken> {
    for pattern in globs.unmet(Part::Artefact, hits) {
        rows(artefact(globs, pattern, root, unseen)?);
    }
    Ok(())
}

fn artefact(
    globs: &Globs<'_>,
    pattern: Pattern<'_>,
    root: &Path,
    unseen: &str,
) -> Result<Failure, Broken> {
    let text = pattern.text();
    if pattern.is_path() {
        return Ok(match root.join(text).symlink_metadata() {
            Ok(meta) if meta.is_dir() => {
                let files = format!("is a folder: its files are {}/**", pattern.lead());
                row(pattern.lead(), files)
            }
            Ok(_) => row(text, unseen),
            Err(_) => row(text, "is not there"),
        });
    }
    let mut first: Option<String> = None;
    walk::files(root, pattern, &mut |path, _| {
        let earlier = first.as_deref().is_none_or(|first| path < first);
        if earlier && globs.matches(pattern, path) {
            first = Some(path.to_owned());
        }
    })?;
    Ok(match first {
        Some(path) => row(path, unseen),
        None => Failure::new(super::TOOL, format!("no file matches {text}")),
    })
}

/// Without an input nothing can be said: a misspelt glob must not be a pass.
pub fn inputs(globs: &Globs<'_>, hits: &Hits, found: usize) -> Result<(), Broken> {
    if let Some(pattern) = globs.unmet(Part::Input, hits).next() {
        return Err(Broken {
            reason: format!("no file matches {} of inputs", pattern.text()),
            details: vec![
                "a glob starts at the root; * stays in one folder, and a folder's files are \
                 folder/**"
                    .to_owned(),
                "what git ignores is no input".to_owned(),
            ],
        });
    }
    if found == 0 {
        return Err(Broken {
            reason: "every file that inputs match is an artefact".to_owned(),
            details: vec!["name the files that the artefacts are made from".to_owned()],
        });
    }
    Ok(())
}
