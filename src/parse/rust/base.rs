//! What cargo's relative paths are relative to: the workspace, not the folder it was started in.

use super::super::paths::{Paths, fold};

/// The folders, relative to the root, that paths may start from, the likeliest first; found once.
#[derive(Debug, Default)]
pub(super) struct Base {
    found: Option<Vec<String>>,
}

impl Base {
    /// The folder that `path` starts from.
    pub(super) fn of(&mut self, path: &str, paths: &Paths) -> String {
        let found = self.found.get_or_insert_with(|| folders(paths));
        found
            .iter()
            .find(|folder| fold(folder, path).is_some_and(|joined| paths.is_file(&joined)))
            .or(found.first())
            .cloned()
            .unwrap_or_default()
    }
}

fn folders(paths: &Paths) -> Vec<String> {
    let mut workspace = None;
    let mut package = None;
    let mut above = Some(paths.base().to_owned());
    while let Some(folder) = above {
        if let Some(text) = paths.text_of(&folder, "Cargo.toml") {
            if text
                .lines()
                .any(|line| line.trim_start().starts_with("[workspace"))
            {
                workspace = Some(folder.clone());
                break;
            }
            package.get_or_insert_with(|| folder.clone());
        }
        above = match folder.rsplit_once('/') {
            Some((up, _)) => Some(up.to_owned()),
            None if folder.is_empty() => None,
            None => Some(String::new()),
        };
    }
    let start = paths.base().to_owned();
    let mut all: Vec<String> = workspace.into_iter().chain(package).collect();
    if !all.contains(&start) {
        all.push(start);
    }
    all
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::super::paths::Paths;
    use super::Base;

    #[test]
    fn paths_start_at_the_workspace_even_from_a_member() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("rs/crates/a/src")).unwrap();
        fs::write(
            root.join("rs/Cargo.toml"),
            "[workspace]\nmembers = [\"crates/*\"]\n",
        )
        .unwrap();
        fs::write(
            root.join("rs/crates/a/Cargo.toml"),
            "[package]\nname = \"a\"\n",
        )
        .unwrap();
        fs::write(root.join("rs/crates/a/src/lib.rs"), "").unwrap();
        let paths = Paths::new(root, "rs/crates/a");
        let mut base = Base::default();
        assert_eq!(base.of("crates/a/src/lib.rs", &paths), "rs");
        assert_eq!(base.of("src/lib.rs", &paths), "rs/crates/a");
        assert_eq!(base.of("nowhere.rs", &paths), "rs");
    }
}
