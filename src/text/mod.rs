//! Leaves that everything may write with: child text made safe, colour and columns, counts in
//! words, spans of time, and the one reader of source lines.

mod digest;
mod fold;
mod palette;
mod plural;
mod printable;
mod source;
mod span;
mod width;

pub use digest::{hex, sha256_hex};
pub use fold::fold_white_space;
pub use palette::{Colour, Painted, Palette};
pub use plural::{plural, thousands};
pub use printable::Printable;
pub use source::SourceTree;
pub use span::Span;
pub use width::display_width;
