//! The only caller of git.
//!
//! Where a repository lies is read from its files, since every start needs it; what its tree holds
//! is asked of git, in a way that runs nothing of the repository's or the caller's configuration:
//! no hook, monitor, filter, pager, external diff, text conversion or remote. A git that takes too
//! long, or that nobody waits for any more, is killed with all that it started.

mod ages;
mod call;
mod content;
mod files;
mod git;
mod history;
mod patience;
mod process;
mod repository;
mod status;
mod tree;

pub use ages::{Ages, AgesError};
pub use files::FileState;
pub use git::Git;
pub use patience::{GitError, Patience};
pub use repository::Repository;
pub use tree::TreeFacts;
