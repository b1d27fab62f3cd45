//! A check's name, and the file name made of it.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A check's name: trimmed, not empty, no control character, at most 100 bytes, no leading dot.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CheckId(String);

/// Why a text is no check id. The texts complete the sentence `id …`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CheckIdError {
    /// Nothing but white space.
    #[error("is empty")]
    Empty,
    /// A tab, newline, escape or the like.
    #[error("holds a control character")]
    Control,
    /// More than 100 bytes.
    #[error("is longer than 100 bytes")]
    TooLong,
    /// `.x` would be a hidden file.
    #[error("begins with a dot")]
    LeadingDot,
}

/// Device names that Windows reserves, with any extension, in any letter case.
const RESERVED: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

impl CheckId {
    /// The id that `text` spells, white space around it dropped.
    pub fn new(text: &str) -> Result<Self, CheckIdError> {
        let id = text.trim();
        if id.is_empty() {
            return Err(CheckIdError::Empty);
        }
        if id.chars().any(char::is_control) {
            return Err(CheckIdError::Control);
        }
        if id.len() > 100 {
            return Err(CheckIdError::TooLong);
        }
        if id.starts_with('.') {
            return Err(CheckIdError::LeadingDot);
        }
        Ok(Self(id.to_owned()))
    }

    /// The id as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id as a file name, the same on every system and at most 150 bytes: bytes outside
    /// `[A-Za-z0-9._-]` become `%XX`, as does the first byte of a name that Windows reserves.
    pub fn file_name(&self) -> String {
        use fmt::Write as _;
        let stem = self
            .0
            .split('.')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let reserved = RESERVED.contains(&stem.as_str());
        let mut name = String::with_capacity(self.0.len());
        for (i, byte) in self.0.bytes().enumerate() {
            let last_dot = byte == b'.' && i + 1 == self.0.len();
            let plain = byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
            if plain && !(reserved && i == 0) && !last_dot {
                name.push(char::from(byte));
            } else {
                // Writing to a string cannot fail.
                let _ = write!(name, "%{byte:02X}");
            }
        }
        if name.len() <= 150 {
            return name;
        }
        let digest = Sha256::digest(self.0.as_bytes());
        name.truncate(100);
        name.push('-');
        for byte in &digest[..8] {
            let _ = write!(name, "{byte:02x}");
        }
        name
    }
}

impl fmt::Display for CheckId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckId, CheckIdError};

    #[test]
    fn an_id_is_trimmed_and_its_faults_are_told_apart() {
        assert_eq!(CheckId::new("  go test ").unwrap().as_str(), "go test");
        assert_eq!(CheckId::new(" "), Err(CheckIdError::Empty));
        assert_eq!(CheckId::new("a\tb"), Err(CheckIdError::Control));
        assert_eq!(CheckId::new(&"x".repeat(101)), Err(CheckIdError::TooLong));
        assert_eq!(CheckId::new(".git"), Err(CheckIdError::LeadingDot));
    }

    #[test]
    fn file_names_are_safe_everywhere_and_differ_where_ids_do() {
        let name = |id: &str| CheckId::new(id).unwrap().file_name();
        assert_eq!(name("lint"), "lint");
        assert_eq!(name("a/b"), "a%2Fb");
        assert_eq!(name("go test"), "go%20test");
        assert_eq!(name("NUL"), "%4EUL");
        assert_eq!(name("com1.txt"), "%63om1.txt");
        assert_eq!(name("dot."), "dot%2E");
        let long = name(&"é".repeat(50));
        assert_eq!(long.len(), 117);
        assert_ne!(long, name(&"è".repeat(50)));
    }
}
