//! What one line can say of the machine.

use crate::model::EnvironmentFailure;

/// A sign that the machine, not the tree, is at fault.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// A launcher says what it lacks: believed near the end of the output.
    Lacks(EnvironmentFailure),
    /// A shell does not find or may not run this program, in these words.
    Program {
        name: String,
        failure: EnvironmentFailure,
    },
    /// A launcher passes on, in these words, that what it ran exited with 126 or 127.
    Relays { words: String, code: u32 },
    /// Something could not be fetched: it counts wherever it stands.
    Unfetched(EnvironmentFailure),
}
