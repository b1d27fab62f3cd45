//! Every kind of map, field by field.

use super::choice::{
    CATEGORY, CHANNEL, CLAIMS, COUNT_ON, LEAKS, NETWORK, PROFILE, RATCHET, ROLE, STREAMS,
    TOLERANCE, names,
};
use super::shape::{Elsewhere, Field, Kind, Shape};

const fn field(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field {
        name,
        kind,
        required: false,
        about,
    }
}

const fn required(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field {
        required: true,
        ..field(name, kind, about)
    }
}

const fn outside(shape: &'static Shape, hint: &'static str) -> Elsewhere {
    Elsewhere {
        shape,
        hint,
        within: None,
    }
}

const fn within(field: &'static str, shape: &'static Shape, hint: &'static str) -> Elsewhere {
    Elsewhere {
        within: Some(field),
        ..outside(shape, hint)
    }
}

/// The whole of a `harness.json` or `harness.toml`.
pub(super) static MANIFEST: Shape = Shape {
    what: "a manifest",
    prefix: "",
    fields: &[
        field("$schema", Kind::Any, "for editors; ignored"),
        field("tools", Kind::Any, "another program's; ignored"),
        field(
            "checks",
            Kind::List(&CHECK),
            "the checks, in the order of reports",
        ),
        field(
            "sensors",
            Kind::ById(&SENSOR),
            "the checks as sensors, by id; instead of checks",
        ),
        field(
            "checks_cpu_percent",
            Kind::Count,
            "per check; 100 is one core; 0 is the default",
        ),
        field(
            "checks_max_memory_bytes",
            Kind::Count,
            "per check; 0 is 4294967296",
        ),
        field("checks_max_processes", Kind::Count, "per check; 0 is 4096"),
        field(
            "checks_max_output_bytes",
            Kind::Count,
            "per check; beyond it the check is ended and has failed; 0 is no limit",
        ),
        field(
            "checks_profile",
            Kind::Word(|| [names(PROFILE), vec![""]].concat()),
            "how checks are isolated",
        ),
        field(
            "checks_require_containment",
            Kind::Bool,
            "refuse every check that cannot be contained",
        ),
        field(
            "checks_timeout",
            Kind::KnobDuration,
            "the whole run; 30m where it is not set",
        ),
        field(
            "checks_grace",
            Kind::KnobDuration,
            "from TERM to KILL; 2s where it is not set",
        ),
        field(
            "checks_jobs",
            Kind::Count,
            "checks at once; 0 is the default",
        ),
        field(
            "checks_shard_packages",
            Kind::Texts,
            "folders whose Go tests are split, relative to the root",
        ),
        field("checks_shards", Kind::Count, "parts at once; 0 is 6"),
        field(
            "checks_shard_min_tests",
            Kind::Count,
            "a package with fewer tests is not split; 0 is 100",
        ),
        field(
            "checks_env",
            Kind::Variables,
            "added to the environment of every check",
        ),
        field(
            "guards",
            Kind::Globs,
            "further files that are part of the bar",
        ),
        field(
            "formatters",
            Kind::List(&FORMATTER),
            "what `check format` runs",
        ),
    ],
    open: false,
    elsewhere: &[
        outside(&CHECK, "it is a field of a check"),
        outside(&SENSOR, "it is a field of a sensor"),
    ],
    aliases: &[
        ("check", "checks"),
        ("sensor", "sensors"),
        ("env", "checks_env"),
        ("timeout", "checks_timeout"),
        ("jobs", "checks_jobs"),
        ("grace", "checks_grace"),
        ("profile", "checks_profile"),
    ],
    refused: &[],
};

/// What is ours in a `plugin.json`.
pub(super) static PLUGIN: Shape = Shape {
    what: "a plugin",
    prefix: "",
    fields: &[field(
        "sensors",
        Kind::ById(&SENSOR),
        "the checks as sensors, by id",
    )],
    open: true,
    elsewhere: &[],
    aliases: &[],
    refused: &[],
};

