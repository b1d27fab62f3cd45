//! `check baseline tighten`: drops what is fixed and nothing else, so anyone may.

use std::collections::HashMap;
use std::io::{self, Write};

use super::refusal::Refusal;
use super::{Run, id_column, tally};
use crate::cli::judge::Account;
use crate::model::Status;
use crate::ratchet::{Baseline, Baselines, Record, write};
use crate::text::{Printable, plural, thousands};

/// Removes from the baselines what `run` found fixed; the exit code.
pub fn tighten(run: Run<'_>, baselines: &Baselines, out: &mut dyn Write) -> io::Result<u8> {
    let before: u64 = baselines.all().map(Baseline::failures).sum();
    let id = id_column(run.checks.iter().map(|check| check.id.as_str()));
    let mut removed = 0;
    for check in run.checks {
        let account = run
            .accounts
            .iter()
            .find(|account| account.check.as_str() == check.id);
        let Some((account, baseline)) =
            account.and_then(|account| Some((account, baselines.of(&account.check)?)))
        else {
            continue;
        };
        let fixed: Vec<&Record> = of_kind(account, true);
        let count = tally::failures(fixed.iter().copied());
        if count > 0 {
            if let Err(error) = write(run.root, &account.check, without(baseline, &fixed)) {
                let reason = "the baseline could not be written";
                Refusal::new(reason, vec![error.to_string()]).print(out)?;
                return Ok(super::NOT_DONE);
            }
            removed += count;
            let rules = tally::by_rule(fixed);
            writeln!(
                out,
                "  {}  {} fixed, removed: {rules}",
                id(&check.id),
                thousands(count)
            )?;
        }
        let unseen = tally::failures(of_kind(account, false));
        if unseen > 0 {
            let why = match (check.status, &check.reason) {
                (Status::Pass | Status::Known | Status::Fail, _) | (_, None) => String::new(),
                (_, Some(reason)) => format!(" ({})", Printable::new(reason)),
            };
            let unseen = thousands(unseen);
            writeln!(
                out,
                "  {}  {unseen} not seen this time, kept{why}",
                id(&check.id)
            )?;
        }
    }
    let recorded = plural(before, "recorded failure");
    if removed == 0 {
        writeln!(out, "tightened: {recorded}, none of them fixed")?;
    } else {
        writeln!(
            out,
            "tightened: {recorded}, now {}",
            thousands(before - removed)
        )?;
    }
    Ok(super::DONE)
}

fn of_kind(account: &Account, fixed: bool) -> Vec<&Record> {
    let unmet = account.unmet.iter().filter(|unmet| unmet.fixed == fixed);
    unmet.map(|unmet| &unmet.record).collect()
}

/// The records of `baseline`, those of `fixed` taken away as often as they are fixed.
fn without(baseline: &Baseline, fixed: &[&Record]) -> Vec<Record> {
    let gone: HashMap<&str, u64> = fixed
        .iter()
        .map(|record| (record.fingerprint.as_str(), record.count))
        .collect();
    let left = baseline.records().map(|record| Record {
        count: record.count
            - gone
                .get(record.fingerprint.as_str())
                .copied()
                .unwrap_or(0)
                .min(record.count),
        ..record
    });
    left.filter(|record| record.count > 0).collect()
}
