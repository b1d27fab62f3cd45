//! Runs the checks of a plan and hands each one's facts to its sink.
//!
//! Nothing here knows a manifest, a baseline or a report. What is decided (which check is next,
//! what a timeout, an interrupt or a closed pipe means) is decided in pure functions:
//! `schedule` and `ladder`; `unit` acts on their answers.

pub mod ladder;
pub mod lock;
pub mod signals;

mod capture;
mod launching;
mod plan;
mod schedule;
mod session;
mod unit;

pub use plan::{Entry, Plan, Progress};
pub use session::{Ended, run};
