//! The end-to-end tests: the real binary on real tools.

mod bad_input;
mod cargo;
mod go_duration;
mod layers;
mod node;
mod runner;
mod support;
