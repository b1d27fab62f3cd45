//! Colour, in the one place that knows escape sequences.

use std::fmt;

/// What a piece of text is painted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Failed.
    Red,
    /// Passed.
    Green,
    /// Known.
    Yellow,
    /// No verdict.
    Magenta,
    /// Of little weight.
    Dim,
    /// Of much weight.
    Bold,
}

impl Colour {
    fn code(self) -> &'static str {
        match self {
            Self::Red => "31",
            Self::Green => "32",
            Self::Yellow => "33",
            Self::Magenta => "35",
            Self::Dim => "2",
            Self::Bold => "1",
        }
    }
}

/// Whether colour is wanted; decided once, by whoever knows the terminal and the flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    on: bool,
}

impl Palette {
    /// A palette that paints only where `on`.
    pub const fn new(on: bool) -> Self {
        Self { on }
    }

    /// `text`, painted where colour is wanted. `text` must be printable already.
    pub fn paint<T: fmt::Display>(self, colour: Colour, text: T) -> Painted<T> {
        Painted {
            colour: self.on.then_some(colour),
            text,
        }
    }
}

/// Displays its text, between escape sequences where colour is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Painted<T> {
    colour: Option<Colour>,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.colour {
            Some(colour) => write!(f, "\x1b[{}m{}\x1b[0m", colour.code(), self.text),
            None => self.text.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Colour, Palette};

    #[test]
    fn colour_is_there_only_where_it_is_wanted() {
        let shown = |on| Palette::new(on).paint(Colour::Red, "x").to_string();
        assert_eq!(shown(true), "\x1b[31mx\x1b[0m");
        assert_eq!(shown(false), "x");
    }
}
