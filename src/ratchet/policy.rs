//! The one place where facts become a status.
//!
//! Order matters and is the reading order below: what could not be judged, what was called off,
//! what ended violently, then exit 0 and its claims, then any other exit code and its rows.
//! A pass needs exit 0 and no claim against it; nothing else comes to one, but a test runner that
//! says itself that it ran nothing, where the manifest allows that.

use super::compare::{MAX_ROWS, Tally};
use super::judgement::{Facts, Judgement, Recordable};
use super::last_lines::last_lines;
use super::signal::signal_name;
use super::wording::{bytes, limit};
use crate::model::{
    CheckSpec, Claims, EnvironmentFailure, Evidence, Exit, Leak, Leaks, Level, Outcome, Source,
    Status, Termination,
};
use crate::text::{one_line, plural, thousands};

/// Whether the check looked at all it looks at, so that what is missing from its rows is gone:
/// it ended by itself with a code, its own numbers add up to its rows, and a failure names rows.
/// A look at files has no code, and names what it finds.
pub fn ran_whole(spec: &CheckSpec, outcome: &Outcome, errors: u64, warnings: u64) -> bool {
    let evidence = outcome.findings.evidence.clone().unwrap_or_default();
    let code = match (&spec.source, outcome.termination, outcome.exit) {
        (Source::Files(_), Termination::Exited, _) => 0,
        (Source::Command { .. }, Termination::Exited, Some(Exit::Code(code))) => code,
        _ => return false,
    };
    outcome.broken.is_none()
        && errors + warnings <= MAX_ROWS
        && !evidence.stopped_early
        && outcome.findings.nothing_ran.is_none()
        && claimed(&evidence) <= if errors > 0 { errors } else { warnings }
        && (code == 0 || errors + warnings > 0)
}

/// Turns facts into a judgement.
pub fn judge(facts: &Facts<'_>) -> Judgement {
    let mut judgement = unlaunched(facts).unwrap_or_else(|| {
        let outcome = facts.outcome;
        match (&facts.spec.source, outcome.termination, outcome.exit) {
            (Source::Files(_), Termination::Exited, _) => looked_at(facts),
            (_, Termination::Exited, Some(Exit::Code(0))) => exit_zero(facts),
            (_, Termination::Exited, Some(Exit::Code(code))) => exit_code(facts, code),
            _ => violent(facts),
        }
    });
    leaks(facts, &mut judgement);
    if judgement.status == Status::Fail && new(facts, judgement.gates) == 0 {
        judgement.made.clone_from(&judgement.reason);
    }
    let beside = match judgement.gates {
        Some(Level::Error) => facts.warnings.rows(),
        Some(Level::Warning) | None => 0,
    };
    if beside > 0 {
        let verb = if beside == 1 { "does" } else { "do" };
        judgement.notes.push(format!(
            "{} beside the errors {verb} not count",
            plural(beside, "warning")
        ));
    }
    judgement
}

/// What says nothing of the tree, or could not be judged however it ended.
fn unlaunched(facts: &Facts<'_>) -> Option<Judgement> {
    let outcome = facts.outcome;
    let broken = outcome.broken.clone();
    let reason = |fallback: &str| {
        broken
            .as_ref()
            .map_or(fallback.to_owned(), |broken| broken.reason.clone())
    };
    match outcome.termination {
        Termination::Refused => {
            return Some(Judgement {
                details: broken
                    .as_ref()
                    .map(|broken| broken.details.clone())
                    .unwrap_or_default(),
                ..Judgement::unjudged(Status::Refused, reason("not allowed to run"))
            });
        }
        Termination::NotRun => {
            return Some(Judgement::unjudged(Status::Cancelled, reason("not run")));
        }
        Termination::Exited
        | Termination::TimedOut
        | Termination::Signalled
        | Termination::KilledForMemory
        | Termination::OutputLimit
        | Termination::Interrupted
        | Termination::FailFast
        | Termination::SpawnFailed => {}
    }
    if let Some(broken) = broken {
        return Some(Judgement::broken(broken.reason, broken.details));
    }
    match outcome.termination {
        Termination::SpawnFailed => Some(Judgement::broken(
            "it could not be started".to_owned(),
            Vec::new(),
        )),
        Termination::Interrupted => {
            let reason = match outcome.limit {
                Some(time) => format!("the run's limit of {} ran out", limit(time)),
                None => "interrupted".to_owned(),
            };
            Some(Judgement::unjudged(Status::Cancelled, reason))
        }
        Termination::FailFast => {
            let reason = "ended by --fail-fast: another check failed";
            Some(Judgement::unjudged(Status::Cancelled, reason.to_owned()))
        }
        Termination::Exited
        | Termination::TimedOut
        | Termination::Signalled
        | Termination::KilledForMemory
        | Termination::OutputLimit
        | Termination::Refused
        | Termination::NotRun => facts.too_many.then(|| {
            let reason = format!("it printed more than {} failures", thousands(MAX_ROWS));
            Judgement::broken(
                reason,
                vec!["narrow what it looks at, or split it into several checks".to_owned()],
            )
        }),
    }
}

