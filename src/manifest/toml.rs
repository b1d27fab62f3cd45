//! TOML as a tree of values with places; the grammar is the `toml` crate's.

use std::ops::Range;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue, Error};

use super::problems::Problems;
use super::syntax::cited;
use crate::text::{Entry, Node, Value, place, spelled};

mod explain;

use explain::{Explained, explain, looks_like_json};

/// The words with which the `toml` crate says that a key is given twice.
const DUPLICATE: &str = "duplicate key";

/// In a larger text only the first error is told: the `toml` crate can say one or all, and all of a
/// text that is no TOML take hundreds of times its size.
const MOST_TOLD_WHOLE: usize = 512 << 10;

/// After so many errors nobody reads on.
const MAX_ERRORS: usize = 100;

/// The tree of `text`, or `None` with every line that is no TOML among the problems.
pub(super) fn parse_toml<'t>(text: &'t str, problems: &mut Problems<'_>) -> Option<Node<'t>> {
    let (table, errors) = match DeTable::parse(text) {
        Ok(table) => return Some(root(table.into_inner())),
        Err(first) if text.len() > MOST_TOLD_WHOLE => {
            let span = place(first.span().unwrap_or(0..0));
            report(text, &root(DeTable::new()), vec![first], problems);
            problems.say(&span, "in a file of this size only one error is told");
            return None;
        }
        Err(_) => {
            let (table, errors) = DeTable::parse_recoverable(text);
            (table.into_inner(), errors)
        }
    };
    report(text, &root(table), errors, problems);
    None
}

