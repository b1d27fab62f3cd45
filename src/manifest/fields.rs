//! The fields of one map, read by name and type. Whatever has the wrong type, or a name that
//! nobody knows, is reported here; a field that is absent or was reported is `None`.

use std::ops::Range;

use super::problems::Problems;
use super::shape::{Kind, Shape};
use super::syntax::{Syntax, cited};
use crate::text::{Entry, Node, Value, nearest};

/// As many words of a text are told as a list.
const WORDS: usize = 20;

/// Something read, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct At<T> {
    pub value: T,
    pub span: Range<u32>,
}

/// What stands in one map.
#[derive(Clone, Copy)]
pub(super) struct Fields<'n> {
    entries: &'n [Entry<'n>],
    shape: &'static Shape,
    syntax: Syntax,
}

impl<'n> Fields<'n> {
    /// The fields of `node`, which must be a map, with unknown ones reported.
    pub fn of(
        node: &'n Node<'n>,
        shape: &'static Shape,
        syntax: Syntax,
        problems: &mut Problems<'_>,
    ) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            wrong_type(node, shape.what, "a map", problems);
            return None;
        };
        for entry in entries {
            if !shape.open && !shape.has(&entry.key) {
                unknown(entry, shape, problems);
            }
        }
        let fields = Self {
            entries,
            shape,
            syntax,
        };
        for field in shape.fields.iter().filter(|field| field.required) {
            if fields.node(field.name).is_none() {
                fields.missing(node, field.name, problems);
            }
        }
        Some(fields)
    }

    /// Whether this kind of map has the field `name`.
    pub fn knows(&self, name: &str) -> bool {
        self.shape.has(name)
    }

    /// A required field is not there.
    fn missing(&self, node: &Node<'_>, name: &str, problems: &mut Problems<'_>) {
        if problems.is_beyond(&node.span) {
            return;
        }
        let required = self.shape.fields.iter().filter(|field| field.required);
        let list: Vec<&str> = required.map(|field| field.name).collect();
        let (what, list) = (self.shape.what, list.join(" and "));
        let every = what.strip_prefix("a ").unwrap_or(what);
        let message = format!("{} is missing", self.full(name));
        problems.advise(&node.span, message, format!("every {every} has {list}"));
    }

    /// In tests: that the table says of `name` what its reader takes it for.
    fn read_as(&self, name: &str, agrees: fn(&Kind) -> bool) {
        debug_assert!(
            self.shape.kind(name).is_some_and(agrees),
            "{}: {name}",
            self.shape.what
        );
    }

    /// What `name` is given. Given twice (which is reported elsewhere), the last counts.
    pub fn node(&self, name: &str) -> Option<&'n Node<'n>> {
        self.entries
            .iter()
            .rev()
            .find(|entry| entry.key == name)
            .map(|entry| &entry.node)
    }

    pub fn string(&self, name: &str, problems: &mut Problems<'_>) -> Option<At<&'n str>> {
        self.read_as(name, |kind| {
            matches!(
                kind,
                Kind::Text | Kind::Pattern | Kind::Format | Kind::Word(_)
            )
        });
        let node = self.node(name)?;
        string(node, || self.full(name), problems)
    }

    pub fn boolean(&self, name: &str, problems: &mut Problems<'_>) -> Option<At<bool>> {
        self.read_as(name, |kind| matches!(kind, Kind::Bool));
        let node = self.node(name)?;
        if let Value::Bool(value) = node.value {
            return Some(At {
                value,
                span: node.span.clone(),
            });
        }
        wrong_type(node, &self.full(name), "true or false", problems);
        None
    }

    /// A number of things: whole, and never negative.
    pub fn count(&self, name: &str, problems: &mut Problems<'_>) -> Option<At<u64>> {
        self.read_as(name, |kind| matches!(kind, Kind::Count));
        let node = self.node(name)?;
        match node.value {
            Value::Integer(number) => match u64::try_from(number) {
                Ok(value) => {
                    return Some(At {
                        value,
                        span: node.span.clone(),
                    });
                }
                Err(_) => problems.say(&node.span, not_negative(name)),
            },
            Value::Number => {
                problems.say(&node.span, format!("{name} must be a whole number"));
            }
            Value::Null
            | Value::Bool(_)
            | Value::String(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Date
            | Value::Unreadable => wrong_type(node, &self.full(name), "a number", problems),
        }
        None
    }

    /// A duration's text; a bare number is refused with what it probably means.
    pub fn duration(&self, name: &str, problems: &mut Problems<'_>) -> Option<At<&'n str>> {
        self.read_as(name, |kind| {
            matches!(kind, Kind::Duration | Kind::KnobDuration)
        });
        let node = self.node(name)?;
        if !matches!(node.value, Value::Integer(_) | Value::Number) {
            return string(node, || self.full(name), problems);
        }
        let message = format!(
            "{} must be a duration with a unit, is a number",
            self.full(name)
        );
        if let Value::Integer(number) = node.value {
            let hint = format!(
                "write {}",
                self.syntax.pair(name, &format!("\"{number}s\""))
            );
            problems.advise(&node.span, message, hint);
        } else {
            problems.say(&node.span, message);
        }
        None
    }

    /// As [`Self::duration`], for a field whose 0 is its default.
    pub fn knob_duration(&self, name: &str, problems: &mut Problems<'_>) -> Option<At<&'n str>> {
        self.read_as(name, |kind| matches!(kind, Kind::KnobDuration));
        let node = self.node(name)?;
        match node.value {
            Value::Integer(0) => None,
            Value::Integer(number) if number < 0 => {
                problems.say(&node.span, not_negative(name));
                None
            }
            Value::Null
            | Value::Bool(_)
            | Value::Integer(_)
            | Value::Number
            | Value::String(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Date
            | Value::Unreadable => self.duration(name, problems),
        }
    }

    pub fn strings(&self, name: &str, problems: &mut Problems<'_>) -> Option<At<Vec<At<&'n str>>>> {
        self.read_as(name, |kind| {
            matches!(kind, Kind::Texts | Kind::Globs | Kind::VariableNames)
        });
        let node = self.node(name)?;
        let Value::List(nodes) = &node.value else {
            let name = self.full(name);
            if let Value::String(text) = &node.value {
                let message = format!("{name} must be a list of strings, is a string");
                let mut words = text.split_whitespace();
                let told: Vec<_> = words.by_ref().take(WORDS).map(cited).collect();
                let more = if words.next().is_some() { ", …" } else { "" };
                let hint = format!("write [{}{more}]", told.join(", "));
                problems.advise(&node.span, message, hint);
            } else {
                wrong_type(node, &name, "a list of strings", problems);
            }
            return None;
        };
        let full = |i| format!("{}[{i}]", self.full(name));
        let read = |(i, node)| string(node, || full(i), problems);
        let value = nodes.iter().enumerate().filter_map(read).collect();
        Some(At {
            value,
            span: node.span.clone(),
        })
    }

    /// Names with their texts, in the order of the file.
    pub fn string_map(
        &self,
        name: &str,
        problems: &mut Problems<'_>,
    ) -> Option<Vec<(At<&'n str>, At<&'n str>)>> {
        self.read_as(name, |kind| matches!(kind, Kind::Variables));
        let node = self.node(name)?;
        let Value::Map(entries) = &node.value else {
            wrong_type(node, &self.full(name), "a map of strings", problems);
            return None;
        };
        let mut pairs = Vec::with_capacity(entries.len());
        for entry in entries {
            let name = || format!("{}.{}", self.full(name), entry.key);
            if let Some(value) = string(&entry.node, name, problems) {
                let key = At {
                    value: &*entry.key,
                    span: entry.key_span.clone(),
                };
                pairs.push((key, value));
            }
        }
        Some(pairs)
    }

    fn full(&self, name: &str) -> String {
        format!("{}{name}", self.shape.prefix)
    }
}

/// The words of §3.5 for a number below zero.
pub(super) fn not_negative(name: &str) -> String {
    format!("{} must not be negative", name.replace('_', " "))
}

/// Reports that `node` is not what `name` must be, unless it is reported already.
pub(super) fn wrong_type(node: &Node<'_>, name: &str, wanted: &str, problems: &mut Problems<'_>) {
    if node.value != Value::Unreadable && !problems.is_beyond(&node.span) {
        let kind = node.value.kind();
        problems.say(&node.span, format!("{name} must be {wanted}, is {kind}"));
    }
}

/// `name` is asked for only where it is needed: a large manifest is mostly right.
fn string<'n>(
    node: &'n Node<'n>,
    name: impl FnOnce() -> String,
    problems: &mut Problems<'_>,
) -> Option<At<&'n str>> {
    if let Value::String(text) = &node.value {
        return Some(At {
            value: text,
            span: node.span.clone(),
        });
    }
    if node.value == Value::Unreadable || problems.is_beyond(&node.span) {
        return None;
    }
    let spelled = match &node.value {
        Value::Integer(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Null
        | Value::Number
        | Value::String(_)
        | Value::List(_)
        | Value::Map(_)
        | Value::Date
        | Value::Unreadable => {
            wrong_type(node, &name(), "a string", problems);
            return None;
        }
    };
    let message = format!("{} must be a string, is {}", name(), node.value.kind());
    problems.advise(&node.span, message, format!("write \"{spelled}\""));
    None
}

fn unknown(entry: &Entry<'_>, shape: &Shape, problems: &mut Problems<'_>) {
    if problems.is_beyond(&entry.key_span) {
        return;
    }
    let name = &*entry.key;
    let mut message = format!("unknown field {}", cited(name));
    let refused = shape.refused.iter().find(|(refused, _)| *refused == name);
    let same_word = |(alias, _): &&(&str, &str)| name.eq_ignore_ascii_case(alias);
    let alias = shape.aliases.iter().find(same_word);
    let elsewhere = shape.elsewhere.filter(|(other, _)| other.has(name));
    let hint = match (refused, alias, elsewhere) {
        (Some((_, reason)), _, _) => {
            message = format!("{} has no field {}", shape.what, cited(name));
            (*reason).to_owned()
        }
        (None, Some((_, meant)), _) => format!("did you mean \"{meant}\"?"),
        (None, None, Some((_, place))) => place.to_owned(),
        (None, None, None) => {
            let known = shape.names();
            match nearest(name, &known) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => format!("{} has: {}", shape.what, known.join(", ")),
            }
        }
    };
    problems.advise(&entry.key_span, message, hint);
}