/// An end that was not the check's own code. The tree may be why, and no baseline excuses it.
fn violent(facts: &Facts<'_>) -> Judgement {
    let outcome = facts.outcome;
    let reason = match (outcome.termination, outcome.exit) {
        (Termination::TimedOut, _) => match outcome.limit {
            Some(time) => format!("timed out after {}", limit(time)),
            None => "timed out".to_owned(),
        },
        (Termination::KilledForMemory, _) => {
            let memory = bytes(facts.limits.memory_bytes);
            format!("killed for memory at {memory} (checks_max_memory_bytes)")
        }
        (Termination::OutputLimit, _) => match facts.limits.output_bytes {
            Some(most) => format!(
                "printed more than {} (checks_max_output_bytes)",
                bytes(most)
            ),
            None => "printed more than it may (checks_max_output_bytes)".to_owned(),
        },
        (_, Some(Exit::Signal(signal))) => format!("killed by {}", signal_name(signal)),
        _ => return Judgement::broken("how it ended is not known".to_owned(), Vec::new()),
    };
    let recordable = Recordable::No(reason.clone());
    Judgement {
        gates: rows_of_a_failure(facts),
        ..Judgement::new(Status::Fail, reason, recordable)
    }
}

/// Nothing was launched: what the look at its files found is all there is.
fn looked_at(facts: &Facts<'_>) -> Judgement {
    let gates = rows_of_a_failure(facts);
    if gates.is_none() {
        return Judgement::pass();
    }
    with_rows(facts, gates, "not fresh".to_owned())
}

fn exit_zero(facts: &Facts<'_>) -> Judgement {
    let evidence = evidence(facts);
    let claim = claimed(&evidence);
    if claim > 0 {
        let said = format!(
            "exit code 0, but the report says {} failed",
            thousands(claim)
        );
        if facts.spec.output.claims == Claims::Note {
            return Judgement {
                notes: vec![said],
                ..Judgement::pass()
            };
        }
        let gates = (facts.errors.rows() > 0).then_some(Level::Error);
        return with_rows(facts, gates, said);
    }
    match &facts.outcome.findings.nothing_ran {
        Some(how) => nothing_ran(facts, how, true),
        None => Judgement::pass(),
    }
}

fn exit_code(facts: &Facts<'_>, code: i32) -> Judgement {
    let gates = rows_of_a_failure(facts);
    if gates.is_some() {
        return with_rows(facts, gates, format!("exit status {code}"));
    }
    let findings = &facts.outcome.findings;
    if let Some(environment) = &findings.environment {
        return Judgement::broken(environment.reason.clone(), steps(environment, facts));
    }
    // pytest's own word for an empty collection; any other code may be a crash.
    let empty_by_code = code == 5 && findings.formats.contains(&"pytest");
    if let Some(how) = findings.nothing_ran.as_ref().filter(|_| empty_by_code) {
        return nothing_ran(facts, how, true);
    }
    if code > 1 && facts.spec.sensor && facts.spec.output.pattern.is_some() {
        return cannot_judge(facts, code);
    }
    match code {
        126 => {
            return Judgement::broken(
                "exit 126: a command that it runs cannot be executed".to_owned(),
                vec!["make that command executable".to_owned()],
            );
        }
        127 => {
            return Judgement::broken(
                "exit 127: a command that it runs was not found".to_owned(),
                vec!["install what is missing; its output names it".to_owned()],
            );
        }
        _ => {}
    }
    if let Some(how) = &findings.nothing_ran {
        return nothing_ran(facts, how, false);
    }
    let reason = format!("exit status {code}");
    let recordable = Recordable::No(format!(
        "{reason}, and no failure could be read from its output"
    ));
    Judgement::new(Status::Fail, reason, recordable)
}

/// A sensor that knows what its findings look like, has none, and does not say 1 for "found some"
/// either: it says that it cannot judge, and its last words say why.
fn cannot_judge(facts: &Facts<'_>, code: i32) -> Judgement {
    let mut words = last_lines(facts.outcome);
    let said = words.last().map(|line| one_line(line.as_bytes()));
    let reason = said.unwrap_or_else(|| format!("exit status {code}, and it says nothing"));
    let mut details = vec![format!(
        "exit status {code} and no line that matches: the sensor says that it cannot judge"
    )];
    if words.len() > 1 {
        details.append(&mut words);
    }
    Judgement::broken(reason, details)
}

/// What to do before the check can run.
fn steps(environment: &EnvironmentFailure, facts: &Facts<'_>) -> Vec<String> {
    let closed = environment.network && facts.outcome.isolation.network;
    let once = environment.hint.as_ref().map(|step| {
        if closed {
            format!("checks have no network. Run this once, then check again:  {step}")
        } else {
            format!("run this once, then check again:  {step}")
        }
    });
    let declared = facts.spec.declared_at.as_ref().filter(|_| closed);
    let open = declared.map(|at| {
        let at = &at.path;
        format!("or let this check have the host's:  \"network\": \"host\" in {at}")
    });
    once.into_iter().chain(open).collect()
}

