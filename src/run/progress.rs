//! How a run is told of while it goes on.

use std::time::Instant;

use crate::model::{CheckResult, CheckSpec};

use super::plan::Entry;

/// Hears of the run as it happens, on the thread that runs it: whatever is done here, no check is
/// read from meanwhile. Each method does nothing where a listener does not care. Times are the
/// run's own; see [`super::Clock`].
pub trait Progress {
    /// The run begins. What is decided already is not launched, nor told of again.
    fn began(&self, _entries: &[Entry], _now: Instant) {}

    /// A check is about to be launched.
    fn started(&self, _check: &CheckSpec, _now: Instant) {}

    /// A check that runs printed these bytes, on whichever stream.
    fn printed(&self, _check: &CheckSpec, _bytes: &[u8]) {}

    /// A check that was started is over.
    fn ended(&self, _check: &CheckSpec, _result: &CheckResult) {}

    /// The run is about to be stopped (Ctrl-Z); the terminal is another's until it goes on. That
    /// it did is seen by the next tick.
    fn suspended(&self) {}

    /// When [`Progress::tick`] is to be called next; asked again after everything that is told.
    fn next_tick(&self) -> Option<Instant> {
        None
    }

    /// That time has come.
    fn tick(&self, _now: Instant) {}
}

/// All of them hear everything, in this order.
impl Progress for Vec<&dyn Progress> {
    fn began(&self, entries: &[Entry], now: Instant) {
        for each in self {
            each.began(entries, now);
        }
    }

    fn started(&self, check: &CheckSpec, now: Instant) {
        for each in self {
            each.started(check, now);
        }
    }

    fn printed(&self, check: &CheckSpec, bytes: &[u8]) {
        for each in self {
            each.printed(check, bytes);
        }
    }

    fn ended(&self, check: &CheckSpec, result: &CheckResult) {
        for each in self {
            each.ended(check, result);
        }
    }

    fn suspended(&self) {
        for each in self {
            each.suspended();
        }
    }

    fn next_tick(&self) -> Option<Instant> {
        self.iter().filter_map(|each| each.next_tick()).min()
    }

    /// Those whose time has not come are left alone.
    fn tick(&self, now: Instant) {
        let due = |each: &&&dyn Progress| each.next_tick().is_some_and(|at| at <= now);
        for each in self.iter().filter(due) {
            each.tick(now);
        }
    }
}
