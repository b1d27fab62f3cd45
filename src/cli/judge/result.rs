//! A result from facts and judgement: no decision is taken here.

use crate::model::{
    CheckResult, CheckSpec, Exit, ExitFact, JudgedFailure, Outcome, Status, StreamsTruncated,
    Termination,
};
use crate::ratchet::{Judgement, Tally, signal_name};
use crate::text::readable;

/// The rows of a check, counted and chosen.
pub(super) struct Rows {
    /// To be shown.
    pub(super) shown: Vec<JudgedFailure>,
    /// Those that count.
    pub(super) counted: Tally,
    /// Recorded failures that are gone.
    pub(super) fixed: u64,
    /// Recorded failures that were not looked at.
    pub(super) unseen: u64,
}

/// The result of a check that was launched, or was to be.
pub(super) fn ended(
    spec: &CheckSpec,
    outcome: Outcome,
    judgement: Judgement,
    rows: Rows,
) -> CheckResult {
    let mut notes = outcome.notes;
    notes.extend(outcome.findings.notes);
    notes.extend(judgement.notes);
    CheckResult {
        env: outcome.env,
        exit: outcome.exit.map(|exit| match exit {
            Exit::Code(code) => ExitFact::Code(code),
            Exit::Signal(signal) => ExitFact::Signal(signal_name(signal)),
        }),
        termination: outcome.termination,
        duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        isolation: outcome.isolation,
        streams: outcome.streams,
        evidence: outcome.findings.evidence,
        failures: rows.shown,
        failures_total: rows.counted.rows(),
        new: rows.counted.new,
        known: rows.counted.known,
        fixed: rows.fixed,
        leaks: outcome.leaks,
        stdout_tail: readable(&outcome.stdout.bytes),
        stderr_tail: readable(&outcome.stderr.bytes),
        truncated: StreamsTruncated {
            stdout: outcome.stdout.truncated,
            stderr: outcome.stderr.truncated,
        },
        log: None,
        notes,
        details: judgement.details,
        reason: judgement.reason,
        unseen: rows.unseen,
        ..CheckResult::new(spec, judgement.status)
    }
}

/// The result of a check that was never launched.
pub(super) fn not_run(
    spec: &CheckSpec,
    status: Status,
    reason: String,
    unseen: u64,
) -> CheckResult {
    let termination = match status {
        Status::Refused => Termination::Refused,
        Status::Pass
        | Status::Fail
        | Status::Known
        | Status::Broken
        | Status::Skipped
        | Status::Cancelled => Termination::NotRun,
    };
    CheckResult {
        reason: Some(reason),
        termination,
        unseen,
        ..CheckResult::new(spec, status)
    }
}
