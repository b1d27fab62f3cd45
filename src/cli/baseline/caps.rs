//! Tools that stop counting by themselves, so that a baseline holds less than there is.

use std::collections::BTreeMap;

use crate::cli::judge::Account;
use crate::model::CheckResult;

/// golangci-lint's own `issues.max-issues-per-linter`.
const PER_LINTER: u64 = 50;

/// A note for each check of golangci-lint in which a linter stands at its cap.
pub(super) fn notes(checks: &[CheckResult], accounts: &[Account]) -> Vec<String> {
    let pairs = checks.iter().filter_map(|check| {
        let account = accounts
            .iter()
            .find(|account| account.check.as_str() == check.id)?;
        Some((check, account))
    });
    pairs
        .filter_map(|(check, account)| note(check, account))
        .collect()
}

fn note(check: &CheckResult, account: &Account) -> Option<String> {
    let golangci = account
        .tools
        .iter()
        .any(|tool| tool.starts_with("golangci"))
        || check
            .argv
            .iter()
            .any(|word| word.ends_with("golangci-lint"));
    let lifted = check
        .argv
        .iter()
        .any(|word| word.contains("max-issues-per-linter"));
    if !golangci || lifted {
        return None;
    }
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for record in &account.today {
        if let Some(rule) = &record.rule {
            *counts.entry(rule).or_default() += record.count;
        }
    }
    let capped: Vec<&str> = counts
        .into_iter()
        .filter(|(_, count)| *count == PER_LINTER)
        .map(|(rule, _)| rule)
        .collect();
    let verb = if capped.len() == 1 { "has" } else { "have" };
    (!capped.is_empty()).then(|| {
        format!(
            "note: {} {verb} exactly 50. golangci-lint stops at 50 a linter and 3 a text,\n  \
             so each fix will uncover another. Set issues.max-issues-per-linter and\n  \
             issues.max-same-issues to 0, then record again.",
            capped.join(", ")
        )
    })
}
