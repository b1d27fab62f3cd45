//! Runs the checks of a plan and hands each one's facts to its sink.
//!
//! Nothing here knows a manifest, a baseline or a report. What is decided (which check is next,
//! what a timeout, an interrupt or a closed pipe means) is decided in pure functions:
//! `schedule`, `gate` and `ladder`; `board`, `process` and `unit` act on their answers.

pub mod ladder;
pub mod lock;
pub mod record;
pub mod signals;

mod aside;
mod board;
mod capture;
mod clock;
mod deadline;
mod gate;
mod launching;
mod log;
mod logs;
mod plan;
mod probe;
mod process;
mod progress;
mod questions;
mod ring;
mod schedule;
mod session;
mod shim;
mod shot;
mod stamp;
mod times;
mod unit;
mod unpassed;
mod versions;
mod walled;

pub use aside::{Errand, Leash, Look};
pub use clock::Clock;
pub use launching::not_contained;
pub use logs::Logs;
pub use plan::{Entry, Plan};
pub use process::ReadBuffer;
pub use progress::Progress;
pub use session::{Ended, run};
pub use times::Times;
pub use versions::Versions;
