//! `check schema`: the shape of a file, for editors and validators.

use std::io::Write as _;

use crate::manifest;
use crate::parse;

use super::args::{SchemaArgs, SchemaOf};
use super::{End, answer};

/// Prints it.
pub fn schema(args: &SchemaArgs) -> End {
    let schema = match args.of {
        SchemaOf::Manifest => {
            let formats: Vec<&str> = parse::formats().iter().map(|format| format.name).collect();
            manifest::schema(&formats)
        }
    };
    answer(0, |out| writeln!(out, "{schema:#}"))
}
