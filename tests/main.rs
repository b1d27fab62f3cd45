//! The end-to-end tests: the real binary on real tools.

mod go_duration;
mod layers;
mod runner;
mod support;
