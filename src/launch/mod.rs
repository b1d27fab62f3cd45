//! What a child gets: its program, its six variables, its home. Nothing of the caller's
//! environment reaches a check but what stands here.

#[cfg(unix)]
mod account;
mod caller;
#[cfg(unix)]
mod emptying;
mod environment;
mod folder;
mod go_dirs;
mod home;
mod hops;
mod install_hint;
mod layout;
mod linking;
mod lookup;
mod secrets;
mod sights;
mod spares;
mod stand_ins;
mod toolchains;

pub use caller::Caller;
pub use environment::{Environment, SIX_KEYS, Surroundings, Wanted};
pub use folder::Folder;
pub use home::{Home, HomePlace, Remains, Temp, is_home_of};
pub use install_hint::install_hint;
pub use lookup::{LookupError, SearchPath, find_program};
pub use sights::{Glance, Sights, Whereabouts};
pub use stand_ins::StandIns;
