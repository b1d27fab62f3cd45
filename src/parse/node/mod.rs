//! Node: stack frames, an uncaught error, and the `spec` reporter of its test runner.

mod crash;
mod frame;
mod spec;

pub(super) use crash::{Crash, Crashed, crash_row};
pub(super) use frame::{is_own, own_frame};
pub(super) use spec::{NodeSpec, exact_file};
