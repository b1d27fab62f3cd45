//! Whether verifiers may run: a pure function of what the others came to.

use crate::model::{CheckSpec, Role, Status};

/// What stands before the verifiers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gate {
    /// A check that they wait for is not over.
    Waiting,
    /// Nothing that gates is red.
    Open,
    /// Something is red: `lint failed`.
    Shut(String),
}

/// Whether the check runs only where all that gates is green.
pub fn is_verifier(check: &CheckSpec) -> bool {
    check.role == Role::ConvergenceVerifier
}

/// What the checks of this run, in manifest order, leave to the verifiers among them. All are
/// waited for, also where one is red already: which one is named must not depend on which was
/// quicker.
pub fn gate<'a>(checks: impl Iterator<Item = (&'a CheckSpec, Option<Status>)>) -> Gate {
    let mut red = None;
    for (check, status) in checks.filter(|(check, _)| check.gates() && !is_verifier(check)) {
        let word = match status {
            None => return Gate::Waiting,
            Some(Status::Pass | Status::Known | Status::Skipped) => continue,
            Some(Status::Fail) => "failed",
            Some(Status::Broken) => "could not run",
            Some(Status::Refused) => "was refused",
            Some(Status::Cancelled) => "was cancelled",
        };
        red.get_or_insert_with(|| format!("{} {word}", check.id));
    }
    red.map_or(Gate::Open, Gate::Shut)
}

#[cfg(test)]
mod tests {
    use super::{CheckSpec, Gate, Role, Status, gate};
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

    fn of(checks: &[(CheckSpec, Option<Status>)]) -> Gate {
        gate(checks.iter().map(|(check, status)| (check, *status)))
    }

    #[test]
    fn green_is_passed_known_or_skipped_and_verifiers_do_not_wait_for_each_other() {
        let mut checks = vec![
            (verifier("e2e"), None),
            (check("a"), Some(Status::Pass)),
            (check("b"), Some(Status::Known)),
            (check("c"), Some(Status::Skipped)),
        ];
        assert_eq!(of(&checks), Gate::Open);
        checks[0].1 = Some(Status::Fail);
        assert_eq!(of(&checks), Gate::Open);
        assert_eq!(of(&checks[..1]), Gate::Open, "verifiers alone are run");
    }

    #[test]
    fn what_is_red_is_named_in_the_order_of_the_manifest_once_all_is_over() {
        let mut checks = vec![(check("lint"), None), (check("test"), Some(Status::Fail))];
        assert_eq!(of(&checks), Gate::Waiting);
        for (status, words) in [
            (Status::Pass, "test failed"),
            (Status::Fail, "lint failed"),
            (Status::Broken, "lint could not run"),
            (Status::Refused, "lint was refused"),
            (Status::Cancelled, "lint was cancelled"),
        ] {
            checks[0].1 = Some(status);
            assert_eq!(of(&checks), Gate::Shut(words.to_owned()));
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
        assert_eq!(of(&checks), Gate::Open);
    }
}
