//! What was found wrong.

use std::fmt;

/// One thing, or several, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Something was alive that must not be.
    pub survived: bool,
    /// What was wrong, and where.
    pub what: String,
}

impl Fault {
    /// Where nothing survived.
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            survived: false,
            what: what.into(),
        }
    }

    /// Something is alive that must not be.
    pub fn survivors(what: impl Into<String>) -> Self {
        Self {
            survived: true,
            what: what.into(),
        }
    }

    /// As said of `place`.
    pub fn at(self, place: &impl fmt::Display) -> Self {
        let what = format!("{place} {}", self.what);
        Self { what, ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}
