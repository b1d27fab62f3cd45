//! A verdict as bytes: one format a file, and a fan-out in which sinks do not share fate.
//!
//! Everything here is a pure function of a verdict, a style and the source lines it may quote.
//! Nothing here decides what a check comes to, looks at the environment or knows a terminal.
//! Text that came from a check, a file or a manifest is written through `text::Printable` alone,
//! and through `page`, which keeps it from posing as the verdict line.

mod also;
mod block;
mod command;
mod diagnostics;
mod doctor;
mod excerpt;
mod failure_row;
mod format;
mod header;
mod human;
mod json;
mod last_line;
mod listing;
mod notes;
mod page;
mod row;
mod seen;
mod sink;
mod sinks;
mod style;
mod unrun;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod sample;

pub use also::link_also;
pub use command::command_line;
pub use diagnostics::diagnostics;
pub use doctor::{HostReport, Program, Property, Unit, host_human, host_json};
pub use format::Format;
pub use header::ASKED_FOR;
pub use human::human;
pub use json::json;
pub use last_line::last_line;
pub use listing::{Listing, list_human, list_json};
pub use seen::NO_TESTS_FOUND;
pub use sink::{SinkError, SinkSpec, SinkSpecError};
pub use sinks::{Finished, Sinks};
pub use style::{Detected, Style, Verbosity};
pub use unrun::{
    Busy, bad_manifest_verdict, busy_verdict, empty_verdict, interrupted_verdict, nested_verdict,
    usage_verdict,
};
