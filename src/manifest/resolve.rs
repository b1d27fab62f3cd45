//! From a file's bytes to a [`Manifest`], or to everything that is wrong with them.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::check::Resolver;
use super::cwd::Folders;
use super::environment;
use super::knobs;
use super::problems::{Problems, of_file};
use super::raw::{RawCheck, RawManifest};
use super::syntax::Syntax;
use super::{Context, Manifest, Source};
use crate::model::Diagnostic;
use crate::text::{EncodingFault, Lines, decode};

/// Reads `source`, the bytes of `file` (whose name says whether they are JSON or TOML).
pub fn parse(
    source: &Source,
    file: &Path,
    context: &Context<'_>,
) -> Result<Manifest, Vec<Diagnostic>> {
    let text = match decode(&source.bytes) {
        Ok(text) => text,
        Err(fault) => return Err(no_text(fault, &source.bytes, context.shown)),
    };
    let lines = Lines::new(text);
    let mut problems = Problems::new(&lines);
    let syntax = Syntax::of(file);
    let tree = syntax.parse(text, &mut problems);
    let manifest = tree
        .as_ref()
        .and_then(|tree| RawManifest::read(tree, syntax, &mut problems))
        .map(|raw| resolve(&raw, syntax, context, &mut problems));
    match manifest {
        Some(manifest) if problems.is_empty() => Ok(manifest),
        _ => Err(problems.into_diagnostics(context.shown)),
    }
}

fn resolve(
    raw: &RawManifest<'_>,
    syntax: Syntax,
    context: &Context<'_>,
    problems: &mut Problems<'_>,
) -> Manifest {
    let mut settings = context.host.default_settings(context.root);
    knobs::resolve(&raw.knobs, &mut settings, problems);
    let mut env = BTreeMap::new();
    environment::values("checks_env", raw.knobs.env.as_ref(), &mut env, problems);
    if let Some(span) = &raw.sensors {
        problems.advise(
            span,
            "sensors: not yet, this version reads checks alone",
            "use checks",
        );
    }
    let mut resolver = Resolver {
        syntax,
        shown: context.shown,
        formats: context.known_formats,
        folders: Folders::new(context.root),
        env,
        ids: HashMap::new(),
    };
    let declared = raw.checks.as_ref().map_or(&[][..], |list| list.value);
    let mut checks = Vec::with_capacity(declared.len());
    for node in declared {
        if let Some(raw) = RawCheck::read(node, syntax, problems) {
            checks.extend(resolver.resolve(&raw, problems));
        }
    }
    if raw.nothing_declared {
        let example = [
            syntax.pair("id", "\"test\""),
            syntax.pair("executable", "\"go\""),
            syntax.pair("args", "[\"test\", \"./...\"]"),
        ]
        .join(", ");
        let span = raw.checks.as_ref().map_or(&raw.span, |list| &list.span);
        problems.advise(
            span,
            "no check declared",
            format!("an entry of checks: {{{example}}}"),
        );
    }
    Manifest { checks, settings }
}

/// What is told of bytes that are no text, its place in what can be read of them.
fn no_text(fault: EncodingFault, bytes: &[u8], shown: &str) -> Vec<Diagnostic> {
    let Some(offset) = fault.offset else {
        return vec![of_file(shown, fault.message, Some(fault.hint))];
    };
    let readable = String::from_utf8_lossy(bytes);
    let lines = Lines::new(&readable);
    let mut problems = Problems::new(&lines);
    problems.advise(&(offset..offset), fault.message, fault.hint);
    problems.into_diagnostics(shown)
}
