//! Finding a program the way Go's `exec.LookPath` does, so that a repository cannot shadow one.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// PATH without the entries that would let the tree under test decide which program runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPath {
    joined: OsString,
    entries: Vec<PathBuf>,
    /// The empty and relative entries that were left out, as written.
    pub dropped: Vec<String>,
}

impl SearchPath {
    /// Cleans the caller's PATH: empty and relative entries never count and are not handed on.
    pub fn new(path: &OsStr) -> Self {
        let mut entries = Vec::new();
        let mut dropped = Vec::new();
        for entry in std::env::split_paths(path) {
            if entry.is_absolute() {
                entries.push(entry);
            } else if !path.is_empty() {
                dropped.push(entry.display().to_string());
            }
        }
        // Only an entry that holds the separator cannot be joined, and none was split off so.
        let joined = std::env::join_paths(&entries).unwrap_or_default();
        Self {
            joined,
            entries,
            dropped,
        }
    }

    /// As a PATH value.
    pub fn value(&self) -> &OsStr {
        &self.joined
    }

    /// The folders, in order.
    pub fn entries(&self) -> &[PathBuf] {
        &self.entries
    }
}

/// Why no program was found. The texts complete `could not run: …`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// A bare name that is in no folder of PATH.
    #[error("{name} is not on PATH")]
    NotOnPath {
        /// As the manifest has it.
        name: String,
    },
    /// A path that leads to no file.
    #[error("{name} does not exist in {cwd}")]
    NoSuchFile {
        /// As the manifest has it.
        name: String,
        /// The folder it is relative to, from the root.
        cwd: String,
    },
    /// A path that leads to something that cannot be executed.
    #[error("{name} is not an executable file")]
    NotExecutable {
        /// As the manifest has it.
        name: String,
    },
}

/// The absolute path of `executable`: a bare name is looked up in `path`; one with a slash is
/// relative to `cwd` (absolute; `cwd_shown` is what messages call it).
pub fn find_program(
    executable: &str,
    cwd: &Path,
    cwd_shown: &str,
    path: &SearchPath,
) -> Result<PathBuf, LookupError> {
    let name = executable.to_owned();
    if !executable.contains(std::path::is_separator) {
        return which::which_in_global(executable, Some(path.value()))
            .ok()
            .and_then(|mut found| found.next())
            .ok_or(LookupError::NotOnPath { name });
    }
    let file = cwd.join(executable);
    match which::which_in(&file, None::<OsString>, cwd) {
        Ok(found) => Ok(found),
        Err(_) if file.exists() => Err(LookupError::NotExecutable { name }),
        Err(_) => {
            let cwd = if cwd_shown == "." {
                "the root".to_owned()
            } else {
                cwd_shown.to_owned()
            };
            Err(LookupError::NoSuchFile { name, cwd })
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{LookupError, SearchPath, find_program};
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    fn program(path: &Path, mode: u32) {
        fs::write(path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn relative_and_empty_entries_are_left_out_and_named() {
        let path = SearchPath::new(OsStr::new("/bin::.:bin:/usr/bin"));
        assert_eq!(path.value(), "/bin:/usr/bin");
        assert_eq!(path.dropped, ["", ".", "bin"]);
        assert!(SearchPath::new(OsStr::new("")).dropped.is_empty());
    }

    #[test]
    fn a_tree_cannot_shadow_a_program() {
        let dir = tempfile::tempdir().unwrap();
        program(&dir.path().join("tool"), 0o755);
        let path = SearchPath::new(OsStr::new(".:/nonexistent"));
        let error = find_program("tool", dir.path(), ".", &path).unwrap_err();
        assert_eq!(
            error,
            LookupError::NotOnPath {
                name: "tool".to_owned()
            }
        );
        let found = find_program("./tool", dir.path(), ".", &path).unwrap();
        assert_eq!(found, dir.path().join("tool"));
    }

    #[test]
    fn folders_and_files_that_may_not_run_do_not_count() {
        let dir = tempfile::tempdir().unwrap();
        let (first, second) = (dir.path().join("a"), dir.path().join("b"));
        fs::create_dir_all(first.join("tool")).unwrap();
        fs::create_dir(&second).unwrap();
        program(&second.join("tool"), 0o755);
        program(&first.join("plain"), 0o644);
        let joined = std::env::join_paths([&first, &second]).unwrap();
        let path = SearchPath::new(&joined);
        assert_eq!(
            find_program("tool", dir.path(), ".", &path).unwrap(),
            second.join("tool")
        );
        assert!(matches!(
            find_program("./a/plain", dir.path(), ".", &path),
            Err(LookupError::NotExecutable { .. })
        ));
        let error = find_program("./none", dir.path(), ".", &path).unwrap_err();
        assert_eq!(error.to_string(), "./none does not exist in the root");
    }
}