fn root(table: DeTable<'_>) -> Node<'_> {
    Node {
        value: Value::Map(entries(table)),
        span: 0..0,
    }
}

/// One error a line, since what follows one on its line is mostly its echo; and no duplicate key
/// after any other error, since tables may then have run into each other.
fn report(text: &str, root: &Node<'_>, errors: Vec<Error>, problems: &mut Problems<'_>) {
    let mut errors: Vec<(Range<usize>, String)> = errors
        .into_iter()
        .map(|error| (error.span().unwrap_or(0..0), error.message().to_owned()))
        .collect();
    errors.sort_by_key(|(span, _)| span.start);
    if looks_like_json(text) {
        // The first says it all.
        errors.truncate(1);
    }
    let mut last_line = 0;
    let mut broken = false;
    let mut told = 0;
    for (span, message) in errors {
        if told == MAX_ERRORS {
            let message =
                format!("more than {MAX_ERRORS} errors: what is behind this was not looked at");
            problems.say(&place(span), message);
            return;
        }
        let line = problems.lines.line(place(span.clone()).start);
        let duplicate = message == DUPLICATE;
        if line == last_line || (duplicate && broken) {
            continue;
        }
        last_line = line;
        told += 1;
        broken |= !duplicate;
        if duplicate {
            let span = place(span);
            let key = spelled(text, &span).unwrap_or_default();
            let key = cited(key.trim_matches(['"', '\'']));
            let message = match first_given(text, root, &span) {
                Some(first) => format!("{key} is given twice; first at {}", problems.place(first)),
                None => format!("{key} is given twice"),
            };
            problems.advise(&span, message, "keep one");
            continue;
        }
        let Explained {
            span,
            message,
            hint,
        } = explain(text, &span, &message);
        let span = place(span);
        match hint {
            Some(hint) => problems.advise(&span, message, hint),
            None => problems.say(&span, message),
        }
    }
}

/// Where the key at `span` was given before: in the same table, so behind its header, and only
/// where there is no choice. Of a header the crate keeps the second place alone.
fn first_given(text: &str, root: &Node<'_>, span: &Range<u32>) -> Option<u32> {
    let key = spelled(text, span)?;
    let before = &text[..span.start as usize];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    if text[line_start..].trim_start().starts_with('[') {
        return None;
    }
    let from = before.rfind("\n[").map_or(0, |end| end + 1);
    let table = place(from..before.len());
    let mut found = Vec::new();
    places_of_key(root, text, key, &mut found);
    found.retain(|place| table.contains(place));
    found.sort_unstable();
    found.dedup();
    if let [only] = found[..] {
        Some(only)
    } else {
        None
    }
}

/// The tree is at most 80 deep (the `toml` crate's own limit), and so is this.
fn places_of_key(node: &Node<'_>, text: &str, key: &str, found: &mut Vec<u32>) {
    match &node.value {
        Value::Map(entries) => {
            for entry in entries {
                if spelled(text, &entry.key_span) == Some(key) {
                    found.push(entry.key_span.start);
                }
                places_of_key(&entry.node, text, key, found);
            }
        }
        Value::List(nodes) => {
            for node in nodes {
                places_of_key(node, text, key, found);
            }
        }
        Value::Null
        | Value::Bool(_)
        | Value::Integer(_)
        | Value::Number
        | Value::String(_)
        | Value::Date
        | Value::Unreadable => {}
    }
}

/// In the order of the file, which the crate's table does not keep.
fn entries(table: DeTable<'_>) -> Box<[Entry<'_>]> {
    let mut entries: Box<[Entry]> = table
        .into_iter()
        .map(|(key, value)| Entry {
            key_span: place(key.span()),
            key: key.into_inner(),
            node: node(value),
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    entries
}

fn node(value: Spanned<DeValue<'_>>) -> Node<'_> {
    let span = place(value.span());
    let value = match value.into_inner() {
        DeValue::String(text) => Value::String(text),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or(Value::Number, Value::Integer),
        DeValue::Float(_) => Value::Number,
        DeValue::Boolean(value) => Value::Bool(value),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(items) => Value::List(items.into_iter().map(node).collect()),
        DeValue::Table(table) => Value::Map(entries(table)),
    };
    Node { value, span }
}

#[cfg(test)]
mod tests {
    use super::parse_toml;
    use crate::manifest::problems::Problems;
    use crate::text::{Lines, Value, spelled};

    fn told(text: &str) -> Vec<String> {
        let lines = Lines::new(text);
        let mut problems = Problems::new(&lines);
        let tree = parse_toml(text, &mut problems);
        assert!(tree.is_none());
        let place = |n: Option<u32>| n.unwrap_or(0);
        problems
            .into_diagnostics("t")
            .iter()
            .map(|d| format!("{}:{}: {}", place(d.line), place(d.column), d.message))
            .collect()
    }

    #[test]
    fn order_and_places_are_those_of_the_file() {
        let text = "z = 0x1F\na = [1.5, true]\n[[checks]]\nid = 'a'\nenv.B = \"1\"\n";
        let lines = Lines::new(text);
        let root = parse_toml(text, &mut Problems::new(&lines)).unwrap();
        let Value::Map(entries) = &root.value else {
            panic!("no map")
        };
        let keys: Vec<_> = entries.iter().map(|e| &*e.key).collect();
        assert_eq!(keys, ["z", "a", "checks"]);
        assert_eq!(entries[0].node.value, Value::Integer(31));
        let Value::List(checks) = &entries[2].node.value else {
            panic!("no list")
        };
        assert_eq!(spelled(text, &checks[0].span), Some("[[checks]]"));
        let id = checks[0].value.get("id").unwrap();
        assert_eq!(
            (spelled(text, &id.span), id.value.as_str()),
            (Some("'a'"), Some("a"))
        );
    }

    #[test]
    fn a_key_given_twice_names_both_places() {
        assert_eq!(
            told("a = 1\na = 2\n"),
            ["2:1: \"a\" is given twice; first at line 1, column 1"]
        );
        assert_eq!(
            told("[[checks]]\nid = 'a'\n[[checks]]\nid = 'b'\nid = 'c'\n"),
            ["5:1: \"id\" is given twice; first at line 4, column 1"]
        );
        assert_eq!(told("[t]\nx = 1\n[t]\n"), ["3:2: \"t\" is given twice"]);
        assert_eq!(
            told("id = 1\nenv = { id = 2 }\nid = 3\n"),
            ["3:1: \"id\" is given twice"],
            "a place is not guessed"
        );
    }

    #[test]
    fn of_very_many_errors_the_first_are_told() {
        assert_eq!(told(&"=\n".repeat(1000)).len(), super::MAX_ERRORS + 1);
        assert_eq!(told(&"a = 1\n".repeat(1000)).len(), super::MAX_ERRORS + 1);
        let large = format!("a = 1\n=\n=\n# {}", "x".repeat(super::MOST_TOLD_WHOLE));
        let told = told(&large);
        assert!(told[0].starts_with("2:1: "), "{}", told[0]);
        assert_eq!(
            told[1..],
            ["2:1: in a file of this size only one error is told"]
        );
    }

    #[test]
    fn every_broken_line_is_told_once_and_no_echo() {
        assert_eq!(told("a = \nb = [1,,2]\nc = tru\n").len(), 3);
        assert_eq!(told(&format!("a = {}", "[".repeat(10_000))).len(), 1);
        assert_eq!(told("id = 'x\n[[checks]\nid = 'a'\n").len(), 2);
    }
}
