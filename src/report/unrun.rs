//! Verdicts of what never ran: a busy root, a bad manifest, a word that names nothing.
//!
//! A program that reads our output gets a whole document on every exit, so these are verdicts
//! like any other, with no checks in them.

use std::fmt;
use std::io;
use std::time::{Duration, SystemTime};

use super::diagnostics;
use super::page::Page;
use crate::model::{
    Bar, BaselineFacts, Diagnostic, Host, Isolation, ManifestFacts, Route, Summary, Tree, Verdict,
    VerdictWord,
};
use crate::text::{Printable, Span};

/// `reason` of a verdict that another run stood in the way of.
const BUSY: &str = "busy";

/// The run that holds the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Busy {
    /// Its process; `None` where it is not known, or would mean another process here.
    pub pid: Option<u32>,
    /// It is in a PID namespace of its own.
    pub elsewhere: bool,
    /// Since when; `None` where it has not said.
    pub age: Option<Duration>,
    /// The check it is in; `None` where it has not said.
    pub check: Option<String>,
}

/// In words; what is not known of it is left out.
impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut facts = Vec::new();
        facts.extend(self.pid.map(|pid| format!("pid {pid}")));
        if self.elsewhere {
            facts.push("in another PID namespace".to_owned());
        }
        facts.extend(self.age.map(|age| format!("for {}", Span(age))));
        facts.extend(self.check.as_ref().map(|check| format!("now in {check}")));
        f.write_str("another check is running here")?;
        match facts.as_slice() {
            [] => Ok(()),
            facts => write!(f, " ({})", facts.join(", ")),
        }
    }
}

/// A verdict of none with no checks in it; the caller fills what it knows (`root`, `notes`).
/// `reason` completes `no verdict: …`.
pub fn empty_verdict(reason: Option<String>, route: Route, now: SystemTime) -> Verdict {
    Verdict {
        version: 1,
        verdict: VerdictWord::None,
        exit_code: VerdictWord::None.exit_code(),
        route,
        reason,
        root: None,
        tree: Tree::default(),
        manifest: ManifestFacts::default(),
        host: Host {
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
        },
        started_at: humantime::format_rfc3339_millis(now).to_string(),
        duration_ms: 0,
        isolation: Isolation {
            mechanism: "none".to_owned(),
            ..Isolation::default()
        },
        summary: Summary::default(),
        checks: Vec::new(),
        baseline: BaselineFacts::default(),
        bar: Bar {
            source: "tree".to_owned(),
            ..Bar::default()
        },
        not_selected: Vec::new(),
        partition: None,
        diagnostics: Vec::new(),
        notes: Vec::new(),
    }
}

/// Another run holds the root.
pub fn busy_verdict(busy: &Busy, now: SystemTime) -> Verdict {
    let mut verdict = empty_verdict(Some(BUSY.to_owned()), Route::Wait, now);
    verdict.notes = vec![
        busy.to_string(),
        "wait for it: check --wait    last verdict: check last".to_owned(),
    ];
    verdict
}

/// A check of this very root started us, so there is no waiting for its end. `outer`: the process
/// that runs it, where that is known.
pub fn nested_verdict(outer: Option<u32>, now: SystemTime) -> Verdict {
    let pid = outer.map_or_else(String::new, |pid| format!(" (pid {pid})"));
    let reason = format!("this root is being checked by an outer run{pid}");
    let mut verdict = empty_verdict(Some(reason), Route::Operator, now);
    let hint = "a check cannot wait for the run that it is part of; take check out of it";
    verdict.notes = vec![hint.to_owned()];
    verdict
}

/// The run was interrupted before its first check.
pub fn interrupted_verdict(signal: &str, now: SystemTime) -> Verdict {
    let reason = format!("interrupted by {signal}");
    empty_verdict(Some(reason), Route::Operator, now)
}

/// The manifest has problems, at least one, in order of place.
pub fn bad_manifest_verdict(problems: Vec<Diagnostic>, now: SystemTime) -> Verdict {
    let reason = format!("{}; nothing was run", diagnostics::count(&problems));
    let mut verdict = empty_verdict(Some(reason), Route::Operator, now);
    verdict.diagnostics = problems;
    verdict
}

/// The command line asks for what there is not; `hints` say what there is, a line each.
pub fn usage_verdict(message: String, hints: Vec<String>, now: SystemTime) -> Verdict {
    let mut verdict = empty_verdict(Some(message), Route::Operator, now);
    verdict.notes = hints;
    verdict
}

/// What completes `no verdict: …` where the checks alone do not say it.
pub(super) fn reason_in_words(verdict: &Verdict) -> Option<&str> {
    match verdict.reason.as_deref() {
        Some(BUSY) => Some(verdict.notes.first().map_or(BUSY, String::as_str)),
        reason => reason,
    }
}

/// All but the last line of a report on what never ran.
pub(super) fn page(page: &mut Page, verdict: &Verdict) -> io::Result<()> {
    diagnostics::write(page, &verdict.diagnostics)?;
    if !verdict.diagnostics.is_empty() {
        page.section();
    }
    let in_last_line = usize::from(verdict.reason.as_deref() == Some(BUSY));
    for hint in verdict.notes.iter().skip(in_last_line) {
        page.line(&format!("  {}", Printable::new(hint)))?;
    }
    Ok(())
}
