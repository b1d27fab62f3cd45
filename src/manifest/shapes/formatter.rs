//! A formatter.

use super::super::shape::{Kind, Shape};
use super::{CHECK, field, outside, required};

/// An entry of `formatters`.
pub(in super::super) static FORMATTER: Shape = Shape {
    what: "a formatter",
    prefix: "",
    fields: &[
        required("id", Kind::Id, "its name"),
        required(
            "executable",
            Kind::Text,
            "a program name, or a path relative to the root",
        ),
        field(
            "args",
            Kind::Texts,
            "handed over literally, before the files",
        ),
        field("match", Kind::Globs, "the files that it formats"),
        field("timeout", Kind::Duration, "its limit, such as 90s"),
    ],
    open: false,
    elsewhere: &[outside(
        &CHECK,
        "it is a field of a check; a formatter has id, executable, args, match and timeout",
    )],
    aliases: &[("name", "id"), ("command", "executable")],
    refused: &[],
};
