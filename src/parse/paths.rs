//! Printed paths as paths of the tree: relative to the root with `/`, or outside of it.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::model::Failure;

use super::location::Place;

/// Of a tool's own file, such as `go.mod`.
const MAX_FILE: u64 = 1024 * 1024;

/// No system knows a longer one.
const MAX_FOLDER: usize = 4096;

/// Where a tool runs, and so what its relative paths are relative to.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    root: PathBuf,
    /// The root as a tool prints it, with `/` and without one at the end.
    root_text: String,
    /// Relative to the root, `""` for the root itself.
    cwd: String,
    /// Folders that make and ninja said they entered, innermost last.
    entered: Vec<String>,
}

impl Paths {
    pub(super) fn new(root: &Path, cwd: &str) -> Self {
        let root_text = slashes(&root.to_string_lossy());
        // Windows resolves links to `\\?\C:\w`, which no tool prints.
        let root_text = root_text.strip_prefix("//?/").unwrap_or(&root_text);
        let root_text = root_text.trim_end_matches('/').to_owned();
        let cwd = fold("", cwd).unwrap_or_default();
        Self {
            root: root.to_owned(),
            root_text,
            cwd,
            entered: Vec::new(),
        }
    }

    /// The folder that relative paths start from, relative to the root, `""` for the root.
    pub(super) fn base(&self) -> &str {
        self.entered.last().unwrap_or(&self.cwd)
    }

    /// A launcher says it now works in `folder`.
    pub(super) fn enter(&mut self, folder: &str) {
        // A tool that only ever enters, or words that are no folder, are no reason to grow.
        if self.entered.len() < 64 {
            let inside = self
                .resolve(folder)
                .filter(|inside| inside.len() <= MAX_FOLDER)
                .unwrap_or_else(|| self.base().to_owned());
            self.entered.push(inside);
        }
    }

    /// It has left the folder it entered last.
    pub(super) fn leave(&mut self) {
        self.entered.pop();
    }

    /// `printed` relative to the root (`""` for the root), or `None` where it lies outside.
    pub(super) fn resolve(&self, printed: &str) -> Option<String> {
        self.resolve_from(self.base(), printed)
    }

    /// As [`Paths::resolve`], relative paths starting from `base`.
    pub(super) fn resolve_from(&self, base: &str, printed: &str) -> Option<String> {
        let mut path = slashes(printed);
        if !is_absolute(&path) {
            if let Some(inside) = fold(base, &path) {
                return Some(inside);
            }
            // Relative to a folder outside, as a linter does whose configuration lies there, it
            // may leave the root only to come back.
            path = format!("{}/{base}/{path}", self.root_text);
        }
        let absolute = fold_absolute(&path);
        let inside = absolute.strip_prefix(self.root_text.as_str())?;
        if inside.is_empty() {
            return Some(String::new());
        }
        inside.strip_prefix('/').map(str::to_owned)
    }

    /// Puts `place` into `row`.
    pub(super) fn put(&self, row: &mut Failure, place: &Place) {
        self.put_from(self.base(), row, place);
    }

    /// As [`Paths::put`], relative paths starting from `base`.
    pub(super) fn put_from(&self, base: &str, row: &mut Failure, place: &Place) {
        let printed = without_scheme(&place.path);
        match self.resolve_from(base, &printed) {
            Some(inside) if !inside.is_empty() => row.path = Some(inside),
            _ => {
                row.path = Some(printed);
                row.outside = true;
            }
        }
        row.line = place.line;
        row.column = place.column;
    }

    /// The name of a test: one that is named after its file is so on every machine.
    pub(super) fn test_name(&self, name: String) -> String {
        if !is_absolute(&name) {
            return name;
        }
        self.resolve(&name)
            .filter(|inside| !inside.is_empty())
            .unwrap_or(name)
    }

    /// The text of a tool's own file `name` in `folder` (relative to the root): a regular file;
    /// of one beyond 1 MiB, which none is, the beginning.
    pub(super) fn text_of(&self, folder: &str, name: &str) -> Option<String> {
        let path = self.root.join(folder).join(name);
        if !fs::metadata(&path).ok()?.is_file() {
            return None;
        }
        let mut text = String::new();
        let file = fs::File::open(path).ok()?;
        file.take(MAX_FILE).read_to_string(&mut text).ok()?;
        Some(text)
    }

