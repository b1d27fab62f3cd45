//! What is known of a check beyond its result: what `check baseline` writes, and every new
//! fingerprint, of which a result lists at most 200.

use crate::model::CheckId;
use crate::ratchet::{Fingerprint, Record, Recordable, Unmet};

/// The books of one check.
#[derive(Debug, Clone)]
pub struct Account {
    /// Its name.
    pub check: CheckId,
    /// Whether a person may record it.
    pub recordable: Recordable,
    /// The fingerprint of each new row, equal ones repeated.
    pub new: Vec<Fingerprint>,
    /// Recorded failures that today's rows did not meet.
    pub unmet: Vec<Unmet>,
    /// All rows that count, as records; only where the bench is `recording`.
    pub today: Vec<Record>,
    /// The tools whose rows were seen, by registry name; only where the bench is `recording`.
    pub tools: Vec<&'static str>,
}
