//! `run.json` in the state folder: who runs here, for whoever finds the root held, and what a run
//! that died left to its successor.
//!
//! It is written when the root is locked, again when a check is launched, and emptied when the run
//! is over. What stands in it when the next run has the lock was left by one that died. While what
//! it says is true the state folder is locked too: who holds the root may be unable to write here,
//! and must not be taken for a dead one who was not.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::contain::{DeadRun, Traces, pid_namespace, start_time};
use crate::launch::Folder;
use crate::model::CheckSpec;

use super::lock::{FolderLock, LockError};
use super::progress::Progress;

/// The file's name.
const FILE: &str = "run.json";
/// Longer is none of ours.
const MOST_BYTES: u64 = 4096;
/// A reader may come while the file is written.
const READINGS: usize = 3;

/// Who runs here, as it wrote it down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id, in its own PID namespace.
    pub pid: u32,
    /// When that process started, in clock ticks since boot; `None` where it could not know.
    pub start_time: Option<u64>,
    /// The inode of its PID namespace; `None` where it could not know.
    pub pid_namespace: Option<u64>,
    /// When it took the root, in milliseconds since 1970.
    pub started_ms: u64,
    /// The check that it launched last.
    pub check: Option<String>,
    /// Where its processes are.
    #[serde(default)]
    pub traces: Traces,
}

impl Holder {
    /// The same, as a run that died. `homes`: where the homes of this root's checks are.
    pub fn dead<'a>(&'a self, homes: &'a Path) -> DeadRun<'a> {
        DeadRun {
            pid: self.pid,
            start_time: self.start_time,
            pid_namespace: self.pid_namespace,
            traces: &self.traces,
            homes,
        }
    }
}

/// The holder of the root whose state is kept in `folder`, where it wrote itself down and lives.
pub fn living(folder: &Folder) -> Option<Holder> {
    match FolderLock::take(folder.path()) {
        Err(LockError::Busy) => {}
        Ok(_) | Err(LockError::Unsupported(_)) => return None,
    }
    let read = || serde_json::from_slice(&folder.read(FILE, MOST_BYTES).ok()?).ok();
    (0..READINGS).find_map(|_| read())
}

/// This run's own entry. It is only ever shown, and a help in cleaning up: where it cannot be
/// written, the run goes on without.
#[derive(Debug)]
pub struct Record {
    holder: RefCell<Holder>,
    file: Option<Written>,
    predecessor: Option<Holder>,
}

#[derive(Debug)]
struct Written {
    file: File,
    /// The longest text so far: shorter ones are padded, so that one write is all it takes.
    length: Cell<usize>,
    _lock: Option<FolderLock>,
}

impl Record {
    /// Writes down that this process holds the root, from `started_ms` on. To be called with the
    /// root locked and before anything is launched. `folder`: `None` where no state is kept.
    pub fn begin(folder: Option<&Folder>, started_ms: u64) -> Self {
        let holder = Holder {
            pid: std::process::id(),
            start_time: start_time(),
            pid_namespace: pid_namespace(),
            started_ms,
            check: None,
            traces: Traces::default(),
        };
        let mut record = Self {
            holder: RefCell::new(holder),
            file: None,
            predecessor: None,
        };
        if let Some(folder) = folder {
            // A folder in which nothing can be written has nothing to say of this run.
            let _ = record.open(folder);
        }
        record
    }

    fn open(&mut self, folder: &Folder) -> io::Result<()> {
        let file = folder.open_or_create(FILE)?;
        let mut before = Vec::new();
        (&file).take(MOST_BYTES).read_to_end(&mut before)?;
        if !before.is_empty() {
            self.predecessor = serde_json::from_slice(&before).ok();
            file.set_len(0)?;
        }
        let length = Cell::new(0);
        write(&file, &self.holder.borrow(), &length)?;
        self.file = Some(Written {
            file,
            length,
            // Only now is it true.
            _lock: FolderLock::take(folder.path()).ok(),
        });
        Ok(())
    }

    /// Writes down where the processes of this run will be. To be called before there are any.
    pub fn leaves(&self, traces: Traces) {
        let mut holder = self.holder.borrow_mut();
        holder.traces = traces;
        if let Some(written) = &self.file {
            let _ = write(&written.file, &holder, &written.length);
        }
    }

    /// The run before this one, where it died before it was over.
    pub fn predecessor(&self) -> Option<&Holder> {
        self.predecessor.as_ref()
    }
}

