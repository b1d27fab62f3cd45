//! The lock on the root, who holds it, and waiting for it.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use crate::contain::{descends_from, pid_namespace};
use crate::launch::{Caller, is_home_of};
use crate::report::Busy;
use crate::run::lock::{FolderLock, LockError, holder_of, is_left_over};
use crate::run::record::{Holder, living};
use crate::run::signals::{Fatal, Heard, Signals, stop_here};

use super::clock::milliseconds;
use super::event_loop::EventLoop;
use super::ready::positive_duration;
use super::say;
use super::state::State;

/// Between two tries while waiting.
const RETRY: Duration = Duration::from_millis(20);

/// How long what a killed run was just starting may hold its lock.
const LINGERS: Duration = Duration::from_secs(2);

/// Why the run does not begin.
#[derive(Debug)]
pub enum NotLocked {
    /// Another run holds the root, and we wait no longer.
    Busy(Busy),
    /// A check of this root started us; its run, where it is known.
    Nested(Option<u32>),
    /// While waiting.
    Interrupted(Fatal),
    /// Signals cannot be heard, so there is no waiting.
    Deaf(anyhow::Error),
    /// `--wait` has no duration for a value.
    BadWait(String),
}

/// The root, as far as it could be had.
pub struct Taken {
    /// `None` where the root cannot be locked at all.
    pub lock: Option<FolderLock>,
    /// Why it cannot.
    pub note: Option<String>,
    /// Set where another run was waited for: signals are heard since, and the tree may be another
    /// one than it was.
    pub waited: Option<EventLoop>,
}

impl Taken {
    fn locked(lock: FolderLock, waited: Option<EventLoop>) -> Self {
        Self {
            lock: Some(lock),
            note: None,
            waited,
        }
    }

    fn unlocked(error: &io::Error, waited: Option<EventLoop>) -> Self {
        let note = format!("the root cannot be locked here ({error}), so another run may be in it");
        Self {
            lock: None,
            note: Some(note),
            waited,
        }
    }
}

/// Takes the root. `wait`: as typed; an empty text waits as long as it takes.
pub fn take(
    root: &Path,
    wait: Option<&str>,
    state: Option<&State>,
    caller: &Caller,
) -> Result<Taken, NotLocked> {
    let limit = match wait {
        None => Some(Duration::ZERO),
        Some("") => None,
        Some(text) => {
            Some(positive_duration(text).ok_or_else(|| NotLocked::BadWait(text.to_owned()))?)
        }
    };
    let is_marked = caller.home().is_some_and(|home| is_home_of(home, root));
    match take_from_the_dead(|| FolderLock::take(root), || is_left_over(root)) {
        Ok(lock) => Ok(Taken::locked(lock, None)),
        // Nobody can be asked whether the outer run still lives; without this each run would start
        // the next.
        Err(LockError::Unsupported(_)) if is_marked => Err(NotLocked::Nested(None)),
        Err(LockError::Unsupported(error)) => Ok(Taken::unlocked(&error, None)),
        Err(LockError::Busy) => {
            let busy = holder(root, state);
            if is_marked || busy.pid.is_some_and(descends_from) {
                return Err(NotLocked::Nested(busy.pid));
            }
            if limit == Some(Duration::ZERO) {
                return Err(NotLocked::Busy(busy));
            }
            // Before anybody is told that we wait, and may want to end it.
            let mut events = EventLoop::new().map_err(NotLocked::Deaf)?;
            say(&format!("check: waiting: {busy}"));
            match events.run(async |signals| wait_for(root, limit, signals).await) {
                Waited::Free(lock) => Ok(Taken::locked(lock, Some(events))),
                Waited::Unsupported(error) => Ok(Taken::unlocked(&error, Some(events))),
                Waited::Over => Err(NotLocked::Busy(holder(root, state))),
                Waited::Interrupted(signal) => Err(NotLocked::Interrupted(signal)),
            }
        }
    }
}

/// Takes the lock, also where a run that was killed this moment seems to hold it.
fn take_from_the_dead<T>(
    take: impl Fn() -> Result<T, LockError>,
    is_left_over: impl Fn() -> bool,
) -> Result<T, LockError> {
    let begun = Instant::now();
    loop {
        let taken = take();
        if !matches!(taken, Err(LockError::Busy)) || begun.elapsed() > LINGERS {
            return taken;
        }
        if !is_left_over() {
            // Or it was, and has let go between the two looks.
            return take();
        }
        std::thread::sleep(RETRY);
    }
}

