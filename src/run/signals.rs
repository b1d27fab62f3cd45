//! The signals that end a run, heard instead of obeyed until the checks are gone.

pub use platform::{Signals, stop_here};

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// To end.
    Fatal(Fatal),
    /// To stop until told to go on (Ctrl-Z).
    Stop,
}

/// A signal that ends the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fatal {
    /// Its number.
    pub number: i32,
    /// For example `SIGTERM`.
    pub name: &'static str,
}

#[cfg(unix)]
mod platform {
    use std::future::poll_fn;
    use std::io;
    use std::mem::MaybeUninit;
    use std::task::Poll;

    use nix::libc;
    use nix::sys::signal::{SigSet, SigmaskHow, Signal, raise};
    use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

    use super::{Fatal, Heard};

    /// What is heard.
    const HEARD: [Signal; 5] = [
        Signal::SIGINT,
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGQUIT,
        Signal::SIGTSTP,
    ];

    /// Hears INT, TERM, HUP, QUIT and TSTP; one that was ignored when `check` started stays ignored.
    pub struct Signals {
        heard: Vec<(Signal, Stream)>,
    }

    impl Signals {
        /// Takes over from the default actions. Needs a tokio runtime with I/O.
        pub fn listen() -> io::Result<Self> {
            // A handler is in place a moment before what it calls: what came then would be lost.
            let _later = HeldBack::new(&HEARD)?;
            let mut heard = Vec::new();
            for name in HEARD {
                if !is_ignored(name) {
                    heard.push((name, signal(SignalKind::from_raw(name as i32))?));
                }
            }
            Ok(Self { heard })
        }

        /// Waits for the next one. Safe to cancel.
        pub async fn next(&mut self) -> Heard {
            poll_fn(|context| {
                for (name, stream) in &mut self.heard {
                    if stream.poll_recv(context).is_ready() {
                        return Poll::Ready(heard(*name));
                    }
                }
                Poll::Pending
            })
            .await
        }
    }

    /// Signals that wait for this to be dropped before they come to this thread.
    struct HeldBack {
        mask: SigSet,
    }

    impl HeldBack {
        fn new(signals: &[Signal]) -> io::Result<Self> {
            let signals: SigSet = signals.iter().copied().collect();
            let mask = signals.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
            Ok(Self { mask })
        }
    }

    impl Drop for HeldBack {
        fn drop(&mut self) {
            // It was a mask before, and is one again.
            let _ = self.mask.thread_set_mask();
        }
    }

    fn heard(signal: Signal) -> Heard {
        if signal == Signal::SIGTSTP {
            return Heard::Stop;
        }
        Heard::Fatal(Fatal {
            number: signal as i32,
            name: signal.as_str(),
        })
    }

    /// Stops this process. Returns when it goes on.
    pub fn stop_here() {
        // SIGTSTP itself would do nothing in a group that no shell watches over.
        let _ = raise(Signal::SIGSTOP);
    }

    fn is_ignored(signal: Signal) -> bool {
        let mut action = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: with a null new action sigaction(2) only writes the present one.
        let asked =
            unsafe { libc::sigaction(signal as i32, std::ptr::null(), action.as_mut_ptr()) };
        // SAFETY: the call succeeded, so the action was written.
        asked == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(windows)]
mod platform {
    use std::io;

    use tokio::signal::windows::{CtrlC, ctrl_c};

    use super::{Fatal, Heard};

    /// Hears Ctrl-C.
    pub struct Signals {
        ctrl_c: CtrlC,
    }

    impl Signals {
        /// Takes over from the default action. Needs a tokio runtime with I/O.
        pub fn listen() -> io::Result<Self> {
            Ok(Self { ctrl_c: ctrl_c()? })
        }

        /// Waits for the next one. Safe to cancel.
        pub async fn next(&mut self) -> Heard {
            if self.ctrl_c.recv().await.is_none() {
                std::future::pending::<()>().await;
            }
            Heard::Fatal(Fatal {
                number: 2,
                name: "SIGINT",
            })
        }
    }

    /// There is no such thing here.
    pub fn stop_here() {}
}
