//! A child with nothing of ours in it but what it was given.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc;
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::pipe2;

use crate::model::Streams;

use super::clone::{Cloned, Stack};
use super::image::{Image, Step, Texts, enter};
use super::{Launch, Leader, Pipe, StartError};

/// A process that runs, and the reading ends of its output.
pub struct Spawned {
    pub leader: Leader,
    pub stdout: Pipe,
    pub stderr: Option<Pipe>,
}

/// The cgroup that a process is started in.
#[derive(Clone, Copy)]
pub struct BornIn<'a> {
    /// Its folder.
    pub folder: BorrowedFd<'a>,
    /// Its `cgroup.procs`, for a kernel that cannot start a process in it.
    pub procs: BorrowedFd<'a>,
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
        })
    }

    /// Starts `launch` in a session of its own: standard input is the null device, descriptors
    /// above 2 are closed, signal actions and mask are the default, umask is 022, no core is
    /// dumped. It is killed when we are.
    ///
    /// The program is run by execve(2) itself: execvp(3) hands a file without a known format to
    /// `/bin/sh`.
    pub fn spawn(
        &mut self,
        launch: &Launch,
        cgroup: Option<BornIn<'_>>,
    ) -> Result<Spawned, StartError> {
        let texts = Texts::new(launch)?;
        let Self {
            stack,
            null,
            ignored,
            by_clone2,
            own_pid,
        } = self;
        let (stdout, out_end) = pipe()?;
        let (stderr, err_end) = match launch.streams {
            Streams::Split => {
                let (reading, writing) = pipe()?;
                (Some(reading), Some(writing))
            }
            Streams::Joined => (None, None),
        };
        let err_end = err_end.as_ref().unwrap_or(&out_end);
        let mut image = Image::new(
            &texts,
            [null, &out_end, err_end].map(AsRawFd::as_raw_fd),
            ignored,
            *own_pid,
        );
        let Cloned { pid, pidfd } = start(stack, by_clone2, &mut image, cgroup)
            .map_err(|errno| system("start the process")(errno.into()))?;
        if let Some((step, errno)) = image.failure() {
            // Nobody else waits for it.
            let _ = waitid(Id::PIDFd(pidfd.as_fd()), WaitPidFlag::WEXITED);
            return Err(start_error(launch, step, errno));
        }
        let leader = Leader::new(pid, pidfd).map_err(|error| {
            // What cannot be watched must not live. It was not waited for: its id is its own.
            let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
            let _ = waitid(Id::Pid(pid), WaitPidFlag::WEXITED);
            system("watch the process")(error)
        })?;
        Ok(Spawned {
            leader,
            stdout,
            stderr,
        })
    }
}

/// Starts the child of `image`. `by_clone2`: learnt once, that the newer call is not to be had.
fn start(
    stack: &mut Stack,
    by_clone2: &mut bool,
    image: &mut Image<'_>,
    cgroup: Option<BornIn<'_>>,
) -> Result<Cloned, Errno> {
    let argument = ptr::from_mut(image).cast::<c_void>();
    if !*by_clone2 {
        let folder = cgroup.map(|cgroup| cgroup.folder);
        // SAFETY: `enter` keeps to its rules, and this is the image that it takes.
        let cloned = unsafe { stack.start(folder, enter, argument) };
        match cloned {
            // The older call would fare no better.
            Err(Errno::EAGAIN | Errno::ENOMEM | Errno::EMFILE | Errno::ENFILE) | Ok(_) => {
                return cloned;
            }
            Err(_) => *by_clone2 = true,
        }
    }
    image.has_handlers();
    if let Some(cgroup) = cgroup {
        image.joins(cgroup.procs);
    }
    let argument = ptr::from_mut(image).cast::<c_void>();
    // SAFETY: as above.
    unsafe { stack.start_by_clone2(enter, argument) }
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
