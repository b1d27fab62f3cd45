//! The wall clock, for what is written down.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970; 0 where the clock stands before that.
pub fn milliseconds(at: SystemTime) -> u64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
