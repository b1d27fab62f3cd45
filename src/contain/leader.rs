//! A check's main process: waited for without being reaped, so that its id stays its own.

#[cfg(target_os = "linux")]
pub use linux::Leader;
#[cfg(windows)]
pub use windows::Leader;

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::os::fd::{AsFd as _, OwnedFd};

    use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
    use nix::unistd::Pid;
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use crate::model::Exit;

    /// A check's main process. Dropping it reaps it where it has ended.
    pub struct Leader {
        pid: Pid,
        pidfd: AsyncFd<OwnedFd>,
    }

    impl Leader {
        pub(in crate::contain) fn new(pid: Pid, pidfd: OwnedFd) -> io::Result<Self> {
            // SAFETY: the descriptor is owned by the `AsyncFd`, is never handed out, and stays open
            // until it is dropped.
            let pidfd = unsafe { AsyncFd::register_with_interest(pidfd, Interest::READABLE)? };
            Ok(Self { pid, pidfd })
        }

        /// Waits until it has ended and says how. It stays a zombie, and its id its own, until
        /// [`Leader::reap`]. Safe to cancel.
        pub async fn ended(&self) -> io::Result<Exit> {
            loop {
                let mut ready = self.pidfd.readable().await?;
                if let Some(exit) = self.poll()? {
                    return Ok(exit);
                }
                ready.clear_ready();
            }
        }

        /// How it ended, where it has.
        pub fn poll(&self) -> io::Result<Option<Exit>> {
            let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
            match waitid(Id::PIDFd(self.pidfd.as_fd()), flags) {
                Ok(WaitStatus::Exited(_, code)) => Ok(Some(Exit::Code(code))),
                Ok(WaitStatus::Signaled(_, signal, _)) => Ok(Some(Exit::Signal(signal as i32))),
                Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(None),
                Err(errno) => Err(errno.into()),
            }
        }

        /// Its process id.
        pub fn pid(&self) -> i32 {
            self.pid.as_raw()
        }

        /// Lets the kernel forget it. From here on its id may be another's.
        pub fn reap(self) {
            // It has ended or it cannot be ended; there is nothing to do about an error.
            let _ = waitid(
                Id::PIDFd(self.pidfd.as_fd()),
                WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG,
            );
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::convert::Infallible;
    use std::future::Ready;
    use std::io;

    use crate::model::Exit;

    /// A check's main process; none can be started here.
    pub struct Leader(Infallible);

    impl Leader {
        /// Waits until it has ended and says how.
        pub fn ended(&self) -> Ready<io::Result<Exit>> {
            match self.0 {}
        }

        /// How it ended, where it has.
        pub fn poll(&self) -> io::Result<Option<Exit>> {
            match self.0 {}
        }

        /// Its process id.
        pub fn pid(&self) -> i32 {
            match self.0 {}
        }

        /// Lets the system forget it.
        pub fn reap(self) {
            match self.0 {}
        }
    }
}
