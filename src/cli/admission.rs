//! Which of the chosen checks may be launched, and what the others come to.

use crate::contain::Containment;
use crate::model::{
    CheckResult, CheckSpec, CountOn, Isolation, Judge as _, Network, Profile, Ratchet, RunSettings,
    Source, Status,
};
use crate::run::{Entry, not_contained};
use crate::vcs::Repository;

use super::args::HowArgs;
use super::freshness::{self, Ground};
use super::judge::TreeJudge;

/// Each check, decided where it may not be launched, and with its look where it has nothing to
/// launch.
pub fn entries(
    chosen: Vec<CheckSpec>,
    settings: &RunSettings,
    repository: Option<&Repository>,
    how: &HowArgs,
    containment: &dyn Containment,
    judge: &TreeJudge,
) -> Vec<Entry> {
    // A trial costs a start: only who is to be refused by it is held to it.
    let achieved = if settings.require_containment {
        containment.achieved(&settings.limits)
    } else {
        Isolation::default()
    };
    let ground = Ground {
        root: settings.root.clone(),
        repository: repository.cloned(),
    };
    let refused = |check: &CheckSpec| -> Option<CheckResult> {
        let refused = match check.source {
            Source::Command { .. } => not_launched(check, settings, how, &achieved),
            Source::Files(_) => None,
        };
        let reason = refused.or_else(|| not_yet(check))?;
        Some(judge.not_run(check, Status::Refused, reason))
    };
    chosen
        .into_iter()
        .map(|check| Entry {
            decided: refused(&check).map(Box::new),
            look: freshness::look(&check, &ground, judge),
            check,
        })
        .collect()
}

/// Why `check` may not be launched.
fn not_launched(
    check: &CheckSpec,
    settings: &RunSettings,
    how: &HowArgs,
    achieved: &Isolation,
) -> Option<String> {
    let id = check.id.as_str();
    if settings.require_containment && !achieved.contained {
        let note = achieved
            .note
            .as_deref()
            .unwrap_or("nothing here contains them");
        return Some(not_contained(id, note));
    }
    if settings.profile == Profile::UncontainedDevelopment && !how.uncontained {
        return Some(format!(
            "command check \"{id}\" profile: uncontained_development is for the caller to \
             grant, with --uncontained (authority_required)"
        ));
    }
    if settings.require_containment && check.network == Network::Host && how.network.is_none() {
        return Some(format!(
            "command check \"{id}\" network: it runs in the host's network, which required \
             containment leaves to the caller to permit, with --network host"
        ));
    }
    None
}

/// Why this version would judge `check` wrongly.
fn not_yet(check: &CheckSpec) -> Option<String> {
    let asked = [
        (check.output.path.is_some(), "output.path"),
        (check.ratchet == Ratchet::Count, "ratchet \"count\""),
        (check.count_on == CountOn::Any, "count_on \"any\""),
        (check.floor, "floor"),
    ];
    let field = asked
        .into_iter()
        .find_map(|(asked, field)| asked.then_some(field))?;
    Some(format!(
        "not yet: this version cannot act on {field}, and judges by nothing less"
    ))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{CheckSpec, HowArgs, Isolation, Network, Profile, RunSettings, not_launched};
    use crate::cli::args::PermittedNetwork;
    use crate::model::{CheckId, Limits};

    fn settings(require_containment: bool) -> RunSettings {
        RunSettings {
            root: "/src".into(),
            limits: Limits {
                cpu_percent: 1,
                memory_bytes: 1,
                processes: 1,
                output_bytes: None,
            },
            profile: Profile::LocalSubscription,
            require_containment,
            timeout: Duration::from_mins(1),
            grace: Duration::from_secs(1),
            jobs: 1,
        }
    }

    fn check(network: Network) -> CheckSpec {
        CheckSpec {
            network,
            ..CheckSpec::new(CheckId::new("e2e").unwrap(), "e2e", Vec::new())
        }
    }

    /// Whether a check is refused: on a host that contains or not, with the permission or not.
    fn is_refused(network: Network, require: bool, contained: bool, permitted: bool) -> bool {
        let how = HowArgs {
            network: permitted.then_some(PermittedNetwork::Host),
            ..HowArgs::default()
        };
        let achieved = Isolation {
            contained,
            ..Isolation::default()
        };
        not_launched(&check(network), &settings(require), &how, &achieved).is_some()
    }

    #[test]
    fn the_hosts_network_is_the_callers_to_permit_only_where_containment_is_required() {
        let (none, host) = (Network::None, Network::Host);
        for permitted in [false, true] {
            for contained in [false, true] {
                assert!(!is_refused(host, false, contained, permitted));
            }
            assert!(!is_refused(none, true, true, permitted));
            // It grants nothing else.
            assert!(is_refused(none, true, false, permitted));
            assert!(is_refused(host, true, false, permitted));
        }
        assert!(is_refused(host, true, true, false));
        assert!(!is_refused(host, true, true, true));
    }
}
