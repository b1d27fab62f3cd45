//! Node: stack frames, an uncaught error, and the `spec` reporter of its test runner.

mod crash;
mod entry;
mod errors;
mod failures;
mod file_failure;
mod frame;
mod late;
mod name;
mod nesting;
mod numbers;
mod sign;
mod spec;
mod summary;
#[cfg(test)]
mod tests;
mod title;

pub(super) use crash::{Crash, Crashed, crash_row};
pub(super) use file_failure::{FileExit, file_row, test_file};
pub(super) use frame::{is_own, own_frame};
pub(super) use late::Late;
pub(super) use name::{clip, put_file, put_parent};
pub(super) use spec::NodeSpec;
