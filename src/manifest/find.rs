//! Where the manifest is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::problems::of_file;
use crate::model::Diagnostic;

/// What a manifest is called; the same schema in two spellings.
pub const NAMES: [&str; 2] = ["harness.json", "harness.toml"];

/// The manifest for work in `from` (absolute): the nearest one upwards, not past the repository's
/// root, which a `.git` file or folder marks. Outside a repository only `from` itself is looked
/// in, since whoever owns the folders above may be anyone.
pub fn find(from: &Path) -> Result<Option<PathBuf>, Vec<Diagnostic>> {
    let mut repository = None;
    for folder in from.ancestors() {
        if exists(&folder.join(".git"))? {
            repository = Some(folder);
            break;
        }
    }
    for folder in from.ancestors() {
        if let Some(found) = in_folder(folder)? {
            return Ok(Some(found));
        }
        if repository.is_none_or(|top| top == folder) {
            break;
        }
    }
    Ok(None)
}

fn in_folder(folder: &Path) -> Result<Option<PathBuf>, Vec<Diagnostic>> {
    let mut found = None;
    for name in NAMES {
        let file = folder.join(name);
        if !exists(&file)? {
            continue;
        }
        if found.is_some() {
            let shown = folder.display();
            let message = format!("{} and {} both stand in {shown}", NAMES[0], NAMES[1]);
            return Err(vec![of_file(name, message, Some("keep one"))]);
        }
        found = Some(file);
    }
    Ok(found)
}

/// A name that is there counts, whatever it names: to pass over a manifest that cannot be read
/// would be to judge by another.
fn exists(path: &Path) -> Result<bool, Vec<Diagnostic>> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(false)
        }
        Err(error) => {
            let message = format!("cannot be looked for: {error}");
            Err(vec![of_file(&path.display().to_string(), message, None)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::find;
    use std::fs;

    #[test]
    fn the_nearest_one_counts_and_the_repository_is_the_limit() {
        let dir = tempfile::tempdir().unwrap();
        let outer = dir.path();
        let deep = outer.join("repo/a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::write(outer.join("harness.json"), "{}").unwrap();
        assert_eq!(
            find(&deep),
            Ok(None),
            "outside a repository nothing above is looked in"
        );
        fs::write(outer.join("repo/.git"), "gitdir: elsewhere\n").unwrap();
        assert_eq!(find(&deep), Ok(None), "nor above a repository");
        fs::write(outer.join("repo/harness.toml"), "").unwrap();
        assert_eq!(find(&deep), Ok(Some(outer.join("repo/harness.toml"))));
        fs::write(outer.join("repo/a/harness.json"), "").unwrap();
        assert_eq!(find(&deep), Ok(Some(outer.join("repo/a/harness.json"))));
        assert_eq!(
            find(&outer.join("repo")),
            Ok(Some(outer.join("repo/harness.toml")))
        );
        assert_eq!(find(outer), Ok(Some(outer.join("harness.json"))));
    }

    #[test]
    fn two_in_one_folder_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("harness.json"), "{}").unwrap();
        fs::create_dir(dir.path().join("harness.toml")).unwrap();
        let told = find(dir.path()).unwrap_err();
        assert!(
            told[0]
                .message
                .starts_with("harness.json and harness.toml both stand in ")
        );
        assert_eq!(
            told[0].path, "harness.toml",
            "as seen from the root that it would be"
        );
        assert_eq!(told[0].hint.as_deref(), Some("keep one"));
    }
}
