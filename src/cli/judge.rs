//! The judge that a run is given: rows go to the ratchet as they stream, facts and rows become
//! results, and what a person may record of them is kept beside.

mod account;
mod result;
mod sink;

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use self::sink::Sink;
use crate::model::{CheckId, CheckResult, CheckSpec, Judge, Limits, RowSink, Status};
use crate::ratchet::{Baseline, Baselines, Comparison, Looked, Places, Recordable};

pub use self::account::Account;

/// What a run is judged by, read before anything starts.
#[derive(Debug)]
pub struct Bench {
    /// The tree under test: absolute, links resolved.
    pub root: PathBuf,
    /// What identity folds away.
    pub places: Places,
    /// The recorded failures; `None` where the caller wants none to count.
    pub baselines: Option<Baselines>,
    /// What each check may use up.
    pub limits: Limits,
    /// Keep every row that counts, for `check baseline record`.
    pub recording: bool,
}

impl Bench {
    fn baseline(&self, check: &CheckId) -> Option<Arc<Baseline>> {
        self.baselines.as_ref()?.of(check).cloned()
    }

    fn comparison(&self, check: &CheckId, baseline: Option<&Baseline>) -> Comparison {
        Comparison::new(check, baseline, |path| is_gone(&self.root, path))
    }
}

/// Judges the checks of one run against one bench.
#[derive(Debug, Clone)]
pub struct TreeJudge {
    bench: Arc<Bench>,
    accounts: Arc<Mutex<Vec<Account>>>,
}

impl TreeJudge {
    /// A judge that has judged nothing yet.
    pub fn new(bench: Bench) -> Self {
        Self {
            bench: Arc::new(bench),
            accounts: Arc::default(),
        }
    }

    /// What was judged since this was last asked, in the order in which the checks ended.
    pub fn accounts(&self) -> Vec<Account> {
        std::mem::take(&mut *self.accounts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, account: Account) {
        self.accounts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(account);
    }
}

impl Judge for TreeJudge {
    fn open(&self, check: &CheckSpec) -> Box<dyn RowSink> {
        Box::new(Sink::new(self.clone(), check.clone()))
    }

    fn not_run(&self, check: &CheckSpec, status: Status, reason: String) -> CheckResult {
        let baseline = self.bench.baseline(&check.id);
        let compared = self
            .bench
            .comparison(&check.id, baseline.as_deref())
            .finish(
                baseline.as_deref(),
                Looked {
                    whole: false,
                    not_built: &[],
                },
            );
        let recordable = match status {
            Status::Skipped => Recordable::Nothing(reason.clone()),
            Status::Pass
            | Status::Fail
            | Status::Known
            | Status::Broken
            | Status::Refused
            | Status::Cancelled => Recordable::No(format!("was not judged: {reason}")),
        };
        let result = result::not_run(check, status, reason, compared.unseen);
        self.keep(Account {
            check: check.id.clone(),
            recordable,
            new: Vec::new(),
            unmet: compared.unmet,
            today: Vec::new(),
            tools: Vec::new(),
        });
        result
    }
}

/// Whether `path`, one from the root, is no longer in the tree.
fn is_gone(root: &Path, path: &str) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    let inside = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    // What lies outside is not ours to look at, and what cannot be looked at is not gone.
    inside
        && std::fs::symlink_metadata(root.join(path))
            .is_err_and(|error| matches!(error.kind(), NotFound | NotADirectory))
}

#[cfg(test)]
mod tests;