/// A failure that names rows, or claims some: known only where every row is recorded and none
/// is missing.
fn with_rows(facts: &Facts<'_>, gates: Option<Level>, without_rows: String) -> Judgement {
    let evidence = evidence(facts);
    let tally = tally(facts, gates);
    let claim = claimed(&evidence);
    let bar = if claim > tally.rows() {
        let read = match tally.rows() {
            0 => "none could be read".to_owned(),
            rows => format!("only {} could be read", thousands(rows)),
        };
        Some(format!(
            "the report says {} failed, {read}",
            thousands(claim)
        ))
    } else if evidence.stopped_early {
        Some("it stopped early, so there may be more".to_owned())
    } else {
        None
    };
    let recordable = bar.clone().map_or(Recordable::Rows, Recordable::No);
    let counted = counts(tally, facts.fixed);
    if bar.is_none() && tally.new == 0 && tally.known > 0 {
        return Judgement {
            gates,
            ..Judgement::new(Status::Known, counted, Recordable::Rows)
        };
    }
    let from_zero = matches!(facts.outcome.exit, Some(Exit::Code(0)));
    let mut notes = Vec::new();
    let reason = if from_zero || (tally.rows() == 0 && bar.is_none()) {
        notes.extend(bar.filter(|_| tally.rows() > 0));
        without_rows
    } else if tally.new > 0 {
        notes.extend(bar);
        counted
    } else {
        bar.unwrap_or(counted)
    };
    Judgement {
        gates,
        notes,
        ..Judgement::new(Status::Fail, reason, recordable)
    }
}

fn counts(tally: Tally, fixed: u64) -> String {
    let rows = match (tally.new, tally.known) {
        (0, known) => format!("known ({})", thousands(known)),
        (new, 0) => format!("{} new", thousands(new)),
        (new, known) => format!("{} new, {} known", thousands(new), thousands(known)),
    };
    match fixed {
        0 => rows,
        fixed => format!("{rows}, {} fixed", thousands(fixed)),
    }
}

/// A test runner that says it ran no test. `certain`: its exit code says the same.
fn nothing_ran(facts: &Facts<'_>, how: &str, certain: bool) -> Judgement {
    if facts.spec.allow_empty && certain {
        return Judgement {
            notes: vec!["no tests ran, as allow_empty permits".to_owned()],
            ..Judgement::pass()
        };
    }
    if facts.spec.detected && certain {
        return Judgement::skipped("no tests found".to_owned());
    }
    let reason = format!("nothing ran: 0 tests ({})", facts.spec.argv().join(" "));
    let hint = "point it at tests, or set \"allow_empty\": true if there may be none";
    Judgement::broken(reason, vec![how.to_owned(), hint.to_owned()])
}

/// Under `"leaks": "fail"` a process that outlived its check is a failure of its own.
fn leaks(facts: &Facts<'_>, judgement: &mut Judgement) {
    if facts.outcome.leaks.is_empty() {
        return;
    }
    let said = left_running(&facts.outcome.leaks);
    let judged = matches!(
        judgement.status,
        Status::Pass | Status::Known | Status::Skipped
    );
    if facts.spec.leaks == Leaks::Fail && judged {
        judgement.status = Status::Fail;
        judgement.recordable = Recordable::No(said.clone());
        judgement.reason = Some(said);
    } else {
        if facts.spec.leaks == Leaks::Fail && judgement.recordable == Recordable::Rows {
            judgement.recordable = Recordable::No(said.clone());
        }
        judgement.notes.push(said);
    }
}

/// `left running and ended: sleep 300 (pid 4121)`.
fn left_running(leaks: &[Leak]) -> String {
    const NAMED: usize = 5;
    let named: Vec<String> = leaks
        .iter()
        .take(NAMED)
        .map(|leak| format!("{} (pid {})", leak.command, leak.pid))
        .collect();
    let more = match leaks.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("left running and ended: {}{more}", named.join(", "))
}

fn evidence(facts: &Facts<'_>) -> Evidence {
    facts.outcome.findings.evidence.clone().unwrap_or_default()
}

fn claimed(evidence: &Evidence) -> u64 {
    evidence.claimed.unwrap_or(0)
}

/// In anything but exit 0, warnings count only where there is no error.
fn rows_of_a_failure(facts: &Facts<'_>) -> Option<Level> {
    if facts.errors.rows() > 0 {
        Some(Level::Error)
    } else {
        (facts.warnings.rows() > 0).then_some(Level::Warning)
    }
}

fn tally(facts: &Facts<'_>, gates: Option<Level>) -> Tally {
    match gates {
        Some(Level::Error) => facts.errors,
        Some(Level::Warning) => facts.warnings,
        None => Tally::default(),
    }
}

fn new(facts: &Facts<'_>, gates: Option<Level>) -> u64 {
    tally(facts, gates).new
}

#[cfg(test)]
mod tests;
