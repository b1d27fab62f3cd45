//! A process that outlives `check` where `check` is killed without a word (SIGKILL), and ends what
//! it was running.
//!
//! It is a fork without exec, in a session of its own, that does nothing but read a pipe of which
//! only `check` holds the other end. When that closes, `check` is gone: a run that ends otherwise
//! has ended its watchdog first.

use std::ffi::CStr;
use std::fs;
use std::io::{self, PipeWriter, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::sync::atomic::AtomicI32;
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::signal::Signal;
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

use super::processes;
use super::remains::Remains;
use super::roster::Roster;
use super::signal::{pidfd, send_to};

/// Not a name that who looks for `check` to kill it would find.
const NAME: &CStr = c"watchdog";
/// How long what a dead run has left is looked for and killed.
const LIMIT: Duration = Duration::from_secs(10);

/// The watchdog of a run that lives.
pub struct Watchdog {
    pid: i32,
    pidfd: OwnedFd,
    roster: Roster,
    /// Closes when we die, however that is.
    _alive: PipeWriter,
}

impl Watchdog {
    /// Forks. `remains`: how the run's processes are known.
    pub fn start(remains: &Remains) -> io::Result<Self> {
        let roster = Roster::new()?;
        let (mut reading, alive) = io::pipe()?;
        // SAFETY: the child only runs `watch`, which leaves nothing of this process in use but
        // memory of its own, and never returns.
        let pid = unsafe { libc::fork() };
        match pid {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                // The lock on the root goes first: whoever comes next must not find it held.
                close_all_but(reading.as_raw_fd());
                become_nobody();
                // Nothing is ever written, so one read is the whole wait.
                let mut nothing = [0];
                while let Err(error) = reading.read(&mut nothing) {
                    if error.kind() != io::ErrorKind::Interrupted {
                        break;
                    }
                }
                if roster.is_armed() {
                    remains.end(&roster.list(), Instant::now() + LIMIT);
                }
                // SAFETY: ends this process at once, without the exit handlers of its parent.
                unsafe { libc::_exit(0) }
            }
            _ => Ok(Self {
                pid,
                pidfd: pidfd(Pid::from_raw(pid))?,
                roster,
                _alive: alive,
            }),
        }
    }

    /// Its process id.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// From now on there is something to end.
    pub fn arm(&mut self) {
        self.roster.arm();
    }

    /// When it started, in clock ticks since boot.
    pub fn start_time(&self) -> Option<u64> {
        Some(processes::stat(self.pid)?.key.start_time)
    }

    /// A place where a check's main process that is about to be started can write its id; see
    /// [`Roster::reserve`].
    pub fn reserve(&mut self) -> Option<usize> {
        self.roster.reserve()
    }

    /// See [`Roster::at`].
    pub fn at(&self, place: usize) -> &AtomicI32 {
        self.roster.at(place)
    }

    /// Nothing was started.
    pub fn release(&mut self, place: usize) {
        self.roster.release(place);
    }

    /// A check's main process is over, and with it its session.
    pub fn forget(&mut self, leader: i32) {
        self.roster.remove(leader);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        send_to(self.pidfd.as_fd(), Signal::SIGKILL);
        let _ = waitid(Id::PIDFd(self.pidfd.as_fd()), WaitPidFlag::WEXITED);
    }
}

/// Whether the process `pid` goes by the name of one.
pub fn is_one(pid: i32) -> bool {
    let name = fs::read(format!("/proc/{pid}/comm"));
    name.is_ok_and(|name| name.strip_suffix(b"\n") == Some(NAME.to_bytes()))
}

/// Closes every descriptor but one.
fn close_all_but(kept: i32) {
    let kept = kept.cast_unsigned();
    for (first, last) in [(0, kept.wrapping_sub(1)), (kept + 1, libc::c_uint::MAX)] {
        if first <= last {
            // SAFETY: the call takes integers. What it closes is used by nobody here: the owners
            // are values of the parent, which are never dropped in this process.
            unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        }
    }
}

/// Leaves the parent's session, so that what is sent to its terminal or group does not arrive, and
/// hears no signal that can be refused. It keeps no folder in use.
fn become_nobody() {
    let all = u64::MAX;
    // SAFETY: the calls take integers, a text and 8 bytes, all of which are there.
    unsafe {
        libc::setsid();
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            &raw const all,
            std::ptr::null_mut::<u64>(),
            8,
        );
        libc::prctl(libc::PR_SET_NAME, NAME.as_ptr());
        libc::chdir(c"/".as_ptr());
    }
}
