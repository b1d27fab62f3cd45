//! The child that makes a check's namespaces, and the init of its PID namespace.
//!
//! Three processes are born for a contained check:
//!
//! ```text
//! check ─┬─ (builder)  in new namespaces; makes the view; gone before `check` goes on
//!        ├─ init       number 1 of the PID namespace; reads a pipe that only `check` holds
//!        └─ main       the check itself, a child of `check` like any other
//! ```
//!
//! The builder borrows our memory, as `main` does until it becomes its program, so that neither
//! costs a copy of it. `main` is given to us as our own child (`CLONE_PARENT`, clone(2)): how it
//! ends is told by the kernel and nobody in between. The init adopts what loses its parent, lets it
//! go when it ends, and ends when we do, whereupon the kernel kills the whole namespace; see
//! `pid_namespaces(7)`.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};
use std::ptr;

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

use super::StartError;
use super::clone::Inner;
use super::networks;
use super::seen::{self, Look, Seen, Watched};
use super::signal::{pidfd, send_to};
use super::spaces::Spaces;
use super::stage::{Script, Stage, write_to};

/// Not a name that who looks for `check` to kill it would find.
const INIT_NAME: &CStr = c"init";
/// What root keeps of its capabilities: those that say nothing about the host beyond its files.
/// See capabilities(7).
const ROOT_KEEPS: [c_int; 12] = [
    0,  // CAP_CHOWN
    1,  // CAP_DAC_OVERRIDE
    3,  // CAP_FOWNER
    4,  // CAP_FSETID
    5,  // CAP_KILL
    6,  // CAP_SETGID
    7,  // CAP_SETUID
    8,  // CAP_SETPCAP
    10, // CAP_NET_BIND_SERVICE
    13, // CAP_NET_RAW
    18, // CAP_SYS_CHROOT
    31, // CAP_SETFCAP
];
/// Beyond the last that any kernel has.
const MOST_CAPABILITIES: c_int = 64;

/// Where the builder got to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Part {
    /// Mapping its user.
    Users,
    /// Bringing loopback up.
    Loopback,
    /// A step of the outer stage.
    Outer,
    /// Making the PID namespace and its init.
    Processes,
    /// Starting the check's own process.
    Main,
    /// A step of the inner stage.
    Inner,
    /// It is not contained, and was to be.
    Required,
}

/// All that the builder and `main` need. It leads into what it borrows.
pub struct Enclosure<'a> {
    spaces: Spaces,
    root: bool,
    users: [*const c_char; 2],
    outer: Script,
    inner: Script,
    homes: [*const c_char; 4],
    /// Of a pipe that ends when we do.
    alive: RawFd,
    /// The folder of the cgroup that `main` is to be in, or -1.
    cgroup: RawFd,
    /// A network that was another check's, or -1.
    network: RawFd,
    main_stack: Inner,
    /// From where we are.
    outside: Look,
    /// Nothing is started that has less; `false` in it is for the host's network.
    required: Option<bool>,
    /// Nothing is started at all.
    trial: bool,
    /// Written by the children, whose memory this too is.
    main: libc::pid_t,
    init: libc::pid_t,
    /// The network that it is in where that is [`Self::network`], or -1.
    entered: RawFd,
    look: Look,
    looked: bool,
    failed: Part,
    step: usize,
    errno: c_int,
    borrows: PhantomData<&'a mut ()>,
}

/// The lines of a user namespace's maps in which we are who we are and nobody else is anybody; see
/// `user_namespaces(7)`.
pub struct Users {
    user: CString,
    group: CString,
}

impl Users {
    /// Ours.
    pub fn own() -> Self {
        let line = |id: u32| CString::new(format!("{id} {id} 1")).unwrap_or_default();
        Self {
            user: line(nix::unistd::geteuid().as_raw()),
            group: line(nix::unistd::getegid().as_raw()),
        }
    }
}

