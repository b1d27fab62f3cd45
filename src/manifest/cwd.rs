//! Where a check runs: a folder inside the root, as written and as resolved.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::fields::At;
use super::problems::Problems;

/// Why a text names no folder to run in. The texts complete a sentence that begins with
/// the field: `cwd …`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum CwdError {
    #[error("must be relative to the root")]
    Absolute,
    #[error("leaves the root")]
    Leaves,
    #[error("leads out of the root through a symlink")]
    ThroughLink,
    #[error("names no existing folder")]
    Missing,
    #[error("is a file, not a folder")]
    File,
    #[error("names a folder that cannot be entered")]
    Unreadable,
}

impl CwdError {
    /// What to do about it.
    fn hint(self, text: &str) -> Option<&'static str> {
        match self {
            Self::Missing if text.contains('\\') => Some("write / between folders"),
            Self::Missing if text.starts_with('~') || text.contains('$') => {
                Some("no shell reads it: ~ and $ stand for nothing")
            }
            Self::Missing if text.contains('*') || text.ends_with("...") => {
                Some("name one folder, no pattern")
            }
            Self::Absolute | Self::Leaves | Self::ThroughLink => {
                Some("name a folder inside the root")
            }
            Self::File => Some("name the folder that holds it"),
            Self::Missing | Self::Unreadable => None,
        }
    }
}

/// Folders of one root, each looked up once.
pub(super) struct Folders<'a> {
    /// Links resolved.
    root: PathBuf,
    seen: HashMap<&'a str, Result<String, CwdError>>,
}

impl<'a> Folders<'a> {
    pub fn new(root: &Path) -> Self {
        let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        Self {
            root,
            seen: HashMap::new(),
        }
    }

    /// The folder that `text` names, links resolved, relative to the root with `/`; `.` for the
    /// root itself. Resolved, because that is where a tool will say it is.
    pub fn resolve(&mut self, text: &'a str) -> Result<String, CwdError> {
        if let Some(known) = self.seen.get(text) {
            return known.clone();
        }
        let found = find(&self.root, text);
        self.seen.insert(text, found.clone());
        found
    }

    /// As [`Self::resolve`], for a text in a manifest, the field `name`.
    pub fn read(
        &mut self,
        name: &str,
        given: &At<&'a str>,
        problems: &mut Problems<'_>,
    ) -> Option<String> {
        match self.resolve(given.value) {
            Ok(folder) => Some(folder),
            Err(error) => {
                let message = format!("{name} {error}");
                match error.hint(given.value) {
                    Some(hint) => problems.advise(&given.span, message, hint),
                    None => problems.say(&given.span, message),
                }
                None
            }
        }
    }

    /// Whether `path`, relative to the folder `cwd`, is a file.
    pub fn is_file(&self, cwd: &str, path: &str) -> bool {
        fs::metadata(self.root.join(cwd).join(path)).is_ok_and(|meta| meta.is_file())
    }
}

fn find(root: &Path, text: &str) -> Result<String, CwdError> {
    let drive =
        matches!(text.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    let path = Path::new(text);
    if path.has_root() || text.starts_with('\\') || drive {
        return Err(CwdError::Absolute);
    }
    let mut depth = 0_usize;
    for component in path.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth = depth.checked_sub(1).ok_or(CwdError::Leaves)?,
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir => return Err(CwdError::Absolute),
        }
    }
    let real = fs::canonicalize(root.join(path)).map_err(|error| {
        if error.kind() == io::ErrorKind::PermissionDenied {
            CwdError::Unreadable
        } else {
            CwdError::Missing
        }
    })?;
    let Ok(inside) = real.strip_prefix(root) else {
        return Err(CwdError::ThroughLink);
    };
    if !real.is_dir() {
        return Err(CwdError::File);
    }
    let parts: Option<Vec<&str>> = inside
        .components()
        .map(|c| c.as_os_str().to_str())
        .collect();
    Ok(match parts {
        Some(parts) if parts.is_empty() => ".".to_owned(),
        Some(parts) => parts.join("/"),
        // A link to a name that is no text: the name of the link still leads there.
        None => text.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{CwdError, Folders};
    use std::fs;

    #[test]
    fn each_way_to_be_wrong_is_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir(dir.path().join("out")).unwrap();
        fs::write(root.join("file"), "").unwrap();
        let mut folders = Folders::new(&root);
        assert_eq!(folders.resolve(".").as_deref(), Ok("."));
        assert_eq!(folders.resolve("./a//b/").as_deref(), Ok("a/b"));
        assert_eq!(folders.resolve("a/../a").as_deref(), Ok("a"));
        assert_eq!(folders.resolve("/"), Err(CwdError::Absolute));
        assert_eq!(folders.resolve("C:\\x"), Err(CwdError::Absolute));
        assert_eq!(folders.resolve(".."), Err(CwdError::Leaves));
        assert_eq!(folders.resolve("a/../../root"), Err(CwdError::Leaves));
        assert_eq!(folders.resolve("none"), Err(CwdError::Missing));
        assert_eq!(folders.resolve("file"), Err(CwdError::File));
        assert_eq!(folders.resolve("a\0b"), Err(CwdError::Missing));
        assert!(folders.is_file("a/b", "../../file"));
        assert!(!folders.is_file(".", "a"));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_may_not_lead_out() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir(dir.path().join("out")).unwrap();
        symlink("a/b", root.join("in")).unwrap();
        symlink("../out", root.join("leak")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        let mut folders = Folders::new(&root);
        assert_eq!(folders.resolve("in").as_deref(), Ok("a/b"));
        assert_eq!(folders.resolve("leak"), Err(CwdError::ThroughLink));
        assert_eq!(folders.resolve("leak/.."), Err(CwdError::ThroughLink));
        assert_eq!(folders.resolve("dangling"), Err(CwdError::Missing));
    }
}
