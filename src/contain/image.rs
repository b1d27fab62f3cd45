//! What a child becomes, laid out before it is born: from then on nothing may be allocated.

use std::ffi::{CString, OsStr, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::os::fd::{AsRawFd as _, BorrowedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use nix::errno::Errno;
use nix::libc;

use super::enclose::{self, Enclosed, Enclosure, build};
use super::fenced::{self, Fenced};
use super::seen::Seen;
use super::{Launch, StartError};

/// How far descriptors are closed one by one, where they cannot be closed at once.
const MOST_DESCRIPTORS: RawFd = 4096;

/// All texts of a launch as execve(2) takes them.
pub struct Texts {
    program: CString,
    cwd: CString,
    argv: Vec<*const c_char>,
    env: Vec<*const c_char>,
    /// What `argv` and `env` point into.
    _strings: Vec<CString>,
}

impl Texts {
    /// One that holds a NUL byte cannot be said.
    pub fn new(launch: &Launch) -> Result<Self, StartError> {
        let c_string =
            |text: &OsStr, what| CString::new(text.as_bytes()).map_err(|_| StartError::Nul(what));
        let mut strings = Vec::with_capacity(launch.argv.len() + launch.env.len());
        for arg in &launch.argv {
            strings.push(c_string(arg, "an argument")?);
        }
        for (name, value) in &launch.env {
            let mut pair = Vec::with_capacity(name.len() + value.len() + 2);
            pair.extend_from_slice(name.as_bytes());
            pair.push(b'=');
            pair.extend_from_slice(value.as_bytes());
            strings.push(CString::new(pair).map_err(|_| StartError::Nul("a variable"))?);
        }
        let pointers = |of: &[CString]| -> Vec<*const c_char> {
            let ends = std::iter::once(ptr::null());
            of.iter().map(|text| text.as_ptr()).chain(ends).collect()
        };
        let (args, vars) = strings.split_at(launch.argv.len());
        Ok(Self {
            program: c_string(launch.program.as_os_str(), "the program's path")?,
            cwd: c_string(launch.cwd.as_os_str(), "the folder that it runs in")?,
            argv: pointers(args),
            env: pointers(vars),
            _strings: strings,
        })
    }
}

/// What a child was doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Step {
    /// Joining its cgroup.
    Join,
    /// Letting Landlock hold its files.
    Fence,
    /// Taking its standard streams.
    Prepare,
    /// Changing to its folder.
    EnterFolder,
    /// Becoming its program.
    Become,
}

#[expect(clippy::struct_excessive_bools, reason = "each is asked on its own")]
/// What [`enter`] reads. It leads into what it borrows.
pub struct Image<'a> {
    program: *const c_char,
    cwd: *const c_char,
    argv: *const *const c_char,
    env: *const *const c_char,
    /// To be 0, 1 and 2; all above 2.
    streams: [RawFd; 3],
    /// A `cgroup.procs` to be joined by, or -1.
    joins: RawFd,
    /// Any signal may be ignored or have a handler of ours.
    any_signal: bool,
    ignored: *const c_int,
    ignored_count: usize,
    parent: libc::pid_t,
    dies_with_parent: bool,
    /// What is made for it alone, or null.
    enclosure: *mut Enclosure<'a>,
    /// What holds its files where nothing is made for it, or null.
    fence: *mut Fenced<'a>,
    /// Nothing is started at all.
    trial: bool,
    /// Where the child writes its id, or null.
    noted: *const AtomicI32,
    /// Written by the child, whose memory this is too.
    begun: bool,
    /// As [`Image::begun`].
    failed: Step,
    errno: c_int,
    borrows: PhantomData<&'a ()>,
}

impl<'a> Image<'a> {
    /// `streams`: to be standard input, output and error. `ignored`: signals to be given their
    /// default action. `parent`: our own process id.
    pub fn new(
        texts: &'a Texts,
        streams: [RawFd; 3],
        ignored: &'a [c_int],
        parent: libc::pid_t,
    ) -> Self {
        Self {
            program: texts.program.as_ptr(),
            cwd: texts.cwd.as_ptr(),
            argv: texts.argv.as_ptr(),
            env: texts.env.as_ptr(),
            streams,
            joins: -1,
            any_signal: false,
            ignored: ignored.as_ptr(),
            ignored_count: ignored.len(),
            parent,
            dies_with_parent: false,
            enclosure: ptr::null_mut(),
            fence: ptr::null_mut(),
            trial: false,
            noted: ptr::null(),
            begun: false,
            failed: Step::Prepare,
            errno: 0,
            borrows: PhantomData,
        }
    }

    /// The child is born with our signal handlers.
    pub fn has_handlers(&mut self) {
        self.any_signal = true;
    }

    /// The kernel kills it when we die.
    pub fn dies_with_parent(&mut self) {
        self.dies_with_parent = true;
    }

    /// The child is born by another, which makes namespaces for it; see [`build`].
    pub fn is_enclosed(&mut self, by: &'a mut Enclosure<'a>) {
        self.enclosure = ptr::from_mut(by);
    }

