//! A check and its output.

use super::super::choice::{CLAIMS, COUNT_ON, STREAMS, names};
use super::super::shape::{Kind, Shape};
use super::shared::OUTPUT_ALIASES;
use super::shared::{
    ALLOW_EMPTY, AREA, ARGS, CATEGORY, CWD, ENV, EXCLUSIVE, FLOOR, FORMAT, ID, LEAKS, MATCH,
    NETWORK, PASS_ENV, PATHS, RATCHET, ROLE, TIMEOUT, TOLERANCE,
};
use super::{MANIFEST, field, outside, required, within};

/// An entry of `checks`.
pub(in super::super) static CHECK: Shape = Shape {
    what: "a check",
    prefix: "",
    fields: &[
        ID,
        required(
            "executable",
            Kind::Text,
            "a program name, or a path relative to cwd; run directly, by no shell",
        ),
        ARGS,
        CWD,
        TIMEOUT,
        field(
            "shot",
            Kind::Text,
            "an optional check, judged by the picture of this name that it writes",
        ),
        AREA,
        PATHS,
        TOLERANCE,
        CATEGORY,
        ROLE,
        field(
            "version",
            Kind::Texts,
            "the command that prints the tool's version, program first",
        ),
        field("output", Kind::Map(&OUTPUT), "how its output is read"),
        RATCHET,
        field(
            "count_on",
            Kind::Word(|| names(COUNT_ON)),
            "which matches a count ratchet counts",
        ),
        ENV,
        PASS_ENV,
        NETWORK,
        ALLOW_EMPTY,
        LEAKS,
        FLOOR,
        field(
            "shards",
            Kind::Count,
            "parts to split its tests into; 0 is none",
        ),
        EXCLUSIVE,
    ],
    open: false,
    elsewhere: &[
        outside(&MANIFEST, "it stands at the top level"),
        within("output", &OUTPUT, "it is a field of output"),
    ],
    aliases: &[
        ("name", "id"),
        ("command", "executable"),
        ("cmd", "executable"),
        ("run", "executable"),
        ("program", "executable"),
        ("arguments", "args"),
        ("argv", "args"),
        ("dir", "cwd"),
        ("directory", "cwd"),
        ("working_directory", "cwd"),
        ("workdir", "cwd"),
        ("environment", "env"),
        ("version_command", "version"),
        ("severity", "tolerance"),
        ("allow_failure", "tolerance"),
        ("continue-on-error", "tolerance"),
    ],
    refused: &[
        (
            "source",
            "a check has executable and args; source is a sensor's",
        ),
        (
            "path",
            "for --changed it is paths; a report file is output's path",
        ),
    ],
};

/// `output` of a check.
pub(in super::super) static OUTPUT: Shape = Shape {
    what: "output",
    prefix: "output.",
    fields: &[
        FORMAT,
        MATCH,
        field(
            "path",
            Kind::Text,
            "a glob: the report files that the check writes",
        ),
        field(
            "streams",
            Kind::Word(|| names(STREAMS)),
            "whether standard output and error are read apart",
        ),
        field(
            "claims",
            Kind::Word(|| names(CLAIMS)),
            "what a summary that reports failures beside exit 0 is",
        ),
    ],
    open: false,
    elsewhere: &[outside(&CHECK, "it is a field of the check, beside output")],
    aliases: OUTPUT_ALIASES,
    refused: &[("channel", "it is a sensor's; a check has streams")],
};
