//! Which of the chosen checks may be launched, and what the others come to.

use crate::contain::Containment;
use crate::model::{
    CheckResult, CheckSpec, CountOn, Isolation, Judge as _, Limits, Network, Profile, Ratchet,
    RunSettings, Source, Status,
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
    if let Some(name) = not_positive(&settings.limits) {
        return Some(format!(
            "command check \"{id}\" limits: {name} must be more than nothing (invalid_limits)"
        ));
    }
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

/// The limit that would let nothing run, whatever the profile.
fn not_positive(limits: &Limits) -> Option<&'static str> {
    let limits = [
        ("cpu percent", limits.cpu_percent),
        ("memory", limits.memory_bytes),
        ("processes", limits.processes),
        ("output", limits.output_bytes.unwrap_or(1)),
    ];
    let nothing = limits.iter().find(|(_, limit)| *limit == 0);
    nothing.map(|(name, _)| *name)
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

    /// All that can be asked for, and all that a host can have.
    fn every_pair() -> Vec<(Asked, bool)> {
        let mut pairs = Vec::new();
        for bits in 0..64_u32 {
            let is = |bit: u32| bits & (1 << bit) != 0;
            let asked = Asked {
                require: is(0),
                development: is(1),
                uncontained: is(2),
                host_network: is(3),
                permitted: is(4),
            };
            pairs.push((asked, is(5)));
        }
        pairs
    }

    #[expect(clippy::struct_excessive_bools, reason = "each is asked for alone")]
    #[derive(Debug, Clone, Copy)]
    struct Asked {
        require: bool,
        /// The profile `uncontained_development`.
        development: bool,
        /// `--uncontained`
        uncontained: bool,
        host_network: bool,
        /// `--network host`
        permitted: bool,
    }

    impl Asked {
        fn refusal(self, contained: bool, limits: Limits) -> Option<String> {
            let how = HowArgs {
                network: self.permitted.then_some(PermittedNetwork::Host),
                uncontained: self.uncontained,
                ..HowArgs::default()
            };
            let settings = RunSettings {
                profile: if self.development {
                    Profile::UncontainedDevelopment
                } else {
                    Profile::LocalSubscription
                },
                limits,
                ..settings(self.require)
            };
            let network = if self.host_network {
                Network::Host
            } else {
                Network::None
            };
            let achieved = Isolation {
                contained,
                ..Isolation::default()
            };
            not_launched(&check(network), &settings, &how, &achieved)
        }
    }

    #[test]
    fn every_pair_of_asked_and_available_is_granted_or_refused_in_its_own_words() {
        for (asked, contained) in every_pair() {
            let refusal = asked.refusal(contained, settings(false).limits);
            let expected = if asked.require && !contained {
                Some("the host can't contain checks")
            } else if asked.development && !asked.uncontained {
                Some("(authority_required)")
            } else if asked.require && asked.host_network && !asked.permitted {
                Some("--network host")
            } else {
                None
            };
            match (&refusal, expected) {
                (Some(words), Some(expected)) => {
                    assert!(words.contains(expected), "{asked:?} {contained}: {words}");
                }
                _ => assert_eq!(refusal.as_deref(), expected, "{asked:?} {contained}"),
            }
        }
    }

    #[test]
    fn a_limit_of_nothing_is_refused_whatever_is_asked_for() {
        for (asked, contained) in every_pair() {
            let limits = Limits {
                processes: 0,
                ..settings(false).limits
            };
            let refusal = asked.refusal(contained, limits).unwrap_or_default();
            assert!(refusal.ends_with("processes must be more than nothing (invalid_limits)"));
        }
    }
}
