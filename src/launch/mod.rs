//! What a child gets: its program, its six variables, its home. Nothing of the caller's
//! environment reaches a check but what stands here.

mod caller;
mod environment;
mod folder;
mod go_dirs;
mod home;
mod install_hint;
mod lookup;
mod toolchains;

pub use caller::Caller;
pub use environment::{Environment, SIX_KEYS, Wanted, environment};
pub use folder::Folder;
pub use home::{Home, HomePlace, is_home_of};
pub use install_hint::install_hint;
pub use lookup::{LookupError, SearchPath, find_program};
