//! The bar: what the tree is measured against, and who may lower it.

mod agent;
mod attempts;

pub use agent::{AGENT_MARKS, CI_MARKS, agent_mark, ci_mark, is_set};
pub use attempts::{Attempt, log_attempt};
