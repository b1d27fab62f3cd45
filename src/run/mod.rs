//! Runs the checks of a plan and hands each one's facts to its sink.
//!
//! Nothing here knows a manifest, a baseline or a report. What is decided (which check is next,
//! what a timeout, an interrupt or a closed pipe means) is decided in pure functions:
//! `schedule`, `gate` and `ladder`; `board`, `process` and `unit` act on their answers.

pub mod ladder;
pub mod lock;
pub mod signals;

mod board;
mod capture;
mod clock;
mod gate;
mod launching;
mod plan;
mod probe;
mod process;
mod schedule;
mod session;
mod shot;
mod stamp;
mod times;
mod unit;
mod unpassed;
mod versions;

pub use clock::Clock;
pub use plan::{Entry, Plan, Progress};
pub use process::ReadBuffer;
pub use session::{Ended, run};
pub use times::Times;
pub use versions::Versions;
