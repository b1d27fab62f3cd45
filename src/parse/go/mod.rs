//! Go's own tools: `go test`, and `go build` and `go vet`, which share the shape of a build.

mod build;
mod captured;
mod frames;
mod held;
mod live;
mod modules;
mod test;
mod trace;
mod unexplained;

pub(super) use build::{GoBuild, is_fetch_error};
pub(super) use test::GoTest;
