//! git as a process that can be ended with all that it started.

use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

/// In a session of its own, its output piped to us. Ended when this is dropped, and where the
/// kernel can be told to, when the thread that started it is gone.
pub(super) struct Process {
    child: Child,
    reaped: bool,
}

impl Process {
    pub(super) fn start(mut command: Command) -> io::Result<Self> {
        platform::set_apart(&mut command);
        let child = command.stdout(Stdio::piped()).spawn()?;
        Ok(Self {
            child,
            reaped: false,
        })
    }

    /// What it prints; once.
    pub(super) fn stdout(&mut self) -> io::Result<ChildStdout> {
        self.child.stdout.take().ok_or_else(taken)
    }

    /// What it reads, where that is a pipe; once.
    pub(super) fn stdin(&mut self) -> io::Result<ChildStdin> {
        self.child.stdin.take().ok_or_else(taken)
    }

    /// Whether it has ended by itself.
    pub(super) fn has_ended(&mut self) -> io::Result<bool> {
        platform::has_ended(&mut self.child)
    }

    /// Kills what is left of it and of all that it started, and says how it ended.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        if !self.reaped {
            // Before it is reaped its id, and so that of its group, is nobody else's.
            platform::kill(&mut self.child);
        }
        self.reaped = true;
        self.child.wait()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // There is nobody to tell.
        let _ = self.end();
    }
}

fn taken() -> io::Error {
    io::Error::other("no such pipe")
}

#[cfg(target_os = "linux")]
mod platform {
    use std::io;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};

    use nix::errno::Errno;
    use nix::sys::prctl::set_pdeathsig;
    use nix::sys::signal::{Signal, killpg};
    use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
    use nix::unistd::{Pid, getpid, getppid, setsid};

    /// A session has no terminal to ask at, and no signal typed at ours reaches it.
    pub(super) fn set_apart(command: &mut Command) {
        let parent = getpid();
        let enter = move || {
            setsid()?;
            set_pdeathsig(Signal::SIGKILL)?;
            // Whoever is gone by now sends no signal any more.
            if getppid() != parent {
                return Err(Errno::ESRCH.into());
            }
            Ok(())
        };
        // SAFETY: the closure only makes async-signal-safe calls, and allocates nothing.
        unsafe {
            command.pre_exec(enter);
        }
    }

    /// Not reaped by this.
    pub(super) fn has_ended(child: &mut Child) -> io::Result<bool> {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        match waitid(Id::Pid(pid(child)), flags) {
            Ok(WaitStatus::StillAlive) | Err(Errno::EINTR) => Ok(false),
            Ok(_) => Ok(true),
            Err(errno) => Err(errno.into()),
        }
    }

    pub(super) fn kill(child: &mut Child) {
        // Of one that has ended and left nothing there is nothing to kill.
        let _ = killpg(pid(child), Signal::SIGKILL);
    }

    fn pid(child: &Child) -> Pid {
        // A pid fits: the kernel's own type is a signed 32-bit integer.
        Pid::from_raw(child.id().cast_signed())
    }
}

#[cfg(windows)]
mod platform {
    use std::io;
    use std::process::{Child, Command};

    pub(super) fn set_apart(_: &mut Command) {}

    pub(super) fn has_ended(child: &mut Child) -> io::Result<bool> {
        child.try_wait().map(|status| status.is_some())
    }

    pub(super) fn kill(child: &mut Child) {
        // One that has ended is as good as killed.
        let _ = child.kill();
    }
}
