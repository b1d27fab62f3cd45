//! A tree of values as a file spells it: order kept, and every key and value with the bytes it
//! stands in, so that whatever is wrong with one can be shown. JSON and TOML both become this.
//!
//! Places are of 32 bits and lists know no spare room, since a tree of a large file is the largest
//! thing that its reading needs.

use std::borrow::Cow;
use std::ops::Range;

/// A value and the bytes that spell it.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'t> {
    /// What it says.
    pub value: Value<'t>,
    /// Where, in bytes of the text; quotes and brackets are part of it.
    pub span: Range<u32>,
}

/// `bytes` of a text as a tree keeps them. No file that is read into one comes near 4 GiB, where
/// places would end.
pub fn place(bytes: Range<usize>) -> Range<u32> {
    let narrow = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
    narrow(bytes.start)..narrow(bytes.end)
}

/// What `text` says at `span`; `None` where it says nothing there.
pub fn spelled<'t>(text: &'t str, span: &Range<u32>) -> Option<&'t str> {
    text.get(span.start as usize..span.end as usize)
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'t> {
    /// The key, unescaped.
    pub key: Cow<'t, str>,
    /// Where it stands, quotes included.
    pub key_span: Range<u32>,
    /// What it is given.
    pub node: Node<'t>,
}

/// What a value says.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'t> {
    /// JSON's `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number that fits.
    Integer(i64),
    /// Any other number: a fraction, an exponent, or a whole one that does not fit.
    Number,
    /// A text, unescaped.
    String(Cow<'t, str>),
    /// A list.
    List(Box<[Node<'t>]>),
    /// A map, in the order of the file. A key that is given twice is in it twice.
    Map(Box<[Entry<'t>]>),
    /// TOML's date or time.
    Date,
    /// A value that could not be read and is already reported: say nothing more about it.
    Unreadable,
}

impl<'t> Value<'t> {
    /// What kind of value it is, in words that follow `is`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Integer(_) | Self::Number => "a number",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Date => "a date",
            Self::Unreadable => "unreadable",
        }
    }

    /// The value that a map gives `key`; the last one where it is given twice.
    pub fn get(&self, key: &str) -> Option<&Node<'t>> {
        match self {
            Self::Map(entries) => entries.iter().rev().find(|e| e.key == key).map(|e| &e.node),
            Self::Null
            | Self::Bool(_)
            | Self::Integer(_)
            | Self::Number
            | Self::String(_)
            | Self::List(_)
            | Self::Date
            | Self::Unreadable => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self {
            Some(text)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, Node, place, spelled};

    #[test]
    fn a_tree_is_small() {
        assert!(size_of::<Node>() <= 32);
        assert!(size_of::<Entry>() <= 64);
    }

    #[test]
    fn a_place_leads_back_to_the_text() {
        assert_eq!(spelled("a: né", &place(3..6)), Some("né"));
        assert_eq!(spelled("a: né", &place(3..5)), None, "half a character");
        assert_eq!(spelled("a", &place(3..6)), None);
    }
}
