//! Fields that take one of a few words.

use super::fields::At;
use super::problems::Problems;
use super::syntax::cited;
use crate::model::{
    Category, Channel, Claims, CountOn, Leaks, Network, Profile, Ratchet, Role, Streams, Tolerance,
};
use crate::text::nearest;

/// The words of a field and what each says.
pub(super) type Words<T> = &'static [(&'static str, T)];

pub(super) const TOLERANCE: Words<Tolerance> = &[
    ("blocking", Tolerance::Blocking),
    ("advisory", Tolerance::Advisory),
    ("report", Tolerance::Report),
];
pub(super) const CATEGORY: Words<Category> = &[
    ("maintainability", Category::Maintainability),
    ("architecture", Category::Architecture),
    ("behaviour", Category::Behaviour),
];
pub(super) const ROLE: Words<Role> = &[
    ("regular", Role::Regular),
    ("convergence-verifier", Role::ConvergenceVerifier),
    ("stuck-recovery", Role::StuckRecovery),
];
pub(super) const RATCHET: Words<Ratchet> = &[
    ("fingerprint", Ratchet::Fingerprint),
    ("count", Ratchet::Count),
];
pub(super) const COUNT_ON: Words<CountOn> = &[("failure", CountOn::Failure), ("any", CountOn::Any)];
pub(super) const NETWORK: Words<Network> = &[("none", Network::None), ("host", Network::Host)];
pub(super) const LEAKS: Words<Leaks> = &[("note", Leaks::Note), ("fail", Leaks::Fail)];
pub(super) const STREAMS: Words<Streams> =
    &[("split", Streams::Split), ("joined", Streams::Joined)];
pub(super) const CLAIMS: Words<Claims> = &[("fail", Claims::Fail), ("note", Claims::Note)];
pub(super) const CHANNEL: Words<Channel> = &[
    ("stdout", Channel::Stdout),
    ("stderr", Channel::Stderr),
    ("both", Channel::Both),
];
pub(super) const PROFILE: Words<Profile> = &[
    ("local_subscription", Profile::LocalSubscription),
    ("uncontained_development", Profile::UncontainedDevelopment),
];

/// The words alone.
pub(super) fn names<T>(words: Words<T>) -> Vec<&'static str> {
    words.iter().map(|(word, _)| *word).collect()
}

/// What the field `name` says; `None` where it is absent or was refused.
pub(super) fn choose<T: Copy>(
    name: &str,
    given: Option<&At<&str>>,
    words: Words<T>,
    problems: &mut Problems<'_>,
) -> Option<T> {
    let given = given?;
    let found = words.iter().find(|(word, _)| *word == given.value);
    if found.is_none() && !problems.is_beyond(&given.span) {
        let message = format!("{name} {} is unknown", cited(given.value));
        problems.advise(&given.span, message, one_of(given.value, &names(words)));
    }
    found.map(|(_, value)| *value)
}

/// `did you mean "blocking"? It is one of blocking, advisory, report`.
pub(super) fn one_of(word: &str, known: &[&str]) -> String {
    let list = known.join(", ");
    match nearest(word, known) {
        Some(meant) => format!("did you mean \"{meant}\"? It is one of {list}"),
        None => format!("it is one of {list}"),
    }
}
