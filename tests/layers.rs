//! The one direction of imports, held by reading them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Who may import whom, as the table in `src/lib.rs` says.
fn allowed() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut table = BTreeMap::from([("text", vec![]), ("model", vec![])]);
    for room in ["parse", "ratchet", "manifest", "detect", "report"] {
        table.insert(room, vec!["model", "text"]);
    }
    for room in ["contain", "launch"] {
        table.insert(room, vec!["model"]);
    }
    table.insert("vcs", vec!["text"]);
    table.insert("bar", vec!["model", "manifest", "ratchet", "vcs", "text"]);
    table.insert("run", vec!["model", "text", "launch", "contain", "parse"]);
    table.insert("exit", vec!["model"]);
    let rooms: Vec<_> = table.keys().copied().collect();
    table.insert("cli", rooms);
    table
}

#[test]
fn imports_run_one_way() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let table = allowed();
    let mut faults = Vec::new();
    let mut seen = 0;
    for file in rust_files(&src) {
        let shown = file.strip_prefix(&src).unwrap().display().to_string();
        let room = shown.split(['/', '.']).next().unwrap().to_owned();
        if room == "lib" || room == "main" {
            continue;
        }
        let may = table
            .get(room.as_str())
            .unwrap_or_else(|| panic!("{shown}: no such room"));
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            for target in imports(line) {
                seen += 1;
                if target != room && !may.contains(&target.as_str()) {
                    faults.push(format!(
                        "{shown}:{}: {room} may not import {target}",
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(
        seen > 100,
        "only {seen} imports were found: is the reader of imports broken?"
    );
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn the_table_in_lib_rs_is_this_one() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let mut written: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lib.lines().filter_map(|line| line.strip_prefix("//! | `")) {
        let (rooms, may) = line.split_once('|').unwrap();
        let names = |cell: &str| -> Vec<String> {
            let mut names: Vec<_> = cell
                .split('`')
                .map(str::trim)
                .filter(|n| n.chars().all(char::is_alphabetic) && !n.is_empty())
                .map(str::to_owned)
                .collect();
            names.retain(|name| name != "all" && name != "nothing");
            names.sort();
            names
        };
        for room in names(rooms) {
            written.insert(room, names(may));
        }
    }
    for (room, mut may) in allowed() {
        may.sort_unstable();
        let expected: Vec<String> = if room == "cli" {
            Vec::new()
        } else {
            may.into_iter().map(str::to_owned).collect()
        };
        assert_eq!(written.get(room), Some(&expected), "{room}");
    }
}

/// The rooms that a line imports or names by path.
fn imports(line: &str) -> Vec<String> {
    let code = line.split("//").next().unwrap_or_default();
    code.match_indices("crate::")
        .map(|(at, found)| {
            code[at + found.len()..]
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect()
        })
        .filter(|name: &String| name.starts_with(char::is_lowercase))
        .collect()
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
