use std::fs;
use std::path::Path;

use super::look;

/// What the `Makefile` of `root` declares.
fn declared(root: &Path) -> String {
    look(root).unwrap().unwrap().targets().join(" ")
}

fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        fs::write(root.join(name), text).unwrap();
    }
}

#[test]
fn targets_are_made_in_their_own_order() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let rules = "lint: a\ntest: a\ntypecheck: a\ncheck: lint test\n";
    write(&root, &[("Makefile", rules)]);
    assert_eq!(declared(&root), "check test lint");
    let found = look(&root).unwrap().unwrap();
    assert_eq!(found.commands[1].argv, ["make", "test"]);
    assert_eq!(found.file, "Makefile");
}

#[test]
fn files_that_include_each_other_are_read_once_each() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let include = "include a.mk a.mk b.mk Makefile\n";
    write(
        &root,
        &[
            ("Makefile", include),
            ("a.mk", include),
            ("b.mk", "include *.mk\ntest: a\n"),
        ],
    );
    assert_eq!(declared(&root), "test");
}

#[test]
fn nothing_outside_the_root_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    let root = top.join("root");
    fs::create_dir(&root).unwrap();
    write(&top, &[("out.mk", "test: a\n")]);
    let absolute = format!("include {}/out.mk ../out.mk link.mk\n", top.display());
    write(&root, &[("Makefile", &absolute)]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("../out.mk", root.join("link.mk")).unwrap();
    assert_eq!(declared(&root), "");
}

#[test]
fn any_bytes_are_read_to_their_end() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let text = "é$é\\é := $(\ndefine é\nifdef é\n\\\n$(((:;#=é\nelse\nendif\nendif\ninclude é*é\n";
    let bytes = text.as_bytes();
    for at in 0..bytes.len() {
        fs::write(root.join("Makefile"), &bytes[..at]).unwrap();
        assert_eq!(declared(&root), "", "{at}");
        fs::write(root.join("Makefile"), &bytes[at..]).unwrap();
        assert_eq!(declared(&root), "", "{at}");
    }
}

#[test]
fn a_prefix_that_the_file_computes_leaves_white_space_to_recipes() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let text = ".RECIPEPREFIX := $(P)\nx: ; a\n test: b\n\tlint: b\ncheck:\n  c\n";
    write(&root, &[("Makefile", text)]);
    assert_eq!(declared(&root), "check");
}
