//! The top level: of a whole manifest, and of what is ours in a plugin's file.

use super::super::choice::{PROFILE, names};
use super::super::shape::{Kind, Shape};
use super::{CHECK, FORMATTER, SENSOR, field, outside};

/// The whole of a `harness.json` or `harness.toml`.
pub(in super::super) static MANIFEST: Shape = Shape {
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
pub(in super::super) static PLUGIN: Shape = Shape {
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
