//! What is to be run, and how its progress is told.

use std::path::PathBuf;

use crate::contain::Containment;
use crate::launch::{Caller, Folder, HomePlace, SearchPath};
use crate::model::{CheckResult, CheckSpec, RunSettings};

use super::clock::Clock;
use super::process::ReadBuffer;
use super::times::Times;
use super::versions::Versions;

/// One check of a plan.
pub struct Entry {
    /// What to run.
    pub check: CheckSpec,
    /// Set where it is not to be launched: what it comes to all the same.
    pub decided: Option<Box<CheckResult>>,
}

/// A whole run, everything decided that can be decided before it.
pub struct Plan<'a> {
    /// In manifest order.
    pub entries: Vec<Entry>,
    /// See [`RunSettings`].
    pub settings: &'a RunSettings,
    /// What `check` itself was given.
    pub caller: &'a Caller,
    /// The caller's PATH, cleaned.
    pub path: &'a SearchPath,
    /// Where homes are made.
    pub homes: &'a HomePlace,
    /// The run's own time.
    pub clock: Clock,
    /// See [`ReadBuffer`].
    pub buffer: ReadBuffer,
    /// How processes are started and ended.
    pub containment: &'a dyn Containment,
    /// Where logs go; `None` where no state can be written.
    pub logs: Option<&'a Folder>,
    /// What people see before a log's name: `.git/check/logs`.
    pub logs_shown: PathBuf,
    /// How long checks took before.
    pub times: &'a Times,
    /// What tools said of themselves before.
    pub versions: &'a Versions,
    /// Told as the run goes on.
    pub progress: &'a dyn Progress,
}

/// Hears of the run as it happens.
pub trait Progress {
    /// A check is about to be launched.
    fn started(&self, check: &CheckSpec);
    /// The run is about to be stopped (Ctrl-Z); the terminal is another's until it goes on.
    fn suspended(&self);
    /// The run goes on.
    fn resumed(&self);
}
