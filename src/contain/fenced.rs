//! A check whose files Landlock holds: what its own process does about it before it becomes its
//! program, and what that is known by.

use std::ffi::c_char;
use std::marker::PhantomData;
use std::os::fd::RawFd;
use std::ptr;

use nix::errno::Errno;

use super::ruleset::{self, Held};
use super::seen::{MOST_HOMES, Seen, Watched};
use super::tried::{Tried, try_out};

/// All that the process needs. It leads into what it borrows.
pub struct Fenced<'a> {
    ruleset: RawFd,
    homes: [*const c_char; MOST_HOMES],
    /// From where we are.
    outside: Tried,
    /// Written by the child, whose memory this too is.
    inside: Tried,
    borrows: PhantomData<&'a ()>,
}

impl<'a> Fenced<'a> {
    /// `watched`: what is hidden from who is held so.
    pub fn new(held: &'a Held, watched: &'a Watched) -> Self {
        let homes = watched.pointers();
        Self {
            ruleset: held.descriptor(),
            homes,
            // SAFETY: the texts are there.
            outside: unsafe { try_out(&homes) },
            inside: Tried::default(),
            borrows: PhantomData,
        }
    }

    /// What the process, which has become its program or has ended, was seen to have.
    pub fn seen(&self) -> Seen {
        // SAFETY: plain memory of ours. The child wrote it behind the compiler's back.
        let inside = unsafe { ptr::read_volatile(&raw const self.inside) };
        Tried::judge(&self.outside, &inside)
    }
}

/// What the process does.
///
/// # Safety
///
/// Everything that `this` leads to is there and still, and the calling process is a child that
/// shares our memory while we wait. Only system calls are made.
pub unsafe fn settle(this: *mut Fenced<'_>) -> Result<(), Errno> {
    // SAFETY: as the caller vouches.
    unsafe {
        ruleset::hold((*this).ruleset)?;
        let inside = try_out(&(*this).homes);
        ptr::write_volatile(&raw mut (*this).inside, inside);
    }
    Ok(())
}
