//! The top level: what holds for every check and for the run.

use super::choice::{PROFILE, names, one_of};
use super::cwd::Folders;
use super::duration;
use super::fields::At;
use super::glob::globs;
use super::problems::Problems;
use super::raw::{RawKnobs, Texts};
use super::syntax::cited;
use crate::model::{Profile, RunSettings};

/// Puts what `raw` sets into `settings`, which holds the defaults.
pub(super) fn resolve<'n>(
    raw: &RawKnobs<'n>,
    settings: &mut RunSettings,
    folders: &mut Folders<'n>,
    problems: &mut Problems<'_>,
) {
    let set = |knob: &Option<At<u64>>| knob.as_ref().map(|at| at.value).filter(|n| *n > 0);
    let limits = &mut settings.limits;
    limits.cpu_percent = set(&raw.cpu_percent).unwrap_or(limits.cpu_percent);
    limits.memory_bytes = set(&raw.max_memory_bytes).unwrap_or(limits.memory_bytes);
    limits.processes = set(&raw.max_processes).unwrap_or(limits.processes);
    limits.output_bytes = set(&raw.max_output_bytes);
    if let Some(jobs) = set(&raw.jobs) {
        settings.jobs = usize::try_from(jobs).unwrap_or(usize::MAX);
    }
    if let Some(profile) = &raw.profile {
        settings.profile = self::profile(profile, problems);
    }
    settings.require_containment = raw.require_containment.as_ref().is_some_and(|at| at.value);
    let timeout = duration::knob("checks_timeout", raw.timeout.as_ref(), problems);
    settings.timeout = timeout.unwrap_or(settings.timeout);
    let grace = duration::knob("checks_grace", raw.grace.as_ref(), problems);
    settings.grace = grace.unwrap_or(settings.grace);
    shard_packages(raw.shard_packages.as_ref(), folders, problems);
    globs("guards", raw.guards.as_ref(), problems);
}

fn profile(given: &At<&str>, problems: &mut Problems<'_>) -> Profile {
    let named = PROFILE.iter().find(|(name, _)| *name == given.value);
    if let Some((_, profile)) = named {
        return *profile;
    }
    if !given.value.is_empty() {
        let message = format!(
            "checks_profile {} is unknown (unknown_profile)",
            cited(given.value)
        );
        let hint = one_of(given.value, &names(PROFILE));
        problems.advise(&given.span, message, hint);
    }
    Profile::default()
}

/// Folders whose tests are to be split.
fn shard_packages<'n>(
    given: Option<&Texts<'n>>,
    folders: &mut Folders<'n>,
    problems: &mut Problems<'_>,
) {
    for (i, given) in given.iter().flat_map(|list| &list.value).enumerate() {
        folders.read(&format!("checks_shard_packages[{i}]"), given, problems);
    }
}
