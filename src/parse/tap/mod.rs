//! The Test Anything Protocol, versions 12 to 14, and what its producers add to it.

mod claims;
mod comment;
mod document;
mod errors;
mod finding;
mod levels;
mod rows;
mod stream;
mod test_line;
mod total;
mod waiting;
mod yaml;

pub(super) use stream::Tap;
