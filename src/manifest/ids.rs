//! The ids of one manifest, and where each stands first.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

/// See the module.
#[derive(Default)]
pub(super) struct Ids<'a>(HashMap<Folded<'a>, u32>);

/// Two ids that differ in ASCII letter case alone are one.
#[derive(Clone, Copy)]
struct Folded<'a>(&'a str);

impl<'a> Ids<'a> {
    pub fn reserve(&mut self, count: usize) {
        self.0.reserve(count);
    }

    /// Where `id` stands first, and that is at `start` where it was not seen before.
    pub fn first(&mut self, id: &'a str, start: u32) -> u32 {
        // As an id is read: white space around it is not its own.
        *self.0.entry(Folded(id.trim())).or_insert(start)
    }
}

impl PartialEq for Folded<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(other.0)
    }
}

impl Eq for Folded<'_> {}

impl Hash for Folded<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // An id has at most 100 bytes.
        let mut folded = [0; 128];
        for part in self.0.as_bytes().chunks(folded.len()) {
            let folded = &mut folded[..part.len()];
            folded.copy_from_slice(part);
            folded.make_ascii_lowercase();
            state.write(folded);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ids;

    #[test]
    fn letter_case_and_white_space_around_are_nothing() {
        let long = "L".repeat(300);
        let short = long.to_lowercase();
        let mut ids = Ids::default();
        assert_eq!(ids.first("Test", 3), 3);
        assert_eq!(ids.first(" tEST\n", 9), 3);
        assert_eq!(ids.first("tests", 20), 20);
        assert_eq!(ids.first("é", 30), 30);
        assert_eq!(ids.first("É", 40), 40, "ASCII alone");
        assert_eq!(ids.first(&long, 50), 50);
        assert_eq!(ids.first(&short, 60), 50);
    }
}
