//! Today's rows against the recorded ones, as they stream: multisets, not sets.
//!
//! What gates, errors or warnings, is only known when the check has ended, so the two are tallied
//! apart and each is measured against the whole baseline. A recorded failure whose file is gone
//! may have moved: a row that is equal but for its path is presumed to be it, and at the end, when
//! it is known which records were met after all, the presumption holds or falls.

use std::collections::HashMap;

use super::baseline::Baseline;
use super::fingerprint::Fingerprint;
use super::identity::Identity;
use super::record::Record;
use crate::model::{CheckId, Level};

/// More rows than this and a check is broken: 16 bytes and two counts a distinct row then come to
/// some 50 MB, and no reader has use for the millionth.
pub const MAX_ROWS: u64 = 1_000_000;

/// Where a row stands while the check still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Not in the baseline.
    New,
    /// In it.
    Known,
    /// Equal, but for its path, to a record whose file is gone.
    Moved(Fingerprint),
}

/// What became of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Met {
    /// Its identity.
    pub fingerprint: Fingerprint,
    /// See [`Standing`].
    pub standing: Standing,
    /// An equal row came before.
    pub again: bool,
}

/// Rows of one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Not in the baseline.
    pub new: u64,
    /// In it.
    pub known: u64,
}

impl Tally {
    /// All of them.
    pub fn rows(self) -> u64 {
        self.new + self.known
    }
}

/// The running comparison of one check.
#[derive(Debug)]
pub struct Comparison {
    check: CheckId,
    slots: HashMap<Fingerprint, Slot>,
    /// Records whose file was gone when the check began: index into the entries, and shape.
    gone: Vec<(usize, Fingerprint)>,
    moves: HashMap<Fingerprint, Moves>,
    /// Rows presumed to have moved, in the order they came.
    moved: Vec<MovedRow>,
    tallies: [Tally; 2],
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    recorded: u64,
    /// By level.
    seen: [u32; 2],
}

#[derive(Debug, Clone, Copy, Default)]
struct Moves {
    /// Failures recorded with this shape in files that are gone.
    recorded: u64,
    /// Rows presumed to be them, by level.
    presumed: [u64; 2],
}

#[derive(Debug, Clone, Copy)]
struct MovedRow {
    fingerprint: Fingerprint,
    shape: Fingerprint,
    level: Level,
}

/// How much of the tree a check looked at.
#[derive(Debug, Clone, Copy)]
pub struct Looked<'a> {
    /// It ended by itself and nothing says that it left something out.
    pub whole: bool,
    /// Folders and files that did not build or load.
    pub not_built: &'a [String],
}

/// A record that today's rows did not meet, or not as often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    /// Its `count` is what was not met.
    pub record: Record,
    /// It is truly gone; else it was not looked at.
    pub fixed: bool,
}

/// The comparison's end.
#[derive(Debug)]
pub struct Compared {
    /// Rows of level error.
    pub errors: Tally,
    /// Rows of level warning.
    pub warnings: Tally,
    /// Recorded failures that are gone.
    pub fixed: u64,
    /// Recorded failures that were not looked at.
    pub unseen: u64,
    /// See [`Unmet`], in order of the baseline.
    pub unmet: Vec<Unmet>,
    /// By shape and level: how many rows, the last ones, were taken for moved and are new.
    pub(super) fallen: HashMap<(Fingerprint, Level), u64>,
    slots: HashMap<Fingerprint, Slot>,
    moved: HashMap<(Fingerprint, Level), u64>,
}

fn index(level: Level) -> usize {
    match level {
        Level::Error => 0,
        Level::Warning => 1,
    }
}

