//! The words everything else is written in: what a check is, what it did, what that means.
//!
//! Plain values only. Nothing here reads a file, an environment variable or a clock, and nothing
//! here is asynchronous, so every decision taken on these values can be tested by value.

mod check_id;
mod confinement;
mod failure;
mod host;
mod outcome;
mod pattern;
mod row_sink;
mod spec;
mod verdict;

pub use check_id::{CheckId, CheckIdError};
pub use confinement::{Confinement, View};
pub use failure::{Failure, Level};
pub use host::HostFacts;
pub use outcome::{
    Broken, EnvironmentFailure, Evidence, Exit, Findings, Isolation, Leak, Outcome, Tail,
    Termination,
};
pub use pattern::Pattern;
pub use row_sink::{Judge, RowSink};
pub use spec::{
    Category, Channel, CheckSpec, Claims, CountOn, DeclaredAt, Freshness, Leaks, Limits, Network,
    OutputSpec, Profile, Ratchet, Role, RunSettings, Source, Streams, Tolerance,
};
pub use verdict::{
    Bar, BaselineFacts, CheckResult, Diagnostic, ExitFact, Host, JudgedFailure, ManifestFacts,
    Route, RowState, Status, StreamsTruncated, Summary, Tree, Verdict, VerdictWord,
};
