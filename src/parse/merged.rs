//! What the parsers of one check found, as one.

use crate::model::{Evidence, Findings};

use super::parser::{Tally, add_folder};

/// What several parsers found, as one.
#[derive(Debug, Default)]
pub(super) struct Merged {
    evidence: Evidence,
    /// Some parser that gives evidence read something.
    any: bool,
    /// Some runner ran tests; some says that it ran none.
    ran_some: bool,
    ran_none: bool,
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0) + more);
    }
}

impl Merged {
    pub(super) fn add(&mut self, name: &'static str, tally: Tally, findings: &mut Findings) {
        for folder in &tally.not_built {
            add_folder(&mut findings.not_built, folder);
        }
        findings.notes.extend(tally.notes);
        if findings.environment.is_none() {
            findings.environment = tally.environment;
        }
        if !tally.seen {
            return;
        }
        if !findings.formats.contains(&name) {
            findings.formats.push(name);
        }
        self.any |= [tally.ran, tally.failed, tally.skipped, tally.claimed]
            .iter()
            .any(Option::is_some);
        add(&mut self.evidence.ran, tally.ran);
        add(&mut self.evidence.failed, tally.failed);
        add(&mut self.evidence.skipped, tally.skipped);
        add(&mut self.evidence.claimed, tally.claimed);
        self.evidence.stopped_early |= tally.stopped_early;
        match tally.nothing_ran {
            Some(true) => self.ran_none = true,
            Some(false) => self.ran_some = true,
            None => {}
        }
    }

    pub(super) fn settle(mut self, left_out: u64, findings: &mut Findings) {
        if self.ran_none && !self.ran_some && findings.errors == 0 && left_out == 0 {
            findings.nothing_ran = Some("0 tests".to_owned());
        }
        // What the manifest leaves out on purpose is accounted for.
        self.evidence.claimed = self
            .evidence
            .claimed
            .map(|claimed| claimed.saturating_sub(left_out));
        if self.any || self.evidence.stopped_early {
            findings.evidence = Some(self.evidence);
        }
    }
}
