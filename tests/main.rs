//! The end-to-end tests: the real binary on real tools.

mod layers;
mod runner;
mod support;
