//! Values by the hash of a test's name. `go test -v` has a handful of tests running at a time and
//! ends them in the order in which it began them: that is what this is quick at. What holds many
//! is a hash table.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

/// Beyond this many, searching one by one takes longer than a table.
const FEW: usize = 32;

/// A test's name, hashed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key(u64);

impl Key {
    /// The key of `name`.
    pub(super) fn of(name: &[u8]) -> Self {
        let word = |at: usize| {
            name.get(at..)
                .and_then(|rest| rest.first_chunk())
                .map_or(0, |bytes| u64::from_le_bytes(*bytes))
        };
        let length = name.len();
        let mut hash = 0x9e37_79b9_7f4a_7c15 ^ length as u64;
        if length < 8 {
            let mut bytes = [0; 8];
            for (to, from) in bytes.iter_mut().zip(name) {
                *to = *from;
            }
            return Self(mix(u64::from_le_bytes(bytes), hash));
        }
        let mut at = 0;
        while at + 16 < length {
            hash = mix(word(at) ^ hash, word(at + 8));
            at += 16;
        }
        // The last words may cover bytes that were read already.
        Self(mix(word(at.min(length - 8)) ^ hash, word(length - 8)))
    }
}

/// Both halves of a product depend on every bit of both numbers.
fn mix(a: u64, b: u64) -> u64 {
    let (low, high) =
        (a ^ 0xa076_1d64_78bd_642f).carrying_mul(b ^ 0xe703_7ed1_a0b4_28db, 0);
    low ^ high
}

/// For keys that are hashes already.
#[derive(Debug, Default)]
pub(super) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// A map from [`Key`]s.
#[derive(Debug)]
pub(super) struct Few<V> {
    /// In the order in which they came, while they are few.
    few: VecDeque<(Key, V)>,
    /// A bit for each key that `few` may hold: most that it does not hold are known by that.
    bits: u64,
    /// All of them, once they were many, until none is left.
    many: HashMap<Key, V, BuildHasherDefault<Identity>>,
}

impl<V> Default for Few<V> {
    fn default() -> Self {
        Self {
            few: VecDeque::new(),
            bits: 0,
            many: HashMap::default(),
        }
    }
}

impl<V> Few<V> {
    pub(super) fn len(&self) -> usize {
        self.few.len() + self.many.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.few.is_empty() && self.many.is_empty()
    }

    pub(super) fn holds(&self, key: Key) -> bool {
        if self.many.is_empty() {
            self.position(key).is_some()
        } else {
            self.many.contains_key(&key)
        }
    }

    /// The value of `key`, which is `new()` where there was none.
    pub(super) fn get_or_insert(&mut self, key: Key, new: impl FnOnce() -> V) -> &mut V {
        if self.many.is_empty() {
            let at = self.position(key);
            if at.is_some() || self.few.len() < FEW {
                let at = at.unwrap_or_else(|| {
                    self.bits |= bit(key);
                    self.few.push_back((key, new()));
                    self.few.len() - 1
                });
                return &mut self.few[at].1;
            }
            self.many.extend(self.few.drain(..));
            self.bits = 0;
        }
        match self.many.entry(key) {
            Entry::Occupied(held) => held.into_mut(),
            Entry::Vacant(free) => free.insert(new()),
        }
    }

    /// Takes the value of `key` out.
    pub(super) fn remove(&mut self, key: Key) -> Option<V> {
        if !self.many.is_empty() {
            return self.many.remove(&key);
        }
        let value = if self.few.front().is_some_and(|(first, _)| *first == key) {
            self.few.pop_front()
        } else {
            self.position(key).and_then(|at| self.few.remove(at))
        };
        if self.few.is_empty() {
            self.bits = 0;
        }
        value.map(|(_, value)| value)
    }

    pub(super) fn clear(&mut self) {
        self.few.clear();
        self.bits = 0;
        self.many.clear();
    }

    fn position(&self, key: Key) -> Option<usize> {
        if self.bits & bit(key) == 0 {
            return None;
        }
        self.few.iter().position(|(held, _)| *held == key)
    }
}

fn bit(key: Key) -> u64 {
    1 << (key.0 & 63)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{FEW, Few, Key};

    #[test]
    fn names_that_differ_anywhere_have_keys_that_differ() {
        let name = b"TestSomething/with_a_name_of_some_length/and_more_of_it";
        for length in 0..name.len() {
            let key = Key::of(&name[..length]);
            assert_eq!(key, Key::of(&name[..length]));
            assert_ne!(key, Key::of(&name[..=length]), "{length}");
            for at in 0..length {
                let mut other = name[..length].to_vec();
                other[at] ^= 1;
                assert_ne!(key, Key::of(&other), "{length} at {at}");
            }
        }
        assert_ne!(Key::of(b"a"), Key::of(b"a\0"));
    }

    #[test]
    fn few_and_many_are_held_as_any_map_holds_them() {
        let mut few = Few::default();
        let mut plain = HashMap::new();
        let mut state = 7_u32;
        for round in 0..20_000_u32 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Up to many, down to none, and up again.
            let growing = (round / 500).is_multiple_of(2);
            let number = (state >> 16) % (3 * u32::try_from(FEW).unwrap());
            let key = Key::of(&number.to_le_bytes());
            if growing || (state >> 8).is_multiple_of(8) {
                assert_eq!(few.get_or_insert(key, || round), plain.entry(key).or_insert(round));
            } else {
                assert_eq!(few.remove(key), plain.remove(&key));
            }
            assert_eq!((few.len(), few.is_empty()), (plain.len(), plain.is_empty()));
            assert_eq!(few.holds(key), plain.contains_key(&key));
        }
        few.clear();
        assert!(few.is_empty());
    }
}
