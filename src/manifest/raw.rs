//! The file as it is written: every field with its type and place, nothing defaulted yet.

use std::ops::Range;

use super::fields::{At, Fields, Shape, wrong_type};
use super::problems::Problems;
use super::syntax::{Syntax, cited};
use crate::text::{Node, Value};

const TOP_FIELDS: &[&str] = &[
    "$schema",
    "tools",
    "checks",
    "sensors",
    "checks_cpu_percent",
    "checks_max_memory_bytes",
    "checks_max_processes",
    "checks_max_output_bytes",
    "checks_profile",
    "checks_require_containment",
    "checks_timeout",
    "checks_grace",
    "checks_jobs",
    "checks_shard_packages",
    "checks_shards",
    "checks_shard_min_tests",
    "checks_env",
    "guards",
    "formatters",
];

const CHECK_FIELDS: &[&str] = &[
    "id",
    "executable",
    "args",
    "cwd",
    "timeout",
    "shot",
    "area",
    "paths",
    "tolerance",
    "category",
    "role",
    "version",
    "output",
    "ratchet",
    "count_on",
    "env",
    "pass_env",
    "network",
    "allow_empty",
    "leaks",
    "floor",
    "shards",
    "exclusive",
];

/// The whole file.
const MANIFEST: Shape = Shape {
    what: "a manifest",
    prefix: "",
    known: TOP_FIELDS,
    elsewhere: Some((CHECK_FIELDS, "it is a field of a check")),
    aliases: &[
        ("check", "checks"),
        ("env", "checks_env"),
        ("timeout", "checks_timeout"),
        ("jobs", "checks_jobs"),
        ("grace", "checks_grace"),
        ("profile", "checks_profile"),
    ],
};

/// An entry of `checks`.
const CHECK: Shape = Shape {
    what: "a check",
    prefix: "",
    known: CHECK_FIELDS,
    elsewhere: Some((TOP_FIELDS, "it stands at the top level")),
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
        ("format", "output"),
        ("match", "output"),
    ],
};

const OUTPUT: Shape = Shape {
    what: "output",
    prefix: "output.",
    known: &["format", "match", "path", "streams", "claims"],
    elsewhere: None,
    aliases: &[
        ("pattern", "match"),
        ("regex", "match"),
        ("parser", "format"),
    ],
};

const FORMATTER: Shape = Shape {
    what: "a formatter",
    prefix: "",
    known: &["id", "executable", "args", "match", "timeout"],
    elsewhere: None,
    aliases: &[("name", "id"), ("command", "executable")],
};

/// `None`: absent, or refused already.
pub(super) struct RawManifest<'n> {
    pub span: Range<usize>,
    /// Each to be read by [`RawCheck::read`] when its turn comes: read all at once they would take
    /// more memory than everything else.
    pub checks: Option<At<&'n [Node<'n>]>>,
    /// `checks` is absent or an empty list, and nothing stands in its place.
    pub nothing_declared: bool,
    /// `sensors` is there.
    pub sensors: Option<Range<usize>>,
    pub knobs: RawKnobs<'n>,
}

/// The fields of the top level that are not lists of work.
pub(super) struct RawKnobs<'n> {
    pub cpu_percent: Option<At<u64>>,
    pub max_memory_bytes: Option<At<u64>>,
    pub max_processes: Option<At<u64>>,
    pub max_output_bytes: Option<At<u64>>,
    pub profile: Option<At<&'n str>>,
    pub require_containment: Option<At<bool>>,
    pub timeout: Option<At<&'n str>>,
    pub grace: Option<At<&'n str>>,
    pub jobs: Option<At<u64>>,
    pub shard_packages: Option<At<Vec<At<&'n str>>>>,
    pub shards: Option<At<u64>>,
    pub shard_min_tests: Option<At<u64>>,
    pub env: Option<Vec<(At<&'n str>, At<&'n str>)>>,
    pub guards: Option<At<Vec<At<&'n str>>>>,
    /// Their number; each is read for its types only.
    pub formatters: Option<At<usize>>,
}

/// One check.
pub(super) struct RawCheck<'n> {
    pub id: Option<At<&'n str>>,
    pub executable: Option<At<&'n str>>,
    pub args: Option<At<Vec<At<&'n str>>>>,
    pub cwd: Option<At<&'n str>>,
    pub timeout: Option<At<&'n str>>,
    pub shot: Option<At<&'n str>>,
    pub area: Option<At<&'n str>>,
    pub paths: Option<At<Vec<At<&'n str>>>>,
    pub tolerance: Option<At<&'n str>>,
    pub category: Option<At<&'n str>>,
    pub role: Option<At<&'n str>>,
    pub version: Option<At<Vec<At<&'n str>>>>,
    pub output: Option<RawOutput<'n>>,
    pub ratchet: Option<At<&'n str>>,
    pub count_on: Option<At<&'n str>>,
    pub env: Option<Vec<(At<&'n str>, At<&'n str>)>>,
    pub pass_env: Option<At<Vec<At<&'n str>>>>,
    pub network: Option<At<&'n str>>,
    pub allow_empty: Option<At<bool>>,
    pub leaks: Option<At<&'n str>>,
    pub floor: Option<At<bool>>,
    pub shards: Option<At<u64>>,
    pub exclusive: Option<At<bool>>,
}

