use std::fs;
use std::path::Path;

use super::{Found, look};

fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        fs::write(root.join(name), text).unwrap();
    }
}

fn found(files: &[(&str, &str)]) -> Found {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    write(&root, files);
    look(&root).unwrap().unwrap()
}

#[test]
fn recipes_are_run_by_their_own_names() {
    let text = "typecheck:\n  a\nlint: typecheck\ntest *args:\n  a\ncheck: test lint\n";
    let found = found(&[(".justfile", text)]);
    assert_eq!(found.file, ".justfile");
    assert_eq!(found.targets(), ["check", "test", "lint", "typecheck"]);
    assert_eq!(found.commands[3].argv, ["just", "typecheck"]);
    assert_eq!(found.notes, [""; 0]);
}

#[test]
fn what_is_declared_and_cannot_be_run_is_told() {
    let text = "test name:\n  a\n[confirm]\nlint:\n  a\ntypecheck:\n";
    let found = found(&[("justfile", text)]);
    assert_eq!(found.targets(), [""; 0]);
    assert_eq!(
        found.notes,
        [
            "just test needs an argument, so it is no check",
            "just lint asks for confirmation, so it is no check",
            "just typecheck does nothing, so it is no check"
        ]
    );
}

#[test]
fn just_does_not_choose_between_two_files_and_neither_is_one_chosen_here() {
    let test = "test:\n  a\n";
    let found = found(&[("justfile", test), (".justfile", test)]);
    assert_eq!(found.targets(), [""; 0]);
    assert_eq!(
        found.notes,
        [".justfile and justfile are here, and just does not choose one"]
    );
}

#[test]
fn imports_are_followed_once_and_only_inside_the_root() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    let root = top.join("root");
    fs::create_dir(&root).unwrap();
    let recipe = "test:\n  a\n";
    write(&top, &[("out.just", recipe)]);
    let main = format!(
        "import '{}/out.just'\nimport '../out.just'\nimport 'a.just'\n",
        top.display()
    );
    let imported = "import 'justfile'\nimport 'a.just'\nlint:\n  a\n";
    write(&root, &[("justfile", &main), ("a.just", imported)]);
    let found = look(&root).unwrap().unwrap();
    assert_eq!(found.targets(), ["lint"]);
}

#[test]
fn a_folder_of_the_name_is_no_justfile() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("justfile")).unwrap();
    assert!(look(dir.path()).unwrap().is_none());
}
