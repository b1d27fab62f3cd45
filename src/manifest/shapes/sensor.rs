//! A sensor, its source and its output.

use super::super::choice::{CHANNEL, names};
use super::super::shape::{Kind, Shape};
use super::shared::OUTPUT_ALIASES;
use super::shared::{
    ALLOW_EMPTY, AREA, CATEGORY, CWD, ENV, EXCLUSIVE, FLOOR, FORMAT, LEAKS, MATCH, NETWORK,
    PASS_ENV, PATHS, RATCHET, ROLE, TIMEOUT, TOLERANCE,
};
use super::{CHECK, MANIFEST, field, outside, required, within};

/// A value of `sensors`.
pub(in super::super) static SENSOR: Shape = Shape {
    what: "a sensor",
    prefix: "",
    fields: &[
        required(
            "source",
            Kind::Map(&SENSOR_SOURCE),
            "a command for the shell, or files that must not be older than their inputs",
        ),
        CATEGORY,
        ROLE,
        TOLERANCE,
        RATCHET,
        field(
            "version_command",
            Kind::Text,
            "prints the tool's version; for the shell",
        ),
        field(
            "output",
            Kind::Map(&SENSOR_OUTPUT),
            "how its output is read",
        ),
        CWD,
        TIMEOUT,
        ENV,
        PASS_ENV,
        PATHS,
        AREA,
        NETWORK,
        EXCLUSIVE,
        ALLOW_EMPTY,
        LEAKS,
        FLOOR,
    ],
    open: false,
    elsewhere: &[
        within("source", &SENSOR_SOURCE, "it is a field of source"),
        within("output", &SENSOR_OUTPUT, "it is a field of output"),
        outside(&CHECK, "it is a field of a check; a sensor has none"),
        outside(&MANIFEST, "it stands at the top level"),
    ],
    aliases: &[
        ("executable", "source"),
        ("run", "source"),
        ("version", "version_command"),
        ("environment", "env"),
        ("severity", "tolerance"),
    ],
    refused: &[
        ("id", "a sensor's key in the map is its id"),
        (
            "args",
            "a sensor has one text, source.command, for the shell",
        ),
        (
            "path",
            "for --changed it is paths; a report file is output's path",
        ),
    ],
};

/// `source` of a sensor.
pub(in super::super) static SENSOR_SOURCE: Shape = Shape {
    what: "source",
    prefix: "source.",
    fields: &[
        field("command", Kind::Text, "run by /bin/sh -c"),
        field("files", Kind::Globs, "artefacts, relative to the root"),
        field(
            "inputs",
            Kind::Globs,
            "what they are made from, relative to the root",
        ),
    ],
    open: false,
    elsewhere: &[outside(
        &SENSOR,
        "it is a field of the sensor, beside source",
    )],
    aliases: &[
        ("cmd", "command"),
        ("run", "command"),
        ("file", "files"),
        ("input", "inputs"),
    ],
    refused: &[],
};

/// `output` of a sensor.
pub(in super::super) static SENSOR_OUTPUT: Shape = Shape {
    what: "output",
    prefix: "output.",
    fields: &[
        FORMAT,
        MATCH,
        field(
            "channel",
            Kind::Word(|| names(CHANNEL)),
            "which stream is read",
        ),
        field(
            "path",
            Kind::Text,
            "a glob: the report files that the sensor writes",
        ),
    ],
    open: false,
    elsewhere: &[outside(
        &SENSOR,
        "it is a field of the sensor, beside output",
    )],
    aliases: OUTPUT_ALIASES,
    refused: &[
        ("streams", "it is a check's; a sensor has channel"),
        ("claims", "it is a field of a check's output"),
    ],
};
