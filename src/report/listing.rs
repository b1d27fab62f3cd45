//! What would run, as a table for people and as a document for programs.

use std::io::{self, Write};
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::command::command_line;
use super::header::shown_path;
use super::style::{Detected, Style};
use crate::model::{Category, CheckSpec, ManifestFacts, Pattern, Role, Source, Tolerance};
use crate::text::{Colour, Printable, Span, display_width};

/// What would run.
#[derive(Debug)]
pub struct Listing {
    /// Absolute.
    pub root: String,
    /// See [`ManifestFacts`].
    pub manifest: ManifestFacts,
    /// What detection found, where there is no manifest.
    pub detected: Option<Detected>,
    /// In manifest order.
    pub checks: Vec<CheckSpec>,
    /// Ids of the checks that were left out.
    pub not_selected: Vec<String>,
    /// Ids of the detected targets that run only when they are named.
    pub only_named: Vec<String>,
}

/// One check's columns; the last, its source, is of any width.
const TITLES: [&str; 6] = ["id", "category", "format", "cwd", "timeout", "source"];

/// A table, a row a check. Nothing in it is cut.
pub fn list_human(listing: &Listing, style: &Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let manifest = match (&listing.manifest.path, &listing.detected) {
        (Some(path), _) => Printable::new(path).to_string(),
        (None, Some(detected)) => format!("found {} (no harness.json)", detected.family),
        (None, None) => String::new(),
    };
    let root = shown_path(&listing.root, style.home);
    writeln!(out, "{root}  {manifest}\n")?;
    let rows: Vec<[String; 6]> = listing.checks.iter().map(row).collect();
    let titles = TITLES.map(str::to_owned);
    let mut widths = [0; 6];
    for row in rows.iter().chain([&titles]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = display_width(cell).max(*width);
        }
    }
    // A column in which nothing stands says nothing.
    let empty: Vec<bool> = (0..TITLES.len())
        .map(|column| rows.iter().all(|row| row[column].is_empty()))
        .collect();
    for (i, row) in [&titles].into_iter().chain(&rows).enumerate() {
        let mut line = String::new();
        for ((cell, width), empty) in row.iter().zip(widths).zip(&empty) {
            if *empty {
                continue;
            }
            let padding = " ".repeat(width - display_width(cell));
            line.push_str("  ");
            line.push_str(cell);
            line.push_str(&padding);
        }
        let line = line.trim_end();
        if i == 0 {
            writeln!(out, "{}", style.palette.paint(Colour::Dim, line))?;
        } else {
            writeln!(out, "{line}")?;
        }
    }
    for (ids, why) in [
        (&listing.not_selected, "not selected"),
        (&listing.only_named, "only when named"),
    ] {
        if !ids.is_empty() {
            writeln!(out, "\n{why}: {}", Printable::new(&ids.join(", ")))?;
        }
    }
    Ok(())
}

fn row(check: &CheckSpec) -> [String; 6] {
    let mut source = match &check.source {
        Source::Command { .. } => command_line(&check.argv()),
        Source::Files(fresh) => format!(
            "{} not older than {}",
            Printable::new(&fresh.files.join(" ")),
            Printable::new(&fresh.inputs.join(" "))
        ),
    };
    let marks = marks(check);
    if !marks.is_empty() {
        source.push_str("  [");
        source.push_str(&marks.join(", "));
        source.push(']');
    }
    [
        Printable::new(check.id.as_str()).to_string(),
        check.category.map_or("", Category::word).to_owned(),
        check.output.format.to_owned(),
        Printable::new(&check.cwd).to_string(),
        check.timeout.map(limit).unwrap_or_default(),
        source,
    ]
}

/// Never as nothing at all.
fn limit(limit: Duration) -> String {
    if limit < Duration::from_millis(1) {
        return format!("{limit:?}");
    }
    Span(limit).to_string()
}

/// What sets it apart from a plain check.
fn marks(check: &CheckSpec) -> Vec<&'static str> {
    let marks = [
        (check.tolerance == Tolerance::Advisory, "advisory"),
        (check.tolerance == Tolerance::Report, "report"),
        (check.shot.is_some(), "shot"),
        (
            check.role == Role::ConvergenceVerifier,
            "convergence-verifier",
        ),
        (check.role == Role::StuckRecovery, "stuck-recovery"),
        (check.exclusive, "exclusive"),
    ];
    marks
        .into_iter()
        .filter_map(|(is, mark)| is.then_some(mark))
        .collect()
}

/// One document; names are frozen, more may be added. Written check by check, so that a list of
/// many needs no more memory than one of few.
pub fn list_json(listing: &Listing, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Document::of(listing))?;
    writeln!(out)
}

#[derive(Serialize)]
struct Document<'l> {
    version: u32,
    root: &'l str,
    manifest: &'l ManifestFacts,
    family: Option<&'l str>,
    checks: Entries<'l>,
    not_selected: &'l [String],
    only_named: &'l [String],
}

impl<'l> Document<'l> {
    fn of(listing: &'l Listing) -> Self {
        let detected = listing.detected.as_ref();
        Self {
            version: 1,
            root: &listing.root,
            manifest: &listing.manifest,
            family: detected.map(|detected| detected.family.as_str()),
            checks: Entries(&listing.checks),
            not_selected: &listing.not_selected,
            only_named: &listing.only_named,
        }
    }
}

struct Entries<'l>(&'l [CheckSpec]);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(entry))
    }
}

fn entry(check: &CheckSpec) -> Value {
    let source = match &check.source {
        Source::Command { .. } => json!({"argv": check.argv()}),
        Source::Files(fresh) => json!({"files": fresh.files, "inputs": fresh.inputs}),
    };
    let output = &check.output;
    json!({
        "id": check.id,
        "category": check.category,
        "area": check.area,
        "role": check.role,
        "tolerance": check.tolerance,
        "sensor": check.sensor,
        "source": source,
        "version": check.version,
        "format": output.format,
        "match": output.pattern.as_ref().map(Pattern::as_str),
        "path": output.path,
        "streams": output.streams,
        "claims": output.claims,
        "channel": output.channel,
        "ratchet": check.ratchet,
        "count_on": check.count_on,
        "floor": check.floor,
        "cwd": check.cwd,
        "timeout_ms": check.timeout.map(milliseconds),
        "paths": check.paths,
        "env": check.env.keys().collect::<Vec<_>>(),
        "pass_env": check.pass_env,
        "network": check.network,
        "allow_empty": check.allow_empty,
        "leaks": check.leaks,
        "shards": check.shards,
        "exclusive": check.exclusive,
        "shot": check.shot,
        "declared_at": check.declared_at.as_ref().map(|at| json!({"path": &*at.path, "line": at.line})),
    })
}

/// A whole number, but where a fraction says more.
fn milliseconds(duration: Duration) -> Value {
    match u64::try_from(duration.as_millis()) {
        Ok(whole) if Duration::from_millis(whole) == duration => whole.into(),
        Ok(_) | Err(_) => (duration.as_secs_f64() * 1000.0).into(),
    }
}
