//! What service managers know of runs of ours: for who looks after a host.

use std::path::Path;
use std::time::Duration;

/// A unit of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitFact {
    /// As the manager has it.
    pub name: String,
    /// The id of the `check` that made it.
    pub controller: i32,
    /// That `check` still runs.
    pub alive: bool,
    /// How long ago it began; `None` where that cannot be told.
    pub age: Option<Duration>,
}

/// A unit whose `check` is gone, after it was told to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    /// As it was before.
    pub fact: UnitFact,
    /// Nothing is left of it.
    pub gone: bool,
    /// What the manager said against it.
    pub error: Option<String>,
}

/// The units of runs that are there now. `runtime`: what `XDG_RUNTIME_DIR` says. The error says in words
/// why no manager can be asked.
#[cfg(target_os = "linux")]
pub fn units(runtime: Option<&Path>) -> Result<Vec<UnitFact>, String> {
    super::manager::Units::ask(runtime)?.list()
}

/// Stops the units of runs whose `check` is gone, and no others. `runtime`, errors: as in [`units`].
#[cfg(target_os = "linux")]
pub fn clean(runtime: Option<&Path>) -> Result<Vec<Cleaned>, String> {
    super::manager::Units::ask(runtime)?.clean()
}

/// There is no such manager.
#[cfg(windows)]
pub fn units(_runtime: Option<&Path>) -> Result<Vec<UnitFact>, String> {
    Ok(Vec::new())
}

/// There is nothing to stop.
#[cfg(windows)]
pub fn clean(_runtime: Option<&Path>) -> Result<Vec<Cleaned>, String> {
    Ok(Vec::new())
}
