//! Go's own tools: `go test`, and `go build` and `go vet`, which share the shape of a build.

mod block;
mod build;
mod captured;
mod counts;
mod event;
mod failing;
mod few;
mod frames;
mod held;
mod live;
mod modules;
mod package;
mod package_line;
mod printed;
mod result_line;
mod skim;
mod test;
mod trace;
mod unexplained;
mod verbose;

pub(super) use build::{GoBuild, is_fetch_error};
pub(super) use test::GoTest;
