//! Fields and words that several kinds of map share.

use super::super::choice::{self, names};
use super::super::shape::{Field, Kind};
use super::{field, required};

pub(super) const ALLOW_EMPTY: Field = field(
    "allow_empty",
    Kind::Bool,
    "whether a test runner that ran no test may pass",
);
pub(super) const AREA: Field = field("area", Kind::Text, "a name to select by");
pub(super) const ARGS: Field = field("args", Kind::Texts, "handed over literally");
pub(super) const CATEGORY: Field = field(
    "category",
    Kind::Word(|| names(choice::CATEGORY)),
    "a name to select by and to show",
);
pub(super) const CWD: Field = field(
    "cwd",
    Kind::Folder,
    "a folder in the root; . where it is not set",
);
pub(super) const ENV: Field = field("env", Kind::Variables, "added to its environment");
pub(super) const EXCLUSIVE: Field = field("exclusive", Kind::Bool, "runs alone");
pub(super) const FLOOR: Field = field(
    "floor",
    Kind::Bool,
    "fewer tests than recorded are a failure",
);
pub(super) const FORMAT: Field = field(
    "format",
    Kind::Format,
    "the parser's name; auto where it is not set",
);
pub(super) const ID: Field = required(
    "id",
    Kind::Id,
    "its name; unique without regard to letter case",
);
pub(super) const LEAKS: Field = field(
    "leaks",
    Kind::Word(|| names(choice::LEAKS)),
    "what a process that outlives it is",
);
pub(super) const MATCH: Field = field(
    "match",
    Kind::Pattern,
    "only lines or rows that match are kept",
);
pub(super) const NETWORK: Field = field(
    "network",
    Kind::Word(|| names(choice::NETWORK)),
    "which network it runs in",
);
pub(super) const PASS_ENV: Field = field(
    "pass_env",
    Kind::VariableNames,
    "the caller's variables that are handed on",
);
pub(super) const PATHS: Field = field(
    "paths",
    Kind::Globs,
    "with --changed, run only when a changed file matches",
);
pub(super) const RATCHET: Field = field(
    "ratchet",
    Kind::Word(|| names(choice::RATCHET)),
    "how failures are compared with the recorded ones",
);
pub(super) const ROLE: Field = field(
    "role",
    Kind::Word(|| names(choice::ROLE)),
    "when it runs beside the others",
);
pub(super) const TIMEOUT: Field = field(
    "timeout",
    Kind::Duration,
    "its own limit, such as 90s or 1h30m",
);
pub(super) const TOLERANCE: Field = field(
    "tolerance",
    Kind::Word(|| names(choice::TOLERANCE)),
    "whether its failures gate, are listed, or are counted only",
);

/// What other tools call the fields of an output.
pub(super) const OUTPUT_ALIASES: &[(&str, &str)] = &[
    ("pattern", "match"),
    ("regex", "match"),
    ("parser", "format"),
];
