//! Which of the chosen checks may be launched, and what the others come to.

use crate::contain::Containment;
use crate::model::{
    CheckSpec, CountOn, Isolation, Judge, Network, Profile, Ratchet, RunSettings, Status,
};
use crate::run::Entry;

use super::args::HowArgs;

/// Each check, decided where it may not be launched.
pub fn entries(
    chosen: Vec<CheckSpec>,
    settings: &RunSettings,
    how: &HowArgs,
    containment: &dyn Containment,
    judge: &dyn Judge,
) -> Vec<Entry> {
    let achieved = containment.achieved();
    chosen
        .into_iter()
        .map(|check| {
            let refused = refused(&check, settings, how, &achieved);
            Entry {
                decided: refused
                    .map(|reason| Box::new(judge.not_run(&check, Status::Refused, reason))),
                check,
            }
        })
        .collect()
}

/// Why `check` may not be launched.
fn refused(
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
    not_built(check).map(|field| {
        format!("not yet: this version cannot act on {field}, and judges by nothing less")
    })
}

/// The field of a check by which this version would judge wrongly.
fn not_built(check: &CheckSpec) -> Option<&'static str> {
    let asked = [
        (check.output.path.is_some(), "output.path"),
        (check.ratchet == Ratchet::Count, "ratchet \"count\""),
        (check.count_on == CountOn::Any, "count_on \"any\""),
        (check.network == Network::Host, "network \"host\""),
        (check.floor, "floor"),
    ];
    asked
        .into_iter()
        .find_map(|(asked, field)| asked.then_some(field))
}
