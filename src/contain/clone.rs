//! clone(2) as vfork(2) is meant: the child borrows our memory until it becomes its program, so
//! that starting one costs the same however large we have grown; and it is born in its cgroup, so
//! that there is no moment in which it is not in it.

use std::ffi::{c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::ptr;

use nix::errno::Errno;
use nix::libc;
use nix::unistd::Pid;

/// Room for a child's few frames before it becomes its program. Never grows.
const STACK: usize = 64 * 1024;
/// The lower end of a stack: what a child's child stands on.
const INNER: usize = 24 * 1024;
/// See `CLONE_CLEAR_SIGHAND` in clone(2); Linux 5.5.
const CLEAR_SIGNAL_HANDLERS: u64 = 0x1_0000_0000;
/// See `CLONE_INTO_CGROUP` in clone(2); Linux 5.7.
const INTO_CGROUP: u64 = 0x2_0000_0000;

/// What a child does. It must not return, allocate, lock or unwind: the memory is its parent's.
pub type Enter = extern "C" fn(*mut c_void) -> c_int;

/// A child that was started; it may have failed to become its program.
pub struct Cloned {
    /// Its id.
    pub pid: Pid,
    /// A descriptor for it. Close-on-exec.
    pub pidfd: OwnedFd,
}

impl Cloned {
    fn new(pid: Pid, pidfd: c_int) -> Self {
        // SAFETY: the kernel has just given this descriptor, and nothing else owns it.
        let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
        Self { pid, pidfd }
    }
}

/// A stack that one child at a time borrows.
pub struct Stack {
    lowest: *mut c_void,
}

impl Stack {
    /// A fresh one, with a page below it that nobody may touch.
    pub fn new() -> io::Result<Self> {
        // SAFETY: a new mapping, of which nothing is known to anybody else.
        let lowest = unsafe {
            libc::mmap(
                ptr::null_mut(),
                STACK,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK,
                -1,
                0,
            )
        };
        if lowest == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the mapping is ours. A guard that cannot be had is no reason not to start.
        unsafe { libc::mprotect(lowest, 4096, libc::PROT_NONE) };
        Ok(Self { lowest })
    }

    /// Runs `enter(argument)` in a child and waits until that has become another program or has
    /// ended. It has no signal handlers; signals that are ignored here it ignores too. `spaces`:
    /// the namespaces that are made for it, as `CLONE_NEW…` flags. `cgroup`: a folder of a
    /// cgroup v2 tree, in which it is born.
    ///
    /// # Safety
    ///
    /// `enter` is held to what [`Enter`] says, and `argument` is what it takes.
    pub unsafe fn start(
        &mut self,
        spaces: c_int,
        cgroup: Option<BorrowedFd<'_>>,
        enter: Enter,
        argument: *mut c_void,
    ) -> Result<Cloned, Errno> {
        let mut pidfd: c_int = -1;
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | spaces;
        let mut flags = u64::from(flags.cast_unsigned()) | CLEAR_SIGNAL_HANDLERS;
        let mut arguments = CloneArguments {
            pidfd: &raw mut pidfd as u64,
            exit_signal: libc::SIGCHLD as u64,
            stack: self.lowest as u64 + INNER as u64,
            stack_size: (STACK - INNER) as u64,
            ..CloneArguments::default()
        };
        if let Some(folder) = cgroup {
            flags |= INTO_CGROUP;
            arguments.cgroup = u64::from(folder.as_raw_fd().cast_unsigned());
        }
        arguments.flags = flags;
        let _held = AllSignals::hold();
        // SAFETY: as the caller vouches; the stack is nobody else's while we wait.
        let pid = unsafe { clone3_and_enter(&raw mut arguments, enter, argument) }?;
        Ok(Cloned::new(pid, pidfd))
    }

    /// As [`Stack::start`], by the older call: in our own cgroup, and with our signal handlers.
    ///
    /// # Safety
    ///
    /// As [`Stack::start`].
    pub unsafe fn start_by_clone2(
        &mut self,
        spaces: c_int,
        enter: Enter,
        argument: *mut c_void,
    ) -> Result<Cloned, Errno> {
        let mut pidfd: c_int = -1;
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
        let flags = flags | spaces;
        let _held = AllSignals::hold();
        // SAFETY: as the caller vouches; the stack grows down from its upper end.
        let pid = unsafe {
            libc::clone(
                enter,
                self.lowest.byte_add(STACK),
                flags,
                argument,
                &raw mut pidfd,
            )
        };
        Ok(Cloned::new(Pid::from_raw(Errno::result(pid)?), pidfd))
    }

    /// What a child starts its own on, while it is on this stack itself.
    pub fn inner(&mut self) -> Inner {
        Inner {
            lowest: self.lowest,
        }
    }
}

/// The part of a stack that a child's own child borrows.
#[derive(Clone, Copy)]
pub struct Inner {
    lowest: *mut c_void,
}

impl Inner {
    /// For a child that runs on a [`Stack`]: as [`Stack::start`], but the new process is a child
    /// of the caller's parent, and its id is at `id` before it runs. `cgroup`: the descriptor of a
    /// folder, or -1; where the newer call is not to be had, it is born outside.
    ///
    /// # Safety
    ///
    /// As [`Stack::start`]. Only system calls are made.
    pub unsafe fn start(
        self,
        cgroup: c_int,
        id: *mut libc::pid_t,
        enter: Enter,
        argument: *mut c_void,
    ) -> Result<(), Errno> {
        let flags =
            libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PARENT | libc::CLONE_PARENT_SETTID;
        let guard = 4096;
        let mut arguments = CloneArguments {
            flags: u64::from(flags.cast_unsigned()),
            parent_tid: id as u64,
            stack: self.lowest as u64 + guard,
            stack_size: INNER as u64 - guard,
            ..CloneArguments::default()
        };
        if cgroup >= 0 {
            arguments.flags |= INTO_CGROUP;
            arguments.cgroup = u64::from(cgroup.cast_unsigned());
        }
        // SAFETY: as the caller vouches.
        match unsafe { clone3_and_enter(&raw mut arguments, enter, argument) } {
            Err(Errno::ENOSYS | Errno::EPERM | Errno::E2BIG | Errno::EINVAL) => {}
            started => return started.map(drop),
        }
        // SAFETY: as above; the stack grows down from its upper end.
        let pid = unsafe { libc::clone(enter, self.lowest.byte_add(INNER), flags, argument, id) };
        Errno::result(pid).map(drop)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and no child is on it.
        unsafe { libc::munmap(self.lowest, STACK) };
    }
}

/// `struct clone_args` of clone(2), as of Linux 5.7.
#[derive(Default)]
#[repr(C, align(8))]
struct CloneArguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

/// The system call and, in the child, the jump to `enter`. It is one piece of assembly because the
/// child is on an empty stack from the call's return on: no compiled code may stand between.
///
/// # Safety
///
/// As [`Stack::start`]; `arguments` name a stack.
#[cfg(target_arch = "x86_64")]
unsafe fn clone3_and_enter(
    arguments: *mut CloneArguments,
    enter: Enter,
    argument: *mut c_void,
) -> Result<Pid, Errno> {
    let result: isize;
    // SAFETY: in the parent this is one system call; the child never comes out of `call`.
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r12",
            "call r13",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone3 => result,
            in("rdi") arguments,
            in("rsi") size_of::<CloneArguments>(),
            in("r12") argument,
            in("r13") enter,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    answer(result)
}

/// As on x86-64.
///
/// # Safety
///
/// As [`Stack::start`]; `arguments` name a stack.
#[cfg(target_arch = "aarch64")]
unsafe fn clone3_and_enter(
    arguments: *mut CloneArguments,
    enter: Enter,
    argument: *mut c_void,
) -> Result<Pid, Errno> {
    let result: isize;
    // SAFETY: in the parent this is one system call; the child never comes out of `blr`.
    unsafe {
        std::arch::asm!(
            "svc #0",
            "cbnz x0, 2f",
            "mov x29, #0",
            "mov x0, x20",
            "blr x21",
            "brk #1",
            "2:",
            in("x8") libc::SYS_clone3,
            inlateout("x0") arguments => result,
            in("x1") size_of::<CloneArguments>(),
            in("x20") argument,
            in("x21") enter,
        );
    }
    answer(result)
}

/// Elsewhere clone(2) serves, and the child joins its cgroup by itself.
///
/// # Safety
///
/// None needed.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
unsafe fn clone3_and_enter(_: *mut CloneArguments, _: Enter, _: *mut c_void) -> Result<Pid, Errno> {
    Err(Errno::ENOSYS)
}

/// The kernel answers with an id, or an error below zero.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn answer(result: isize) -> Result<Pid, Errno> {
    // Both fit: ids and error numbers are far below 2^31.
    let number = i32::try_from(result).unwrap_or(-libc::EINVAL);
    if number < 0 {
        return Err(Errno::from_raw(-number));
    }
    Ok(Pid::from_raw(number))
}

/// No signal arrives while it lives: a handler of ours must not run in the child, whose memory is
/// ours but whose descriptors are not.
struct AllSignals {
    before: u64,
}

impl AllSignals {
    fn hold() -> Self {
        let mut before = 0_u64;
        set_mask(&u64::MAX, Some(&mut before));
        Self { before }
    }
}

impl Drop for AllSignals {
    fn drop(&mut self) {
        set_mask(&self.before, None);
    }
}

/// The system call itself: the C library leaves out two signals that it keeps to itself.
fn set_mask(mask: &u64, before: Option<&mut u64>) {
    let before = before.map_or(ptr::null_mut(), ptr::from_mut);
    // SAFETY: both point at 8 bytes, which is what the kernel's set of signals is.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            ptr::from_ref(mask),
            before,
            8,
        );
    }
}
