use std::fs;
use std::path::Path;

use super::{DetectError, VENV, look};

/// Text that is no TOML.
const BROKEN: &str = "[tool.pytest]\na = \n";

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// By what it was found, and every command.
fn found(files: &[(&str, &str)]) -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        put(dir.path(), path, text);
    }
    look(dir.path()).unwrap().map(|found| {
        let commands = found.commands.iter().map(|c| c.argv.join(" "));
        let commands: Vec<_> = commands.collect();
        format!("{}: {}", found.file, commands.join(", "))
    })
}

#[test]
fn pytest_is_found_by_its_configuration_or_by_tests() {
    for (files, expected) in [
        (&[("pytest.ini", "")][..], "pytest.ini: pytest"),
        (&[(".pytest.ini", "")], ".pytest.ini: pytest"),
        (&[("pytest.toml", "")], "pytest.toml: pytest"),
        (
            &[("setup.cfg", "[a]\n[tool:pytest]\n")],
            "setup.cfg: pytest",
        ),
        (&[("tox.ini", "[tox]\n\n[pytest]\n")], "tox.ini: pytest"),
        (
            &[("pyproject.toml", "[tool.pytest.ini_options]\n")],
            "pyproject.toml: pytest",
        ),
        (&[("tests/unit/test_a.py", "")], "tests/: pytest"),
        (
            &[("tests/a_test.py", ""), ("pyproject.toml", "[tool.pytest]")],
            "pyproject.toml: pytest",
        ),
        (
            &[("pytest.ini", ""), ("pyproject.toml", "[tool.pytest]")],
            "pytest.ini: pytest",
        ),
    ] {
        assert_eq!(found(files).as_deref(), Some(expected), "{files:?}");
    }
    for files in [
        &[("setup.cfg", "[pytest]\n")][..],
        &[("tox.ini", "[testenv]\ncommands = pytest\n")],
        &[("pyproject.toml", "[project]\ndependencies = ['pytest']\n")],
        &[("pyproject.toml", "[tool.ruff]\n[tool.mypy]\n")],
        &[("tests/conftest.py", "")],
        &[("test_a.py", "")],
    ] {
        assert_eq!(found(files), None, "{files:?}");
    }
}

#[test]
fn linter_and_type_checker_are_those_that_the_project_configures() {
    let both = "[tool.ruff.lint]\n[tool.mypy]\n";
    assert_eq!(
        found(&[("tests/test_a.py", ""), ("pyproject.toml", both)]).unwrap(),
        "tests/: pytest, ruff check ., mypy ."
    );
    assert_eq!(
        found(&[("pytest.ini", ""), ("pyproject.toml", "[tool.mypy]")]).unwrap(),
        "pytest.ini: pytest, mypy ."
    );
}

#[cfg(unix)]
#[test]
fn tools_of_the_projects_own_environment_come_first() {
    use std::os::unix::fs::PermissionsExt as _;

    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    put(
        root,
        "pyproject.toml",
        "[tool.pytest]\n[tool.ruff]\n[tool.mypy]\n",
    );
    for (tool, mode) in [("pytest", 0o755), ("ruff", 0o644)] {
        let path = format!("{VENV}/{tool}");
        put(root, &path, "#!/bin/sh\n");
        fs::set_permissions(root.join(path), fs::Permissions::from_mode(mode)).unwrap();
    }
    fs::create_dir(root.join(".venv/bin/mypy")).unwrap();
    let found = look(root).unwrap().unwrap();
    let programs: Vec<_> = found.commands.iter().map(|c| c.argv[0].as_str()).collect();
    assert_eq!(programs, [".venv/bin/pytest", "ruff", "mypy"]);
}

#[test]
fn a_pyproject_that_is_no_toml_is_told_where_it_has_a_part_in_this() {
    let told = |files: &[(&str, &str)]| {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            put(dir.path(), path, text);
        }
        match look(dir.path()) {
            Err(DetectError::Unreadable(problems)) => {
                let place = &problems[0];
                Some((place.path.clone(), place.line))
            }
            Ok(None) => None,
            other => panic!("{:?}", other.map(|found| found.map(|f| f.file))),
        }
    };
    let place = Some(("pyproject.toml".to_owned(), Some(2)));
    assert_eq!(told(&[("pyproject.toml", BROKEN)]), place);
    let other = "[project]\nname = \n";
    assert_eq!(
        told(&[("pyproject.toml", other), ("pytest.ini", "")]),
        place
    );
    assert_eq!(told(&[("pyproject.toml", other)]), None);
}