/// What the builder and `main` did.
pub struct Enclosed {
    /// The check's own process; zero where it was not born.
    pub main: libc::pid_t,
    /// The init; zero where there is none.
    pub init: libc::pid_t,
    /// It is in the network that was offered.
    pub used: bool,
    /// What `main` saw, where it came so far.
    pub seen: Option<Seen>,
    /// Where it ended, which step of a stage that was, and why.
    pub failure: Option<(Part, usize, Errno)>,
}

impl<'a> Enclosure<'a> {
    /// `alive`: the reading end of a pipe of which only we hold the other.
    pub fn new(
        spaces: Spaces,
        users: &'a Users,
        [outer, inner]: [&'a mut Stage; 2],
        watched: &'a Watched,
        alive: BorrowedFd<'a>,
        stack: Inner,
    ) -> Self {
        Self {
            spaces,
            root: nix::unistd::geteuid().is_root(),
            users: [users.user.as_ptr(), users.group.as_ptr()],
            outer: outer.script(),
            inner: if spaces.processes {
                inner.script()
            } else {
                Script::empty()
            },
            homes: watched.pointers(),
            alive: alive.as_raw_fd(),
            cgroup: -1,
            network: -1,
            main_stack: stack,
            outside: watched.look(),
            required: None,
            trial: false,
            main: 0,
            init: 0,
            entered: -1,
            look: Look::default(),
            looked: false,
            failed: Part::Users,
            step: 0,
            errno: 0,
            borrows: PhantomData,
        }
    }

    /// `main` ends before it becomes anything, if it is not contained. `network`: that is part of it.
    pub fn is_required(&mut self, network: bool) {
        self.required = Some(network);
    }

    /// `main` looks around and ends.
    pub fn is_trial(&mut self) {
        self.trial = true;
    }

    /// `main` is born in the cgroup of this folder.
    pub fn is_in(&mut self, cgroup: BorrowedFd<'a>) {
        self.cgroup = cgroup.as_raw_fd();
    }

    /// It may have this network, if nothing is left in it.
    pub fn may_use(&mut self, network: BorrowedFd<'a>) {
        self.network = network.as_raw_fd();
    }

    /// What is known once the builder is gone.
    pub fn read(&self) -> Enclosed {
        // SAFETY: plain memory of ours. The children wrote it behind the compiler's back.
        unsafe {
            let errno = ptr::read_volatile(&raw const self.errno);
            Enclosed {
                main: ptr::read_volatile(&raw const self.main),
                init: ptr::read_volatile(&raw const self.init),
                used: ptr::read_volatile(&raw const self.entered) >= 0,
                seen: ptr::read_volatile(&raw const self.looked).then(|| {
                    let inside = ptr::read_volatile(&raw const self.look);
                    Seen::judge(&self.outside, &inside)
                }),
                failure: (errno != 0).then(|| {
                    let part = ptr::read_volatile(&raw const self.failed);
                    let step = ptr::read_volatile(&raw const self.step);
                    (part, step, Errno::from_raw(errno))
                }),
            }
        }
    }
}

/// Notes where it ended.
///
/// # Safety
///
/// `this` is there.
unsafe fn fail(this: *mut Enclosure<'_>, part: Part, step: usize, errno: Errno) -> ! {
    // SAFETY: as the caller vouches.
    unsafe {
        ptr::write_volatile(&raw mut (*this).failed, part);
        ptr::write_volatile(&raw mut (*this).step, step);
        ptr::write_volatile(&raw mut (*this).errno, errno as c_int);
        libc::_exit(127)
    }
}

/// The builder's whole life in our memory. `become_main`: what `main` does with `image`.
///
/// # Safety
///
/// Everything that `this` leads to is there and still, and the calling process is a child that
/// shares our memory while we wait. Only system calls are made.
pub unsafe fn build(
    this: *mut Enclosure<'_>,
    become_main: super::clone::Enter,
    image: *mut c_void,
) -> ! {
    // SAFETY: as the caller vouches.
    unsafe {
        let spaces = (*this).spaces;
        if spaces.user {
            let [user, group] = (*this).users.map(|text| CStr::from_ptr(text));
            let lines = [
                (c"/proc/self/setgroups", c"deny"),
                (c"/proc/self/uid_map", user),
                (c"/proc/self/gid_map", group),
            ];
            for (path, text) in lines {
                if let Err(errno) = write_to(path, text) {
                    fail(this, Part::Users, 0, errno);
                }
            }
        }
        if spaces.network {
            let offered = (*this).network;
            let used = offered >= 0 && networks::enter(offered) == Ok(true);
            if used {
                ptr::write_volatile(&raw mut (*this).entered, offered);
            }
            // Where one was offered, none was made at birth.
            if offered >= 0 && !used && libc::unshare(libc::CLONE_NEWNET) < 0 {
                fail(this, Part::Loopback, 0, Errno::last());
            }
            if !used && let Err(errno) = loopback_up() {
                fail(this, Part::Loopback, 0, errno);
            }
        }
        if let Err((step, errno)) = (*this).outer.play() {
            fail(this, Part::Outer, step, errno);
        }
        if spaces.processes {
            if libc::unshare(libc::CLONE_NEWPID) < 0 {
                fail(this, Part::Processes, 0, Errno::last());
            }
            let init = libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0);
            match init {
                0 => be_init((*this).alive),
                ..0 => fail(this, Part::Processes, 0, Errno::last()),
                init => {
                    let init = libc::pid_t::try_from(init).unwrap_or(0);
                    ptr::write_volatile(&raw mut (*this).init, init);
                }
            }
        }
        let main = &raw mut (*this).main;
        let cgroup = (*this).cgroup;
        let born = (*this).main_stack.start(cgroup, main, become_main, image);
        if let Err(errno) = born {
            fail(this, Part::Main, 0, errno);
        }
        libc::_exit(0)
    }
}

