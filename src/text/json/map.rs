//! Maps: keys, `:` and values, and keys that are given twice.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::super::value::{Entry, Value, place};
use super::literal::{clip, odd};
use super::{FaultKind, Reader, Stop};

/// From so many keys on, a map's keys are looked up in a table.
const MANY_KEYS: usize = 16;

/// The keys of one map, once they are many.
#[derive(Default)]
struct Seen<'t>(HashMap<Cow<'t, str>, Range<u32>>);

impl<'t> Seen<'t> {
    /// Where `key`, which follows `entries`, stood first. To be asked for every key of a map.
    fn before(&mut self, entries: &[Entry<'t>], key: &str) -> Option<Range<u32>> {
        if entries.len() < MANY_KEYS {
            let before = entries.iter().find(|entry| entry.key == key);
            return before.map(|entry| entry.key_span.clone());
        }
        let new = if self.0.is_empty() {
            entries
        } else {
            &entries[entries.len() - 1..]
        };
        for entry in new {
            let (key, span) = (entry.key.clone(), entry.key_span.clone());
            self.0.entry(key).or_insert(span);
        }
        self.0.get(key).cloned()
    }
}

impl<'t> Reader<'t> {
    /// Reads what follows `{`.
    pub(super) fn map(&mut self) -> Result<Value<'t>, Stop> {
        let opened = self.at - 1;
        let first = self.entries.open();
        let mut seen = Seen::default();
        let mut end_of_last = None;
        loop {
            let last = self.entries.since(first).last();
            self.may_go_on(last.map(|entry| &entry.node))?;
            if self.ends(b'}', opened, end_of_last)? {
                return Ok(Value::Map(self.entries.close(first)));
            }
            let start = self.at;
            let key = self.key()?;
            let key_span = start..self.at;
            if let Some(before) = seen.before(self.entries.since(first), &key) {
                let message = format!("\"{}\" is given twice", clip(&key));
                let kind = FaultKind::DuplicateKey(before);
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
            self.entries.push(Entry {
                key,
                key_span: place(key_span),
                node,
            });
            end_of_last = Some(self.at);
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
        let hint = format!("write \"{}\"", clip(word));
        self.at = place.end;
        self.syntax(place, "a key stands in double quotes", Some(&hint))?;
        Ok(Cow::Borrowed(word))
    }
}
