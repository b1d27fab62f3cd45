//! The top level: what holds for every check and for the run.

use super::choice::one_of;
use super::duration;
use super::fields::At;
use super::not_yet;
use super::problems::Problems;
use super::raw::RawKnobs;
use super::syntax::cited;
use crate::model::{Profile, RunSettings};

/// What a profile is called.
const PROFILES: [&str; 2] = ["local_subscription", "uncontained_development"];
/// What the shard knobs are where nobody sets them.
const SHARDS: u64 = 6;
const SHARD_MIN_TESTS: u64 = 100;

/// Puts what `raw` sets into `settings`, which holds the defaults.
pub(super) fn resolve(raw: &RawKnobs<'_>, settings: &mut RunSettings, problems: &mut Problems<'_>) {
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
        settings.profile = self::profile(profile, problems).unwrap_or_default();
    }
    settings.require_containment = raw.require_containment.as_ref().is_some_and(|at| at.value);
    let timeout = duration::knob("checks_timeout", raw.timeout.as_ref(), problems);
    settings.timeout = timeout.unwrap_or(settings.timeout);
    let grace = duration::knob("checks_grace", raw.grace.as_ref(), problems);
    settings.grace = grace.unwrap_or(settings.grace);
    refuse_later_ones(raw, problems);
}

fn profile(given: &At<&str>, problems: &mut Problems<'_>) -> Option<Profile> {
    match given.value {
        "" | "local_subscription" => Some(Profile::LocalSubscription),
        "uncontained_development" => Some(Profile::UncontainedDevelopment),
        other => {
            let message = format!(
                "checks_profile {} is unknown (unknown_profile)",
                cited(other)
            );
            problems.advise(&given.span, message, one_of(other, &PROFILES));
            None
        }
    }
}

fn refuse_later_ones(raw: &RawKnobs<'_>, problems: &mut Problems<'_>) {
    let lists = [
        ("checks_shard_packages", &raw.shard_packages),
        ("guards", &raw.guards),
    ];
    for (name, list) in lists {
        if let Some(list) = list.as_ref().filter(|list| !list.value.is_empty()) {
            not_yet::refuse(name, &list.span, problems);
        }
    }
    let counts = [
        ("checks_shards", &raw.shards, SHARDS),
        (
            "checks_shard_min_tests",
            &raw.shard_min_tests,
            SHARD_MIN_TESTS,
        ),
    ];
    for (name, count, default) in counts {
        let other = |at: &&At<u64>| at.value != 0 && at.value != default;
        if let Some(count) = count.as_ref().filter(other) {
            not_yet::refuse(name, &count.span, problems);
        }
    }
    if let Some(formatters) = raw.formatters.as_ref().filter(|at| at.value > 0) {
        not_yet::refuse("formatters", &formatters.span, problems);
    }
}
