//! The terminal on standard error, written to without ever waiting for it: one that was stopped
//! by Ctrl-S, or that nobody reads, must not keep a check from its time limit.

pub use platform::{Tty, stderr_takes_a_line};

#[cfg(unix)]
mod platform {
    use std::fs::{File, OpenOptions};
    use std::io::{self, Write};
    use std::os::fd::{AsFd as _, AsRawFd, RawFd};
    use std::os::unix::fs::OpenOptionsExt as _;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

    use console::Term;
    use nix::libc;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use nix::unistd::{getpgrp, tcgetpgrp};

    /// See the module.
    pub struct Tty {
        term: Term,
        outbox: Outbox,
    }

    impl Tty {
        /// Standard error, which is a terminal.
        pub fn on_stderr() -> Option<Self> {
            // A descriptor of our own: whether it waits is shared by all who have the same one,
            // the shell too. Who is not the terminal's owner may write to it, yet not open it.
            let own = OpenOptions::new()
                .write(true)
                .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
                .open("/proc/self/fd/2");
            let file = own.or_else(|_| io::stderr().as_fd().try_clone_to_owned().map(File::from));
            Some(Self::new(file.ok()?))
        }

        /// On a terminal that does not make whoever writes to it wait.
        pub fn new(file: File) -> Self {
            let outbox = Outbox(Arc::new(Mutex::new(Held {
                file,
                bytes: Vec::new(),
            })));
            Self {
                term: Term::read_write_pair(io::stdin(), outbox.clone()),
                outbox,
            }
        }

        /// What is written here waits for [`Tty::send`].
        pub fn term(&self) -> &Term {
            &self.term
        }

        /// Hands over as much of what waits as the terminal takes now. True where that is all, or
        /// nobody will ever take it.
        pub fn send(&self) -> bool {
            self.outbox.held().send()
        }

        /// False where a shell has taken the terminal back (`check &`, `bg`): whoever types there
        /// is not to be drawn over.
        pub fn is_ours(&self) -> bool {
            let held = self.outbox.held();
            // One that is no job's, a pseudo-terminal say, is nobody else's.
            !tcgetpgrp(&held.file).is_ok_and(|group| group != getpgrp())
        }
    }

    /// What is on its way to a terminal.
    #[derive(Debug, Clone)]
    struct Outbox(Arc<Mutex<Held>>);

    #[derive(Debug)]
    struct Held {
        file: File,
        bytes: Vec<u8>,
    }

    impl Outbox {
        fn held(&self) -> MutexGuard<'_, Held> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    impl Held {
        fn send(&mut self) -> bool {
            while !self.bytes.is_empty() {
                match self.file.write(&self.bytes) {
                    Ok(taken) if taken > 0 => {
                        self.bytes.drain(..taken);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
                    Ok(_) | Err(_) => self.bytes.clear(),
                }
            }
            true
        }
    }

    /// The library hands over each piece by itself; they are sent together.
    impl Write for Outbox {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.held().bytes.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl AsRawFd for Outbox {
        fn as_raw_fd(&self) -> RawFd {
            self.held().file.as_raw_fd()
        }
    }

    /// Whether a line can be written to standard error without waiting. A pipe that is ready
    /// takes `PIPE_BUF` bytes; see pipe(7).
    pub fn stderr_takes_a_line() -> bool {
        let stderr = io::stderr();
        let mut asked = [PollFd::new(stderr.as_fd(), PollFlags::POLLOUT)];
        poll(&mut asked, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
    }
}

#[cfg(windows)]
mod platform {
    use console::Term;

    /// See the module.
    pub struct Tty {
        term: Term,
    }

    impl Tty {
        /// `None` where the console does not understand control sequences.
        pub fn on_stderr() -> Option<Self> {
            let term = Term::stderr();
            let understands = term.features().colors_supported();
            understands.then_some(Self { term })
        }

        /// Writes at once.
        pub fn term(&self) -> &Term {
            &self.term
        }

        /// Nothing waits.
        pub fn send(&self) -> bool {
            true
        }

        /// Windows has no jobs in the background of a console.
        pub fn is_ours(&self) -> bool {
            true
        }
    }

    /// It is not asked.
    pub fn stderr_takes_a_line() -> bool {
        true
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::Tty;
    use std::fs::File;
    use std::io::{Read as _, Write as _};

    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};

    #[test]
    fn a_terminal_that_nobody_reads_makes_nobody_wait_and_loses_nothing() {
        let pty = nix::pty::openpty(None, None).unwrap();
        let mut raw = tcgetattr(&pty.slave).unwrap();
        cfmakeraw(&mut raw);
        tcsetattr(&pty.slave, SetArg::TCSANOW, &raw).unwrap();
        fcntl(&pty.slave, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
        let tty = Tty::new(File::from(pty.slave));
        let text: Vec<u8> = (b'a'..=b'z').cycle().take(1 << 20).collect();
        tty.term().write_all(&text).unwrap();
        assert!(!tty.send(), "no terminal holds a megabyte");
        assert!(!tty.send());

        let mut terminal = File::from(pty.master);
        let mut read = Vec::new();
        let mut buffer = [0; 4096];
        while read.len() < text.len() {
            tty.send();
            let count = terminal.read(&mut buffer).unwrap();
            read.extend_from_slice(&buffer[..count]);
        }
        assert!(read == text && tty.send());
    }
}
