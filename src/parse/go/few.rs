//! Values by the hash of a test's name. `go test -v` has a handful of tests running at a time and
//! ends them in the order in which it began them: that is what this is quick at. What holds many
//! is a hash table.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Beyond this many, searching one by one takes longer than a table.
const FEW: usize = 32;

/// A test's name, hashed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key(u64);

impl Key {
    /// The key of `name`.
    #[inline]
    pub(super) fn of(name: &[u8]) -> Self {
        let mut hash = 0x9e37_79b9_7f4a_7c15 ^ name.len() as u64;
        // The last words may have bytes that were read already.
        if let Some(last) = name.last_chunk::<16>() {
            for chunk in name.as_chunks().0 {
                hash = mix(hash, chunk);
            }
            return Self(mix(hash, last));
        }
        if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
            return Self(mix_words(
                hash,
                u64::from_le_bytes(*first),
                u64::from_le_bytes(*last),
            ));
        }
        let short = name
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
        Self(mix_words(hash, short, short))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "both halves of 128 bits are taken"
)]
fn mix(hash: u64, bytes: &[u8; 16]) -> u64 {
    let bytes = u128::from_le_bytes(*bytes);
    mix_words(hash, bytes as u64, (bytes >> 64) as u64)
}

/// Both halves of a product depend on every bit of both numbers.
fn mix_words(hash: u64, first: u64, second: u64) -> u64 {
    let (low, high) = (first ^ hash).carrying_mul(second ^ 0xe703_7ed1_a0b4_28db, 0);
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

/// What can be used again.
pub(super) trait Room: Default {
    /// Makes it as good as new.
    fn clear(&mut self);
}

impl Room for () {
    fn clear(&mut self) {}
}

impl Room for Vec<u8> {
    fn clear(&mut self) {
        Self::clear(self);
    }
}

/// A map from [`Key`]s.
#[derive(Debug)]
pub(super) struct Few<V> {
    /// A ring of keys and their values, in the order in which they came, while they are few.
    keys: [Key; FEW],
    values: [V; FEW],
    first: usize,
    count: usize,
    /// A bit for each key that the ring may hold: most that it does not hold are known by that.
    bits: u64,
    /// All of them, once they were many, until none is left.
    many: HashMap<Key, V, BuildHasherDefault<Identity>>,
}

impl<V: Room> Default for Few<V> {
    fn default() -> Self {
        Self {
            keys: [Key::default(); FEW],
            values: std::array::from_fn(|_| V::default()),
            first: 0,
            count: 0,
            bits: 0,
            many: HashMap::default(),
        }
    }
}

impl<V: Room> Few<V> {
    pub(super) fn len(&self) -> usize {
        self.count + self.many.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn holds(&self, key: Key) -> bool {
        if self.many.is_empty() {
            self.position(key).is_some()
        } else {
            self.many.contains_key(&key)
        }
    }

    /// The value of `key`, a cleared one where there was none.
    #[inline]
    pub(super) fn get_or_insert(&mut self, key: Key) -> &mut V {
        if self.many.is_empty() {
            if let Some(at) = self.position(key) {
                return &mut self.values[self.place(at)];
            }
            if self.count < FEW {
                let place = self.place(self.count);
                self.count += 1;
                self.bits |= bit(key);
                self.keys[place] = key;
                return &mut self.values[place];
            }
        }
        self.get_or_insert_in_many(key)
    }

    fn get_or_insert_in_many(&mut self, key: Key) -> &mut V {
        for (key, value) in self.keys.iter().zip(&mut self.values).take(self.count) {
            self.many.insert(*key, std::mem::take(value));
        }
        self.count = 0;
        self.bits = 0;
        self.many.entry(key).or_default()
    }

    /// Takes the value of `key` out.
    pub(super) fn remove(&mut self, key: Key) -> Option<V> {
        if !self.many.is_empty() {
            return self.many.remove(&key);
        }
        let at = self.position(key)?;
        let value = std::mem::take(&mut self.values[self.place(at)]);
        self.drop_at(at);
        Some(value)
    }

    /// Forgets the value of `key`; false where there was none. Its room is left to the next one.
    #[inline]
    pub(super) fn forget(&mut self, key: Key) -> bool {
        if !self.many.is_empty() {
            return self.many.remove(&key).is_some();
        }
        let Some(at) = self.position(key) else {
            return false;
        };
        self.values[self.place(at)].clear();
        self.drop_at(at);
        true
    }

    #[inline]
    fn drop_at(&mut self, at: usize) {
        if at == 0 {
            self.first = self.place(1);
        } else {
            self.close_up(at);
        }
        self.count -= 1;
        if self.count == 0 {
            self.bits = 0;
        }
    }

    /// Moves what came after the one `at` up.
    fn close_up(&mut self, at: usize) {
        for at in at..self.count - 1 {
            let (to, from) = (self.place(at), self.place(at + 1));
            self.keys[to] = self.keys[from];
            self.values.swap(to, from);
        }
    }

    pub(super) fn clear(&mut self) {
        self.values.iter_mut().for_each(V::clear);
        self.count = 0;
        self.bits = 0;
        self.many.clear();
    }

    /// Which one `key` is of those in the ring, the first one being 0.
    #[inline]
    fn position(&self, key: Key) -> Option<usize> {
        if self.bits & bit(key) == 0 {
            return None;
        }
        (0..self.count).find(|at| self.keys[self.place(*at)] == key)
    }

    /// Where in the ring the one `at` stands.
    #[inline]
    fn place(&self, at: usize) -> usize {
        (self.first + at) % FEW
    }
}

fn bit(key: Key) -> u64 {
    1 << (key.0 % 64)
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
        let mut few = Few::<Vec<u8>>::default();
        let mut plain = HashMap::<u32, Vec<u8>>::new();
        let mut state = 7_u32;
        for round in 0..20_000_u32 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Up to many, down to none, and up again.
            let growing = (round / 500).is_multiple_of(2);
            let number = (state >> 16) % (3 * u32::try_from(FEW).unwrap());
            let key = Key::of(&number.to_le_bytes());
            match (state >> 8) % 8 {
                0 => assert_eq!(few.remove(key), plain.remove(&number)),
                1 | 2 if !growing => {
                    assert_eq!(few.forget(key), plain.remove(&number).is_some());
                }
                3 => assert_eq!(few.holds(key), plain.contains_key(&number)),
                _ if growing => {
                    let (held, wanted) = (few.get_or_insert(key), plain.entry(number).or_default());
                    assert_eq!(held, wanted);
                    for value in [held, wanted] {
                        value.extend(round.to_le_bytes());
                    }
                }
                _ => assert_eq!(few.forget(key), plain.remove(&number).is_some()),
            }
            assert_eq!((few.len(), few.is_empty()), (plain.len(), plain.is_empty()));
        }
        few.clear();
        assert!(few.is_empty());
    }
}
