//! The top level of a manifest.

use std::ops::Range;

use super::super::fields::{At, Fields, wrong_type, wrong_type_but};
use super::super::problems::Problems;
use super::super::shape::Shape;
use super::super::shapes::FORMATTER;
use super::super::syntax::Syntax;
use super::{Texts, Variables};
use crate::text::{Entry, Node, Value};

pub(in super::super) struct RawManifest<'n> {
    pub span: Range<u32>,
    /// Each to be read when its turn comes: read all at once they would take more memory than
    /// everything else.
    pub checks: Option<At<&'n [Node<'n>]>>,
    /// As `checks`.
    pub sensors: Option<At<&'n [Entry<'n>]>>,
    /// Where `sensors` stands, right or wrong, beside `checks`.
    pub both: Option<Range<u32>>,
    /// Neither is there, nor what was probably meant to be.
    pub nothing: bool,
    fields: Fields<'n>,
    syntax: Syntax,
}

/// The fields of the top level that are not checks.
pub(in super::super) struct RawKnobs<'n> {
    pub cpu_percent: Option<At<u64>>,
    pub max_memory_bytes: Option<At<u64>>,
    pub max_processes: Option<At<u64>>,
    pub max_output_bytes: Option<At<u64>>,
    pub profile: Option<At<&'n str>>,
    pub require_containment: Option<At<bool>>,
    pub timeout: Option<At<&'n str>>,
    pub grace: Option<At<&'n str>>,
    pub jobs: Option<At<u64>>,
    pub shard_packages: Option<Texts<'n>>,
    pub env: Option<Variables<'n>>,
    pub guards: Option<Texts<'n>>,
    pub formatters: Vec<RawFormatter<'n>>,
}

/// An entry of `formatters`.
pub(in super::super) struct RawFormatter<'n> {
    pub id: Option<At<&'n str>>,
    pub executable: Option<At<&'n str>>,
    pub args: Option<Texts<'n>>,
    pub files: Option<Texts<'n>>,
    pub timeout: Option<At<&'n str>>,
}

impl<'n> RawManifest<'n> {
    pub fn read(
        root: &'n Node<'n>,
        shape: &'static Shape,
        syntax: Syntax,
        problems: &mut Problems<'_>,
    ) -> Option<Self> {
        let fields = Fields::of(root, shape, syntax, problems)?;
        let (checks, sensors) = if shape.has("checks") {
            (fields.node("checks"), fields.node("sensors"))
        } else {
            (None, fields.node("sensors"))
        };
        Some(Self {
            span: root.span.clone(),
            both: checks.and(sensors).map(|node| node.span.clone()),
            nothing: !["checks", "sensors"]
                .iter()
                .any(|name| shape.has(name) && fields.has(name)),
            checks: checks.and_then(|node| {
                let Value::List(nodes) = &node.value else {
                    let hint = Some(syntax.a_check());
                    wrong_type_but(node, "checks", "a list of checks", hint, problems);
                    return None;
                };
                Some(At {
                    value: &**nodes,
                    span: node.span.clone(),
                })
            }),
            sensors: sensors.and_then(|node| {
                let Value::Map(entries) = &node.value else {
                    let hint = Some(syntax.a_sensor());
                    wrong_type_but(node, "sensors", "a map from ids to sensors", hint, problems);
                    return None;
                };
                Some(At {
                    value: &**entries,
                    span: node.span.clone(),
                })
            }),
            fields,
            syntax,
        })
    }

    /// Whether the file may hold `checks` at all.
    pub fn knows_checks(&self) -> bool {
        self.fields.knows("checks")
    }

    /// The knobs, of a manifest that may have them.
    pub fn knobs(&self, problems: &mut Problems<'_>) -> RawKnobs<'n> {
        let fields = &self.fields;
        // Only their types are rules; nothing is split by this version.
        fields.count("checks_shards", problems);
        fields.count("checks_shard_min_tests", problems);
        RawKnobs {
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
            env: fields.string_map("checks_env", problems),
            guards: fields.strings("guards", problems),
            formatters: formatters(fields, self.syntax, problems),
        }
    }
}

fn formatters<'n>(
    fields: &Fields<'n>,
    syntax: Syntax,
    problems: &mut Problems<'_>,
) -> Vec<RawFormatter<'n>> {
    let Some(node) = fields.node("formatters") else {
        return Vec::new();
    };
    let Value::List(nodes) = &node.value else {
        wrong_type(node, "formatters", "a list of formatters", problems);
        return Vec::new();
    };
    let mut formatters = Vec::with_capacity(nodes.len());
    for node in nodes {
        if let Some(fields) = Fields::of(node, &FORMATTER, syntax, problems) {
            formatters.push(RawFormatter {
                id: fields.string("id", problems),
                executable: fields.string("executable", problems),
                args: fields.strings("args", problems),
                files: fields.strings("match", problems),
                timeout: fields.duration("timeout", problems),
            });
        }
    }
    formatters
}
