//! `check baseline show`: what is forgiven, a line each.

use std::io::{self, Write};

use super::failures_in_files;
use crate::model::CheckId;
use crate::ratchet::{Baseline, Baselines, Record};
use crate::text::{Printable, plural, thousands};

/// Lists what is forgiven in `checks`; the exit code.
pub fn show(baselines: &Baselines, checks: &[CheckId], out: &mut dyn Write) -> io::Result<u8> {
    let held: Vec<&Baseline> = checks
        .iter()
        .filter_map(|check| baselines.of(check))
        .map(AsRef::as_ref)
        .collect();
    for baseline in &held {
        let count = failures_in_files(baseline.failures(), baseline.files());
        writeln!(
            out,
            "{}: {count}",
            Printable::new(baseline.check().as_str())
        )?;
        for record in baseline.records() {
            writeln!(out, "{}", row(&record))?;
        }
        writeln!(out)?;
    }
    let failures = held.iter().map(|baseline| baseline.failures()).sum();
    if held.is_empty() {
        writeln!(out, "nothing is recorded: every failure blocks")?;
    } else {
        let checks = plural(held.len() as u64, "check");
        let failures = plural(failures, "failure");
        writeln!(out, "{failures} in {checks} recorded: these do not block")?;
    }
    Ok(super::DONE)
}

/// `path: test: message (rule) (2 times)`.
fn row(record: &Record) -> String {
    let mut parts: Vec<String> = Vec::new();
    let message = record
        .message
        .as_deref()
        .and_then(|message| message.lines().next());
    for part in [record.path.as_deref(), record.test.as_deref(), message] {
        parts.extend(part.map(|text| Printable::new(text).to_string()));
    }
    let rule = record
        .rule
        .as_deref()
        .map(|rule| format!(" ({})", Printable::new(rule)));
    let times = (record.count > 1).then(|| format!(" ({} times)", thousands(record.count)));
    format!(
        "  {}{}{}",
        parts.join(": "),
        rule.unwrap_or_default(),
        times.unwrap_or_default()
    )
}
