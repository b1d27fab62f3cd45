//! The files that an `include` names, as far as they can be known without make.

use std::fs;
use std::path::{Path, PathBuf};

/// Of one pattern.
const MAX_MATCHES: usize = 100;

/// The files that `word` names: a plain path relative to `root`, the last part of which may have
/// `*`. None that leaves the root is among them.
pub(super) fn included(root: &Path, word: &str) -> Vec<PathBuf> {
    if word.contains(['$', '\\', '?', '[', '~']) || Path::new(word).is_absolute() {
        return Vec::new();
    }
    let (folder, name) = word.rsplit_once('/').unwrap_or(("", word));
    let files = if folder.contains('*') {
        Vec::new()
    } else if name.contains('*') {
        matching(&root.join(folder), name)
    } else {
        vec![root.join(word)]
    };
    let inside = |file: PathBuf| {
        let real = file.canonicalize().ok()?;
        (real.starts_with(root) && real.is_file()).then_some(real)
    };
    files.into_iter().filter_map(inside).collect()
}

/// In order of name, as make has them.
fn matching(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| fits(pattern, name))
        .map(|name| folder.join(name))
        .take(MAX_MATCHES)
        .collect();
    files.sort();
    files
}

/// Whether `name` is `pattern` with something, or nothing, for each `*`. A leading dot has to be
/// spelled out.
fn fits(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_anything_but_a_leading_dot() {
        for (pattern, name) in [
            ("*.mk", "a.mk"),
            ("a*b*c", "axbxc"),
            ("a*", "a"),
            ("*", "x"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("*.mk", ".mk"),
            ("*.mk", "a.mkx"),
            ("a*b*c", "ac"),
            ("a", "ab"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
