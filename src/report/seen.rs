//! What was seen of a check, in words: the text of its row and the heading of its block.

use crate::model::{
    CheckResult, ExitFact, Failure, JudgedFailure, Level, RowState, Status, Termination, Tolerance,
};
use crate::text::{Printable, plural, thousands};

/// The reason of a detected test command that was skipped because it has nothing to run.
pub const NO_TESTS_FOUND: &str = "no tests found";

/// The row's text: the gist, then what the baseline adds. Printable.
pub(super) fn seen(check: &CheckResult) -> String {
    let mut text = gist(check);
    let mut add = |count: u64, what: &str| {
        if count > 0 {
            text.push_str(", ");
            text.push_str(&thousands(count));
            text.push(' ');
            text.push_str(what);
        }
    };
    if check.status == Status::Fail {
        add(check.known, "known");
    }
    if check.status == Status::Pass {
        add(uncounted(check), "not counted");
    }
    if judged(check.status) {
        add(check.fixed, "fixed");
        add(check.unseen, "unseen");
    }
    match &check.shot {
        // It is what the check was for.
        Some(shot) if check.status == Status::Pass => shown_shot(shot),
        Some(shot) => format!("{text}, {}", shown_shot(shot)),
        None => text,
    }
}

fn shown_shot(path: &str) -> String {
    format!("shot {}", Printable::new(path))
}

/// The heading's text: what makes this check what it is, without what is known. Printable.
pub(super) fn gist(check: &CheckResult) -> String {
    let text = match check.status {
        Status::Pass => passed(check),
        Status::Known => format!("known ({})", thousands(check.known)),
        Status::Fail => failed(check),
        Status::Broken => match reason(check) {
            Some(reason) if reason.starts_with("nothing ran") => reason,
            Some(reason) => format!("could not run: {reason}"),
            None => "could not run".to_owned(),
        },
        Status::Refused => refused(check),
        Status::Skipped => set_aside("skipped", check),
        Status::Cancelled => set_aside("cancelled", check),
    };
    let red = matches!(
        check.status,
        Status::Fail | Status::Broken | Status::Refused
    );
    match check.tolerance {
        _ if !red => text,
        _ if check.optional => format!("optional: {text}"),
        Tolerance::Blocking => text,
        Tolerance::Advisory => format!("advisory: {text}"),
        Tolerance::Report => format!("report: {text}"),
    }
}

/// Whether a row stands for the whole failure of a check whose output named none.
pub(super) fn is_fallback(row: &JudgedFailure) -> bool {
    row.tool == Failure::ROW_LESS
}

/// New rows that a tool printed and that gate.
pub(super) fn new_rows(check: &CheckResult) -> impl Iterator<Item = &JudgedFailure> {
    let new = gating(check).filter(|row| row.state == RowState::New);
    new.filter(|row| !is_fallback(row))
}

/// Rows that are kept and do not gate: warnings beside exit 0, or beside errors.
pub(super) fn uncounted_rows(check: &CheckResult) -> impl Iterator<Item = &JudgedFailure> {
    let gates = gate(check);
    let rows = check.failures.iter().filter(move |row| !gates(row));
    rows.filter(|row| row.state == RowState::New)
}

fn gating(check: &CheckResult) -> impl Iterator<Item = &JudgedFailure> {
    let gates = gate(check);
    check.failures.iter().filter(move |row| gates(row))
}

/// Which rows gate: in a failed check all, or where there are errors, those.
fn gate(check: &CheckResult) -> impl Fn(&JudgedFailure) -> bool + use<> {
    let failed = check.status == Status::Fail;
    let errors = check.failures.iter().any(|row| row.level == Level::Error);
    move |row| match row.state {
        RowState::Known => true,
        RowState::New => failed && (row.level == Level::Error || !errors),
    }
}

/// How many rows were kept beside those that gate.
fn uncounted(check: &CheckResult) -> u64 {
    let kept: u64 = check.failures.iter().map(|row| row.count).sum();
    kept.saturating_sub(check.new + check.known)
}

fn judged(status: Status) -> bool {
    matches!(status, Status::Pass | Status::Known | Status::Fail)
}

fn reason(check: &CheckResult) -> Option<String> {
    let reason = check.reason.as_deref().filter(|text| !text.is_empty())?;
    Some(Printable::new(reason).to_string())
}

fn passed(check: &CheckResult) -> String {
    let evidence = check.evidence.as_ref();
    let Some(ran) = evidence.and_then(|seen| seen.ran) else {
        return ending(check);
    };
    if check.argv.is_empty() {
        // Nothing was launched: its files were looked at.
        return format!("{} fresh", plural(ran, "artefact"));
    }
    match evidence.and_then(|seen| seen.skipped) {
        Some(skipped) if skipped > 0 => {
            format!("{}, {} skipped", plural(ran, "test"), thousands(skipped))
        }
        Some(_) | None => plural(ran, "test"),
    }
}