impl Comparison {
    /// Against `baseline`, or nothing. `gone` says whether a recorded path is no longer in the
    /// tree; it is asked once a path.
    pub fn new(check: &CheckId, baseline: Option<&Baseline>, gone: impl Fn(&str) -> bool) -> Self {
        let mut comparison = Self {
            check: check.clone(),
            slots: HashMap::new(),
            gone: Vec::new(),
            moves: HashMap::new(),
            moved: Vec::new(),
            tallies: [Tally::default(); 2],
        };
        let Some(baseline) = baseline else {
            return comparison;
        };
        let lost: Vec<bool> = baseline.paths().iter().map(|path| gone(path)).collect();
        comparison.slots.reserve(baseline.entries().len());
        for (at, entry) in baseline.entries().iter().enumerate() {
            let slot = Slot {
                recorded: entry.count,
                ..Slot::default()
            };
            comparison.slots.insert(entry.fingerprint, slot);
            let path = entry.path.and_then(|path| usize::try_from(path).ok());
            if !path
                .and_then(|path| lost.get(path))
                .is_some_and(|lost| *lost)
            {
                continue;
            }
            if let Some(record) = baseline.record(entry) {
                let shape = record.identity().shape(check);
                comparison.gone.push((at, shape));
                comparison.moves.entry(shape).or_default().recorded += entry.count;
            }
        }
        comparison
    }

    /// Takes the next row in.
    pub fn row(&mut self, identity: &Identity<'_>, level: Level) -> Met {
        let fingerprint = identity.fingerprint(&self.check);
        let tally = &mut self.tallies[index(level)];
        if tally.rows() > MAX_ROWS {
            tally.new += 1;
            return Met {
                fingerprint,
                standing: Standing::New,
                again: true,
            };
        }
        let slot = self.slots.entry(fingerprint).or_default();
        let again = slot.seen != [0, 0];
        let seen = &mut slot.seen[index(level)];
        *seen = seen.saturating_add(1);
        if u64::from(*seen) <= slot.recorded {
            tally.known += 1;
            return Met {
                fingerprint,
                standing: Standing::Known,
                again,
            };
        }
        let moved = presume(&mut self.moves, &self.check, identity, level);
        let standing = moved.map_or(Standing::New, Standing::Moved);
        if let Some(shape) = moved {
            tally.known += 1;
            self.moved.push(MovedRow {
                fingerprint,
                shape,
                level,
            });
        } else {
            tally.new += 1;
        }
        Met {
            fingerprint,
            standing,
            again,
        }
    }

    /// Rows of `level` so far.
    pub fn rows(&self, level: Level) -> u64 {
        self.tallies[index(level)].rows()
    }

    /// More rows than can be judged.
    pub fn too_many(&self) -> bool {
        self.rows(Level::Error) + self.rows(Level::Warning) > MAX_ROWS
    }

    /// The check has ended.
    pub fn finish(mut self, baseline: Option<&Baseline>, looked: Looked<'_>) -> Compared {
        let entries = baseline.map(Baseline::entries).unwrap_or_default();
        let mut unmet: Vec<u64> = entries
            .iter()
            .map(|entry| {
                self.slots
                    .get(&entry.fingerprint)
                    .map_or(entry.count, Slot::unmet)
            })
            .collect();
        let mut free: HashMap<Fingerprint, u64> = HashMap::new();
        for (at, shape) in &self.gone {
            *free.entry(*shape).or_default() += unmet[*at];
        }
        let fallen = self.settle_moves(&free);
        for (at, shape) in &self.gone {
            let presumed = self
                .moves
                .get(shape)
                .map_or(0, |moves| moves.presumed.iter().sum());
            let left = free.entry(*shape).or_default();
            let consumed = presumed.min(*left).min(unmet[*at]);
            unmet[*at] -= consumed;
            *left -= consumed;
            if let Some(moves) = self.moves.get_mut(shape) {
                take(&mut moves.presumed, consumed);
            }
        }
        let unmet = baseline
            .map(|baseline| list(baseline, &unmet, looked))
            .unwrap_or_default();
        let sum = |fixed: bool| {
            unmet
                .iter()
                .filter(|one| one.fixed == fixed)
                .map(|one| one.record.count)
                .sum()
        };
        let mut moved: HashMap<(Fingerprint, Level), u64> = HashMap::new();
        for row in &self.moved {
            *moved.entry((row.fingerprint, row.level)).or_default() += 1;
        }
        Compared {
            errors: self.tallies[index(Level::Error)],
            warnings: self.tallies[index(Level::Warning)],
            fixed: sum(true),
            unseen: sum(false),
            unmet,
            fallen,
            slots: self.slots,
            moved,
        }
    }

