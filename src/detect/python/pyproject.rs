//! `pyproject.toml`: which tools have a table there.

use toml::Table;
use toml::Value;
use toml::de::{DeTable, Error};

use crate::model::Diagnostic;
use crate::text::{Lines, place};

pub(super) const FILE: &str = "pyproject.toml";

/// The tools that have a table of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Pyproject {
    pub pytest: bool,
    pub ruff: bool,
    pub mypy: bool,
}

impl Pyproject {
    /// Reads the text; where it is no TOML, what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        let (_, errors) = DeTable::parse_recoverable(text);
        if !errors.is_empty() {
            return Err(problems(text, &errors));
        }
        // A tool's table may be given by its subtables alone.
        let project: Table = toml::from_str(text).map_err(|error| problems(text, &[error]))?;
        let tools = project.get("tool").and_then(Value::as_table);
        let has = |name: &str| {
            tools
                .and_then(|tools| tools.get(name))
                .is_some_and(Value::is_table)
        };
        Ok(Self {
            pytest: has("pytest"),
            ruff: has("ruff"),
            mypy: has("mypy"),
        })
    }
}

/// One a line: what follows an error on its line is mostly its echo.
fn problems(text: &str, errors: &[Error]) -> Vec<Diagnostic> {
    let lines = Lines::new(text);
    let mut found: Vec<Diagnostic> = Vec::new();
    for error in errors {
        let span = place(error.span().unwrap_or(0..0));
        let place = lines.locate(span.start);
        if found.iter().any(|problem| problem.line == Some(place.0)) {
            continue;
        }
        let problem = Diagnostic::of_file(FILE, error.message(), None);
        found.push(problem.at(place, lines.excerpt(&span)));
    }
    found.sort_by_key(|problem| problem.line);
    found
}

#[cfg(test)]
mod tests {
    use super::Pyproject;

    fn tools(text: &str) -> (bool, bool, bool) {
        let found = Pyproject::parse(text).unwrap();
        (found.pytest, found.ruff, found.mypy)
    }

    #[test]
    fn a_tool_is_there_where_it_has_a_table_or_a_subtable() {
        assert_eq!(tools("[tool.pytest.ini_options]\n"), (true, false, false));
        assert_eq!(tools("[tool.pytest]\n"), (true, false, false));
        assert_eq!(tools("[tool.ruff.lint]\n"), (false, true, false));
        assert_eq!(tools("[[tool.mypy.overrides]]\n"), (false, false, true));
        let inline = "tool = {ruff = {}, mypy = {strict = true}}\n";
        assert_eq!(tools(inline), (false, true, true));
        let text = "description = \"\"\"\n[tool.ruff]\n\"\"\"\n# [tool.mypy]\n";
        assert_eq!(tools(text), (false, false, false));
        assert_eq!(tools("tool = 3"), (false, false, false));
    }

    #[test]
    fn what_is_no_toml_is_told_line_by_line() {
        let problems = Pyproject::parse("[tool.ruff]\na = \nb = 1\nc = [1,,2]\n").unwrap_err();
        let places: Vec<_> = problems.iter().map(|p| (p.line, p.column)).collect();
        assert_eq!(places[0].0, Some(2), "{problems:?}");
        assert!(places.len() >= 2, "{problems:?}");
        assert!(Pyproject::parse("[a]\n[a]\n").is_err());
    }
}
