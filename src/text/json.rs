//! JSON as RFC 8259 has it, with the place of everything, and with an explanation for what people
//! write instead of it.
//!
//! A slip whose meaning is plain (a trailing or missing comma, a comment, a key without quotes) is
//! reported and read on, so that one look shows all of them; anything else ends the reading.

use std::ops::Range;

use super::value::{Entry, Node, Value, place};

mod items;
mod literal;
mod map;
mod quoted;
mod space;

use items::Items;

/// Deeper nesting is refused: the reader is recursive, and nobody means it.
pub const MAX_DEPTH: usize = 128;

/// After so many faults nobody reads on.
const MAX_FAULTS: usize = 100;

/// What [`parse_json`] found.
#[derive(Debug)]
pub struct Parsed<'t> {
    /// The tree, where it could be read to its end; with faults, what was plainly meant.
    pub root: Option<Node<'t>>,
    /// In the order they were met. Empty: the text is JSON.
    pub faults: Vec<Fault>,
}

/// A place where a text is not the JSON that it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The bytes meant.
    pub span: Range<u32>,
    /// See [`FaultKind`].
    pub kind: FaultKind,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// What other readers of JSON make of a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// They refuse it.
    Syntax,
    /// They take the last value; the key stood here first.
    DuplicateKey(Range<u32>),
    /// They skip it.
    ByteOrderMark,
}

/// The reading cannot go on; why is among the faults.
struct Stop;

/// Reads `text`, which begins with an optional byte order mark, as one JSON value.
pub fn parse_json(text: &str) -> Parsed<'_> {
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
        nodes: Items::new(),
        entries: Items::new(),
        faults: Vec::new(),
    };
    let root = reader.document().ok();
    Parsed {
        root,
        faults: reader.faults,
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// Of all lists that are open.
    nodes: Items<Node<'t>>,
    /// Of all maps that are open.
    entries: Items<Entry<'t>>,
    faults: Vec<Fault>,
}

