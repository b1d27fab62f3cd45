//! Leaves that everything may write with: child text made safe, colour and columns, counts in
//! words, spans of time, the readers of small files and of source lines, and files that people wrote
//! as trees of values.

mod digest;
mod encoding;
mod escapes;
mod file;
mod fold;
mod json;
mod lines;
mod nearest;
mod one_line;
mod palette;
mod plain_lines;
mod plural;
mod printable;
mod readable;
mod source;
mod span;
mod value;
mod width;

pub use digest::{hex, sha256_hex};
pub use encoding::{EncodingFault, decode};
pub use escapes::strip_escapes;
pub use file::{NotRead, open_without_waiting, read_at_most};
pub use fold::fold_white_space;
pub use json::{Fault, FaultKind, MAX_DEPTH, Parsed, parse_json};
pub use lines::Lines;
pub use nearest::nearest;
pub use one_line::{ONE_LINE, one_line};
pub use palette::{Colour, Painted, Palette};
pub use plain_lines::PlainLines;
pub use plural::{plural, thousands};
pub use printable::Printable;
pub use readable::readable;
pub use source::SourceTree;
pub use span::Span;
pub use value::{Entry, Node, Value, place, spelled};
pub use width::{cut, display_width};
