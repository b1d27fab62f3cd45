//! The folder of logs: which there are from before, and how much all of them may take up.
//!
//! Nothing is asked of the disk for a check that leaves no log: the names are read once a run, the
//! sizes when the first log is made.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::time::SystemTime;

use crate::launch::Folder;

/// How much logs may take up, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// All of them together.
    pub all: u64,
    /// One, and then a tail.
    pub one: u64,
    /// The tail of one that is longer.
    pub tail: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            all: 1024 * 1024 * 1024,
            one: 256 * 1024 * 1024,
            tail: 1024 * 1024,
        }
    }
}

/// The logs of a root, during one run.
#[derive(Debug)]
pub struct Logs {
    folder: Folder,
    room: Room,
    books: RefCell<Books>,
}

#[derive(Debug, Default)]
struct Books {
    /// Logs of earlier runs that have not been moved aside.
    latest: HashSet<OsString>,
    /// Filled when the first log is made.
    kept: Option<Kept>,
}

/// What the disk holds.
#[derive(Debug, Default)]
struct Kept {
    /// All logs, and what is set aside for those that are being written.
    bytes: u64,
    /// Of earlier runs: when it was written, and its length. This run's stay: its verdict names
    /// them.
    old: BTreeMap<OsString, (SystemTime, u64)>,
}

impl Logs {
    /// The logs in `folder`, in which nothing but logs is ours.
    pub fn open(folder: Folder) -> io::Result<Self> {
        Self::with_room(folder, Room::default())
    }

    /// As [`Logs::open`], with more or less room.
    pub fn with_room(folder: Folder, room: Room) -> io::Result<Self> {
        let names = folder.names()?.into_iter();
        let books = Books {
            latest: names.filter(|name| is_log(name, ".log")).collect(),
            kept: None,
        };
        Ok(Self {
            folder,
            room,
            books: RefCell::new(books),
        })
    }

    /// How much they may take up.
    pub fn room(&self) -> Room {
        self.room
    }

    /// A check is about to be run whose log, if it makes one, is `name`: that of an earlier run
    /// becomes `<name>.1`.
    pub fn move_aside(&self, name: &str) {
        let books = &mut *self.books.borrow_mut();
        if !books.latest.remove(OsStr::new(name)) {
            return;
        }
        let aside = format!("{name}.1");
        if self.folder.rename(name, &aside).is_err() {
            return;
        }
        if let Some(kept) = &mut books.kept {
            if let Some((_, replaced)) = kept.old.remove(OsStr::new(&aside)) {
                kept.bytes = kept.bytes.saturating_sub(replaced);
            }
            if let Some(moved) = kept.old.remove(OsStr::new(name)) {
                kept.old.insert(aside.into(), moved);
            }
        }
    }

    /// A new log. Where the root cannot be locked another run may be writing one of that name: it
    /// goes on in a file without a name, and neither has lines of the other.
    pub fn create(&self, name: &str) -> io::Result<File> {
        match self.folder.create_new(name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.folder.remove_file(name)?;
                self.folder.create_new(name)
            }
            created => created,
        }
    }

    /// Sets so many bytes aside, at the cost of the oldest logs of earlier runs. False where even
    /// that does not suffice, and then nothing is set aside.
    pub fn reserve(&self, bytes: u64) -> bool {
        let mut books = self.books.borrow_mut();
        let kept = books.kept.get_or_insert_with(|| self.look());
        while kept.bytes.saturating_add(bytes) > self.room.all {
            let oldest = kept.old.iter().min_by_key(|(_, (time, _))| *time);
            let Some(name) = oldest.map(|(name, _)| name.clone()) else {
                return false;
            };
            let removed = self.folder.remove_file(&name).is_ok();
            if let Some((_, length)) = kept.old.remove(&name).filter(|_| removed) {
                kept.bytes = kept.bytes.saturating_sub(length);
            }
        }
        kept.bytes += bytes;
        true
    }

    /// Gives back what was set aside and is not needed.
    pub fn release(&self, bytes: u64) {
        if let Some(kept) = &mut self.books.borrow_mut().kept {
            kept.bytes = kept.bytes.saturating_sub(bytes);
        }
    }

    /// What is there before this run has made a log. What cannot be looked at counts for nothing.
    fn look(&self) -> Kept {
        let names = self.folder.names().unwrap_or_default().into_iter();
        let mut kept = Kept::default();
        for name in names.filter(|name| is_log(name, ".log") || is_log(name, ".log.1")) {
            if let Ok(Some((length, time))) = self.folder.size_and_time(&name) {
                kept.bytes = kept.bytes.saturating_add(length);
                kept.old.insert(name, (time, length));
            }
        }
        kept
    }
}

fn is_log(name: &OsStr, ending: &str) -> bool {
    name.as_encoded_bytes().ends_with(ending.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{Folder, Logs, Room};
    use std::fs::{self, File};
    use std::io::Write as _;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    const ROOM: Room = Room {
        all: 100,
        one: 50,
        tail: 10,
    };

    fn put(dir: &Path, name: &str, length: u64, hours_ago: u64) {
        let file = File::create(dir.join(name)).unwrap();
        file.set_len(length).unwrap();
        let time = SystemTime::now() - Duration::from_hours(hours_ago);
        file.set_modified(time).unwrap();
    }

    fn open(dir: &Path) -> Logs {
        Logs::with_room(Folder::open(dir).unwrap(), ROOM).unwrap()
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn the_oldest_go_first_whoever_made_them_and_nothing_else_does() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "gone.log", 30, 9);
        put(dir.path(), "test.log.1", 30, 8);
        put(dir.path(), "lint.log", 30, 1);
        put(dir.path(), "notes.txt", 1000, 99);
        let logs = open(dir.path());
        assert!(logs.reserve(10));
        assert_eq!(names(dir.path()).len(), 4, "there was room");
        assert!(logs.reserve(25));
        assert_eq!(names(dir.path()), ["lint.log", "notes.txt", "test.log.1"]);
        logs.release(25);
        assert!(logs.reserve(30), "what was given back can be had again");
        assert_eq!(names(dir.path()).len(), 3);
        assert!(logs.reserve(60));
        assert_eq!(names(dir.path()), ["notes.txt"]);
        assert!(!logs.reserve(1), "this run's own stay");
    }

    #[test]
    fn two_runs_that_could_not_lock_do_not_write_into_one_file() {
        let dir = tempfile::tempdir().unwrap();
        let mut first = open(dir.path()).create("a.log").unwrap();
        let mut second = open(dir.path()).create("a.log").unwrap();
        first.write_all(b"first").unwrap();
        second.write_all(b"second").unwrap();
        assert_eq!(fs::read(dir.path().join("a.log")).unwrap(), b"second");
    }

    #[test]
    fn the_log_of_an_earlier_run_is_moved_aside_and_counted_once() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "a.log", 40, 1);
        put(dir.path(), "a.log.1", 40, 2);
        let logs = open(dir.path());
        assert!(logs.reserve(20));
        logs.move_aside("a.log");
        logs.move_aside("never-made.log");
        assert_eq!(names(dir.path()), ["a.log.1"]);
        assert!(logs.reserve(40), "the older one has left its room");
        assert_eq!(names(dir.path()), ["a.log.1"]);
        assert!(logs.reserve(1));
        assert_eq!(names(dir.path()), [""; 0]);
        // One of this run is no earlier one.
        logs.create("a.log").unwrap();
        logs.move_aside("a.log");
        assert_eq!(names(dir.path()), ["a.log"]);
    }
}
