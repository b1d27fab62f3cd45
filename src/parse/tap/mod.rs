//! The Test Anything Protocol, versions 12 to 14, and what its producers add to it.

mod comment;
mod document;
mod finding;
mod test_line;
mod waiting;
mod yaml;

pub(super) use document::Tap;
