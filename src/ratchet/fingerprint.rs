//! A finding's identity as 16 bytes.

use std::fmt;

use crate::text::hex;

/// The first 16 bytes of a SHA-256. Ordered, so that lists of them can be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    /// The front of a whole SHA-256.
    pub(super) fn of_digest(digest: &[u8]) -> Self {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        Self(bytes)
    }

    /// The fingerprint that 32 lower-case hex digits spell.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 32 {
            return None;
        }
        let mut bytes = [0; 16];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(bytes))
    }
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    #[test]
    fn only_its_own_spelling_is_a_fingerprint() {
        let text = "00ff0123456789abcdef0123456789ab";
        assert_eq!(Fingerprint::parse(text).unwrap().to_string(), text);
        assert_eq!(Fingerprint::parse(&text.to_uppercase()), None);
        assert_eq!(Fingerprint::parse(&text[..31]), None);
        assert_eq!(Fingerprint::parse(&text.replace('f', "g")), None);
    }
}
