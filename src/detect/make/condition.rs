//! `ifdef`, `ifeq` and their kin, judged where the file itself says enough.

use super::syntax::first_word;
use super::variables::Variables;

/// A line that chooses which lines count. A condition is `None` where only make can judge it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A conditional begins.
    If(Option<bool>),
    /// Another branch of it begins; plain `else` holds in any case.
    Else(Option<bool>),
    /// It ends.
    End,
}

impl Step {
    pub(super) fn read(line: &str, variables: &Variables) -> Option<Self> {
        let (word, rest) = first_word(line);
        match word {
            "else" => {
                let (word, rest) = first_word(rest);
                Some(Self::Else(match Test::read(word) {
                    Some(test) => test.holds(rest, variables),
                    None => Some(true),
                }))
            }
            "endif" => Some(Self::End),
            _ => Test::read(word).map(|test| Self::If(test.holds(rest, variables))),
        }
    }
}

/// What a condition asks.
#[derive(Clone, Copy)]
enum Test {
    Defined { wanted: bool },
    Equal { wanted: bool },
}

impl Test {
    fn read(word: &str) -> Option<Self> {
        match word {
            "ifdef" | "ifndef" => Some(Self::Defined {
                wanted: word == "ifdef",
            }),
            "ifeq" | "ifneq" => Some(Self::Equal {
                wanted: word == "ifeq",
            }),
            _ => None,
        }
    }

    fn holds(self, rest: &str, variables: &Variables) -> Option<bool> {
        let (holds, wanted) = match self {
            Self::Defined { wanted } => (is_defined(rest, variables)?, wanted),
            Self::Equal { wanted } => (are_equal(rest, variables)?, wanted),
        };
        Some(holds == wanted)
    }
}

/// A variable is defined where it has a value that is not empty.
fn is_defined(rest: &str, variables: &Variables) -> Option<bool> {
    variables
        .value(first_word(rest).0)
        .map(|value| !value.is_empty())
}

/// `(a,b)`, `"a" 'b'`.
fn are_equal(rest: &str, variables: &Variables) -> Option<bool> {
    let rest = rest.trim_end();
    let (left, right) = if let Some(inner) = rest.strip_prefix('(') {
        let (left, right) = split_at_comma(inner)?;
        (left.trim_end(), right.strip_suffix(')')?.trim_start())
    } else {
        let (left, rest) = quoted(rest)?;
        let (right, rest) = quoted(rest.trim_start())?;
        if !rest.is_empty() && !rest.trim_start().starts_with('#') {
            return None;
        }
        (left, right)
    };
    Some(variables.expand(left)? == variables.expand(right)?)
}

/// At the first comma that stands in no parentheses.
fn split_at_comma(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}

fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text[1..].split_once(quote)
}

#[cfg(test)]
mod tests {
    use super::Step;
    use crate::detect::make::syntax::assignment;
    use crate::detect::make::variables::Variables;

    #[test]
    fn conditions_are_judged_by_literals_and_by_what_the_file_sets() {
        let mut variables = Variables::default();
        for line in ["A = x", "EMPTY :=", "B = $(A)", "C ?= x"] {
            variables.assign(&assignment(line).unwrap(), true);
        }
        for (line, expected) in [
            ("ifeq (a,a)", Step::If(Some(true))),
            ("ifeq (a , a)", Step::If(Some(true))),
            ("ifeq ( a,a )", Step::If(Some(false))),
            ("ifneq 'a' \"b\"", Step::If(Some(true))),
            ("ifeq ($(A),x)", Step::If(Some(true))),
            ("ifeq (${EMPTY},)", Step::If(Some(true))),
            ("ifeq ($(B),x)", Step::If(None)),
            ("ifeq ($(OS),Windows_NT)", Step::If(None)),
            ("ifeq ($(call f,a,b),x)", Step::If(None)),
            ("ifdef A # c", Step::If(Some(true))),
            ("ifndef EMPTY", Step::If(Some(true))),
            ("ifdef C", Step::If(None)),
            ("ifdef NEVER", Step::If(None)),
            ("else", Step::Else(Some(true))),
            ("else ifdef A", Step::Else(Some(true))),
            ("else ifeq ($(Z),)", Step::Else(None)),
            ("endif # A", Step::End),
        ] {
            assert_eq!(Step::read(line, &variables), Some(expected), "{line}");
        }
        assert_eq!(Step::read("ifeq: x", &variables), None);
    }
}
