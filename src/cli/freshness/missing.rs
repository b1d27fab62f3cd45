//! What there is to say of a glob that found nothing.

use std::path::Path;

use super::globs::{Globs, Hits, Part, Pattern};
use super::rows::Rows;
use super::unseen::Unseen;
use super::walk;
use crate::run::Leash;

/// A row for each glob of artefacts that found none. `unseen` says of a file that is there why it
/// was not looked at.
pub fn artefacts(
    globs: &Globs<'_>,
    hits: &Hits,
    root: &Path,
    unseen: &str,
    leash: &Leash,
    rows: &mut Rows<'_>,
) -> Result<(), Unseen> {
    for pattern in globs.unmet(Part::Artefact, hits) {
        let text = pattern.text();
        if pattern.is_path() {
            match root.join(text).symlink_metadata() {
                Ok(meta) if meta.is_dir() => {
                    let files = format!("is a folder: its files are {}/**", pattern.lead());
                    rows.about(pattern.lead(), files)?;
                }
                Ok(_) => rows.about(text, unseen.to_owned())?,
                Err(_) => rows.about(text, "is not there".to_owned())?,
            }
        } else {
            match first(globs, pattern, root, leash)? {
                Some(path) => rows.about(path, unseen.to_owned())?,
                None => rows.of_none(format!("no file matches {text}"))?,
            }
        }
    }
    Ok(())
}

/// The first file of the root that `pattern` matches.
fn first(
    globs: &Globs<'_>,
    pattern: Pattern<'_>,
    root: &Path,
    leash: &Leash,
) -> Result<Option<String>, Unseen> {
    let mut first: Option<String> = None;
    walk::files(root, pattern, leash, &mut |path, _| {
        let earlier = first.as_deref().is_none_or(|first| path < first);
        if earlier && globs.matches(pattern, path) {
            first = Some(path.to_owned());
        }
    })?;
    Ok(first)
}

/// Without an input nothing can be said: a misspelt glob must not be a pass.
pub fn inputs(globs: &Globs<'_>, hits: &Hits, found: usize) -> Result<(), Unseen> {
    if let Some(pattern) = globs.unmet(Part::Input, hits).next() {
        return Err(Unseen::broken(
            format!("no file matches {} of inputs", pattern.text()),
            &[
                "a glob starts at the root; * stays in one folder, and a folder's files are \
                 folder/**",
                "what git ignores is no input",
            ],
        ));
    }
    if found == 0 {
        return Err(Unseen::broken(
            "every file that inputs match is an artefact",
            &["name the files that the artefacts are made from"],
        ));
    }
    Ok(())
}
