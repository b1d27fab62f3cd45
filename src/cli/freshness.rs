//! A check that runs nothing: artefacts must be there, and not be older than what they are made
//! from. What it finds are rows like any other's, so that the ratchet judges them.
//!
//! An artefact has one row for each input that is newer: were there one for all of them, an input
//! that changes later would hide behind the one that was recorded.

mod by_history;
mod by_time;
mod globs;
mod missing;
mod walk;

use std::path::Path;
use std::time::Instant;

use crate::model::{
    Broken, CheckResult, CheckSpec, Evidence, Failure, Freshness, Isolation, Judge, Outcome,
    Termination,
};
use crate::vcs::{Git, Repository};

use self::globs::Globs;

/// The name that its rows go by.
const TOOL: &str = "freshness";

/// Where it is looked.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    /// Absolute, links resolved.
    pub root: &'a Path,
    /// The repository that the root is in.
    pub repository: Option<&'a Repository>,
}

/// What a look found, beside rows.
struct Looked {
    /// How many artefacts there are.
    artefacts: u64,
    notes: Vec<String>,
}

/// Looks, and judges what is seen.
pub fn judged(
    check: &CheckSpec,
    declared: &Freshness,
    ground: Ground<'_>,
    judge: &dyn Judge,
) -> CheckResult {
    let begun = Instant::now();
    let mut sink = judge.open(check);
    let mut rows = 0;
    let looked = look(declared, ground, &mut |row| {
        rows += 1;
        sink.row(row);
    });
    let mut outcome = Outcome::new(Termination::Exited, None);
    outcome.isolation = Isolation {
        mechanism: "none".to_owned(),
        ..Isolation::default()
    };
    match looked {
        Ok(looked) => {
            outcome.findings.errors = rows;
            outcome.findings.evidence = Some(Evidence {
                ran: Some(looked.artefacts),
                failed: Some(rows),
                ..Evidence::default()
            });
            outcome.notes = looked.notes;
        }
        Err(broken) => outcome.broken = Some(broken),
    }
    outcome.duration = begun.elapsed();
    sink.end(outcome)
}

/// By the history of the repository, or without one by the files' times.
fn look(
    declared: &Freshness,
    ground: Ground<'_>,
    rows: &mut dyn FnMut(Failure),
) -> Result<Looked, Broken> {
    let globs = Globs::new(declared)?;
    let Some(repository) = ground.repository else {
        return by_time::look(&globs, ground.root, rows);
    };
    // A tree that git cannot be asked about is not one without history: by time, a fresh
    // checkout would be in any order.
    let Some(git) = Git::find(std::env::vars_os()) else {
        return Err(Broken {
            reason: "git is not on PATH, and the history of files is asked of it".to_owned(),
            details: vec!["install git".to_owned()],
        });
    };
    by_history::look(&globs, ground.root, repository, &git, rows)
}

/// A row about the file at `path`.
fn row(path: impl Into<String>, message: impl Into<String>) -> Failure {
    Failure {
        path: Some(path.into()),
        ..Failure::new(TOOL, message)
    }
}
