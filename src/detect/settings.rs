//! What holds for a detected run.

use std::collections::BTreeMap;
use std::path::Path;

use crate::model::{HostFacts, RunSettings};

/// What tools need to hear so that their output is for a reader that is no terminal.
pub(super) const ENV: [(&str, &str); 8] = [
    ("CI", "1"),
    ("NO_COLOR", "1"),
    ("FORCE_COLOR", "0"),
    ("TERM", "dumb"),
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("COLUMNS", "200"),
    ("LANG", "C.UTF-8"),
];

pub(super) fn env() -> BTreeMap<String, String> {
    ENV.iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// The defaults, but for memory: nobody chose a limit for these commands, so that three quarters
/// of the host's is nobody's surprise.
pub(super) fn of(root: &Path, host: &HostFacts) -> RunSettings {
    let mut settings = host.default_settings(root);
    let most_of_it = host.memory_bytes / 4 * 3;
    settings.limits.memory_bytes = settings.limits.memory_bytes.max(most_of_it);
    settings
}
