//! Leaves that everything may write with: child text made safe, counts in words, spans of time,
//! and the one reader of source lines.

mod digest;
mod fold;
mod plural;
mod printable;
mod source;
mod span;

pub use digest::{hex, sha256_hex};
pub use fold::fold_white_space;
pub use plural::{plural, thousands};
pub use printable::Printable;
pub use source::SourceTree;
pub use span::Span;
