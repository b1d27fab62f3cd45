//! Python tested by pytest: its configuration, or tests where it looks for them.

use std::path::Path;

use super::DetectError;
use super::family::{Command, Family, Found};
use super::file::{has_file, read_text};

mod ini;
mod pyproject;
mod tests_folder;

use pyproject::Pyproject;

pub(super) const FAMILY: Family = Family {
    looked_for: "pytest configuration or tests",
    targets: &["test", "lint", "typecheck"],
    one_at_a_time: false,
    streams: None,
    look,
};

/// Files that are pytest's own, in its order: being there is enough.
const OWN: [&str; 4] = ["pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"];

/// Files of several tools, with the section that is pytest's.
const SHARED: [(&str, &str); 2] = [("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")];

/// The tools of the project's own environment.
const VENV: &str = if cfg!(windows) {
    ".venv/Scripts"
} else {
    ".venv/bin"
};

fn look(root: &Path) -> Result<Option<Found>, DetectError> {
    let text = if has_file(root, pyproject::FILE) {
        Some(read_text(root, pyproject::FILE)?)
    } else {
        None
    };
    let by_other = found_by(root)?;
    let project = match text.as_deref().map(Pyproject::parse) {
        None => Pyproject::default(),
        Some(Ok(project)) => project,
        // It does not matter where it has no part in this.
        Some(Err(_)) if by_other.is_none() && !text.unwrap_or_default().contains("pytest") => {
            return Ok(None);
        }
        Some(Err(problems)) => return Err(DetectError::Unreadable(problems)),
    };
    let file = match by_other {
        Some(file) if OWN.contains(&file) => file,
        _ if project.pytest => pyproject::FILE,
        Some(file) => file,
        None => return Ok(None),
    };
    let tool = |id, name, args: &[&str]| {
        let program = own_tool(root, name).unwrap_or_else(|| name.to_owned());
        Command::new(id, &[&[program.as_str()], args].concat())
    };
    let mut commands = vec![tool("test", "pytest", &[])];
    if project.ruff {
        commands.push(tool("lint", "ruff", &["check", "."]));
    }
    if project.mypy {
        commands.push(tool("typecheck", "mypy", &["."]));
    }
    Ok(Some(Found::new(file, commands)))
}

/// What says that pytest is used here, `pyproject.toml` left out.
fn found_by(root: &Path) -> Result<Option<&'static str>, DetectError> {
    if let Some(own) = OWN.into_iter().find(|name| has_file(root, name)) {
        return Ok(Some(own));
    }
    for (file, section) in SHARED {
        if has_file(root, file) && ini::has_section(&read_text(root, file)?, section) {
            return Ok(Some(file));
        }
    }
    Ok(tests_folder::has_tests(&root.join("tests")).then_some("tests/"))
}

/// The path of `name` in the project's environment, from the root.
fn own_tool(root: &Path, name: &str) -> Option<String> {
    let path = format!("{VENV}/{name}{}", std::env::consts::EXE_SUFFIX);
    is_executable(&root.join(&path)).then_some(path)
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests;
