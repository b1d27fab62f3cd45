//! A test file that failed as a whole: it did not load, was killed, or ended early.

use crate::model::Failure;

use super::super::location::{Place, has_extension};
use super::super::parser::Out;
use super::crash::Crashed;
use super::name::portable;

/// A test that is named after its file.
pub(super) fn exact_file(name: &str) -> Option<Place> {
    (is_source(name) && name.contains(['/', '\\'])).then(|| bare(name))
}

/// As [`exact_file`], and where the runner works in the file's own folder: `a.test.js`, which it
/// says to stand at the very beginning of that file.
pub(in super::super) fn test_file(
    name: &str,
    location: Option<&Place>,
    out: &Out<'_>,
) -> Option<Place> {
    exact_file(name).or_else(|| {
        let location = location?;
        let start = location.line == Some(1) && location.column == Some(1);
        let file = bare(name);
        (is_source(name) && start && portable(location, out) == portable(&file, out))
            .then_some(file)
    })
}

fn is_source(name: &str) -> bool {
    let extensions = ["js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx"];
    has_extension(name, &extensions) && !name.contains(' ')
}

fn bare(name: &str) -> Place {
    Place {
        path: name.to_owned(),
        line: None,
        column: None,
    }
}

/// The row of `file`. It has no test's name: a named test is its name whatever it says, and a file
/// that does not load today and is killed tomorrow fails in two ways.
///
/// `crashed` is the error that ended it, `exit` how its process ended.
pub(in super::super) fn file_row(
    tool: &'static str,
    file: &Place,
    crashed: Option<Crashed>,
    exit: Option<&FileExit>,
    out: &Out<'_>,
) -> Failure {
    let mut row = Failure::new(tool, "test failed");
    let Some(crashed) = crashed else {
        if let Some(exit) = exit {
            row.message = format!("test failed ({})", exit.said());
        }
        out.paths.put(&mut row, file);
        return row;
    };
    row.message = crashed.message;
    out.paths
        .put(&mut row, crashed.place.as_ref().unwrap_or(file));
    let file = portable(file, out);
    if row.path.as_ref() != Some(&file) {
        // Two files that import what throws are two failures.
        row.message.push_str("\nin test file ");
        row.message.push_str(&file);
    }
    if let Some(exit @ FileExit::Signal(_)) = exit {
        row.message.push_str("\nended by ");
        row.message.push_str(&exit.said());
    }
    row
}

/// How the process of a test file ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum FileExit {
    /// `7`.
    Code(String),
    /// `SIGKILL`.
    Signal(String),
}

impl FileExit {
    fn said(&self) -> String {
        match self {
            Self::Code(code) => format!("exit code {code}"),
            Self::Signal(signal) => format!("signal {signal}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::super::location::exact_place;
    use super::super::super::parser::Out;
    use super::super::super::paths::Paths;
    use super::{Crashed, FileExit, exact_file, file_row, test_file};

    #[test]
    fn a_file_is_told_from_a_test_that_looks_like_one() {
        let paths = Paths::new(Path::new("/srv/app"), "web");
        let out = Out {
            paths: &paths,
            rows: &mut |_| {},
        };
        let place = |text: &str| exact_place(text.as_bytes());
        let file = |name: &str, at: &str| test_file(name, place(at).as_ref(), &out).is_some();
        assert!(file("test/a.test.js", "elsewhere.js:3:4"));
        assert!(file("a.test.js", "/srv/app/web/a.test.js:1:1"));
        assert!(!file("a.test.js", "/srv/app/web/b.test.js:1:1"));
        assert!(!file("a.test.js", "/srv/app/web/a.test.js:9:1"));
        assert!(exact_file("reads a/b.js").is_none());
        assert!(exact_file("a/b.txt").is_none());
    }

    #[test]
    fn each_way_to_fail_says_so() {
        let paths = Paths::new(Path::new("/srv/app"), ".");
        let out = Out {
            paths: &paths,
            rows: &mut |_| {},
        };
        let file = exact_file("test/a.test.js").unwrap();
        let row = |crashed: Option<Option<&str>>, exit: Option<FileExit>| {
            let crashed = crashed.map(|at| Crashed {
                message: "Error: no".to_owned(),
                place: at.and_then(|at| exact_place(at.as_bytes())),
            });
            let row = file_row("tap", &file, crashed, exit.as_ref(), &out);
            assert_eq!(row.test, None);
            (row.path.unwrap(), row.line, row.message)
        };
        let here = "test/a.test.js".to_owned();
        let code = || Some(FileExit::Code("7".to_owned()));
        let signal = || Some(FileExit::Signal("SIGKILL".to_owned()));
        assert_eq!(
            row(None, None),
            (here.clone(), None, "test failed".to_owned())
        );
        assert_eq!(row(None, code()).2, "test failed (exit code 7)");
        assert_eq!(row(None, signal()).2, "test failed (signal SIGKILL)");
        assert_eq!(
            row(Some(Some("/srv/app/test/a.test.js:3:7")), code()),
            (here.clone(), Some(3), "Error: no".to_owned())
        );
        assert_eq!(row(Some(None), None), (here, None, "Error: no".to_owned()));
        let helper = row(Some(Some("/srv/app/src/db.js:9:1")), signal());
        assert_eq!((helper.0.as_str(), helper.1), ("src/db.js", Some(9)));
        assert_eq!(
            helper.2,
            "Error: no\nin test file test/a.test.js\nended by signal SIGKILL"
        );
    }
}