    /// Whether `printed`, a relative path starting from `base`, is a file in or outside the root.
    pub(super) fn is_file_from(&self, base: &str, printed: &str) -> bool {
        let path = slashes(printed);
        let path = if is_absolute(&path) {
            PathBuf::from(path)
        } else {
            self.root.join(base).join(path)
        };
        path.is_file()
    }

    /// Whether `relative` (to the root) is a regular file.
    pub(super) fn is_file(&self, relative: &str) -> bool {
        self.root.join(relative).is_file()
    }

    /// Whether `relative` (to the root) is a folder.
    pub(super) fn is_folder(&self, relative: &str) -> bool {
        self.root.join(relative).is_dir()
    }
}

/// `file:///a%20b` as `/a b`; anything else as it is.
pub(super) fn without_scheme(printed: &str) -> String {
    let Some(rest) = printed.strip_prefix("file://") else {
        return printed.to_owned();
    };
    let bytes = rest.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%')
            .then(|| rest.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(hex.unwrap_or(bytes[at]));
        at += if hex.is_some() { 3 } else { 1 };
    }
    let path = String::from_utf8_lossy(&decoded).into_owned();
    // `file:///C:/x` is `C:/x`.
    match path.strip_prefix('/') {
        Some(drive) if has_drive(drive) => drive.to_owned(),
        _ => path,
    }
}

fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\')
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || has_drive(path)
}

/// Backslashes are separators where the path can be a Windows one only: it has a drive, or
/// backslashes and no slash.
pub(super) fn slashes(path: &str) -> String {
    if has_drive(path) || (path.contains('\\') && !path.contains('/')) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    }
}

/// `path` joined to `base` with `.` and `..` resolved; `None` where it leaves the root.
pub(super) fn fold(base: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn fold_absolute(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let lead = if path.starts_with('/') { "/" } else { "" };
    format!("{lead}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::model::Failure;

    use super::super::location::Place;
    use super::{MAX_FOLDER, Paths, without_scheme};

    fn put(cwd: &str, path: &str) -> (Option<String>, bool) {
        let paths = Paths::new(Path::new("/srv/app"), cwd);
        let mut row = Failure::new("generic", "x");
        paths.put(
            &mut row,
            &Place {
                path: path.to_owned(),
                line: Some(1),
                column: None,
            },
        );
        (row.path, row.outside)
    }

    #[test]
    fn paths_inside_are_relative_to_the_root_and_others_stay_as_printed() {
        let inside = |path: &str| (Some(path.to_owned()), false);
        assert_eq!(put(".", "./a/b.go"), inside("a/b.go"));
        assert_eq!(put("web", "src/../x.js"), inside("web/x.js"));
        assert_eq!(put("web", "../x.js"), inside("x.js"));
        assert_eq!(put("web", "/srv/app/web/x.js"), inside("web/x.js"));
        assert_eq!(put(".", "file:///srv/app/a%20b.js"), inside("a b.js"));
        assert_eq!(put(".", r"src\a.ts"), inside("src/a.ts"));
        assert_eq!(put("web", "../../app/web/x.js"), inside("web/x.js"));
        let outside = |path: &str| (Some(path.to_owned()), true);
        assert_eq!(put(".", "../x.js"), outside("../x.js"));
        assert_eq!(put(".", "../apple/x.js"), outside("../apple/x.js"));
        assert_eq!(put(".", "../app"), outside("../app"));
        assert_eq!(put(".", "/srv/apple/x.js"), outside("/srv/apple/x.js"));
        assert_eq!(put(".", r"C:\w\a.js"), outside(r"C:\w\a.js"));
    }

    #[test]
    fn a_windows_root_is_met_with_either_slash() {
        let paths = Paths::new(Path::new(r"\\?\C:\w"), ".");
        assert_eq!(paths.resolve(r"C:\w\src\a.js"), Some("src/a.js".to_owned()));
        assert_eq!(paths.resolve("C:/w/a.js"), Some("a.js".to_owned()));
        assert_eq!(without_scheme("file:///C:/w/a.js"), "C:/w/a.js");
    }

    #[test]
    fn folders_that_make_enters_are_where_paths_start() {
        let mut paths = Paths::new(Path::new("/srv/app"), ".");
        paths.enter("/srv/app/lib");
        assert_eq!(paths.resolve("x.c"), Some("lib/x.c".to_owned()));
        paths.leave();
        paths.leave();
        assert_eq!(paths.resolve("x.c"), Some("x.c".to_owned()));
        paths.enter(&"long/".repeat(MAX_FOLDER / 4));
        assert_eq!(paths.resolve("x.c"), Some("x.c".to_owned()));
    }
}
