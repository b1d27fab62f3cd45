//! Whether verifiers may run: a sum of what the others came to, kept as they end.

use crate::model::{CheckSpec, Role, Status};

/// What stands before the verifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way<'g> {
    /// A check that they wait for is not over.
    Waiting,
    /// Nothing that gates is red.
    Open,
    /// Something is red: `lint failed`.
    Shut(&'g str),
}

/// The checks that the verifiers of a run wait for. All are waited for, also where one is red
/// already: which one is named must not depend on which was quicker.
#[derive(Debug, Default)]
pub struct Gate {
    /// How many are not over.
    waited_for: usize,
    /// The first in the order of the manifest that is red: its place, and in words.
    red: Option<(usize, String)>,
}

/// Whether the check runs only where all that gates is green.
pub fn is_verifier(check: &CheckSpec) -> bool {
    check.role == Role::ConvergenceVerifier
}

fn is_waited_for(check: &CheckSpec) -> bool {
    check.gates() && !is_verifier(check)
}

impl Gate {
    /// None of `checks` is over.
    pub fn new<'a>(checks: impl Iterator<Item = &'a CheckSpec>) -> Self {
        Self {
            waited_for: checks.filter(|check| is_waited_for(check)).count(),
            red: None,
        }
    }

    /// `check`, at this place in the manifest, is over.
    pub fn over(&mut self, index: usize, check: &CheckSpec, status: Status) {
        if !is_waited_for(check) {
            return;
        }
        self.waited_for -= 1;
        let word = match status {
            Status::Pass | Status::Known | Status::Skipped => return,
            Status::Fail => "failed",
            Status::Broken => "could not run",
            Status::Refused => "was refused",
            Status::Cancelled => "was cancelled",
        };
        if self.red.as_ref().is_none_or(|(first, _)| index < *first) {
            self.red = Some((index, format!("{} {word}", check.id)));
        }
    }

    /// What the verifiers are left with.
    pub fn way(&self) -> Way<'_> {
        match &self.red {
            _ if self.waited_for > 0 => Way::Waiting,
            None => Way::Open,
            Some((_, red)) => Way::Shut(red),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckSpec, Gate, Role, Status, Way};
    use crate::model::{CheckId, Tolerance};

    fn check(id: &str) -> CheckSpec {
        CheckSpec::new(CheckId::new(id).unwrap(), id, Vec::new())
    }

    fn verifier(id: &str) -> CheckSpec {
        CheckSpec {
            role: Role::ConvergenceVerifier,
            ..check(id)
        }
    }

    /// The gate after those with a status have ended, the last in the manifest first.
    fn of(checks: &[(CheckSpec, Option<Status>)]) -> Gate {
        let mut gate = Gate::new(checks.iter().map(|(check, _)| check));
        for (index, (check, status)) in checks.iter().enumerate().rev() {
            if let Some(status) = status {
                gate.over(index, check, *status);
            }
        }
        gate
    }

    #[test]
    fn green_is_passed_known_or_skipped_and_verifiers_do_not_wait_for_each_other() {
        let mut checks = vec![
            (verifier("e2e"), None),
            (check("a"), Some(Status::Pass)),
            (check("b"), Some(Status::Known)),
            (check("c"), Some(Status::Skipped)),
        ];
        assert_eq!(of(&checks).way(), Way::Open);
        checks[0].1 = Some(Status::Fail);
        assert_eq!(of(&checks).way(), Way::Open);
        assert_eq!(of(&checks[..1]).way(), Way::Open, "verifiers alone are run");
    }

    #[test]
    fn what_is_red_is_named_in_the_order_of_the_manifest_once_all_is_over() {
        let mut checks = vec![(check("lint"), None), (check("test"), Some(Status::Fail))];
        assert_eq!(of(&checks).way(), Way::Waiting);
        for (status, words) in [
            (Status::Pass, "test failed"),
            (Status::Fail, "lint failed"),
            (Status::Broken, "lint could not run"),
            (Status::Refused, "lint was refused"),
            (Status::Cancelled, "lint was cancelled"),
        ] {
            checks[0].1 = Some(status);
            assert_eq!(of(&checks).way(), Way::Shut(words));
            let mut in_order = Gate::new(checks.iter().map(|(check, _)| check));
            in_order.over(0, &checks[0].0, status);
            in_order.over(1, &checks[1].0, Status::Fail);
            assert_eq!(in_order.way(), Way::Shut(words));
        }
    }

    #[test]
    fn what_does_not_gate_is_not_waited_for() {
        let advisory = CheckSpec {
            tolerance: Tolerance::Advisory,
            ..check("docs")
        };
        let shot = CheckSpec {
            shot: Some("login".to_owned()),
            ..check("login")
        };
        let checks = [
            (advisory, Some(Status::Fail)),
            (shot, None),
            (check("a"), Some(Status::Pass)),
        ];
        assert_eq!(of(&checks).way(), Way::Open);
    }
}
