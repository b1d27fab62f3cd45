//! TOML as a tree of values with places; the grammar is the `toml` crate's.

use std::ops::Range;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue, Error};

use super::problems::Problems;
use super::syntax::cited;
use crate::text::{Entry, Node, Value};

mod explain;

use explain::{Explained, explain, looks_like_json};

/// The words with which the `toml` crate says that a key is given twice.
const DUPLICATE: &str = "duplicate key";

/// The tree of `text`, or `None` with every line that is no TOML among the problems.
pub(super) fn parse_toml<'t>(text: &'t str, problems: &mut Problems<'_>) -> Option<Node<'t>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let root = Node {
        value: Value::Map(entries(table.get_ref())),
        span: 0..0,
    };
    if errors.is_empty() {
        return Some(root);
    }
    report(text, &root, errors, problems);
    None
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
    for (span, message) in errors {
        let line = problems.lines.line(span.start);
        let duplicate = message == DUPLICATE;
        if line == last_line || (duplicate && broken) {
            continue;
        }
        last_line = line;
        broken |= !duplicate;
        if duplicate {
            let key = text.get(span.clone()).unwrap_or_default();
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
        match hint {
            Some(hint) => problems.advise(&span, message, hint),
            None => problems.say(&span, message),
        }
    }
}

/// Where the key at `span` was given before: in the same table, so behind its header, and only
/// where there is no choice. Of a header the crate keeps the second place alone.
fn first_given(text: &str, root: &Node<'_>, span: &Range<usize>) -> Option<usize> {
    let key = text.get(span.clone())?;
    let before = &text[..span.start];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    if text[line_start..].trim_start().starts_with('[') {
        return None;
    }
    let from = before.rfind("\n[").map_or(0, |end| end + 1);
    let mut found = Vec::new();
    places_of_key(root, text, key, &mut found);
    found.retain(|place| (from..span.start).contains(place));
    found.sort_unstable();
    found.dedup();
    if let [only] = found[..] {
        Some(only)
    } else {
        None
    }
}

/// The tree is at most 80 deep (the `toml` crate's own limit), and so is this.
fn places_of_key(node: &Node<'_>, text: &str, key: &str, found: &mut Vec<usize>) {
    match &node.value {
        Value::Map(entries) => {
            for entry in entries {
                if text.get(entry.key_span.clone()) == Some(key) {
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
fn entries<'t>(table: &DeTable<'t>) -> Vec<Entry<'t>> {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().clone(),
            key_span: key.span(),
            node: node(value),
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    entries
}

fn node<'t>(value: &Spanned<DeValue<'t>>) -> Node<'t> {
    let span = value.span();
    let value = match value.get_ref() {
        DeValue::String(text) => Value::String(text.clone()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or(Value::Number, Value::Integer),
        DeValue::Float(_) => Value::Number,
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(items) => Value::List(items.iter().map(node).collect()),
        DeValue::Table(table) => Value::Map(entries(table)),
    };
    Node { value, span }
}

#[cfg(test)]
mod tests {
    use super::parse_toml;
    use crate::manifest::problems::Problems;
    use crate::text::{Lines, Value};

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
        assert_eq!(&text[checks[0].span.clone()], "[[checks]]");
        let id = checks[0].value.get("id").unwrap();
        assert_eq!(
            (&text[id.span.clone()], id.value.as_str()),
            ("'a'", Some("a"))
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
    fn every_broken_line_is_told_once_and_no_echo() {
        assert_eq!(told("a = \nb = [1,,2]\nc = tru\n").len(), 3);
        assert_eq!(told(&format!("a = {}", "[".repeat(10_000))).len(), 1);
        assert_eq!(told("id = 'x\n[[checks]\nid = 'a'\n").len(), 2);
    }
}
