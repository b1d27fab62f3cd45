//! Which of the chosen checks may be launched, and what the others come to.

use crate::contain::Containment;
use crate::model::{
    CheckResult, CheckSpec, CountOn, Isolation, Judge, Network, Profile, Ratchet, RunSettings,
    Source, Status,
};
use crate::run::Entry;
use crate::vcs::Repository;

use super::args::HowArgs;
use super::freshness::{self, Ground};

/// Each check, decided where it may not be launched, or has nothing to launch.
pub fn entries(
    chosen: Vec<CheckSpec>,
    settings: &RunSettings,
    repository: Option<&Repository>,
    how: &HowArgs,
    containment: &dyn Containment,
    judge: &dyn Judge,
) -> Vec<Entry> {
    let achieved = containment.achieved();
    let ground = Ground {
        root: &settings.root,
        repository,
    };
    let decided = |check: &CheckSpec| -> Option<CheckResult> {
        let refused = match check.source {
            Source::Command { .. } => not_launched(check, settings, how, &achieved),
            Source::Files(_) => None,
        };
        if let Some(reason) = refused.or_else(|| not_yet(check)) {
            return Some(judge.not_run(check, Status::Refused, reason));
        }
        match &check.source {
            Source::Command { .. } => None,
            Source::Files(declared) => Some(freshness::judged(check, declared, ground, judge)),
        }
    };
    chosen
        .into_iter()
        .map(|check| Entry {
            decided: decided(&check).map(Box::new),
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
        return Some(format!(
            "command check \"{id}\" containment: the host can't contain checks ({note}) and \
             checks_require_containment is set"
        ));
    }
    if settings.profile == Profile::UncontainedDevelopment && !how.uncontained {
        return Some(format!(
            "command check \"{id}\" profile: uncontained_development is for the caller to \
             grant, with --uncontained (authority_required)"
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
        (check.network == Network::Host, "network \"host\""),
        (check.floor, "floor"),
    ];
    let field = asked
        .into_iter()
        .find_map(|(asked, field)| asked.then_some(field))?;
    Some(format!(
        "not yet: this version cannot act on {field}, and judges by nothing less"
    ))
}
