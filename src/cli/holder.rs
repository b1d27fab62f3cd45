//! The lock on the root, and who holds it.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use crate::model::CheckSpec;
use crate::report::Busy;
use crate::run::Progress;
use crate::run::lock::{Holder, LockError, RootLock};

use super::clock::milliseconds;
use super::ready::positive_duration;
use super::state::State;

/// The file in the state folder that names the holder.
const FILE: &str = "run.json";
/// Between two tries while waiting.
const RETRY: Duration = Duration::from_millis(20);

/// Why the run does not begin.
#[derive(Debug)]
pub enum NotLocked {
    /// Another run holds the root, and we wait no longer.
    Busy(Busy),
    /// `--wait` has no duration for a value.
    BadWait(String),
}

/// Takes the root. `Ok(None)`: it cannot be locked here at all, which is said and borne.
/// `wait`: as typed; an empty text waits as long as it takes.
pub fn take(
    root: &Path,
    wait: Option<&str>,
    state: Option<&State>,
) -> Result<Option<RootLock>, NotLocked> {
    let limit = match wait {
        None => Some(Duration::ZERO),
        Some("") => None,
        Some(text) => {
            Some(positive_duration(text).ok_or_else(|| NotLocked::BadWait(text.to_owned()))?)
        }
    };
    let begun = Instant::now();
    loop {
        match RootLock::take(root) {
            Ok(lock) => return Ok(Some(lock)),
            Err(LockError::Unsupported(_)) => return Ok(None),
            Err(LockError::Busy) if limit.is_some_and(|limit| begun.elapsed() >= limit) => {
                return Err(NotLocked::Busy(present(state)));
            }
            Err(LockError::Busy) => std::thread::sleep(RETRY),
        }
    }
}

/// What the holder wrote, as far as it can be read.
fn present(state: Option<&State>) -> Busy {
    let read = state.and_then(|state| state.folder.read(FILE, 4096).ok());
    let holder = read.and_then(|bytes| serde_json::from_slice::<Holder>(&bytes).ok());
    let now = milliseconds(SystemTime::now());
    holder.map_or(
        Busy {
            pid: None,
            age: None,
            check: None,
        },
        |holder| Busy {
            pid: Some(holder.pid),
            age: Some(Duration::from_millis(now.saturating_sub(holder.started_ms))),
            check: holder.check,
        },
    )
}

/// Writes down who holds the root, for whoever finds it held.
pub struct Announcement {
    holder: RefCell<Holder>,
    file: RefCell<Option<File>>,
}

impl Announcement {
    /// From now on this process is named. Where nothing can be written, nothing is.
    pub fn new(state: Option<&State>) -> Self {
        let holder = Holder {
            pid: std::process::id(),
            started_ms: milliseconds(SystemTime::now()),
            check: None,
        };
        let file = state.and_then(|state| state.folder.create(FILE).ok());
        let announcement = Self {
            holder: RefCell::new(holder),
            file: RefCell::new(file),
        };
        announcement.write();
        announcement
    }

    /// It is only shown, so one that cannot be written costs nothing but its words.
    fn write(&self) {
        let mut file = self.file.borrow_mut();
        let Some(file) = &mut *file else { return };
        let Ok(text) = serde_json::to_vec(&*self.holder.borrow()) else {
            return;
        };
        let _ = file
            .rewind()
            .and_then(|()| file.write_all(&text))
            .and_then(|()| file.set_len(text.len() as u64));
    }
}

impl Progress for Announcement {
    fn started(&self, check: &CheckSpec) {
        self.holder.borrow_mut().check = Some(check.id.to_string());
        self.write();
    }

    fn suspended(&self) {}

    fn resumed(&self) {}
}
