//! The end-to-end tests: the real binary on real tools.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test ends where it cannot go on, in what it calls too"
)]

mod asked;
mod bad_input;
mod cargo;
mod contained;
mod containment;
mod declared_targets;
mod detection;
mod docs;
mod fail_fast;
mod fenced;
mod first_signal;
mod freshness;
mod git_hostile;
mod go;
mod go_duration;
mod golangci;
mod homes;
mod host;
mod hostile;
mod init;
mod kill9;
mod killed;
mod layers;
mod live;
mod lock;
mod manifests;
mod matrix;
mod node;
mod offline;
mod output;
mod parse_command;
mod probes;
mod ratchet;
mod real_work;
mod reports;
mod roles;
mod runner;
mod selection;
mod sensors;
mod shots;
mod strangers;
mod support;
mod suspended;
mod toolchains;
mod variables;