/// An entry of `checks`.
pub(super) static CHECK: Shape = Shape {
    what: "a check",
    prefix: "",
    fields: &[
        required(
            "id",
            Kind::Id,
            "its name; unique without regard to letter case",
        ),
        required(
            "executable",
            Kind::Text,
            "a program name, or a path relative to cwd; run directly, by no shell",
        ),
        field("args", Kind::Texts, "handed over literally"),
        field(
            "cwd",
            Kind::Folder,
            "a folder in the root; . where it is not set",
        ),
        field(
            "timeout",
            Kind::Duration,
            "its own limit, such as 90s or 1h30m",
        ),
        field(
            "shot",
            Kind::Text,
            "an optional check, judged by the picture of this name that it writes",
        ),
        field("area", Kind::Text, "a name to select by"),
        field(
            "paths",
            Kind::Globs,
            "with --changed, run only when a changed file matches",
        ),
        field(
            "tolerance",
            Kind::Word(|| names(TOLERANCE)),
            "whether its failures gate, are listed, or are counted only",
        ),
        field(
            "category",
            Kind::Word(|| names(CATEGORY)),
            "a name to select by and to show",
        ),
        field(
            "role",
            Kind::Word(|| names(ROLE)),
            "when it runs beside the others",
        ),
        field(
            "version",
            Kind::Texts,
            "the command that prints the tool's version, program first",
        ),
        field("output", Kind::Map(&OUTPUT), "how its output is read"),
        field(
            "ratchet",
            Kind::Word(|| names(RATCHET)),
            "how failures are compared with the recorded ones",
        ),
        field(
            "count_on",
            Kind::Word(|| names(COUNT_ON)),
            "which matches a count ratchet counts",
        ),
        field("env", Kind::Variables, "added to its environment"),
        field(
            "pass_env",
            Kind::VariableNames,
            "the caller's variables that are handed on",
        ),
        field(
            "network",
            Kind::Word(|| names(NETWORK)),
            "which network it runs in",
        ),
        field(
            "allow_empty",
            Kind::Bool,
            "whether a test runner that ran no test may pass",
        ),
        field(
            "leaks",
            Kind::Word(|| names(LEAKS)),
            "what a process that outlives it is",
        ),
        field(
            "floor",
            Kind::Bool,
            "fewer tests than recorded are a failure",
        ),
        field(
            "shards",
            Kind::Count,
            "parts to split its tests into; 0 is none",
        ),
        field("exclusive", Kind::Bool, "runs alone"),
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
pub(super) static OUTPUT: Shape = Shape {
    what: "output",
    prefix: "output.",
    fields: &[
        field(
            "format",
            Kind::Format,
            "the parser's name; auto where it is not set",
        ),
        field(
            "match",
            Kind::Pattern,
            "only lines or rows that match are kept",
        ),
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

const OUTPUT_ALIASES: &[(&str, &str)] = &[
    ("pattern", "match"),
    ("regex", "match"),
    ("parser", "format"),
];

/// A value of `sensors`.
pub(super) static SENSOR: Shape = Shape {
    what: "a sensor",
    prefix: "",
    fields: &[
        required(
            "source",
            Kind::Map(&SENSOR_SOURCE),
            "a command for the shell, or files that must not be older than their inputs",
        ),
        field(
            "category",
            Kind::Word(|| names(CATEGORY)),
            "a name to select by and to show",
        ),
        field(
            "role",
            Kind::Word(|| names(ROLE)),
            "when it runs beside the others",
        ),
        field(
            "tolerance",
            Kind::Word(|| names(TOLERANCE)),
            "whether its failures gate, are listed, or are counted only",
        ),
        field(
            "ratchet",
            Kind::Word(|| names(RATCHET)),
            "how failures are compared with the recorded ones",
        ),
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
        field(
            "cwd",
            Kind::Folder,
            "a folder in the root; . where it is not set",
        ),
        field(
            "timeout",
            Kind::Duration,
            "its own limit, such as 90s or 1h30m",
        ),
        field("env", Kind::Variables, "added to its environment"),
        field(
            "pass_env",
            Kind::VariableNames,
            "the caller's variables that are handed on",
        ),
        field(
            "paths",
            Kind::Globs,
            "with --changed, run only when a changed file matches",
        ),
        field("area", Kind::Text, "a name to select by"),
        field(
            "network",
            Kind::Word(|| names(NETWORK)),
            "which network it runs in",
        ),
        field("exclusive", Kind::Bool, "runs alone"),
        field(
            "allow_empty",
            Kind::Bool,
            "whether a test runner that ran no test may pass",
        ),
        field(
            "leaks",
            Kind::Word(|| names(LEAKS)),
            "what a process that outlives it is",
        ),
        field(
            "floor",
            Kind::Bool,
            "fewer tests than recorded are a failure",
        ),
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
pub(super) static SENSOR_SOURCE: Shape = Shape {
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
pub(super) static SENSOR_OUTPUT: Shape = Shape {
    what: "output",
    prefix: "output.",
    fields: &[
        field(
            "format",
            Kind::Format,
            "the parser's name; auto where it is not set",
        ),
        field(
            "match",
            Kind::Pattern,
            "only lines or rows that match are kept",
        ),
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

/// An entry of `formatters`.
pub(super) static FORMATTER: Shape = Shape {
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

/// A tracker's record.
pub(super) static RECORD: Shape = Shape {
    what: "a record",
    prefix: "",
    fields: &[
        required(
            "id",
            Kind::Id,
            "its name; unique without regard to letter case",
        ),
        required(
            "executable",
            Kind::Text,
            "a program name, or a path relative to the root; run directly, by no shell",
        ),
        field("args", Kind::Texts, "handed over literally"),
        field(
            "timeout",
            Kind::Duration,
            "its own limit, such as 90s or 1h30m",
        ),
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

/// All of them.
#[cfg(test)]
pub(super) static ALL: [&Shape; 9] = [
    &MANIFEST,
    &PLUGIN,
    &CHECK,
    &OUTPUT,
    &SENSOR,
    &SENSOR_SOURCE,
    &SENSOR_OUTPUT,
    &FORMATTER,
    &RECORD,
];

#[cfg(test)]
mod tests {
    use super::ALL;

    /// A hint must lead somewhere, and a reason must not hide a field.
    #[test]
    fn aliases_lead_to_fields_and_reasons_hide_none() {
        for shape in ALL {
            for (alias, meant) in shape.aliases {
                assert!(shape.has(meant), "{}: {meant}", shape.what);
                assert!(!shape.has(alias), "{}: {alias}", shape.what);
            }
            for (name, _) in shape.refused {
                assert!(!shape.has(name), "{}: {name}", shape.what);
            }
            for field in shape.elsewhere.iter().filter_map(|place| place.within) {
                assert!(shape.has(field), "{}: {field}", shape.what);
            }
            let mut names = shape.names();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), shape.fields.len(), "{}", shape.what);
        }
    }
}