/// How a check's output is to be read.
pub(super) struct RawOutput<'n> {
    pub format: Option<At<&'n str>>,
    pub pattern: Option<At<&'n str>>,
    pub path: Option<At<&'n str>>,
    pub streams: Option<At<&'n str>>,
    pub claims: Option<At<&'n str>>,
}

impl<'n> RawManifest<'n> {
    pub fn read(root: &'n Node<'n>, syntax: Syntax, problems: &mut Problems<'_>) -> Option<Self> {
        let fields = Fields::of(root, &MANIFEST, syntax, problems)?;
        let declared = fields.node("checks");
        let nothing_declared = match declared {
            Some(node) => node.value == Value::List(Vec::new()),
            None => fields.node("sensors").is_none(),
        };
        let checks = declared.and_then(|node| {
            let Value::List(nodes) = &node.value else {
                wrong_type(node, "checks", "a list of checks", problems);
                return None;
            };
            Some(At {
                value: nodes.as_slice(),
                span: node.span.clone(),
            })
        });
        Some(Self {
            span: root.span.clone(),
            checks,
            nothing_declared,
            sensors: fields.node("sensors").map(|node| node.span.clone()),
            knobs: RawKnobs::read(&fields, syntax, problems),
        })
    }
}

impl<'n> RawKnobs<'n> {
    fn read(fields: &Fields<'n>, syntax: Syntax, problems: &mut Problems<'_>) -> Self {
        Self {
            cpu_percent: fields.count("checks_cpu_percent", problems),
            max_memory_bytes: fields.count("checks_max_memory_bytes", problems),
            max_processes: fields.count("checks_max_processes", problems),
            max_output_bytes: fields.count("checks_max_output_bytes", problems),
            profile: fields.string("checks_profile", problems),
            require_containment: fields.boolean("checks_require_containment", problems),
            timeout: fields.knob_duration("checks_timeout", problems),
            grace: fields.knob_duration("checks_grace", problems),
            jobs: fields.count("checks_jobs", problems),
            shard_packages: fields.strings("checks_shard_packages", problems),
            shards: fields.count("checks_shards", problems),
            shard_min_tests: fields.count("checks_shard_min_tests", problems),
            env: fields.string_map("checks_env", problems),
            guards: fields.strings("guards", problems),
            formatters: read_formatters(fields, syntax, problems),
        }
    }
}

fn read_formatters(
    fields: &Fields<'_>,
    syntax: Syntax,
    problems: &mut Problems<'_>,
) -> Option<At<usize>> {
    let node = fields.node("formatters")?;
    let Value::List(nodes) = &node.value else {
        wrong_type(node, "formatters", "a list of formatters", problems);
        return None;
    };
    for node in nodes {
        if let Some(fields) = Fields::of(node, &FORMATTER, syntax, problems) {
            fields.string("id", problems);
            fields.string("executable", problems);
            fields.strings("args", problems);
            fields.strings("match", problems);
            fields.duration("timeout", problems);
        }
    }
    Some(At {
        value: nodes.len(),
        span: node.span.clone(),
    })
}

impl<'n> RawCheck<'n> {
    pub fn read(node: &'n Node<'n>, syntax: Syntax, problems: &mut Problems<'_>) -> Option<Self> {
        let fields = Fields::of(node, &CHECK, syntax, problems)?;
        for required in ["id", "executable"] {
            if fields.node(required).is_none() {
                let hint = "every check has an id and an executable";
                problems.advise(&node.span, format!("{required} is missing"), hint);
            }
        }
        Some(Self {
            id: fields.string("id", problems),
            executable: fields.string("executable", problems),
            args: fields.strings("args", problems),
            cwd: fields.string("cwd", problems),
            timeout: fields.duration("timeout", problems),
            shot: fields.string("shot", problems),
            area: fields.string("area", problems),
            paths: fields.strings("paths", problems),
            tolerance: fields.string("tolerance", problems),
            category: fields.string("category", problems),
            role: fields.string("role", problems),
            version: fields.strings("version", problems),
            output: RawOutput::read(&fields, syntax, problems),
            ratchet: fields.string("ratchet", problems),
            count_on: fields.string("count_on", problems),
            env: fields.string_map("env", problems),
            pass_env: fields.strings("pass_env", problems),
            network: fields.string("network", problems),
            allow_empty: fields.boolean("allow_empty", problems),
            leaks: fields.string("leaks", problems),
            floor: fields.boolean("floor", problems),
            shards: fields.count("shards", problems),
            exclusive: fields.boolean("exclusive", problems),
        })
    }
}

impl<'n> RawOutput<'n> {
    fn read(fields: &Fields<'n>, syntax: Syntax, problems: &mut Problems<'_>) -> Option<Self> {
        let node = fields.node("output")?;
        if let Value::String(text) = &node.value {
            let map = syntax.pair("format", &cited(text));
            let hint = format!("write {}", syntax.pair("output", &format!("{{{map}}}")));
            problems.advise(&node.span, "output must be a map, is a string", hint);
            return None;
        }
        let fields = Fields::of(node, &OUTPUT, syntax, problems)?;
        Some(Self {
            format: fields.string("format", problems),
            pattern: fields.string("match", problems),
            path: fields.string("path", problems),
            streams: fields.string("streams", problems),
            claims: fields.string("claims", problems),
        })
    }
}