    /// What came of that.
    pub fn enclosed(&self) -> Option<Enclosed> {
        // SAFETY: it was borrowed for as long as this lives.
        unsafe { self.enclosure.as_ref() }.map(Enclosure::read)
    }

    /// Landlock holds the child's files.
    pub fn is_fenced(&mut self, by: &'a mut Fenced<'a>) {
        self.fence = ptr::from_mut(by);
    }

    /// What it was seen to have then.
    pub fn fenced(&self) -> Option<Seen> {
        // SAFETY: it was borrowed for as long as this lives.
        unsafe { self.fence.as_ref() }.map(Fenced::seen)
    }

    /// The child ends before it becomes anything.
    pub fn is_trial(&mut self) {
        self.trial = true;
    }

    /// The child writes its id there, which others may read after our death.
    pub fn is_noted(&mut self, at: &'a AtomicI32) {
        self.noted = at;
    }

    /// Whether the child, which has become its program or has ended, ever ran.
    pub fn has_begun(&self) -> bool {
        // SAFETY: as in `failure`.
        unsafe { ptr::read_volatile(&raw const self.begun) }
    }

    /// The child is born outside its cgroup.
    pub fn joins(&mut self, procs: BorrowedFd<'_>) {
        self.joins = procs.as_raw_fd();
    }

    /// Why the child, which has ended, did not become its program.
    pub fn failure(&self) -> Option<(Step, Errno)> {
        // SAFETY: plain memory of ours. The child wrote it behind the compiler's back.
        let (step, errno) = unsafe {
            (
                ptr::read_volatile(&raw const self.failed),
                ptr::read_volatile(&raw const self.errno),
            )
        };
        (errno != 0).then(|| (step, Errno::from_raw(errno)))
    }
}

/// The whole life of a child that makes namespaces for another. It may only make system calls.
/// `image`: an [`Image`] that is enclosed.
pub extern "C" fn enter_enclosed(image: *mut c_void) -> c_int {
    let to_be = image.cast::<Image<'_>>();
    // SAFETY: as in `enter`.
    unsafe { build((*to_be).enclosure, enter, image) }
}

/// The child's whole life in our memory: it makes itself sterile and becomes its program. It may
/// only make system calls. `image`: an [`Image`].
pub extern "C" fn enter(image: *mut c_void) -> c_int {
    let image = image.cast::<Image<'_>>();
    // SAFETY: the parent waits, so that the image and all that it leads to are there and still.
    // The calls take integers and that memory.
    unsafe {
        ptr::write_volatile(&raw mut (*image).begun, true);
        let enclosure = (*image).enclosure;
        let id = if enclosure.is_null() {
            libc::getpid()
        } else {
            enclose::settle(enclosure)
        };
        // Before the descriptors are closed, by which it is known that we are dead.
        if let Some(noted) = (*image).noted.as_ref() {
            noted.store(id, Ordering::Relaxed);
        }
        let fail = |step: Step| -> ! {
            let errno = *libc::__errno_location();
            ptr::write_volatile(&raw mut (*image).failed, step);
            ptr::write_volatile(&raw mut (*image).errno, errno);
            libc::_exit(127)
        };
        if (*image).dies_with_parent {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
            // Who is not in the same PID namespace is nobody; there the init ends with us.
            if ![0, (*image).parent].contains(&libc::getppid()) {
                libc::_exit(127);
            }
        }
        if (*image).joins >= 0 && libc::write((*image).joins, c"0".as_ptr().cast(), 1) != 1 {
            fail(Step::Join);
        }
        if !(*image).fence.is_null()
            && let Err(errno) = fenced::settle((*image).fence)
        {
            Errno::set(errno);
            fail(Step::Fence);
        }
        if (*image).trial {
            libc::_exit(0);
        }
        libc::setsid();
        if (*image).any_signal {
            (1..=64).for_each(to_default);
        } else {
            for index in 0..(*image).ignored_count {
                to_default(*(*image).ignored.add(index));
            }
        }
        libc::umask(0o022);
        let no_core = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const no_core);
        for (stream, descriptor) in (0..).zip((*image).streams) {
            if libc::dup2(descriptor, stream) < 0 {
                fail(Step::Prepare);
            }
        }
        if libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) < 0 {
            // Some filters know no such call.
            (3..MOST_DESCRIPTORS).for_each(|descriptor| {
                libc::close(descriptor);
            });
        }
        if libc::chdir((*image).cwd) < 0 {
            fail(Step::EnterFolder);
        }
        let none = 0_u64;
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            &raw const none,
            ptr::null_mut::<u64>(),
            8,
        );
        libc::execve((*image).program, (*image).argv, (*image).env);
        fail(Step::Become)
    }
}

/// The system call itself: the C library keeps 32 and 33 to itself, and hands on what our own
/// caller did with them. KILL and STOP refuse.
fn to_default(signal: c_int) {
    // All zero is SIG_DFL.
    let default = [0_u64; 4];
    // SAFETY: the kernel reads its `struct sigaction`, 32 bytes or less, and writes nothing.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            signal,
            default.as_ptr(),
            ptr::null_mut::<u64>(),
            8,
        );
    }
}
