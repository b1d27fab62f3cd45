//! The main processes that run now, in memory that a watchdog shares: telling it costs nothing
//! until it is needed.

use std::io;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use nix::libc;

/// What stands before the ids: whether anything was ever to be started.
const ARMED: usize = 0;
/// So many at once are watched by session; more are watched by mark and cgroup alone.
const MOST: usize = 4096;

/// Ids in shared memory; 0 where there is none.
pub struct Roster {
    ids: *const AtomicI32,
    /// Where no id stands below the end of those used so far.
    free: Vec<usize>,
    used: usize,
}

impl Roster {
    /// An empty one. A child by fork(2) sees what is written later.
    pub fn new() -> io::Result<Self> {
        // SAFETY: a new mapping, of which nothing is known to anybody else.
        let memory = unsafe {
            libc::mmap(
                ptr::null_mut(),
                MOST * size_of::<AtomicI32>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self {
            ids: memory.cast(),
            free: Vec::new(),
            used: ARMED + 1,
        })
    }

    fn ids(&self) -> &[AtomicI32] {
        // SAFETY: the mapping is so long, zeroed by the kernel, and lives as long as we do.
        unsafe { std::slice::from_raw_parts(self.ids, MOST) }
    }

    /// Something is about to be started.
    pub fn arm(&self) {
        self.ids()[ARMED].store(1, Ordering::Relaxed);
    }

    /// Whether anything was to be started.
    pub fn is_armed(&self) -> bool {
        self.ids()[ARMED].load(Ordering::Relaxed) != 0
    }

    /// A place for the id of a process that is about to be started, for it to write there itself:
    /// so there is no moment in which it runs and nobody knows. `None` where all are taken.
    pub fn reserve(&mut self) -> Option<usize> {
        if let Some(place) = self.free.pop() {
            return Some(place);
        }
        let place = self.used;
        (place < MOST).then(|| {
            self.used += 1;
            place
        })
    }

    /// Where the id is written that belongs at a reserved place.
    pub fn at(&self, place: usize) -> &AtomicI32 {
        &self.ids()[place]
    }

    /// Gives back a place whose process was never started.
    pub fn release(&mut self, place: usize) {
        self.at(place).store(0, Ordering::Relaxed);
        self.free.push(place);
    }

    /// Strikes `id` out.
    pub fn remove(&mut self, id: i32) {
        let entries = self.ids().iter().take(self.used).enumerate();
        let mut entries = entries.skip(ARMED + 1);
        if let Some((place, _)) = entries.find(|(_, entry)| entry.load(Ordering::Relaxed) == id) {
            self.release(place);
        }
    }

    /// Those that stand in it.
    pub fn list(&self) -> Vec<i32> {
        let ids = self
            .ids()
            .iter()
            .skip(ARMED + 1)
            .map(|entry| entry.load(Ordering::Relaxed));
        ids.filter(|&id| id != 0).collect()
    }
}

impl Drop for Roster {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and no slice of it is alive.
        unsafe { libc::munmap(self.ids.cast_mut().cast(), MOST * size_of::<AtomicI32>()) };
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Ordering, Roster};

    fn add(roster: &mut Roster, id: i32) {
        if let Some(place) = roster.reserve() {
            roster.at(place).store(id, Ordering::Relaxed);
        }
    }

    #[test]
    fn those_that_run_stand_in_it_however_many_there_were() {
        let mut roster = Roster::new().unwrap();
        for id in 1..10_000 {
            add(&mut roster, id);
            if id > 2 {
                roster.remove(id - 2);
            }
        }
        let mut left = roster.list();
        left.sort_unstable();
        assert_eq!(left, [9_998, 9_999]);
    }

    #[test]
    fn a_place_whose_process_was_never_started_is_free_again() {
        let mut roster = Roster::new().unwrap();
        let place = roster.reserve().unwrap();
        roster.at(place).store(7, Ordering::Relaxed);
        roster.release(place);
        assert!(roster.list().is_empty());
        assert_eq!(roster.reserve(), Some(place));
    }

    #[test]
    fn one_that_is_full_takes_no_harm() {
        let mut roster = Roster::new().unwrap();
        let ids = 1..=i32::try_from(MOST).unwrap() + 10;
        ids.clone().for_each(|id| add(&mut roster, id));
        assert_eq!(roster.list().len(), MOST - 1);
        ids.for_each(|id| roster.remove(id));
        assert!(roster.list().is_empty());
        add(&mut roster, 7);
        assert_eq!(roster.list(), [7]);
    }
}