impl<'t> Reader<'t> {
    fn document(&mut self) -> Result<Node<'t>, Stop> {
        if self.text.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
            self.report(
                0..self.at,
                FaultKind::ByteOrderMark,
                "the file begins with a byte order mark",
                Some("save it as UTF-8 without one"),
            )?;
        }
        self.skip_space()?;
        if self.peek().is_none() {
            let end = self.text.len();
            let message = if self.faults.is_empty() {
                "the file is empty"
            } else {
                "nothing else is in the file"
            };
            return Err(self.stop(0..end, message, None));
        }
        let root = self.value()?;
        if root.value == Value::Unreadable {
            return Err(Stop);
        }
        self.skip_space()?;
        if self.peek().is_some() {
            let place = self.at..self.at + self.word_len();
            return Err(self.stop(place, "the value ends before this", Some("take it out")));
        }
        Ok(root)
    }

    fn value(&mut self) -> Result<Node<'t>, Stop> {
        match self.peek() {
            Some(b'{') => self.nested(Self::map),
            Some(b'[') => self.nested(Self::list),
            Some(b'"' | b'\'') => {
                let start = self.at;
                let value = Value::String(self.quoted()?);
                let span = place(start..self.at);
                Ok(Node { value, span })
            }
            Some(b',' | b':' | b'}' | b']') => {
                let place = self.at..self.at + 1;
                let found = format!("expected a value, found `{}`", &self.text[place.clone()]);
                Err(self.stop(place, &found, None))
            }
            Some(_) => self.literal(),
            None => Err(self.ends_early("expected a value, found the end of the file")),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value<'t>, Stop>) -> Result<Node<'t>, Stop> {
        let start = self.at;
        if self.depth == MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} lists and maps inside each other");
            return Err(self.stop(start..start + 1, &message, None));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        let span = place(start..self.at);
        Ok(Node { value, span })
    }

    fn list(&mut self) -> Result<Value<'t>, Stop> {
        let opened = self.at - 1;
        let first = self.nodes.open();
        let mut end_of_last = None;
        loop {
            self.may_go_on(self.nodes.since(first).last())?;
            if self.ends(b']', opened, end_of_last)? {
                return Ok(Value::List(self.nodes.close(first)));
            }
            let node = self.value()?;
            self.nodes.push(node);
            end_of_last = Some(self.at);
        }
    }

    /// Behind a word that was no value only what may follow a value is read on: the rest would be
    /// its echo.
    fn may_go_on(&self, last: Option<&Node<'t>>) -> Result<(), Stop> {
        let follows = |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b']' | b'}');
        match last {
            Some(node) if node.value == Value::Unreadable && !self.peek().is_some_and(follows) => {
                Err(Stop)
            }
            _ => Ok(()),
        }
    }

    /// Whether the list or map that `opened` ends here. Where it does not, the comma behind its
    /// last item has been read.
    fn ends(&mut self, close: u8, opened: usize, last: Option<usize>) -> Result<bool, Stop> {
        self.skip_space()?;
        let comma = self.at;
        let separated = self.peek() == Some(b',') && last.is_some();
        if separated {
            self.at += 1;
            self.skip_space()?;
        }
        match self.peek() {
            Some(byte) if byte == close => {
                if separated {
                    self.syntax(
                        comma..comma + 1,
                        "a comma before the end",
                        Some("take it out"),
                    )?;
                }
                self.at += 1;
                Ok(true)
            }
            Some(b'}' | b']') => {
                let (this, other) = if close == b'}' {
                    ("map", "`}`")
                } else {
                    ("list", "`]`")
                };
                let message = format!("this {this} has no {other}");
                Err(self.stop(opened..opened + 1, &message, None))
            }
            None => {
                let other = if close == b'}' { "`}`" } else { "`]`" };
                Err(self.stop(
                    opened..opened + 1,
                    &format!("{other} is missing for this"),
                    None,
                ))
            }
            Some(_) => {
                if let Some(end) = last
                    && !separated
                {
                    // Nothing between two values is no forgotten comma: mostly a quote is missing
                    // somewhere before, and what follows would be misread.
                    if end == self.at {
                        let message = "expected a comma or the end behind this value";
                        return Err(self.stop(end..end + self.word_len(), message, None));
                    }
                    self.syntax(end..end, "a comma is missing here", Some("write `,`"))?;
                }
                Ok(false)
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Reports a slip; [`Stop`] once there are too many.
    fn report(
        &mut self,
        span: Range<usize>,
        kind: FaultKind,
        message: &str,
        hint: Option<&str>,
    ) -> Result<(), Stop> {
        let (message, hint) = (message.to_owned(), hint.map(str::to_owned));
        if self.faults.len() == MAX_FAULTS {
            self.faults.push(Fault {
                span: place(span),
                kind: FaultKind::Syntax,
                message: format!(
                    "more than {MAX_FAULTS} slips: what is behind this was not looked at"
                ),
                hint: None,
            });
            return Err(Stop);
        }
        self.faults.push(Fault {
            span: place(span),
            kind,
            message,
            hint,
        });
        Ok(())
    }

    fn syntax(
        &mut self,
        span: Range<usize>,
        message: &str,
        hint: Option<&str>,
    ) -> Result<(), Stop> {
        self.report(span, FaultKind::Syntax, message, hint)
    }

    /// Reports what the reading ends at.
    fn stop(&mut self, span: Range<usize>, message: &str, hint: Option<&str>) -> Stop {
        // Whether there is room for more does not matter any more.
        let _ = self.syntax(span, message, hint);
        Stop
    }

    /// As [`Self::stop`], behind the last thing that the file says.
    fn ends_early(&mut self, message: &str) -> Stop {
        let end = self.text.trim_end().len();
        self.stop(end..end, message, None)
    }
}

#[cfg(test)]
mod tests;
