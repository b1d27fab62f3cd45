//! `tests/`: whether pytest would find a file of tests there.

use std::fs;
use std::path::{Path, PathBuf};

/// How far below the folder is looked.
const MAX_DEPTH: usize = 8;

/// How many entries are looked at, whatever there is.
const MAX_ENTRIES: usize = 10_000;

/// Folders that pytest does not look into, beside hidden ones.
const FOREIGN: [&str; 5] = ["__pycache__", "build", "dist", "node_modules", "venv"];

/// Whether `folder` or one below it has a `test_*.py` or `*_test.py`. Links to folders are not
/// followed.
pub(super) fn has_tests(folder: &Path) -> bool {
    let mut level = vec![folder.to_owned()];
    let mut left = MAX_ENTRIES;
    // Level by level: tests are mostly near the top, and what is not may be large.
    for _ in 0..=MAX_DEPTH {
        let mut below = Vec::new();
        for folder in &level {
            if look_into(folder, &mut left, &mut below) {
                return true;
            }
        }
        level = below;
    }
    false
}

fn look_into(folder: &Path, left: &mut usize, below: &mut Vec<PathBuf>) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    for entry in entries.filter_map(Result::ok) {
        let Some(rest) = left.checked_sub(1) else {
            return false;
        };
        *left = rest;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if !name.starts_with('.') && !FOREIGN.contains(&name.as_str()) {
                below.push(entry.path());
            }
        } else if is_test(&name) && entry.path().is_file() {
            return true;
        }
    }
    false
}

fn is_test(name: &str) -> bool {
    name.strip_suffix(".py")
        .is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{has_tests, is_test};

    #[test]
    fn only_files_named_as_tests_are_tests() {
        assert!(is_test("test_a.py") && is_test("a_test.py"));
        for none in [
            "tests.py",
            "test.py",
            "test_a.pyc",
            "conftest.py",
            "_test.py.txt",
        ] {
            assert!(!is_test(none), "{none}");
        }
    }

    #[test]
    fn folders_are_looked_into_and_neither_links_to_them_nor_others_files() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let put = |path: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        assert!(!has_tests(&root.join("missing")));
        put("a/b/c/test_it.py");
        assert!(has_tests(&root.join("a")));
        put("t/.tox/test_it.py");
        put("t/node_modules/x/it_test.py");
        put("t/conftest.py");
        fs::create_dir_all(root.join("t/test_folder.py")).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("..", root.join("t/loop")).unwrap();
            std::os::unix::fs::symlink("../a", root.join("t/a")).unwrap();
            std::os::unix::fs::symlink("nowhere", root.join("t/test_gone.py")).unwrap();
        }
        assert!(!has_tests(&root.join("t")));
        put("t/1/2/3/4/5/6/7/8/9/test_deep.py");
        assert!(!has_tests(&root.join("t")));
        put("t/1/2/3/4/5/6/7/8/test_deep.py");
        assert!(has_tests(&root.join("t")));
    }
}
