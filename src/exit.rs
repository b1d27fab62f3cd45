//! How this process ends: three codes, and a signal that was held back raised again.

use std::process::ExitCode;

use crate::model::VerdictWord;

/// 0, 1 or 2; see the table in `docs/verdict.md`.
pub fn code(verdict: VerdictWord) -> ExitCode {
    ExitCode::from(verdict.exit_code())
}

/// No verdict, or a command that could not do its work.
pub const OPERATOR: u8 = 2;

/// A file that outgrows what this process may write (`ulimit -f`; `RLIMIT_FSIZE` in getrlimit(2)) is
/// an error of that file from here on, as on a full disk, and not the end of this process.
#[cfg(unix)]
pub fn outlive_long_files() {
    use nix::sys::signal::{SigHandler, Signal, signal};
    // SAFETY: a signal that is ignored runs no code of ours.
    let _ = unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) };
}

/// Windows has no such limit.
#[cfg(windows)]
pub fn outlive_long_files() {}

/// Where SIGCHLD was ignored when we were started, children that end would vanish before anybody
/// could ask how; see wait(2). From here on they wait for that.
#[cfg(unix)]
pub fn hear_of_children() {
    use nix::sys::signal::{SigHandler, Signal, signal};
    // SAFETY: the default action runs no code of ours.
    let _ = unsafe { signal(Signal::SIGCHLD, SigHandler::SigDfl) };
}

/// Windows keeps what it knows of a child as long as we do.
#[cfg(windows)]
pub fn hear_of_children() {}

/// Ends this process by signal `number`, as it would have ended without us. Where that does not
/// end it (a PID 1 has no default actions), the code a shell would show is returned.
#[cfg(unix)]
pub fn reraise(number: i32) -> ExitCode {
    use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, raise, sigaction};
    if let Ok(signal) = Signal::try_from(number) {
        let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
        // SAFETY: the default action runs no code of ours.
        if unsafe { sigaction(signal, &default) }.is_ok() {
            let _ = raise(signal);
        }
    }
    shell_code(number)
}

/// Windows has no signal to raise again.
#[cfg(windows)]
pub fn reraise(number: i32) -> ExitCode {
    shell_code(number)
}

fn shell_code(number: i32) -> ExitCode {
    ExitCode::from(u8::try_from(128 + number).unwrap_or(OPERATOR))
}
