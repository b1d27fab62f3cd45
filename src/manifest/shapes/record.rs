//! A tracker's record.

use super::super::shape::{Kind, Shape};
use super::shared::{ARGS, ID, TIMEOUT};
use super::{CHECK, outside, required};

/// A tracker's record.
pub(in super::super) static RECORD: Shape = Shape {
    what: "a record",
    prefix: "",
    fields: &[
        ID,
        required(
            "executable",
            Kind::Text,
            "a program name, or a path relative to the root; run directly, by no shell",
        ),
        ARGS,
        TIMEOUT,
    ],
    open: false,
    elsewhere: &[outside(
        &CHECK,
        "it is a field of a manifest's check; a record has id, executable, args and timeout",
    )],
    aliases: &[
        ("name", "id"),
        ("command", "executable"),
        ("cmd", "executable"),
        ("arguments", "args"),
        ("argv", "args"),
    ],
    refused: &[
        ("cwd", "a record always runs in the root"),
        (
            "shot",
            "a record takes no picture; declare the check in a manifest",
        ),
    ],
};