fn failed(check: &CheckResult) -> String {
    let why = reason(check);
    if check.new == 0 || (check.failures_total > 0 && only_fallback(check)) {
        return why.unwrap_or_else(|| ending(check));
    }
    let count = format!("{} new", thousands(check.new));
    if check.termination != Termination::Exited {
        let why = why.unwrap_or_else(|| ending(check));
        return format!("{why}; {count}");
    }
    match why {
        // A reason that only counts the rows says nothing that the count does not.
        Some(why) if !why.starts_with(&count) => format!("{count}; {why}"),
        Some(_) | None => count,
    }
}

fn only_fallback(check: &CheckResult) -> bool {
    check.failures.iter().any(is_fallback) && new_rows(check).next().is_none()
}

/// Without what the row says anyway: whose refusal it is, and by which setting.
fn refused(check: &CheckResult) -> String {
    let Some(reason) = reason(check) else {
        return "refused".to_owned();
    };
    let words = reason
        .split_once(" containment: ")
        .map_or(&*reason, |(_, words)| words);
    let words = words.split(" and checks_require_containment").next();
    format!("refused: {}", words.unwrap_or_default())
}

fn set_aside(word: &str, check: &CheckResult) -> String {
    match reason(check) {
        Some(reason) if reason.starts_with("not run") || reason == NO_TESTS_FOUND => reason,
        Some(reason) if reason.starts_with(word) => reason,
        Some(reason) => format!("{word}: {reason}"),
        None => word.to_owned(),
    }
}

/// How its process ended.
fn ending(check: &CheckResult) -> String {
    match (check.termination, &check.exit) {
        (Termination::TimedOut, _) => "timed out".to_owned(),
        (Termination::KilledForMemory, _) => "killed for memory".to_owned(),
        (Termination::OutputLimit, _) => "printed more than it may".to_owned(),
        (_, Some(ExitFact::Code(code))) => format!("exit {code}"),
        (_, Some(ExitFact::Signal(signal))) => format!("ended by {}", Printable::new(signal)),
        (Termination::Exited | Termination::Signalled, None) => "ended".to_owned(),
        (Termination::Interrupted | Termination::FailFast, None) => "ended early".to_owned(),
        (Termination::SpawnFailed | Termination::Refused | Termination::NotRun, None) => {
            "not run".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{gist, new_rows, seen, uncounted_rows};
    use crate::model::{ExitFact, Level, Status, Termination, Tolerance};
    use crate::report::sample::{check, failure};

    #[test]
    fn a_pass_counts_tests_or_names_the_exit_code() {
        let mut lint = check("lint", Status::Pass);
        assert_eq!(seen(&lint), "exit 0");
        lint.fixed = 3;
        assert_eq!(seen(&lint), "exit 0, 3 fixed");
        let mut test = check("test", Status::Pass);
        test.evidence = Some(crate::model::Evidence {
            ran: Some(1),
            ..Default::default()
        });
        assert_eq!(seen(&test), "1 test");
    }

    #[test]
    fn an_end_that_was_not_the_tools_own_comes_before_its_rows() {
        let mut test = check("test", Status::Fail);
        test.termination = Termination::TimedOut;
        test.reason = Some("timed out after 10m".to_owned());
        assert_eq!(seen(&test), "timed out after 10m");
        test.new = 2;
        test.known = 1;
        assert_eq!(seen(&test), "timed out after 10m; 2 new, 1 known");
        test.reason = None;
        assert_eq!(gist(&test), "timed out; 2 new");
        test.termination = Termination::Signalled;
        test.exit = Some(ExitFact::Signal("SIGSEGV".to_owned()));
        assert_eq!(gist(&test), "ended by SIGSEGV; 2 new");
    }

    #[test]
    fn a_reason_that_only_counts_is_not_said_twice() {
        let mut lint = check("lint", Status::Fail);
        lint.new = 1;
        lint.reason = Some("1 new failure".to_owned());
        assert_eq!(gist(&lint), "1 new");
        lint.reason = Some("exit code 0, but the report says 2 failed".to_owned());
        assert_eq!(
            gist(&lint),
            "1 new; exit code 0, but the report says 2 failed"
        );
    }

    #[test]
    fn warnings_beside_errors_or_exit_0_are_not_counted() {
        let mut lint = check("lint", Status::Fail);
        let mut warning = failure("unused");
        warning.level = Level::Warning;
        lint.failures = vec![failure("boom"), warning];
        lint.new = 1;
        assert_eq!(seen(&lint), "1 new");
        assert_eq!(new_rows(&lint).count(), 1);
        lint.failures.remove(0);
        assert_eq!(seen(&lint), "1 new");
        assert_eq!(new_rows(&lint).count(), 1);
        lint.status = Status::Pass;
        lint.new = 0;
        assert_eq!(seen(&lint), "exit 1, 1 not counted");
        assert_eq!(uncounted_rows(&lint).count(), 1);
    }

    #[test]
    fn what_does_not_gate_says_so_only_where_it_would_have() {
        let mut docs = check("docs", Status::Fail);
        docs.tolerance = Tolerance::Advisory;
        docs.new = 4;
        assert_eq!(seen(&docs), "advisory: 4 new");
        docs.status = Status::Pass;
        docs.new = 0;
        assert_eq!(seen(&docs), "exit 1");
    }
}
