//! Rust's tools: the compiler and clippy, libtest under cargo, rustfmt.

mod base;
mod compiler;
mod format;
mod later;
mod libtest;
mod panics;
mod said;
mod target;
mod test;

pub(super) use compiler::Rustc;
pub(super) use format::Rustfmt;
pub(super) use later::Later;
pub(super) use test::CargoTest;
