//! Chance that can be had again: the same seed and round give the same numbers.

use std::time::Duration;

/// Numbers without an order to be seen (`SplitMix64`).
pub struct Dice(u64);

impl Dice {
    /// Those of one round.
    pub fn new(seed: u64, round: u64) -> Self {
        let mut dice = Self(seed ^ round.wrapping_mul(0xd134_2543_de82_ef95));
        dice.next();
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `limit`, which is above 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// One of them.
    pub fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let place = self.below(of.len() as u64);
        &of[usize::try_from(place).unwrap()]
    }

    /// From nothing to `longest`, in microseconds.
    pub fn delay(&mut self, longest: Duration) -> Duration {
        let longest = u64::try_from(longest.as_micros()).unwrap();
        Duration::from_micros(self.below(longest + 1))
    }
}
