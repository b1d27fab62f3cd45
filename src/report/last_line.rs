//! The verdict in one line, the last of every text report.

use super::unrun;
use crate::model::{CheckResult, Status, Verdict, VerdictWord};
use crate::text::{Colour, Palette, Printable, plural, thousands};

use super::seen::NO_TESTS_FOUND;

/// `ok: …`, `blocked: …` or `no verdict: …`, the opening painted.
pub fn last_line(verdict: &Verdict, palette: Palette) -> String {
    let tally = Tally::of(&verdict.checks);
    let (opening, colour, text) = match verdict.verdict {
        VerdictWord::Passed => ("ok:", Colour::Green, tally.passed(verdict)),
        VerdictWord::Failed => ("blocked:", Colour::Red, tally.blocked()),
        VerdictWord::None => ("no verdict:", Colour::Magenta, tally.none(verdict)),
    };
    let advisory = match verdict.summary.advisory {
        0 => String::new(),
        count => format!(", {} advisory", thousands(count)),
    };
    let not_selected = match verdict.not_selected.len() {
        0 => String::new(),
        count => format!(" ({} not selected)", thousands(count as u64)),
    };
    let opening = palette.paint(colour, opening);
    format!("{opening} {text}{advisory}{not_selected}")
}

/// Blocking checks by what they came to.
struct Tally<'a> {
    blocking: Vec<&'a CheckResult>,
}

impl<'a> Tally<'a> {
    fn of(checks: &'a [CheckResult]) -> Self {
        Self {
            blocking: checks.iter().filter(|check| check.gates()).collect(),
        }
    }

    fn with(&self, statuses: &[Status]) -> u64 {
        let these = self
            .blocking
            .iter()
            .filter(|check| statuses.contains(&check.status));
        these.count() as u64
    }

    /// `1 of 3 checks`.
    fn share(&self, part: u64) -> String {
        let total = plural(self.blocking.len() as u64, "check");
        format!("{} of {total}", thousands(part))
    }

    fn passed(&self, verdict: &Verdict) -> String {
        if verdict.reason.as_deref() == Some("none_apply") {
            let total = plural(verdict.not_selected.len() as u64, "check");
            return format!("none of {total} applies to these changes");
        }
        let mut parts = Vec::new();
        for (status, word) in [(Status::Pass, "passed"), (Status::Known, "known")] {
            let count = self.with(&[status]);
            if count > 0 {
                parts.push(format!("{} {word}", thousands(count)));
            }
        }
        let skipped = self.with(&[Status::Skipped]);
        if skipped > 0 {
            parts.push(format!(
                "{} skipped{}",
                thousands(skipped),
                self.why_skipped()
            ));
        }
        parts.join(", ")
    }

    /// In brackets: a test command that found no tests must not look like one that passed.
    fn why_skipped(&self) -> String {
        let without_tests: Vec<&str> = self
            .blocking
            .iter()
            .filter(|check| check.status == Status::Skipped)
            .filter(|check| check.reason.as_deref() == Some(NO_TESTS_FOUND))
            .map(|check| check.id.as_str())
            .collect();
        if without_tests.is_empty() {
            return String::new();
        }
        format!(
            " ({} found no tests)",
            Printable::new(&without_tests.join(", "))
        )
    }

    fn blocked(&self) -> String {
        let mut parts = vec![format!("{} failed", self.share(self.with(&[Status::Fail])))];
        let unjudged = self.with(&[Status::Broken, Status::Refused]);
        if unjudged > 0 {
            parts.push(format!("{} could not be judged", thousands(unjudged)));
        }
        let cancelled = self.with(&[Status::Cancelled]);
        if cancelled > 0 {
            parts.push(format!("{} cancelled", thousands(cancelled)));
        }
        parts.join(", ")
    }

    fn none(&self, verdict: &Verdict) -> String {
        if let Some(reason) = unrun::reason_in_words(verdict) {
            return Printable::new(reason).to_string();
        }
        let refused = self.with(&[Status::Refused]);
        let unjudged = self.with(&[Status::Broken, Status::Refused, Status::Cancelled]);
        if refused > 0 && refused == unjudged {
            return format!("{} refused{}", self.share(refused), self.why_refused());
        }
        if unjudged > 0 {
            let share = self.share(unjudged);
            return format!("{share} could not be judged; nothing failed");
        }
        "nothing was judged".to_owned()
    }

    fn why_refused(&self) -> &'static str {
        let for_containment = |check: &&CheckResult| {
            let reason = check.reason.as_deref().unwrap_or_default();
            reason.contains("containment:")
        };
        let mut refused = self.blocking.iter().copied();
        if refused.any(|check| check.status == Status::Refused && for_containment(&check)) {
            ": the host can't contain checks"
        } else {
            ""
        }
    }
}

#[cfg(test)]
mod tests {
    use super::last_line;
    use crate::model::{CheckResult, Status, Tolerance, VerdictWord};
    use crate::report::sample::{check, verdict};
    use crate::text::Palette;

    fn last(word: VerdictWord, checks: Vec<CheckResult>) -> String {
        last_line(&verdict(word, checks), Palette::new(false))
    }

    #[test]
    fn what_passed_is_counted_and_what_was_skipped_is_named() {
        let mut tests = check("test", Status::Skipped);
        tests.reason = Some("no tests found".to_owned());
        let pass = || check("lint", Status::Pass);
        assert_eq!(
            last(VerdictWord::Passed, vec![pass(), pass(), tests]),
            "ok: 2 passed, 1 skipped (test found no tests)"
        );
        assert_eq!(
            last(VerdictWord::Passed, vec![check("lint", Status::Known)]),
            "ok: 1 known"
        );
    }

    #[test]
    fn blocking_checks_are_counted_then_advisory_then_what_was_not_selected() {
        let mut docs = check("docs", Status::Fail);
        docs.tolerance = Tolerance::Advisory;
        let mut passed = verdict(VerdictWord::Passed, vec![check("a", Status::Pass), docs]);
        passed.not_selected = vec!["b".to_owned(), "c".to_owned(), "d".to_owned()];
        let line = last_line(&passed, Palette::new(false));
        assert_eq!(line, "ok: 1 passed, 1 advisory (3 not selected)");
    }

    #[test]
    fn failed_beats_none_and_says_both() {
        let checks = vec![
            check("a", Status::Fail),
            check("b", Status::Broken),
            check("c", Status::Cancelled),
            check("d", Status::Pass),
        ];
        assert_eq!(
            last(VerdictWord::Failed, checks),
            "blocked: 1 of 4 checks failed, 1 could not be judged, 1 cancelled"
        );
        assert_eq!(
            last(VerdictWord::Failed, vec![check("a", Status::Fail)]),
            "blocked: 1 of 1 check failed"
        );
    }

    #[test]
    fn no_verdict_says_why() {
        let broken = || check("a", Status::Broken);
        assert_eq!(
            last(VerdictWord::None, vec![broken(), check("b", Status::Pass)]),
            "no verdict: 1 of 2 checks could not be judged; nothing failed"
        );
        let mut refused = check("a", Status::Refused);
        refused.reason = Some("command check \"a\" containment: the host can't".to_owned());
        assert_eq!(
            last(VerdictWord::None, vec![refused]),
            "no verdict: 1 of 1 check refused: the host can't contain checks"
        );
        let mut ended = verdict(VerdictWord::None, vec![check("a", Status::Fail)]);
        ended.reason = Some("interrupted by SIGTERM".to_owned());
        let line = last_line(&ended, Palette::new(true));
        assert_eq!(line, "\x1b[35mno verdict:\x1b[0m interrupted by SIGTERM");
    }
}
