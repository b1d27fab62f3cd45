//! A signal that comes the moment `check` begins to hear it, held to that moment by tracing: see
//! ptrace(2).

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use serde_json::json;

use crate::containment::ends::Exit;
use crate::containment::processes::state;
use crate::containment::running::{HANG, Running, until};
use crate::support::Project;

#[test]
fn a_signal_that_comes_as_soon_as_it_has_a_handler_is_heard() {
    for signal in [
        Signal::SIGINT,
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGQUIT,
    ] {
        let (_project, mut run) = signalled_at_once(signal);
        let exit = run.wait().unwrap();
        assert_eq!(exit, Exit::Signal(signal), "{signal}");
    }
    let (_project, mut run) = signalled_at_once(Signal::SIGTSTP);
    until("it does not stop", HANG, || state(run.pid()) == Some('T')).unwrap();
    run.signal(Signal::SIGCONT);
    run.signal(Signal::SIGTERM);
    assert_eq!(run.wait().unwrap(), Exit::Signal(Signal::SIGTERM));
}

/// A run that got `signal` in between the system call that set its handler and all that follows.
fn signalled_at_once(signal: Signal) -> (Project, Running) {
    let project = Project::new().direct();
    project.checks(&json!([{ "id": "long", "executable": "sleep", "args": ["600"] }]));
    let root = project.root().to_str().unwrap();
    let mut command = project.command(["-C", root]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    trace(&mut command);
    let run = Running::start(&mut command, &project.mark());
    let pid = Pid::from_raw(run.pid());
    assert!(matches!(
        next_stop(pid),
        WaitStatus::Stopped(_, Signal::SIGTRAP)
    ));
    ptrace::setoptions(pid, Options::PTRACE_O_TRACESYSGOOD).unwrap();
    while !sets_a_handler(pid, signal) {}
    kill(pid, signal).unwrap();
    ptrace::detach(pid, None).unwrap();
    (project, run)
}

fn trace(command: &mut Command) {
    // SAFETY: the closure makes one system call.
    unsafe {
        command.pre_exec(|| Ok(ptrace::traceme()?));
    }
}

/// Lets it make its next system call; whether that was the one.
fn sets_a_handler(pid: Pid, signal: Signal) -> bool {
    let entry = next_call(pid);
    // SAFETY: at its beginning a call has a number and arguments.
    let (number, arguments) = unsafe { (entry.u.entry.nr, entry.u.entry.args) };
    next_call(pid);
    let is_sigaction = number == libc::SYS_rt_sigaction.cast_unsigned();
    // The second argument is null where the handler is only asked for.
    is_sigaction && arguments[0] == signal as u64 && arguments[1] != 0
}

fn next_call(pid: Pid) -> libc::ptrace_syscall_info {
    let mut pending = None;
    loop {
        ptrace::syscall(pid, pending).unwrap();
        let status = next_stop(pid);
        if let WaitStatus::PtraceSyscall(_) = status {
            return ptrace::syscall_info(pid).unwrap();
        }
        let WaitStatus::Stopped(_, other) = status else {
            panic!("{status:?}");
        };
        pending = Some(other);
    }
}

fn next_stop(pid: Pid) -> WaitStatus {
    waitpid(pid, Some(WaitPidFlag::__WALL)).unwrap()
}
