//! What the process that started us may have left us, put right before anything else is done.

/// Signal actions that would make us miss the end of our children or end us in the middle of a
/// verdict. What a check gets is the default, whatever stands here.
#[cfg(unix)]
pub fn put_right() {
    use nix::sys::signal::{SigHandler, Signal, signal};
    // SAFETY: neither action runs any code of ours.
    unsafe {
        // Ignored, it would let children that end vanish before anybody can ask how.
        let _ = signal(Signal::SIGCHLD, SigHandler::SigDfl);
        // A file that may not grow (RLIMIT_FSIZE) is an error of the one who writes it, and no end.
        let _ = signal(Signal::SIGXFSZ, SigHandler::SigIgn);
    }
}

/// Windows hands on no signal actions.
#[cfg(windows)]
pub fn put_right() {}