fn write(file: &File, holder: &Holder, length: &Cell<usize>) -> io::Result<()> {
    let mut text = serde_json::to_vec(holder)?;
    length.set(text.len().max(length.get()));
    text.resize(length.get(), b' ');
    platform::write_at_start(file, &text)
}

impl Progress for Record {
    fn started(&self, check: &CheckSpec, _now: Instant) {
        let Some(written) = &self.file else { return };
        let mut holder = self.holder.borrow_mut();
        holder.check = Some(check.id.to_string());
        let _ = write(&written.file, &holder, &written.length);
    }
}

/// The run is over, and says so by saying nothing any more. One that panics may have left
/// something behind.
impl Drop for Record {
    fn drop(&mut self) {
        if let Some(written) = &self.file
            && !std::thread::panicking()
        {
            let _ = written.file.set_len(0);
        }
    }
}

#[cfg(unix)]
mod platform {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt as _;

    pub fn write_at_start(file: &File, bytes: &[u8]) -> io::Result<()> {
        file.write_all_at(bytes, 0)
    }
}

#[cfg(windows)]
mod platform {
    use std::fs::File;
    use std::io;
    use std::os::windows::fs::FileExt as _;

    pub fn write_at_start(file: &File, bytes: &[u8]) -> io::Result<()> {
        let written = file.seek_write(bytes, 0)?;
        if written < bytes.len() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        Ok(())
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{FILE, Folder, Holder, Progress as _, Record, Traces, living};
    use crate::model::{CheckId, CheckSpec};
    use std::fs;
    use std::time::Instant;

    fn check(id: &str) -> CheckSpec {
        CheckSpec::new(CheckId::new(id).unwrap(), "true", Vec::new())
    }

    #[test]
    fn a_run_is_named_while_it_lives_with_the_check_it_is_in() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        assert_eq!(living(&folder), None);
        let record = Record::begin(Some(&folder), 7);
        let named = living(&folder).unwrap();
        assert_eq!((named.pid, named.started_ms), (std::process::id(), 7));
        assert_eq!(named.check, None);
        for id in ["a-long-name", "short"] {
            record.started(&check(id), Instant::now());
            assert_eq!(living(&folder).unwrap().check.as_deref(), Some(id));
        }
        assert_eq!(record.predecessor(), None);
        drop(record);
        assert_eq!(living(&folder), None);
        assert_eq!(Record::begin(Some(&folder), 8).predecessor(), None);
    }

    #[test]
    fn what_a_dead_run_wrote_is_its_successors_to_know_and_names_no_living_one() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let dead = Holder {
            pid: 4121,
            start_time: Some(99),
            pid_namespace: Some(1),
            started_ms: 5,
            check: Some("a-check-with-quite-a-long-name".repeat(3)),
            traces: Traces {
                cgroups: Some("/sys/fs/cgroup/check-4121-99".into()),
                watchdog: Some((4122, 99)),
            },
        };
        fs::write(dir.path().join(FILE), serde_json::to_vec(&dead).unwrap()).unwrap();
        assert_eq!(living(&folder), None, "nobody holds the folder");
        let record = Record::begin(Some(&folder), 6);
        assert_eq!(record.predecessor(), Some(&dead));
        assert_eq!(living(&folder).unwrap().pid, std::process::id());
    }

    #[test]
    fn a_file_that_is_torn_or_foreign_is_written_over() {
        let long = vec![b'x'; 100_000];
        for bytes in [&b"{\"pid\":4"[..], &long, b"\xff\0"] {
            let dir = tempfile::tempdir().unwrap();
            let folder = Folder::open(dir.path()).unwrap();
            fs::write(dir.path().join(FILE), bytes).unwrap();
            let record = Record::begin(Some(&folder), 6);
            assert_eq!(record.predecessor(), None);
            assert_eq!(living(&folder).unwrap().started_ms, 6);
        }
    }

    #[test]
    fn a_run_that_panics_leaves_its_name_behind() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let run = std::panic::catch_unwind(|| {
            let _record = Record::begin(Some(&Folder::open(dir.path()).unwrap()), 6);
            panic!("as any bug would");
        });
        assert!(run.is_err());
        let next = Record::begin(Some(&folder), 7);
        assert_eq!(next.predecessor().unwrap().started_ms, 6);
    }

    #[test]
    fn without_a_folder_nothing_is_written_and_nothing_fails() {
        let record = Record::begin(None, 1);
        record.started(&check("lint"), Instant::now());
        assert_eq!(record.predecessor(), None);
    }
}
