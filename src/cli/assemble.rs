//! From results to the verdict: the table of exit codes, in one pure function.

use super::judge::Account;
use crate::model::{
    Bar, BaselineFacts, CheckResult, Diagnostic, Host, Isolation, ManifestFacts, Route, Status,
    Summary, Tree, Verdict, VerdictWord,
};
use crate::ratchet::Fingerprint;
use crate::report::link_also;
use crate::text::sha256_hex;

/// What is known of a run beside its results.
#[derive(Debug, Clone)]
pub struct RunFacts {
    /// Absolute.
    pub root: String,
    /// See [`Tree`].
    pub tree: Tree,
    /// See [`ManifestFacts`].
    pub manifest: ManifestFacts,
    /// See [`Host`].
    pub host: Host,
    /// RFC 3339, UTC, milliseconds.
    pub started_at: String,
    /// The whole run.
    pub duration_ms: u64,
    /// See [`Bar`].
    pub bar: Bar,
    /// Relative to the root; `None` where there is no baseline or none counts.
    pub baseline_path: Option<String>,
    /// Ids of checks that were not selected.
    pub not_selected: Vec<String>,
    /// `i/n`.
    pub partition: Option<String>,
    /// Problems in files that people wrote.
    pub diagnostics: Vec<Diagnostic>,
    /// Sentences worth a reader's time.
    pub notes: Vec<String>,
    /// The signal that interrupted the run, for example `SIGTERM`.
    pub interrupted: Option<String>,
    /// Why a run that would pass has no verdict all the same, for example because the baseline
    /// was changed while the checks ran. A failure stays a failure.
    pub spoiled: Option<String>,
}

/// The verdict on `checks`, which stand in manifest order.
pub fn assemble(
    mut checks: Vec<CheckResult>,
    accounts: &[Account],
    mut facts: RunFacts,
) -> Verdict {
    link_also(&mut checks);
    let (verdict, reason) = decide(&checks, &facts);
    // Named also where it is not what decided.
    facts.notes.extend(
        facts
            .spoiled
            .take_if(|spoiled| Some(&*spoiled) != reason.as_ref()),
    );
    let summary = summarise(&checks, accounts);
    Verdict {
        version: 1,
        verdict,
        exit_code: verdict.exit_code(),
        route: match verdict {
            VerdictWord::Passed => Route::Pass,
            VerdictWord::Failed => Route::Repair,
            VerdictWord::None => Route::Operator,
        },
        reason,
        root: Some(facts.root),
        tree: facts.tree,
        manifest: facts.manifest,
        host: facts.host,
        started_at: facts.started_at,
        duration_ms: facts.duration_ms,
        isolation: isolation_of_all(&checks),
        baseline: BaselineFacts {
            path: facts.baseline_path,
            known: summary.known_failures,
            fixed: summary.fixed,
        },
        summary,
        checks,
        bar: facts.bar,
        not_selected: facts.not_selected,
        partition: facts.partition,
        diagnostics: facts.diagnostics,
        notes: facts.notes,
    }
}

/// The word, and why where the checks alone do not say it.
fn decide(checks: &[CheckResult], facts: &RunFacts) -> (VerdictWord, Option<String>) {
    if let Some(signal) = &facts.interrupted {
        return (VerdictWord::None, Some(format!("interrupted by {signal}")));
    }
    if checks.is_empty() {
        let reason = match facts.not_selected.len() {
            0 => "no check is declared",
            _ => "no check was selected",
        };
        return (VerdictWord::None, Some(reason.to_owned()));
    }
    let any = |statuses: &[Status]| {
        let mut gating = checks.iter().filter(|check| check.gates());
        gating.any(|check| statuses.contains(&check.status))
    };
    if any(&[Status::Fail]) {
        return (VerdictWord::Failed, None);
    }
    if let Some(reason) = &facts.spoiled {
        return (VerdictWord::None, Some(reason.clone()));
    }
    if any(&[Status::Broken, Status::Refused, Status::Cancelled]) {
        return (VerdictWord::None, None);
    }
    if !any(&[Status::Pass, Status::Known]) {
        return (
            VerdictWord::None,
            Some("no blocking check was judged".to_owned()),
        );
    }
    (VerdictWord::Passed, None)
}

fn summarise(checks: &[CheckResult], accounts: &[Account]) -> Summary {
    let mut summary = Summary {
        checks: checks.len() as u64,
        new_digest: new_digest(accounts),
        ..Summary::default()
    };
    for check in checks {
        let count = match check.status {
            Status::Pass => &mut summary.pass,
            Status::Fail => &mut summary.fail,
            Status::Known => &mut summary.known,
            Status::Broken => &mut summary.broken,
            Status::Refused => &mut summary.refused,
            Status::Skipped => &mut summary.skipped,
            Status::Cancelled => &mut summary.cancelled,
        };
        *count += 1;
        if check.status == Status::Fail && !check.gates() {
            summary.advisory += 1;
        }
        summary.new += check.new;
        summary.known_failures += check.known;
        summary.fixed += check.fixed;
        summary.unseen += check.unseen;
    }
    summary
}

/// SHA-256 over the new fingerprints of all checks, sorted, a line each. Two runs with one digest
/// failed in the same new ways.
fn new_digest(accounts: &[Account]) -> Option<String> {
    let mut new: Vec<Fingerprint> = accounts
        .iter()
        .flat_map(|account| account.new.iter().copied())
        .collect();
    if new.is_empty() {
        return None;
    }
    new.sort_unstable();
    let lines: Vec<String> = new.iter().map(Fingerprint::to_string).collect();
    Some(sha256_hex(format!("{}\n", lines.join("\n")).as_bytes()))
}

/// What every launched check had: a property holds where it held for each.
fn isolation_of_all(checks: &[CheckResult]) -> Isolation {
    let mut launched = checks
        .iter()
        .map(|check| &check.isolation)
        .filter(|isolation| !matches!(isolation.mechanism.as_str(), "none" | ""));
    let Some(first) = launched.next() else {
        return Isolation {
            mechanism: "none".to_owned(),
            ..Isolation::default()
        };
    };
    launched.fold(
        Isolation {
            unit: None,
            ..first.clone()
        },
        |all, one| Isolation {
            contained: all.contained && one.contained,
            limits: all.limits && one.limits,
            network: all.network && one.network,
            home: all.home && one.home,
            read_only: all.read_only && one.read_only,
            note: all.note.or_else(|| one.note.clone()),
            step: all.step.or_else(|| one.step.clone()),
            mechanism: all.mechanism,
            unit: None,
        },
    )
}

#[cfg(test)]
mod tests;
