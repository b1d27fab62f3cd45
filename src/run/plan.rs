//! What is to be run.

use std::path::PathBuf;

use crate::contain::Containment;
use crate::launch::{Caller, HomePlace, Sights, Surroundings};
use crate::model::{CheckResult, CheckSpec, RunSettings};

use super::aside::{Errand, Look};
use super::clock::Clock;
use super::logs::Logs;
use super::process::ReadBuffer;
use super::progress::Progress;
use super::times::Times;
use super::versions::Versions;

/// One check of a plan.
pub struct Entry {
    /// What to run.
    pub check: CheckSpec,
    /// Set where it is not to be launched: what it comes to all the same.
    pub decided: Option<Box<CheckResult>>,
    /// Set where it has no process: what is done in place of that, in its turn.
    pub look: Option<Look>,
}

impl Entry {
    /// Whether a process is to be started for it.
    pub fn is_launched(&self) -> bool {
        self.decided.is_none() && self.look.is_none()
    }
}

/// A whole run, everything decided that can be decided before it.
pub struct Plan<'a> {
    /// In manifest order.
    pub entries: Vec<Entry>,
    /// Done before any of them is started.
    pub first: Option<Errand>,
    /// See [`RunSettings`].
    pub settings: &'a RunSettings,
    /// A blocking check's new failure ends the run.
    pub fail_fast: bool,
    /// What `check` itself was given.
    pub caller: &'a Caller,
    /// What every check gets of that.
    pub surroundings: &'a Surroundings<'a>,
    /// What every check sees of the file system; `None` where none is to be contained.
    pub sights: Option<&'a Sights>,
    /// Where homes are made.
    pub homes: &'a HomePlace,
    /// The run's own time.
    pub clock: Clock,
    /// See [`ReadBuffer`].
    pub buffer: ReadBuffer,
    /// How processes are started and ended.
    pub containment: &'a dyn Containment,
    /// Where logs go; `None` where no state can be written.
    pub logs: Option<&'a Logs>,
    /// What people see before a log's name: `.git/check/logs`.
    pub logs_shown: PathBuf,
    /// How long checks took before.
    pub times: &'a Times,
    /// What tools said of themselves before.
    pub versions: &'a Versions,
    /// Told as the run goes on.
    pub progress: &'a dyn Progress,
}