/// How a wait ends.
enum Waited {
    Free(FolderLock),
    /// The root could be locked, and cannot be any more: it was removed, for one.
    Unsupported(io::Error),
    /// The limit is.
    Over,
    Interrupted(Fatal),
}

/// Until the root is free, for at most `limit`.
async fn wait_for(root: &Path, limit: Option<Duration>, signals: &mut Signals) -> Waited {
    let begun = Instant::now();
    loop {
        match FolderLock::take(root) {
            Ok(lock) => return Waited::Free(lock),
            Err(LockError::Unsupported(error)) => return Waited::Unsupported(error),
            Err(LockError::Busy) => {}
        }
        let left = limit.map_or(RETRY, |limit| limit.saturating_sub(begun.elapsed()));
        if left.is_zero() {
            return Waited::Over;
        }
        tokio::select! {
            heard = signals.next() => match heard {
                Heard::Fatal(signal) => return Waited::Interrupted(signal),
                Heard::Stop => stop_here(),
            },
            () = tokio::time::sleep(left.min(RETRY)) => {}
        }
    }
}

/// Who holds the root, by its own word, else by the kernel's.
fn holder(root: &Path, state: Option<&State>) -> Busy {
    match state.and_then(|state| living(&state.folder)) {
        Some(holder) => by_its_word(holder, pid_namespace(), SystemTime::now()),
        None => Busy {
            pid: holder_of(root),
            elsewhere: false,
            age: None,
            check: None,
        },
    }
}

/// `ours`: the PID namespace of this process. A holder's pid names another process in any other.
fn by_its_word(holder: Holder, ours: Option<u64>, now: SystemTime) -> Busy {
    let same = holder.pid_namespace.is_some() && holder.pid_namespace == ours;
    let both_known = holder.pid_namespace.is_some() && ours.is_some();
    let age = milliseconds(now).saturating_sub(holder.started_ms);
    Busy {
        pid: same.then_some(holder.pid),
        elsewhere: both_known && !same,
        age: Some(Duration::from_millis(age)),
        check: holder.check,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{Holder, LockError, by_its_word, take_from_the_dead};
    use crate::contain::Traces;
    use std::time::{Duration, UNIX_EPOCH};

    /// What comes of taking a lock that is free after so many tries, left over at so many looks.
    fn taken(tries: u32, looks: u32) -> (bool, u32) {
        let (attempts, looked) = (Cell::new(0), Cell::new(0));
        let count = |cell: &Cell<u32>| {
            cell.set(cell.get() + 1);
            cell.get()
        };
        let take = || {
            let free = count(&attempts) > tries;
            free.then_some(()).ok_or(LockError::Busy)
        };
        let taken = take_from_the_dead(take, || count(&looked) <= looks);
        (taken.is_ok(), attempts.get())
    }

    #[test]
    fn what_the_dead_hold_is_had_however_late_they_let_go() {
        assert_eq!(taken(0, 0), (true, 1));
        // It let go between a look at the lock and a look at its holder.
        assert_eq!(taken(1, 0), (true, 2));
        assert_eq!(taken(2, 2), (true, 3));
        assert_eq!(taken(3, 2), (true, 4));
    }

    #[test]
    fn what_the_living_hold_is_said_to_be_held_at_once() {
        assert_eq!(taken(9, 0), (false, 2));
    }

    #[test]
    fn a_pid_is_only_said_where_it_means_the_holder() {
        let said = |theirs, ours| {
            let holder = Holder {
                pid: 4121,
                start_time: None,
                pid_namespace: theirs,
                started_ms: 3_000,
                check: Some("test".to_owned()),
                traces: Traces::default(),
            };
            by_its_word(holder, ours, UNIX_EPOCH + Duration::from_secs(15)).to_string()
        };
        let here = "another check is running here";
        assert_eq!(
            said(Some(7), Some(7)),
            format!("{here} (pid 4121, for 12s, now in test)")
        );
        assert_eq!(
            said(Some(7), Some(8)),
            format!("{here} (in another PID namespace, for 12s, now in test)")
        );
        for unknown in [(None, None), (Some(7), None), (None, Some(7))] {
            let said = said(unknown.0, unknown.1);
            assert_eq!(said, format!("{here} (for 12s, now in test)"));
        }
    }
}
