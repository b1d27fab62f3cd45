//! A child with nothing of ours in it but what it was given.

mod beside_us;
mod in_a_room;

use std::ffi::{OsString, c_int};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::AtomicI32;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl, openat};
use nix::libc;
use nix::sys::stat::Mode;
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::{Pid, pipe2};

use crate::model::{Confinement, Limits, Network, Streams, View};

use super::clone::Stack;
use super::enclose::Init;
use super::image::Step;
use super::obstacle::Obstacle;
use super::rooms::Rooms;
use super::seen::Seen;
use super::{Launch, Leader, Pipe, StartError};

/// A process that runs, and the reading ends of its output.
pub struct Spawned {
    pub leader: Leader,
    pub stdout: Pipe,
    pub stderr: Option<Pipe>,
    /// As in [`Born`].
    pub init: Option<Init>,
    /// As in [`Born`].
    pub seen: Seen,
}

/// A process that runs. It is a child of ours that nobody waits for yet.
pub struct Born {
    pub pid: Pid,
    pub pidfd: OwnedFd,
    /// The first process of its PID namespace, where it has one.
    pub init: Option<Init>,
    /// What it was seen to have.
    pub seen: Seen,
}

/// What every start of a run shares.
pub struct Starter {
    stack: Stack,
    null: OwnedFd,
    /// Signals that our own caller made us ignore, or the runtime did.
    ignored: Vec<c_int>,
    /// The kernel, or a filter, knows no clone3 that does what is needed.
    by_clone2: bool,
    own_pid: libc::pid_t,
    rooms: Rooms,
}

impl Starter {
    /// Opens and asks what is the same for every child.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            stack: Stack::new()?,
            null: File::open("/dev/null")?.into(),
            ignored: ignored_signals(),
            by_clone2: false,
            own_pid: std::process::id().cast_signed(),
            rooms: Rooms::new()?,
        })
    }

    /// Starts `launch` in a session of its own: standard input is the null device, descriptors
    /// above 2 are closed, signal actions and mask are the default, umask is 022, no core is
    /// dumped.
    ///
    /// It is in the cgroup of the folder `cgroup`, where there is one, and writes its id at `noted`.
    ///
    /// The program is run by execve(2) itself: execvp(3) hands a file without a known format to
    /// `/bin/sh`.
    pub fn spawn(
        &mut self,
        launch: &Launch,
        cgroup: Option<BorrowedFd<'_>>,
        noted: Option<&AtomicI32>,
    ) -> Result<Spawned, StartError> {
        let (stdout, out_end) = pipe()?;
        let (stderr, err_end) = match launch.streams {
            Streams::Split => {
                let (reading, writing) = pipe()?;
                (Some(reading), Some(writing))
            }
            Streams::Joined => (None, None),
        };
        let err_end = err_end.as_ref().unwrap_or(&out_end);
        let Born {
            pid,
            pidfd,
            init,
            seen,
        } = self.bear(launch, [out_end.as_fd(), err_end.as_fd()], cgroup, noted)?;
        let leader = Leader::new(pid, pidfd).map_err(|error| unwatched(pid, error))?;
        Ok(Spawned {
            leader,
            stdout,
            stderr,
            init,
            seen,
        })
    }

    /// As [`Starter::spawn`], with standard output and error given.
    pub fn bear(
        &mut self,
        launch: &Launch,
        [out_end, err_end]: [BorrowedFd<'_>; 2],
        cgroup: Option<BorrowedFd<'_>>,
        noted: Option<&AtomicI32>,
    ) -> Result<Born, StartError> {
        let means = Means { cgroup, noted };
        let mut asked = Asked::Nothing;
        if let Some(confinement) = &launch.confinement {
            let network = confinement.network == Network::None;
            if confinement.required {
                asked = Asked::Required { network };
            }
            if let Some(born) = self.bear_in_a_room(launch, [out_end, err_end], means, asked)? {
                return Ok(born);
            }
            if confinement.required {
                return Err(StartError::NotContained(self.missing()));
            }
        }
        self.bear_beside_us(launch, [out_end, err_end], means, asked)
    }

    /// What a check that sees `view` would be seen to have, where that can be tried: nothing is run.
    pub fn trial(&mut self, view: View, limits: Limits) -> Result<Seen, StartError> {
        let launch = Launch {
            program: PathBuf::new(),
            argv: Vec::new(),
            env: Vec::new(),
            cwd: PathBuf::new(),
            streams: Streams::Joined,
            mark: OsString::new(),
            confinement: Some(Confinement {
                view,
                network: Network::None,
                limits,
                required: false,
            }),
        };
        let nowhere = self.null.try_clone().map_err(system("make a pipe"))?;
        let ends = [nowhere.as_fd(), nowhere.as_fd()];
        let means = Means {
            cgroup: None,
            noted: None,
        };
        let born = match self.bear_in_a_room(&launch, ends, means, Asked::Trial)? {
            Some(born) => born,
            None => self.bear_beside_us(&launch, ends, means, Asked::Trial)?,
        };
        let _ = waitid(Id::PIDFd(born.pidfd.as_fd()), WaitPidFlag::WEXITED);
        Ok(born.seen)
    }

    /// Nobody is in this network any more.
    pub fn give_back(&mut self, network: OwnedFd) {
        self.rooms.networks.give_back(network);
    }

    /// What stands in the way of namespaces; `None` where nothing is known to.
    pub fn obstacle(&self) -> Option<Obstacle> {
        self.rooms.obstacle()
    }

    fn missing(&self) -> String {
        let obstacle = self.obstacle();
        obstacle.map_or_else(
            || "nothing here contains them".to_owned(),
            |found| found.words(),
        )
    }
}

