//! The fields of one map, read by name and type. Whatever has the wrong type, or a name that
//! nobody knows, is reported here; a field that is absent or was reported is `None`.

use std::ops::Range;

use super::problems::Problems;
use super::shape::{Kind, Shape};
use super::syntax::{Syntax, cited};
use super::unknown::unknown;
use crate::text::{Entry, Node, Value};

/// As many words of a text are told as a list.
const WORDS: usize = 20;

/// Something read, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct At<T> {
    pub value: T,
    pub span: Range<u32>,
}

/// What stands in one map.
pub(super) struct Fields<'n> {
    entries: &'n [Entry<'n>],
    shape: &'static Shape,
    syntax: Syntax,
    /// The fields that unknown ones were probably meant to be.
    meant: Vec<&'static str>,
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
            if node.value != Value::Unreadable && !problems.is_beyond(&node.span) {
                wrong_type_but(node, shape.what, "a map", shape.needs(), problems);
            }
            return None;
        };
        let (mut meant, mut missing) = (Vec::new(), None);
        for entry in entries {
            if !shape.open && !shape.has(&entry.key) {
                let missing = missing.get_or_insert_with(|| lacking(shape, entries));
                meant.extend(unknown(entry, missing, shape, syntax, problems));
            }
        }
        let fields = Self {
            entries,
            shape,
            syntax,
            meant,
        };
        for field in shape.fields.iter().filter(|field| field.required) {
            if !fields.has(field.name) {
                fields.missing(node, field.name, problems);
            }
        }
        Some(fields)
    }

    /// Whether this kind of map has the field `name`.
    pub fn knows(&self, name: &str) -> bool {
        self.shape.has(name)
    }

    /// Whether the field `name` is there, or one that was probably meant to be it.
    pub fn has(&self, name: &str) -> bool {
        self.node(name).is_some() || self.meant.contains(&name)
    }

    /// A required field is not there.
    fn missing(&self, node: &Node<'_>, name: &str, problems: &mut Problems<'_>) {
        if problems.is_beyond(&node.span) {
            return;
        }
        let message = format!("{} is missing", self.full(name));
        problems.advise(&node.span, message, self.shape.needs().unwrap_or_default());
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
                Kind::Text | Kind::Id | Kind::Folder | Kind::Pattern | Kind::Format | Kind::Word(_)
            )
        });
        let node = self.node(name)?;
        match self.shape.kind(name) {
            // No number is a word, however it is quoted.
            Some(Kind::Word(words)) => {
                let hint = || {
                    let list = words().into_iter().filter(|word| !word.is_empty());
                    let list = list.collect::<Vec<_>>().join(", ");
                    Some(format!("it is one of {list}"))
                };
                text(node, || self.full(name), "a string", hint, problems)
            }
            Some(Kind::Format | Kind::Folder) => {
                text(node, || self.full(name), "a string", || None, problems)
            }
            _ => string(node, || self.full(name), problems),
        }
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
        let quoted = node.value.as_str().map(str::to_ascii_lowercase);
        let hint = quoted.filter(|text| matches!(text.as_str(), "true" | "false"));
        let hint = hint.map(|text| format!("write {text}"));
        wrong_type_but(node, &self.full(name), "true or false", hint, problems);
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
                let message = format!("{name} must be a whole number of at most {}", i64::MAX);
                problems.say(&node.span, message);
            }
            Value::Null
            | Value::Bool(_)
            | Value::String(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Date
            | Value::Unreadable => {
                let quoted = node.value.as_str();
                let hint = quoted.and_then(|text| text.parse::<u64>().ok());
                let hint = hint.map(|number| format!("write {number}"));
                wrong_type_but(node, &self.full(name), "a number", hint, problems);
            }
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
            let hint = || Some(LIKE_THIS.to_owned());
            return text(node, || self.full(name), "a duration", hint, problems);
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
        let is_names = matches!(self.shape.kind(name), Some(Kind::VariableNames));
        let read = |(i, node)| {
            let name = || format!("{}[{i}]", self.full(name));
            if is_names {
                // No number is a variable's name, however it is quoted.
                return text(node, name, "a string", || None, problems);
            }
            string(node, name, problems)
        };
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

/// The fields that none of `entries` is.
fn lacking(shape: &Shape, entries: &[Entry<'_>]) -> Vec<&'static str> {
    let mut names = shape.names();
    names.retain(|name| !entries.iter().any(|entry| entry.key == *name));
    names
}

/// The words of §3.5 for a number below zero.
pub(super) fn not_negative(name: &str) -> String {
    format!("{} must not be negative", name.replace('_', " "))
}

/// How a duration is written.
pub(super) const LIKE_THIS: &str = "write it as 90s, 10m or 1h30m";

/// Reports that `node` is not what `name` must be, unless it is reported already.
pub(super) fn wrong_type(node: &Node<'_>, name: &str, wanted: &str, problems: &mut Problems<'_>) {
    wrong_type_but(node, name, wanted, None, problems);
}

/// As [`wrong_type`], with what to write.
pub(super) fn wrong_type_but(
    node: &Node<'_>,
    name: &str,
    wanted: &str,
    hint: Option<String>,
    problems: &mut Problems<'_>,
) {
    if node.value == Value::Unreadable || problems.is_beyond(&node.span) {
        return;
    }
    let message = format!("{name} must be {wanted}, is {}", node.value.kind());
    match hint {
        Some(hint) => problems.advise(&node.span, message, hint),
        None => problems.say(&node.span, message),
    }
}

/// A text; what else it is cannot be one, and `hint` says what to write. Like `name` it is asked
/// for only where it is needed: a large manifest is mostly right.
fn text<'n>(
    node: &'n Node<'n>,
    name: impl FnOnce() -> String,
    wanted: &str,
    hint: impl FnOnce() -> Option<String>,
    problems: &mut Problems<'_>,
) -> Option<At<&'n str>> {
    if let Value::String(text) = &node.value {
        return Some(At {
            value: text,
            span: node.span.clone(),
        });
    }
    if node.value != Value::Unreadable && !problems.is_beyond(&node.span) {
        wrong_type_but(node, &name(), wanted, hint(), problems);
    }
    None
}

/// As [`text`], where quotes are all that lacks.
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
