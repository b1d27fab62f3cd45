//! A check that runs nothing: artefacts must be there, and not be older than what they are made
//! from. What it finds are rows like any other's, so that the ratchet judges them.
//!
//! An artefact has one row for each input that is newer: were there one for all of them, an input
//! that changes later would hide behind the one that was recorded.

mod by_history;
mod by_time;
mod globs;
mod missing;
mod rows;
mod unseen;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{
    CheckResult, CheckSpec, Evidence, Freshness, Isolation, Judge as _, Outcome, Source,
    Termination,
};
use crate::run::{Leash, Look};
use crate::vcs::{Git, Repository};

use super::judge::TreeJudge;

use self::globs::Globs;
use self::rows::Rows;
use self::unseen::Unseen;

/// The name that its rows go by.
const TOOL: &str = "freshness";

/// Where it is looked.
#[derive(Debug, Clone)]
pub struct Ground {
    /// Absolute, links resolved.
    pub root: PathBuf,
    /// The repository that the root is in.
    pub repository: Option<Repository>,
}

/// What a look found, beside rows.
struct Looked {
    /// How many artefacts there are.
    artefacts: u64,
    notes: Vec<String>,
}

/// What is to be done for `check` in its turn; `None` where it launches something.
pub fn look(check: &CheckSpec, ground: &Ground, judge: &TreeJudge) -> Option<Look> {
    let Source::Files(declared) = &check.source else {
        return None;
    };
    let (declared, check) = (declared.clone(), check.clone());
    let (ground, judge) = (ground.clone(), judge.clone());
    Some(Arc::new(move |leash: &Leash| {
        judged(&check, &declared, &ground, &judge, leash)
    }))
}

/// Looks, and judges what is seen.
fn judged(
    check: &CheckSpec,
    declared: &Freshness,
    ground: &Ground,
    judge: &TreeJudge,
    leash: &Leash,
) -> CheckResult {
    let mut sink = judge.open(check);
    let mut rows = Rows::new(leash, sink.as_mut());
    let looked = seen(declared, ground, leash, &mut rows);
    let rows = rows.count();
    let mut outcome = Outcome::new(Termination::Exited, None);
    outcome.isolation = Isolation {
        mechanism: "none".to_owned(),
        ..Isolation::default()
    };
    outcome.findings.errors = rows;
    match looked {
        Ok(looked) => {
            outcome.findings.evidence = Some(Evidence {
                ran: Some(looked.artefacts),
                failed: Some(rows),
                ..Evidence::default()
            });
            outcome.notes = looked.notes;
        }
        Err(Unseen::Over) => (outcome.termination, outcome.limit) = leash.end(),
        Err(Unseen::Broken(broken)) => outcome.broken = Some(broken),
    }
    sink.end(outcome)
}

/// By the history of the repository, or without one by the files' times.
fn seen(
    declared: &Freshness,
    ground: &Ground,
    leash: &Leash,
    rows: &mut Rows<'_>,
) -> Result<Looked, Unseen> {
    let globs = Globs::new(declared)?;
    let root: &Path = &ground.root;
    let Some(repository) = &ground.repository else {
        return by_time::look(&globs, root, leash, rows);
    };
    // A tree that git cannot be asked about is not one without history: by time, a fresh
    // checkout would be in any order.
    let Some(git) = Git::find(std::env::vars_os()) else {
        return Err(Unseen::broken(
            "git is not on PATH, and the history of files is asked of it",
            &["install git"],
        ));
    };
    by_history::look(&globs, root, repository, &git, leash, rows)
}
