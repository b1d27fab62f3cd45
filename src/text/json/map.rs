//! Maps: keys, `:` and values, and keys that are given twice.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::super::value::{Entry, Value};
use super::literal::odd;
use super::{FaultKind, Reader, Stop};

/// From so many keys on, a map's keys are looked up in a table.
const MANY_KEYS: usize = 16;

impl<'t> Reader<'t> {
    /// Reads what follows `{`.
    pub(super) fn map(&mut self) -> Result<Value<'t>, Stop> {
        let mut entries: Vec<Entry<'t>> = Vec::new();
        let mut seen: HashMap<Cow<'t, str>, Range<usize>> = HashMap::new();
        let opened = self.at - 1;
        loop {
            let end_of_last = entries.last().map(|entry| entry.node.span.end);
            self.may_go_on(entries.last().map(|entry| &entry.node))?;
            if self.ends(b'}', opened, end_of_last)? {
                return Ok(Value::Map(entries));
            }
            let start = self.at;
            let key = self.key()?;
            let key_span = start..self.at;
            let first = if entries.len() < MANY_KEYS {
                entries
                    .iter()
                    .find(|e| e.key == key)
                    .map(|e| e.key_span.clone())
            } else {
                if seen.is_empty() {
                    let known = entries
                        .iter()
                        .rev()
                        .map(|e| (e.key.clone(), e.key_span.clone()));
                    seen.extend(known);
                }
                let first = seen.get(&key).cloned();
                seen.entry(key.clone()).or_insert_with(|| key_span.clone());
                first
            };
            if let Some(first) = first {
                let message = format!("\"{key}\" is given twice");
                let kind = FaultKind::DuplicateKey(first);
                self.report(key_span.clone(), kind, &message, Some("keep one"))?;
            }
            self.skip_space()?;
            match self.peek() {
                Some(b':') => self.at += 1,
                Some(b'=') => {
                    let place = self.at..self.at + 1;
                    self.syntax(place, "`=` after a key", Some("write `:`"))?;
                    self.at += 1;
                }
                Some(_) => {
                    return Err(self.stop(key_span, "`:` and a value must follow this key", None));
                }
                None => return Err(self.ends_early("expected `:`, found the end of the file")),
            }
            self.skip_space()?;
            let node = self.value()?;
            entries.push(Entry {
                key,
                key_span,
                node,
            });
        }
    }

    fn key(&mut self) -> Result<Cow<'t, str>, Stop> {
        if let Some(b'"' | b'\'') = self.peek() {
            return self.quoted();
        }
        let place = self.at..self.at + self.word_len();
        let word = &self.text[place.clone()];
        let named = word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
        if !named {
            let (shown, hint) = odd(word);
            let message = format!("expected a key, found {shown}");
            return Err(self.stop(place, &message, hint.as_deref()));
        }
        let hint = format!("write \"{word}\"");
        self.at = place.end;
        self.syntax(place, "a key stands in double quotes", Some(&hint))?;
        Ok(Cow::Borrowed(word))
    }
}
