//! fork and exec: a child with nothing of ours in it but what it was given.

use std::ffi::{CString, OsStr, c_char};
use std::io;
use std::os::fd::{AsFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::ptr;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc;
use nix::unistd::{Pid, pipe2};

use crate::model::Streams;

use super::{Launch, Leader, Pipe, StartError};

/// A process that runs, and the reading ends of its output.
pub struct Spawned {
    pub leader: Leader,
    pub stdout: Pipe,
    pub stderr: Option<Pipe>,
}

/// Starts `launch` in a session of its own: standard input is the null device, descriptors above
/// 2 are closed, signal actions and mask are the default, umask is 022, no core is dumped.
///
/// The program is run by execve(2) itself: execvp(3), which the standard library uses here, hands
/// a file without a known format to `/bin/sh`.
pub fn spawn(launch: &Launch) -> Result<Spawned, StartError> {
    let image = Image::new(launch)?;
    let (stdout, out_end) = pipe()?;
    let (stderr, err_end) = match launch.streams {
        Streams::Split => {
            let (reading, writing) = pipe()?;
            (Some(reading), writing)
        }
        Streams::Joined => (
            None,
            out_end.try_clone().map_err(system("duplicate a pipe"))?,
        ),
    };
    let mut command = Command::new(&launch.program);
    command
        .current_dir(&launch.cwd)
        .stdin(Stdio::null())
        .stdout(out_end)
        .stderr(err_end);
    // SAFETY: the closure only makes async-signal-safe calls on memory prepared before the fork.
    unsafe {
        command.pre_exec(move || image.enter());
    }
    let mut child = command
        .spawn()
        .map_err(|error| start_error(launch, error))?;
    // A pid fits: the kernel's own type is a signed 32-bit integer.
    let pid = Pid::from_raw(child.id().cast_signed());
    let leader = pidfd(pid)
        .and_then(|fd| Leader::new(pid, fd))
        .map_err(|error| {
            // What cannot be watched must not live. It was not reaped, so its id is its own.
            let _ = child.kill();
            let _ = child.wait();
            system("watch the process")(error)
        })?;
    Ok(Spawned {
        leader,
        stdout,
        stderr,
    })
}

fn pipe() -> Result<(Pipe, OwnedFd), StartError> {
    let (reading, writing) =
        pipe2(OFlag::O_CLOEXEC).map_err(|e| system("make a pipe")(e.into()))?;
    fcntl(reading.as_fd(), FcntlArg::F_SETFL(OFlag::O_NONBLOCK))
        .map_err(|e| system("make a pipe")(e.into()))?;
    Ok((Pipe::new(reading).map_err(system("watch a pipe"))?, writing))
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

fn system(what: &'static str) -> impl Fn(io::Error) -> StartError {
    move |source| StartError::System { what, source }
}

fn start_error(launch: &Launch, error: io::Error) -> StartError {
    let program = launch.program.display().to_string();
    match error.raw_os_error() {
        Some(libc::ENOEXEC) => StartError::NoInterpreter(program),
        // The program was found before, so it is what it names that is missing.
        Some(libc::ENOENT) => StartError::MissingInterpreter(program),
        Some(libc::EACCES) => StartError::Denied(program),
        Some(libc::E2BIG) => StartError::TooLong,
        _ => StartError::System {
            what: "start the process",
            source: error,
        },
    }
}

/// What execve(2) takes, laid out before the fork: after it nothing may be allocated.
struct Image {
    program: CString,
    argv: Vec<*const c_char>,
    env: Vec<*const c_char>,
    /// What `argv` and `env` point into.
    _strings: Vec<CString>,
}

// SAFETY: the pointers lead into `_strings`, which moves with them and is never changed.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Image {
    fn new(launch: &Launch) -> Result<Self, StartError> {
        let c_string =
            |text: &OsStr, what| CString::new(text.as_bytes()).map_err(|_| StartError::Nul(what));
        let program = c_string(launch.program.as_os_str(), "the program's path")?;
        let mut strings = Vec::with_capacity(launch.argv.len() + launch.env.len());
        for arg in &launch.argv {
            strings.push(c_string(arg, "an argument")?);
        }
        for (name, value) in &launch.env {
            let mut pair = name.clone();
            pair.push("=");
            pair.push(value);
            strings.push(c_string(&pair, "a variable")?);
        }
        let pointers = |of: &[CString]| -> Vec<*const c_char> {
            of.iter()
                .map(|s| s.as_ptr())
                .chain(std::iter::once(ptr::null()))
                .collect()
        };
        let (args, vars) = strings.split_at(launch.argv.len());
        Ok(Self {
            program,
            argv: pointers(args),
            env: pointers(vars),
            _strings: strings,
        })
    }

    /// Runs in the child, after the fork: makes it sterile and becomes the program. Returns only
    /// the reason why that failed.
    fn enter(&self) -> io::Result<()> {
        // SAFETY: every call is async-signal-safe and takes integers or memory that outlives it.
        unsafe {
            libc::setsid();
            // All zero is SIG_DFL. The system call itself: the C library keeps 32 and 33 to
            // itself, and hands on what our own caller did with them. KILL and STOP refuse.
            let default = [0_u64; 4];
            for signal in 1..=64 {
                libc::syscall(
                    libc::SYS_rt_sigaction,
                    signal,
                    default.as_ptr(),
                    ptr::null_mut::<u64>(),
                    8,
                );
            }
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
            libc::umask(0o022);
            let no_core = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            libc::setrlimit(libc::RLIMIT_CORE, &raw const no_core);
            // Marked rather than closed: the parent learns of a failed exec through one of them.
            libc::syscall(
                libc::SYS_close_range,
                3,
                libc::c_uint::MAX,
                libc::CLOSE_RANGE_CLOEXEC,
            );
            libc::execve(self.program.as_ptr(), self.argv.as_ptr(), self.env.as_ptr());
        }
        Err(io::Error::last_os_error())
    }
}
