//! The bar: what the tree is measured against, and who may lower it.

mod agent;
mod attempts;
mod digest;

pub use agent::{AGENT_MARKS, CI_MARKS, agent_mark, ci_mark};
pub use attempts::{Attempt, log_attempt};
pub use digest::{baseline_sha256, manifest_sha256};
