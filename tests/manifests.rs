//! Every manifest of `fixtures/manifests`, as the real binary reads it.
//!
//! `invalid/<name>.expected` is all that `check validate` prints of it, and `valid/<name>.expected`
//! what `check list --report json` says that it comes to, but for the folder it stands in. In
//! `plugin/` and `records/` are the other two shapes. `UPDATE_GOLDEN=1` writes the goldens anew.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use harness_check::text::{Printable, display_width};
use serde_json::Value;

use crate::support::{Project, Ran, fixture};

mod no_file;
mod schema;

/// A shape of manifest: the folder of its fixtures, how they are named there, and where the tree
/// below has one.
struct Shape {
    folder: &'static str,
    extension: &'static str,
    place: &'static str,
    args: &'static [&'static str],
}

const SHAPES: [Shape; 4] = [
    Shape {
        folder: "",
        extension: "json",
        place: "harness.json",
        args: &[],
    },
    Shape {
        folder: "",
        extension: "toml",
        place: "harness.toml",
        args: &[],
    },
    Shape {
        folder: "plugin",
        extension: "json",
        place: ".agents/harness/plugin.json",
        // Named, since one without sensors is no manifest that would be found.
        args: &["--manifest", ".agents/harness/plugin.json"],
    },
    Shape {
        folder: "records",
        extension: "json",
        place: "records.json",
        args: &["--record-file", "records.json"],
    },
];

/// The tree that the fixtures speak of.
fn tree() -> Project {
    let project = Project::without_git();
    project
        .write("pkg/sub/sub.go", "package sub\n")
        .write("go.mod", "module x\n")
        .write("pkg/my tool", "");
    fs::create_dir(project.path("../outside")).unwrap();
    symlink("../outside", project.path("link-out")).unwrap();
    symlink("pkg/sub", project.path("link-in")).unwrap();
    symlink("nowhere", project.path("dangling")).unwrap();
    project
}

/// The fixtures of one kind and shape, in order of name.
fn fixtures(kind: &str, shape: &Shape) -> Vec<PathBuf> {
    let folder = fixture("manifests").join(kind).join(shape.folder);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == shape.extension))
        .collect();
    files.sort();
    files
}

/// Runs `check` with `args` in a tree whose manifest is `file`.
fn run(tree: &Project, file: &Path, shape: &Shape, args: &[&str]) -> Ran {
    tree.write(shape.place, fs::read(file).unwrap());
    let ran = tree.run(args.iter().chain(shape.args));
    fs::remove_file(tree.path(shape.place)).unwrap();
    ran
}

/// Compares with the golden beside `file`, or writes it.
fn golden(file: &Path, told: &str, wrong: &mut Vec<String>) {
    let expected = file.with_extension("expected");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&expected, told).unwrap();
        return;
    }
    let known = fs::read_to_string(&expected).unwrap_or_default();
    if known != told {
        wrong.push(format!(
            "{}\n--- expected\n{known}--- told\n{told}",
            file.display()
        ));
    }
}

/// Fixtures whose names differ only in how they end would share one golden.
fn assert_own_goldens(files: &[PathBuf]) {
    let stems: BTreeSet<PathBuf> = files.iter().map(|file| file.with_extension("")).collect();
    assert_eq!(stems.len(), files.len());
}

