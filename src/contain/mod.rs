//! How a check's processes are started, told apart from all others, and ended.
//!
//! A mechanism answers one question that nothing else may guess at: *which processes are this
//! check's?* It must never signal a process that is not, and never a pid that was reaped.

#[cfg(target_os = "linux")]
mod achieved;
mod attempts;
#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(target_os = "linux")]
mod clone;
#[cfg(target_os = "linux")]
mod enclose;
#[cfg(target_os = "linux")]
mod exec;
#[cfg(target_os = "linux")]
mod family;
#[cfg(target_os = "linux")]
mod fence;
#[cfg(target_os = "linux")]
mod fenced;
#[cfg(target_os = "linux")]
mod group;
#[cfg(target_os = "linux")]
mod image;
mod launch;
mod leader;
#[cfg(target_os = "linux")]
mod limits;
mod lineage;
#[cfg(target_os = "linux")]
mod manager;
mod mechanism;
#[cfg(target_os = "linux")]
mod networks;
#[cfg(target_os = "linux")]
mod obstacle;
mod pipe;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod remains;
#[cfg(target_os = "linux")]
mod rooms;
#[cfg(target_os = "linux")]
mod roster;
#[cfg(target_os = "linux")]
mod ruleset;
#[cfg(target_os = "linux")]
mod scene;
#[cfg(target_os = "linux")]
mod seen;
#[cfg(target_os = "linux")]
mod signal;
#[cfg(target_os = "linux")]
mod spaces;
#[cfg(target_os = "linux")]
mod stage;
mod traces;
#[cfg(target_os = "linux")]
mod tried;
mod units;
#[cfg(target_os = "linux")]
mod watchdog;

pub use attempts::{Attempt, Attempts, Bait, Targets};
pub use launch::{Launch, StartError};
pub use leader::Leader;
pub use lineage::{descends_from, pid_namespace, start_time};
pub use mechanism::{
    Cage, Containment, Member, Place, Started, Stop, Swept, mechanism, most_at_once,
};
pub use pipe::{Pipe, Read};
pub use traces::{DeadRun, Traces};
pub use units::{Cleaned, UnitFact, clean, units};
