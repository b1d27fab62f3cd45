//! Bytes of a check's output into rows and evidence, in constant memory.
//!
//! One [`Extractor`] a check: its bytes are cut into lines, escapes are taken out, and each line
//! goes to the parser of the tool that printed it. A parser gives rows as soon as they are certain
//! and, at the end, what the tool itself says it did. A location is never guessed: where the text
//! does not carry a fact, the row does not have it. Nothing here runs anything or judges a check.
//!
//! One tool a file; `registry` knows them all.

mod clip;
mod command;
mod environment;
mod eslint;
mod extractor;
mod generic;
mod go;
mod golangci;
mod lane;
mod lines;
mod location;
mod merged;
mod node;
mod parser;
mod paths;
mod plain;
mod prefix;
mod pytest;
mod registry;
mod rust;
mod tap;

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod hostile;

pub use command::launches_another;
pub use environment::says_network_refused;
pub use extractor::{Extractor, Setup, Stream, UnknownFormat, streams};
pub use registry::{FormatInfo, formats, is_format};
