//! A folder held open, in which nothing is reached through a symbolic link.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{Folder, Stamp};
#[cfg(windows)]
pub use windows::{Folder, Stamp};

#[cfg(test)]
#[cfg(unix)]
mod tests;