    /// Drops, of the rows presumed to have moved, the last ones for which no record is free.
    fn settle_moves(
        &mut self,
        free: &HashMap<Fingerprint, u64>,
    ) -> HashMap<(Fingerprint, Level), u64> {
        let mut fallen: HashMap<(Fingerprint, Level), u64> = HashMap::new();
        for (shape, moves) in &mut self.moves {
            let free = free.get(shape).copied().unwrap_or(0);
            for level in [Level::Error, Level::Warning] {
                let presumed = &mut moves.presumed[index(level)];
                let over = presumed.saturating_sub(free);
                if over > 0 {
                    *presumed -= over;
                    fallen.insert((*shape, level), over);
                    let tally = &mut self.tallies[index(level)];
                    tally.known -= over;
                    tally.new += over;
                }
            }
        }
        let mut left = fallen.clone();
        let mut kept: Vec<MovedRow> = Vec::with_capacity(self.moved.len());
        for row in self.moved.drain(..).rev() {
            match left.get_mut(&(row.shape, row.level)) {
                Some(count) if *count > 0 => *count -= 1,
                Some(_) | None => kept.push(row),
            }
        }
        self.moved = kept;
        fallen
    }
}

/// Takes `count` from the first level, then from the second.
fn take(presumed: &mut [u64; 2], count: u64) {
    let first = presumed[0].min(count);
    presumed[0] -= first;
    presumed[1] = presumed[1].saturating_sub(count - first);
}

/// The shape of a row that may be a record whose file is gone, which it then takes up.
fn presume(
    moves: &mut HashMap<Fingerprint, Moves>,
    check: &CheckId,
    identity: &Identity<'_>,
    level: Level,
) -> Option<Fingerprint> {
    if moves.is_empty() || identity.path.is_none() {
        return None;
    }
    let shape = identity.shape(check);
    let moves = moves.get_mut(&shape)?;
    let presumed = &mut moves.presumed[index(level)];
    (*presumed < moves.recorded).then(|| {
        *presumed += 1;
        shape
    })
}

impl Slot {
    /// Recorded failures that no row of either level met.
    fn unmet(&self) -> u64 {
        let seen: u64 = self.seen.iter().map(|count| u64::from(*count)).sum();
        self.recorded.saturating_sub(seen)
    }
}

fn list(baseline: &Baseline, unmet: &[u64], looked: Looked<'_>) -> Vec<Unmet> {
    let pairs = baseline
        .entries()
        .iter()
        .zip(unmet)
        .filter(|(_, count)| **count > 0);
    pairs
        .filter_map(|(entry, count)| {
            let fixed = looked.whole && was_built(baseline.path(entry), looked.not_built);
            let record = Record {
                count: *count,
                ..baseline.record(entry)?
            };
            Some(Unmet { record, fixed })
        })
        .collect()
}

/// Nothing above `path` failed to build or load. Where something did, a record without a path
/// may lie there too.
fn was_built(path: Option<&str>, not_built: &[String]) -> bool {
    not_built.is_empty()
        || path.is_some_and(|path| {
            !not_built.iter().any(|folder| {
                let beneath = path.strip_prefix(folder.trim_end_matches('/'));
                folder == "."
                    || beneath.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        })
}

impl Compared {
    /// Rows of `level`.
    pub fn tally(&self, level: Level) -> Tally {
        match level {
            Level::Error => self.errors,
            Level::Warning => self.warnings,
        }
    }

    /// The fingerprint of each new row of `level`, equal ones repeated, sorted.
    pub fn new_fingerprints(&self, level: Level) -> Vec<Fingerprint> {
        let mut new = Vec::new();
        for (fingerprint, slot) in &self.slots {
            let over = u64::from(slot.seen[index(level)]).saturating_sub(slot.recorded);
            let moved = self.moved.get(&(*fingerprint, level)).copied().unwrap_or(0);
            new.extend((moved..over).map(|_| *fingerprint));
        }
        new.sort_unstable();
        new
    }
}

#[cfg(test)]
mod tests;
