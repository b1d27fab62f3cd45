//! Panics as the standard library prints them.

use super::super::clip::Gathered;
use super::super::location::{Place, exact_place, text};

/// One panic: whose, where and what.
#[derive(Debug, Clone)]
pub(super) struct Panic {
    pub thread: String,
    pub place: Option<Place>,
    pub message: Gathered,
}

impl Panic {
    /// `thread 'name' (123) panicked at src/lib.rs:3:5:`, and of older versions
    /// `thread 'name' panicked at 'message', src/lib.rs:3:5`.
    pub(super) fn begin(line: &[u8]) -> Option<Self> {
        let rest = line.strip_prefix(b"thread '")?;
        let end = memchr::memmem::find(rest, b" panicked at ")?;
        let name = &rest[..end];
        let thread = text(&name[..memchr::memrchr(b'\'', name)?]);
        let what = &rest[end + 13..];
        let mut message = Gathered::default();
        if let Some(place) = what.strip_suffix(b":").and_then(exact_place) {
            return Some(Self {
                thread,
                place: Some(place),
                message,
            });
        }
        let comma = memchr::memmem::rfind(what, b", ");
        let place = comma.and_then(|at| exact_place(&what[at + 2..]));
        let words = comma
            .filter(|_| place.is_some())
            .map_or(what, |at| &what[..at]);
        message.push(
            words
                .strip_prefix(b"'")
                .and_then(|w| w.strip_suffix(b"'"))
                .unwrap_or(words),
        );
        Some(Self {
            thread,
            place,
            message,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Panic;

    #[test]
    fn both_shapes_are_read() {
        let new = Panic::begin(b"thread 'tests::a' (17) panicked at src/lib.rs:3:5:").unwrap();
        assert_eq!(
            (new.thread.as_str(), new.place.unwrap().line),
            ("tests::a", Some(3))
        );
        let old = Panic::begin(b"thread 'main' panicked at 'a, b', src/main.rs:2:1").unwrap();
        assert_eq!(old.message.text(), "a, b");
        assert_eq!(old.place.unwrap().path, "src/main.rs");
        assert!(Panic::begin(b"thread 'x' started").is_none());
    }
}
