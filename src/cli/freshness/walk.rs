//! The files that a glob may match, read from the folders themselves.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::globs::Pattern;
use super::unseen::Unseen;
use crate::run::Leash;

/// A place on the way.
struct Place {
    path: PathBuf,
    /// From the root.
    name: String,
    /// How many names that is.
    depth: usize,
}

/// Gives every file of the root that `pattern` may match, by its path from the root. No link to a
/// folder is followed; one to a file counts as that file where it lies in the root.
pub fn files(
    root: &Path,
    pattern: Pattern<'_>,
    leash: &Leash,
    found: &mut dyn FnMut(&str, &Metadata),
) -> Result<(), Unseen> {
    let mut places: Vec<Place> = start(root, pattern).into_iter().collect();
    while let Some(place) = places.pop() {
        if leash.is_over() {
            return Err(Unseen::Over);
        }
        let entered = enter(root, &place, pattern.depth(), &mut places, found);
        entered.map_err(|error| {
            let reason = format!("{} cannot be read: {error}", place.path.display());
            Unseen::broken(reason, &[])
        })?;
    }
    Ok(())
}

/// Where it begins; nowhere where a link is on the way there.
fn start(root: &Path, pattern: Pattern<'_>) -> Option<Place> {
    let name = pattern.lead();
    if name.is_empty() {
        return Some(Place {
            path: root.to_owned(),
            name: String::new(),
            depth: 0,
        });
    }
    let path = root.join(name);
    let above = path.parent()?;
    (above.canonicalize().ok()? == above).then(|| Place {
        name: name.to_owned(),
        depth: name.split('/').count(),
        path,
    })
}

/// Gives a file, or adds what is in a folder.
fn enter(
    root: &Path,
    place: &Place,
    depth: usize,
    places: &mut Vec<Place>,
    found: &mut dyn FnMut(&str, &Metadata),
) -> io::Result<()> {
    let Some(meta) = present(place.path.symlink_metadata())? else {
        return Ok(());
    };
    if meta.is_dir() {
        if place.depth < depth {
            add_entries(place, places)?;
        }
    } else if let Some(meta) = file(root, &place.path, meta) {
        found(&place.name, &meta);
    }
    Ok(())
}

fn add_entries(folder: &Place, places: &mut Vec<Place>) -> io::Result<()> {
    let Some(entries) = present(fs::read_dir(&folder.path))? else {
        return Ok(());
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name == ".git" {
            continue;
        }
        places.push(Place {
            path: entry.path(),
            name: if folder.name.is_empty() {
                name.into_owned()
            } else {
                format!("{}/{name}", folder.name)
            },
            depth: folder.depth + 1,
        });
    }
    Ok(())
}

/// What is there; what was removed meanwhile is not.
fn present<T>(looked: io::Result<T>) -> io::Result<Option<T>> {
    use io::ErrorKind::{NotADirectory, NotFound};
    match looked {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A regular file of the root, itself or behind a link.
fn file(root: &Path, path: &Path, meta: Metadata) -> Option<Metadata> {
    if meta.is_file() {
        return Some(meta);
    }
    if !meta.is_symlink() {
        return None;
    }
    let real = path.canonicalize().ok()?;
    let meta = fs::metadata(&real).ok()?;
    (real.starts_with(root) && meta.is_file()).then_some(meta)
}
