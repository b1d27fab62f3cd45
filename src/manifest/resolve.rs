//! From a file's bytes to a [`Manifest`], or to everything that is wrong with them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cwd::Folders;
use super::environment;
use super::fields::wrong_type_but;
use super::find::Form;
use super::ids::Ids;
use super::knobs;
use super::pattern::Patterns;
use super::problems::Problems;
use super::raw::{RawCheck, RawManifest, RawRecord, RawSensor};
use super::resolver::Resolver;
use super::shapes::{MANIFEST, PLUGIN};
use super::syntax::Syntax;
use super::{Context, Manifest, Source};
use crate::model::{CheckSpec, Diagnostic, RunSettings};
use crate::text::{EncodingFault, Lines, Node, Value, decode, place};

/// Reads `source`, a manifest of the given form.
pub fn parse(
    source: &Source,
    form: Form,
    context: &Context<'_>,
) -> Result<Manifest, Vec<Diagnostic>> {
    let text = match decode(&source.bytes) {
        Ok(text) => text,
        Err(fault) => return Err(no_text(fault, &source.bytes, context.shown)),
    };
    let lines = Lines::new(text);
    let mut problems = Problems::new(&lines);
    let syntax = form.syntax();
    let tree = syntax.parse(text, &mut problems);
    let manifest = tree.as_ref().and_then(|tree| {
        let mut reader = Reader {
            settings: context.host.default_settings(context.root),
            resolver: Resolver {
                syntax,
                shown: Arc::from(context.shown),
                formats: context.known_formats,
                folders: Folders::new(context.root),
                patterns: Patterns::default(),
                env: Arc::default(),
                ids: Ids::default(),
            },
            checks: Vec::new(),
            context,
        };
        match form {
            Form::Json | Form::Toml => {
                let raw = RawManifest::read(tree, &MANIFEST, syntax, &mut problems)?;
                reader.knobs(&raw, &mut problems);
                reader.declared(&raw, &mut problems);
            }
            Form::Plugin => {
                let raw = RawManifest::read(tree, &PLUGIN, syntax, &mut problems)?;
                reader.declared(&raw, &mut problems);
            }
            Form::Records => reader.records(tree, &mut problems),
        }
        Some(Manifest {
            checks: reader.checks,
            settings: reader.settings,
        })
    });
    match manifest {
        Some(manifest) if problems.is_empty() => Ok(manifest),
        _ => Err(problems.into_diagnostics(context.shown)),
    }
}

/// A manifest as it comes to be.
struct Reader<'c, 'n> {
    context: &'c Context<'n>,
    settings: RunSettings,
    resolver: Resolver<'n>,
    checks: Vec<CheckSpec>,
}

impl<'n> Reader<'_, 'n> {
    fn knobs(&mut self, raw: &RawManifest<'n>, problems: &mut Problems<'_>) {
        let raw = raw.knobs(problems);
        let folders = &mut self.resolver.folders;
        knobs::resolve(&raw, &mut self.settings, folders, problems);
        if let Some(given) = &raw.env {
            let env = Arc::make_mut(&mut self.resolver.env);
            environment::values("checks_env", given, env, problems);
        }
        self.resolver.formatters(&raw.formatters, problems);
    }

    /// The checks or sensors. Each is read and resolved before the next.
    fn declared(&mut self, raw: &RawManifest<'n>, problems: &mut Problems<'_>) {
        if let Some(span) = &raw.both {
            let hint = "keep one: sensors are checks in another form";
            problems.advise(span, "checks and sensors stand in one file", hint);
        }
        self.tell_harness();
        let checks = raw.checks.as_ref().map_or(&[][..], |list| list.value);
        let sensors = raw.sensors.as_ref().map_or(&[][..], |map| map.value);
        let count = checks.len() + sensors.len();
        self.checks.reserve_exact(count);
        self.resolver.ids.reserve(count);
        let syntax = self.resolver.syntax;
        for node in checks {
            if let Some(raw) = RawCheck::read(node, syntax, problems) {
                self.checks.extend(self.resolver.check(&raw, problems));
            }
        }
        let env = self.sensors_env();
        for entry in sensors {
            if let Some(raw) = RawSensor::read(entry, syntax, problems) {
                let sensor = self.resolver.sensor(&raw, &env, problems);
                self.checks.extend(sensor);
            }
        }
        let empty = (raw
            .checks
            .as_ref()
            .map(|list| &list.span)
            .filter(|_| checks.is_empty()))
        .or(raw
            .sensors
            .as_ref()
            .map(|map| &map.span)
            .filter(|_| sensors.is_empty()))
        .or(raw.nothing.then_some(&raw.span));
        if let Some(span) = empty {
            let example = if raw.knows_checks() && raw.sensors.is_none() {
                syntax.a_check()
            } else {
                syntax.a_sensor()
            };
            problems.advise(span, "no check declared", example);
        }
    }

    fn records(&mut self, tree: &'n Node<'n>, problems: &mut Problems<'_>) {
        let Value::List(nodes) = &tree.value else {
            let is_manifest = ["checks", "sensors"]
                .iter()
                .any(|key| tree.value.get(key).is_some());
            let hint = is_manifest.then(|| "name a manifest with --manifest".to_owned());
            wrong_type_but(tree, "a record file", "a list of records", hint, problems);
            return;
        };
        self.tell_harness();
        for node in nodes {
            if let Some(raw) = RawRecord::read(node, problems) {
                self.checks.extend(self.resolver.record(&raw, problems));
            }
        }
        if nodes.is_empty() {
            let hint = format!("an entry of the list: {}", Syntax::Json.entry());
            problems.advise(&tree.span, "no check declared", hint);
        }
    }

    /// Every check of a harness outside the root hears where that is.
    fn tell_harness(&mut self) {
        if self.context.harness.starts_with(self.context.root) {
            return;
        }
        let harness = self.harness();
        let env = Arc::make_mut(&mut self.resolver.env);
        env.entry("CHECK_HARNESS_DIR".to_owned()).or_insert(harness);
    }

    /// What every sensor gets: its scripts are told where they lie.
    fn sensors_env(&self) -> Arc<BTreeMap<String, String>> {
        let mut env = BTreeMap::clone(&self.resolver.env);
        for name in ["CHECK_HARNESS_DIR", "YNH_HARNESS_DIR"] {
            env.entry(name.to_owned()).or_insert_with(|| self.harness());
        }
        Arc::new(env)
    }

    /// As a variable's value.
    fn harness(&self) -> String {
        self.context.harness.to_string_lossy().into_owned()
    }
}

/// What is told of bytes that are no text, its place in what can be read of them.
fn no_text(fault: EncodingFault, bytes: &[u8], shown: &str) -> Vec<Diagnostic> {
    let Some(offset) = fault.offset else {
        return vec![Diagnostic::of_file(
            shown,
            fault.message,
            Some(fault.hint.into()),
        )];
    };
    let readable = String::from_utf8_lossy(bytes);
    let lines = Lines::new(&readable);
    let mut problems = Problems::new(&lines);
    problems.advise(&place(offset..offset), fault.message, fault.hint);
    problems.into_diagnostics(shown)
}
