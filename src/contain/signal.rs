//! A signal to the very process that was seen, or to none.

use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};

use nix::libc;
use nix::sys::signal::Signal;
use nix::unistd::Pid;

use super::processes::{self, ProcessKey};

/// Signals the process of `key`, if that is still the one of this id: the descriptor is opened
/// first, and only then is the start time compared, so that a reused id cannot be hit.
pub fn send(key: ProcessKey, signal: Signal) {
    let Ok(fd) = pidfd(Pid::from_raw(key.pid)) else {
        return;
    };
    if processes::stat(key.pid).is_some_and(|now| now.key == key) {
        send_to(fd.as_fd(), signal);
    }
}

/// Signals the process behind a descriptor; nobody where it has ended.
pub fn send_to(pidfd: BorrowedFd<'_>, signal: Signal) {
    // SAFETY: pidfd_send_signal(2) takes a descriptor, a number and no siginfo.
    unsafe {
        libc::syscall(
            libc::SYS_pidfd_send_signal,
            pidfd.as_raw_fd(),
            signal as libc::c_int,
            std::ptr::null::<libc::siginfo_t>(),
            0,
        );
    }
}

/// A descriptor for the process itself; see `pidfd_open(2)`. Close-on-exec.
pub fn pidfd(pid: Pid) -> io::Result<OwnedFd> {
    // SAFETY: the call takes two integers and gives a new descriptor or -1.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid.as_raw(), 0) };
    let fd = i32::try_from(fd).unwrap_or(-1);
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just given this descriptor, and nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