/// What cannot be watched must not live. `pid`: it was not waited for, so that its id is its own.
fn unwatched(pid: Pid, error: io::Error) -> StartError {
    let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
    let _ = waitid(Id::Pid(pid), WaitPidFlag::WEXITED);
    system("watch the process")(error)
}

/// Where a check is to be born, beside its namespaces.
#[derive(Clone, Copy)]
struct Means<'a> {
    /// The folder of its cgroup.
    cgroup: Option<BorrowedFd<'a>>,
    /// Where it writes its id.
    noted: Option<&'a AtomicI32>,
}

/// What is asked of a start.
#[derive(Clone, Copy)]
enum Asked {
    /// To say what it was seen to have.
    Nothing,
    /// And to start nothing that has less than all.
    Required { network: bool },
    /// To start nothing at all.
    Trial,
}

/// What a child joins a cgroup by that it was not born in.
fn joining(folder: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    let flags = OFlag::O_WRONLY | OFlag::O_CLOEXEC;
    openat(folder, "cgroup.procs", flags, Mode::empty())
}

/// The numbers of the signals that we ignore. One that the C library keeps to itself is asked of
/// the kernel like any other.
fn ignored_signals() -> Vec<c_int> {
    let is_ignored = |&signal: &c_int| {
        let mut action = [0_usize; 4];
        // SAFETY: the kernel writes its `struct sigaction`, 32 bytes or less, and reads nothing.
        let asked = unsafe {
            libc::syscall(
                libc::SYS_rt_sigaction,
                signal,
                ptr::null::<usize>(),
                action.as_mut_ptr(),
                8,
            )
        };
        asked == 0 && action[0] == libc::SIG_IGN
    };
    (1..=64).filter(is_ignored).collect()
}

fn pipe() -> Result<(Pipe, OwnedFd), StartError> {
    let errno = |errno: Errno| system("make a pipe")(errno.into());
    let (reading, writing) = pipe2(OFlag::O_CLOEXEC).map_err(errno)?;
    fcntl(reading.as_fd(), FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map_err(errno)?;
    Ok((Pipe::new(reading).map_err(system("watch a pipe"))?, writing))
}

fn system(what: &'static str) -> impl Fn(io::Error) -> StartError {
    move |source| StartError::System { what, source }
}

fn start_error(launch: &Launch, step: Step, errno: Errno) -> StartError {
    let program = launch.program.display().to_string();
    let what = match step {
        Step::Join => return StartError::NotInCgroup,
        Step::Fence => "hold its files by Landlock",
        Step::Prepare => "prepare the process",
        Step::EnterFolder => "enter the folder that it runs in",
        Step::Become => "start the process",
    };
    match (step, errno) {
        (Step::Become, Errno::ENOEXEC) => StartError::NoInterpreter(program),
        // The program was found before, so it is what it names that is missing.
        (Step::Become, Errno::ENOENT) => StartError::MissingInterpreter(program),
        (Step::Become, Errno::EACCES) => StartError::Denied(program),
        (Step::Become, Errno::E2BIG) => StartError::TooLong,
        _ => system(what)(errno.into()),
    }
}

#[cfg(test)]
mod tests;
