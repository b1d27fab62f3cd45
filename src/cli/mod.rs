//! placeholder
pub mod parse;