/// What `main` does before all that every check's process does. Its own id, as we know it.
///
/// # Safety
///
/// As [`build`]; the calling process is `main`.
pub unsafe fn settle(this: *mut Enclosure<'_>) -> libc::pid_t {
    // SAFETY: as the caller vouches.
    unsafe {
        if let Err((step, errno)) = (*this).inner.play() {
            fail(this, Part::Inner, step, errno);
        }
        let look = seen::look(&(*this).homes);
        ptr::write_volatile(&raw mut (*this).look, look);
        ptr::write_volatile(&raw mut (*this).looked, true);
        if (*this).trial {
            libc::_exit(0);
        }
        if let Some(network) = (*this).required
            && !Seen::judge(&(*this).outside, &look).is_whole(network)
        {
            fail(this, Part::Required, 0, Errno::EPERM);
        }
        if (*this).root {
            // What was made for it is not for it to take down.
            for capability in 0..MOST_CAPABILITIES {
                if !ROOT_KEEPS.contains(&capability) {
                    libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
                }
            }
        }
        ptr::read_volatile(&raw const (*this).main)
    }
}

/// Loopback answers in a network of its own only when it was brought up; see netdevice(7).
fn loopback_up() -> Result<(), Errno> {
    // SAFETY: the call takes numbers.
    let socket = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
    Errno::result(socket)?;
    // SAFETY: all zero is a valid request.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, byte) in request.ifr_name.iter_mut().zip(*b"lo") {
        *place = byte.cast_signed();
    }
    let up = libc::IFF_UP | libc::IFF_RUNNING;
    request.ifr_ifru.ifru_flags = libc::c_short::try_from(up).unwrap_or(libc::c_short::MAX);
    // SAFETY: a socket of ours and a request that names an interface.
    let done = unsafe { libc::ioctl(socket, libc::SIOCSIFFLAGS, &raw const request) };
    let done = Errno::result(done).map(drop);
    // SAFETY: ours, and used no more.
    unsafe { libc::close(socket) };
    done
}

