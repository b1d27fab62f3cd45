//! What is new: identity, the recorded failures, the comparison and the one judgement.
//!
//! Only `folder` touches files. Everything else is a pure function of values, so that every rule
//! of `docs/ratchet.md` is tested by value.

mod baseline;
mod compare;
mod fingerprint;
mod fold;
mod folder;
mod identity;
mod judgement;
mod kept;
mod last_lines;
mod places;
mod policy;
mod record;
mod signal;
mod volatile;
mod wording;

pub use baseline::Baseline;
pub use compare::{Compared, Comparison, Looked, MAX_ROWS, Met, Standing, Tally, Unmet};
pub use fingerprint::Fingerprint;
pub use fold::fold;
pub use folder::{Baselines, FOLDER, WriteError, baseline_bytes, file_name, write};
pub use identity::{FORMAT, Identity, source_key};
pub use judgement::{Facts, Judgement, Recordable};
pub use kept::{Kept, MAX_KEPT};
pub use last_lines::last_lines;
pub use places::Places;
pub use policy::{judge, ran_whole};
pub use record::{Record, RecordError};
pub use signal::signal_name;
