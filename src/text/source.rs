//! The one reader of source lines, for identities and excerpts alike.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::file::read_at_most;

/// Larger files are not read: a line of one is not worth the memory.
const MAX_FILE: u64 = 512 * 1024;

/// Reads single lines of files inside one root. A line is only ever given from a regular text
/// file of at most 512 KiB whose path lies inside the root both as written and as resolved.
#[derive(Debug)]
pub struct SourceTree {
    root: PathBuf,
    /// The file read last, since rows of one file come together: its path and lines.
    last: Option<(String, Option<Vec<String>>)>,
}

impl SourceTree {
    /// `root`: absolute, links resolved.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            last: None,
        }
    }

    /// Line `line` (1-based) of `path` (relative to the root), without its line end.
    pub fn line(&mut self, path: &str, line: u32) -> Option<&str> {
        if self.last.as_ref().is_none_or(|(held, _)| held != path) {
            self.last = Some((path.to_owned(), self.read(path)));
        }
        let (_, lines) = self.last.as_ref()?;
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        lines.as_ref()?.get(index).map(String::as_str)
    }

    fn read(&self, path: &str) -> Option<Vec<String>> {
        let relative = Path::new(path);
        if !relative
            .components()
            .all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
        {
            return None;
        }
        let real = fs::canonicalize(self.root.join(relative)).ok()?;
        if !real.starts_with(&self.root) {
            return None;
        }
        let bytes = read_at_most(&real, MAX_FILE).ok()?;
        if bytes.contains(&0) {
            return None;
        }
        let text = String::from_utf8(bytes).ok()?;
        Some(
            text.split('\n')
                .map(|line| line.trim_end_matches('\r').to_owned())
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_FILE, SourceTree};
    use std::fs;

    #[test]
    fn only_lines_of_text_files_inside_the_root_are_given() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("root");
        fs::create_dir(&root).unwrap();
        fs::write(root.join("a.go"), "one\r\ntwo\n").unwrap();
        fs::write(root.join("bin"), b"a\0b\n").unwrap();
        fs::write(
            root.join("big"),
            vec![b'x'; usize::try_from(MAX_FILE).unwrap() + 1],
        )
        .unwrap();
        fs::write(root.join("../secret"), "s\n").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("../secret", root.join("link")).unwrap();
        let mut tree = SourceTree::new(&root);
        assert_eq!(tree.line("a.go", 1), Some("one"));
        assert_eq!(tree.line("./a.go", 2), Some("two"));
        assert_eq!(tree.line("a.go", 0), None);
        assert_eq!(tree.line("a.go", 9), None);
        for refused in ["bin", "big", "../secret", "link", "/etc/passwd", "none"] {
            assert_eq!(tree.line(refused, 1), None, "{refused}");
        }
    }
}