#[test]
fn every_mistake_is_explained() {
    let tree = tree();
    let mut wrong = Vec::new();
    let mut files = Vec::new();
    for shape in &SHAPES {
        for file in fixtures("invalid", shape) {
            let name = file.display();
            let ran = run(&tree, &file, shape, &["validate"]);
            assert_eq!((ran.code, ran.stderr.as_str()), (2, ""), "{name}");
            assert!(ran.last_line().ends_with("; nothing was run"), "{name}");
            golden(&file, &ran.stdout, &mut wrong);
            let json = run(&tree, &file, shape, &["validate", "--report", "json"]);
            let document: Value = serde_json::from_str(&json.stdout).unwrap();
            assert_eq!(
                (json.code, &document["valid"]),
                (2, &false.into()),
                "{name}"
            );
            let source = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
            let problems = document["diagnostics"].as_array().unwrap();
            if let Err(why) = agrees(problems, &ran.stdout, &source) {
                wrong.push(format!("{name}: {why}\n{}", ran.stdout));
            }
            files.push(file);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(files.len() >= 120, "{}", files.len());
    assert_own_goldens(&files);
}

/// That `problems`, as a program reads them, are those of `page`, as a person does, one after
/// another and no other; and that each caret stands under the character that line and column name.
fn agrees(problems: &[Value], page: &str, source: &str) -> Result<(), String> {
    let mut lines = page.lines();
    for problem in problems {
        let mut place = problem["path"].as_str().unwrap().to_owned();
        for number in ["line", "column"].map(|name| &problem[name]) {
            if let Some(number) = number.as_u64() {
                place = format!("{place}:{number}");
            }
        }
        let message = Printable::new(problem["message"].as_str().unwrap()).to_string();
        let title = format!("{place}: {message}");
        if lines.next() != Some(&title) {
            return Err(format!("no line {title:?}"));
        }
        let mut rest = lines.clone().take_while(|line| line.starts_with(' '));
        let mut next = rest.next();
        if let (Some(excerpt), Some(line)) = (next, problem["line"].as_u64())
            && excerpt.contains('│')
        {
            let caret = rest.next().unwrap_or_default();
            let column = problem["column"].as_u64().unwrap();
            under_caret(excerpt, caret, char_at(source, line, column))?;
            lines.nth(1);
            next = rest.next();
        }
        let hint = problem["hint"]
            .as_str()
            .map(|hint| Printable::new(hint).to_string());
        let shown = next.and_then(|line| line.trim_start().strip_prefix("= "));
        if shown != hint.as_deref() {
            return Err(format!("the hint {shown:?} is not {hint:?}"));
        }
        lines
            .by_ref()
            .take(usize::from(hint.is_some()))
            .for_each(drop);
    }
    let rest: Vec<&str> = lines.collect();
    match rest.as_slice() {
        ["", last] if last.starts_with("no verdict: ") => Ok(()),
        rest => Err(format!("more than the problems: {rest:?}")),
    }
}

/// The character of a file at a line and column; `None` at the end of a line.
fn char_at(source: &str, line: u64, column: u64) -> Option<char> {
    let source = source.trim_start_matches('\u{feff}');
    let line = source.split('\n').nth(usize::try_from(line).unwrap() - 1)?;
    line.chars().nth(usize::try_from(column).unwrap() - 1)
}

/// That the first caret stands in the terminal's column of `meant`.
fn under_caret(excerpt: &str, caret: &str, meant: Option<char>) -> Result<(), String> {
    let before = caret
        .find('^')
        .map(|at| display_width(&caret[..at]))
        .ok_or_else(|| format!("no caret in {caret:?}"))?;
    let mut column = 0;
    let under = excerpt.char_indices().find(|(_, c)| {
        let here = column;
        column += display_width(c.encode_utf8(&mut [0; 4]));
        here >= before
    });
    let meant = meant
        .filter(|c| *c != '\r')
        .map(|c| Printable::new(c.encode_utf8(&mut [0; 4])).to_string());
    let shown = under.map_or("", |(at, _)| &excerpt[at..]);
    let stands = match meant.as_deref() {
        // One column, so that characters and columns stay together.
        Some("    ") => shown.starts_with(' '),
        Some(meant) => shown.starts_with(meant),
        None => shown.is_empty(),
    };
    let told = || format!("the caret stands at {shown:?} and not at {meant:?}");
    stands.then_some(()).ok_or_else(told)
}

#[test]
fn every_good_manifest_comes_to_what_it_says() {
    let tree = tree();
    let root = tree.root().to_str().unwrap();
    let mut wrong = Vec::new();
    let mut files = Vec::new();
    for shape in &SHAPES {
        for file in fixtures("valid", shape) {
            let name = file.display();
            let ran = run(&tree, &file, shape, &["validate"]);
            if ran.code != 0 {
                wrong.push(format!("{name}\n{}", ran.stdout));
                continue;
            }
            let listed = run(&tree, &file, shape, &["list", "--report", "json"]);
            assert_eq!((listed.code, listed.stderr.as_str()), (0, ""), "{name}");
            golden(&file, &listed.stdout.replace(root, "<root>"), &mut wrong);
            files.push(file);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(files.len() >= 40, "{}", files.len());
    assert_own_goldens(&files);
}
