//! `pyproject.toml`: which tools have a table there.

use toml::Table;
use toml::Value;
use toml::de::{DeTable, Error};

use crate::model::Diagnostic;
use crate::text::{Lines, place};

pub(super) const FILE: &str = "pyproject.toml";

/// Of a longer text not all errors are looked at.
const MOST_READ_WHOLE: usize = 64 * 1024;

/// The tools that have a table of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Pyproject {
    pub pytest: bool,
    pub ruff: bool,
    pub mypy: bool,
}

impl Pyproject {
    /// Reads the text; where it is no TOML, the first thing that is wrong with it. It is the
    /// project's own file, which its tools will say more of.
    pub(super) fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        // A tool's table may be given by its subtables alone.
        let project: Table = toml::from_str(text).map_err(|error| vec![problem(text, &error)])?;
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

fn problem(text: &str, found: &Error) -> Diagnostic {
    let lines = Lines::new(text);
    // The crate gives the one error that it met last; asking for all takes hundreds of times the
    // text in memory.
    let all = if text.len() <= MOST_READ_WHOLE {
        DeTable::parse_recoverable(text).1
    } else {
        Vec::new()
    };
    let start = |error: &&Error| error.span().map_or(0, |span| span.start);
    let error = all.iter().min_by_key(start).unwrap_or(found);
    let span = place(error.span().unwrap_or(0..0));
    Diagnostic::of_file(FILE, error.message(), None)
        .at(lines.locate(span.start), lines.excerpt(&span))
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
    fn of_what_is_no_toml_the_first_error_is_told() {
        let lines = |text: &str| {
            let problems = Pyproject::parse(text).unwrap_err();
            problems.iter().map(|p| p.line.unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(lines("[tool.ruff]\na = \nb = 1\nc = [1,,2]\n"), [2]);
        assert_eq!(
            lines(&"a = \n".repeat(20_000)).len(),
            1,
            "of a long text any"
        );
        assert!(Pyproject::parse("[a]\n[a]\n").is_err());
    }
}