/// Waits until nobody holds the other end of `alive`. Whatever it adopts is let go of by the
/// kernel as soon as it ends, since it is said that nobody waits for it; see sigaction(2).
///
/// # Safety
///
/// The calling process is a child with memory of its own.
unsafe fn be_init(alive: RawFd) -> ! {
    let all = u64::MAX;
    let kept = alive.cast_unsigned();
    // SAFETY: the calls take integers, texts and 8 bytes, all of which are there.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_IGN);
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            &raw const all,
            ptr::null_mut::<u64>(),
            8,
        );
        // Its memory was ours, which is no check's to read.
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, 0, 0, 0, 0);
        libc::prctl(libc::PR_SET_NAME, INIT_NAME.as_ptr());
        libc::setsid();
        libc::chdir(c"/".as_ptr());
        for (first, last) in [(0, kept.wrapping_sub(1)), (kept + 1, libc::c_uint::MAX)] {
            if first <= last {
                libc::syscall(libc::SYS_close_range, first, last, 0);
            }
        }
        let mut nothing = 0_u8;
        loop {
            let read = libc::read(alive, (&raw mut nothing).cast(), 1);
            if read == 0 || Errno::last() != Errno::EINTR {
                libc::_exit(0);
            }
        }
    }
}

/// The init of a check's PID namespace. Whatever becomes of this value, the namespace goes with it.
pub struct Init {
    pid: libc::pid_t,
    pidfd: OwnedFd,
    /// The check's network, where the next one may have it.
    network: Option<OwnedFd>,
}

impl Init {
    /// `pid`: a child of ours that nobody else waits for.
    pub fn new(pid: libc::pid_t) -> io::Result<Self> {
        let pidfd = pidfd(Pid::from_raw(pid))?;
        Ok(Self {
            pid,
            pidfd,
            network: None,
        })
    }

    /// Nobody is in this network when it is gone.
    pub fn has_network(&mut self, network: Option<OwnedFd>) {
        self.network = network;
    }

    /// The network of one that is gone.
    pub fn take_network(&mut self) -> Option<OwnedFd> {
        self.network.take()
    }

    /// Its id.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// The kernel kills everything in the namespace, at once and also what is started meanwhile.
    pub fn kill(&self) {
        send_to(self.pidfd.as_fd(), Signal::SIGKILL);
    }

    /// Whether it is gone, and everything in the namespace with it; where it is our child it was
    /// waited for then. That takes until the check's own process was waited for too.
    pub fn is_gone(&self) -> bool {
        let mut ended = [PollFd::new(self.pidfd.as_fd(), PollFlags::POLLIN)];
        if poll(&mut ended, PollTimeout::ZERO) == Ok(0) {
            return false;
        }
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG;
        let _ = waitid(Id::PIDFd(self.pidfd.as_fd()), flags);
        true
    }
}

impl Drop for Init {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The error of a start that ended in `part`.
pub fn error(part: Part, step: usize, errno: Errno, stages: [&Stage; 2]) -> StartError {
    let [outer, inner] = stages;
    let stage = match part {
        Part::Outer => outer.act(step),
        Part::Inner => inner.act(step),
        Part::Users | Part::Loopback | Part::Processes | Part::Main | Part::Required => None,
    };
    let doing = stage.map_or_else(
        || {
            match part {
                Part::Users => "map its user",
                Part::Loopback => "bring loopback up",
                Part::Processes => "make process ids of its own",
                Part::Main | Part::Required => "start its process",
                Part::Outer | Part::Inner => "make its view of the file system",
            }
            .to_owned()
        },
        super::stage::in_words,
    );
    StartError::Enclose {
        doing,
        source: errno.into(),
    }
}

#[cfg(test)]
mod tests;
