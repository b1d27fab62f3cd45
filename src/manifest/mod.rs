//! The manifest: a file that a person wrote, turned into checks in which nothing is left to be
//! defaulted, or into all that is wrong with it.
//!
//! ```text
//! find ─► read ─► text ─► tree with places ─► raw (types) ─► resolved (rules)
//!                 json │ toml                        └─► problems ◄─┘
//! ```
//!
//! JSON and TOML become one tree ([`crate::text::Node`]), so that every rule and every message
//! exists once. Problems are collected through all stages and told at once, in file order, each
//! with its place. Only the file system is asked (for folders and programs that are named); the
//! environment and the working directory never are.

use std::path::Path;

mod check;
mod choice;
mod cwd;
mod duration;
mod environment;
mod example;
mod executable;
mod fields;
mod find;
mod formatter;
mod glob;
mod go_duration;
mod ids;
mod knobs;
mod other_language;
mod output;
mod pattern;
mod problems;
mod raw;
mod read;
mod record;
mod resolve;
mod resolver;
mod schema;
mod sensor;
mod shape;
mod shapes;
mod syntax;
mod toml;
mod unknown;

#[cfg(test)]
mod fixtures;

pub use crate::model::HostFacts;
pub use find::{Form, Found, NAMES, find, named};
pub use go_duration::{GoDurationError, parse_go_duration};
pub use read::{MAX_BYTES, Source, read};
pub use resolve::parse;
pub use schema::schema;

use crate::model::{CheckSpec, RunSettings};

/// What a manifest is read in.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The tree under test: absolute.
    pub root: &'a Path,
    /// The folder that holds the manifest, see [`Found::folder`]: absolute.
    pub harness: &'a Path,
    /// The file as people know it, for messages: `harness.json`.
    pub shown: &'a str,
    /// What defaults depend on.
    pub host: &'a HostFacts,
    /// Every name that `output.format` may have, `auto`, `text` and `none` included where they
    /// are to be accepted.
    pub known_formats: &'a [&'static str],
}

/// A manifest that can be run.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// In the order of the file; at least one.
    pub checks: Vec<CheckSpec>,
    /// For the whole run.
    pub settings: RunSettings,
}
