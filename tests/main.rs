//! The end-to-end tests: the real binary on real tools.

mod cargo;
mod go_duration;
mod layers;
mod node;
mod runner;
mod support;
