//! The steps of a `scene`, taken by a process that shares our memory and may only make system
//! calls. See `mount_setattr(2)`, `open_tree(2)`, `move_mount(2)`; Linux 5.12.

use std::ffi::{CStr, CString, OsString, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr;

use nix::errno::Errno;
use nix::libc;

use super::StartError;
use super::scene::Act;

/// See `AT_RECURSIVE` in `mount_setattr(2)`.
const RECURSIVE: c_int = 0x8000;
/// The system call where the C library's headers do not have it; the same number everywhere.
const SYS_MOUNT_SETATTR: libc::c_long = 442;

/// One step as the child reads it.
struct Step {
    kind: Kind,
    path: *const c_char,
    /// The text of a link.
    text: *const c_char,
    number: usize,
    read_only: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Part,
    Layer,
    Keep,
    CloseAll,
    Cover,
    Folder,
    File,
    Link,
    Put,
    Close,
    Freeze,
    Terminals,
    Processes,
}

/// Steps laid out before the child is born, and where each got to.
pub struct Stage {
    acts: Vec<Act>,
    steps: Vec<Step>,
    /// Descriptors of what was taken up, by number. They are the child's.
    kept: Vec<c_int>,
    /// What the steps point into.
    _texts: Vec<CString>,
}

impl Stage {
    /// A path that holds a NUL byte cannot be said.
    pub fn new(acts: Vec<Act>) -> Result<Self, StartError> {
        let mut texts = Vec::new();
        let mut c_string = |path: &Path| {
            let text = CString::new(path.as_os_str().as_bytes());
            let text = text.map_err(|_| StartError::Nul("a path that it is to see"))?;
            let pointer = text.as_ptr();
            texts.push(text);
            Ok::<_, StartError>(pointer)
        };
        let mut kept = Vec::new();
        let mut steps = Vec::with_capacity(acts.len());
        for act in &acts {
            let mut step = Step {
                kind: Kind::Part,
                path: ptr::null(),
                text: ptr::null(),
                number: kept.len(),
                read_only: false,
            };
            (step.kind, step.path) = match act {
                Act::Part => (Kind::Part, c"/".as_ptr()),
                Act::CloseAll => (Kind::CloseAll, c"/".as_ptr()),
                Act::Processes => (Kind::Processes, c"/proc".as_ptr()),
                Act::Keep { path, read_only } => {
                    kept.push(-1);
                    step.read_only = *read_only;
                    (Kind::Keep, c_string(path)?)
                }
                Act::Layer { path, upper, work } => {
                    step.text = options(path, upper, work)
                        .map_or(Ok(ptr::null()), |options| c_string(Path::new(&options)))?;
                    (Kind::Layer, c_string(path)?)
                }
                Act::Put(number, path) => {
                    step.number = *number;
                    (Kind::Put, c_string(path)?)
                }
                Act::Link(text, path) => {
                    step.text = c_string(text)?;
                    (Kind::Link, c_string(path)?)
                }
                Act::Cover(path) => (Kind::Cover, c_string(path)?),
                Act::Folder(path) => (Kind::Folder, c_string(path)?),
                Act::File(path) => (Kind::File, c_string(path)?),
                Act::Close(path) => (Kind::Close, c_string(path)?),
                Act::Freeze(path) => (Kind::Freeze, c_string(path)?),
                Act::Terminals(path) => (Kind::Terminals, c_string(path)?),
            };
            steps.push(step);
        }
        Ok(Self {
            acts,
            steps,
            kept,
            _texts: texts,
        })
    }

    /// What the step of this number is for.
    pub fn act(&self, index: usize) -> Option<&Act> {
        self.acts.get(index)
    }

    /// For the child: the stage is neither moved nor looked at while it has this.
    pub fn script(&mut self) -> Script {
        Script {
            steps: self.steps.as_ptr(),
            count: self.steps.len(),
            kept: self.kept.as_mut_ptr(),
        }
    }
}

/// A stage as the child has it.
#[derive(Clone, Copy)]
pub struct Script {
    steps: *const Step,
    count: usize,
    kept: *mut c_int,
}

impl Script {
    /// No steps.
    pub fn empty() -> Self {
        Self {
            steps: ptr::null(),
            count: 0,
            kept: ptr::null_mut(),
        }
    }

    /// Takes every step. Where one fails, its number and why.
    ///
    /// # Safety
    ///
    /// The stage is there and still; the caller has a mount namespace of its own. Only system
    /// calls are made.
    pub unsafe fn play(self) -> Result<(), (usize, Errno)> {
        for index in 0..self.count {
            // SAFETY: below the count, and as the caller vouches.
            let taken = unsafe { take(&*self.steps.add(index), self.kept) };
            if taken < 0 {
                return Err((index, Errno::last()));
            }
        }
        Ok(())
    }
}

/// # Safety
///
/// As [`Script::play`].
unsafe fn take(step: &Step, kept: *mut c_int) -> c_int {
    const QUIET: libc::c_ulong = libc::MS_NOSUID | libc::MS_NODEV;
    let path = step.path;
    // SAFETY: the texts end in NUL; numbers are below the count of what is kept.
    unsafe {
        match step.kind {
            Kind::Part => set(libc::AT_FDCWD, path, RECURSIVE, false, libc::MS_PRIVATE),
            Kind::CloseAll => set(libc::AT_FDCWD, path, RECURSIVE, true, 0),
            Kind::Close => set(libc::AT_FDCWD, path, 0, true, 0),
            Kind::Keep => {
                let tree = open_tree(path);
                *kept.add(step.number) = tree;
                if tree >= 0 && step.read_only {
                    return close(tree);
                }
                tree
            }
            Kind::Put => put(*kept.add(step.number), path),
            Kind::Freeze => freeze(path),
            Kind::Layer => {
                let kind = c"overlay".as_ptr();
                let options = step.text.cast();
                let is_said = !step.text.is_null();
                if is_said && libc::mount(kind, path, kind, libc::MS_NODEV, options) == 0 {
                    return 0;
                }
                // The file system, or the kernel, knows no layers.
                freeze(path)
            }
            Kind::Cover => {
                // As `/dev/shm` is: anybody's, and each file its owner's. The others are closed.
                let mode = c"mode=1777".as_ptr().cast::<c_void>();
                libc::mount(c"tmpfs".as_ptr(), path, c"tmpfs".as_ptr(), QUIET, mode)
            }
            Kind::Terminals => {
                let options = c"newinstance,ptmxmode=0666,mode=0620".as_ptr().cast();
                let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
                libc::mount(c"devpts".as_ptr(), path, c"devpts".as_ptr(), flags, options)
            }
            Kind::Processes => {
                let flags = QUIET | libc::MS_NOEXEC;
                libc::mount(c"proc".as_ptr(), path, c"proc".as_ptr(), flags, ptr::null())
            }
            Kind::Folder => existing(libc::mkdir(path, 0o755)),
            Kind::File => {
                let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_CLOEXEC | libc::O_NOFOLLOW;
                let file = libc::open(path, flags, 0o644);
                if file >= 0 { libc::close(file) } else { -1 }
            }
            Kind::Link => existing(libc::symlink(step.text, path)),
        }
    }
}

/// # Safety
///
/// As [`Script::play`]; `path` ends in NUL.
unsafe fn freeze(path: *const c_char) -> c_int {
    // SAFETY: as the caller vouches.
    unsafe {
        let tree = open_tree(path);
        if tree < 0 {
            // What is not there cannot be written.
            return if Errno::last() == Errno::ENOENT {
                0
            } else {
                -1
            };
        }
        if close(tree) < 0 {
            return -1;
        }
        put(tree, path)
    }
}

/// Options of an overlay; see `Documentation/filesystems/overlayfs.rst` of the kernel. `None`
/// where a path cannot be said in them. Without a user namespace `userxattr` is no harm.
fn options(path: &Path, upper: &Path, work: &Path) -> Option<OsString> {
    let mut options = OsString::new();
    for (name, path) in [
        ("lowerdir=", path),
        (",upperdir=", upper),
        (",workdir=", work),
    ] {
        let bytes = path.as_os_str().as_bytes();
        if bytes.iter().any(|byte| b",:\\".contains(byte)) {
            return None;
        }
        options.push(name);
        options.push(path);
    }
    options.push(",userxattr");
    Some(options)
}

fn existing(made: c_int) -> c_int {
    if made < 0 && Errno::last() == Errno::EEXIST {
        return 0;
    }
    made
}

/// # Safety
///
/// `path` ends in NUL.
unsafe fn open_tree(path: *const c_char) -> c_int {
    let flags = libc::OPEN_TREE_CLONE | libc::O_CLOEXEC.cast_unsigned() | RECURSIVE.cast_unsigned();
    // SAFETY: a descriptor, a text, flags.
    let tree = unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path, flags) };
    c_int::try_from(tree).unwrap_or(-1)
}

/// # Safety
///
/// `path` ends in NUL.
unsafe fn put(tree: c_int, path: *const c_char) -> c_int {
    const FROM_DESCRIPTOR: c_uint = 0x4;
    // SAFETY: two descriptors, two texts, flags.
    let moved = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree,
            c"".as_ptr(),
            libc::AT_FDCWD,
            path,
            FROM_DESCRIPTOR,
        )
    };
    c_int::try_from(moved).unwrap_or(-1)
}

/// A tree that was taken up, with all below it, becomes read-only.
///
/// # Safety
///
/// None needed: a number and a text of our own.
unsafe fn close(tree: c_int) -> c_int {
    // SAFETY: the text ends in NUL.
    unsafe { set(tree, c"".as_ptr(), RECURSIVE | libc::AT_EMPTY_PATH, true, 0) }
}

/// # Safety
///
/// `path` ends in NUL.
unsafe fn set(
    at: c_int,
    path: *const c_char,
    flags: c_int,
    read_only: bool,
    propagation: libc::c_ulong,
) -> c_int {
    /// `struct mount_attr`.
    #[repr(C)]
    struct Attributes {
        set: u64,
        clear: u64,
        propagation: u64,
        user_namespace: u64,
    }
    let attributes = Attributes {
        set: u64::from(read_only),
        clear: 0,
        propagation,
        user_namespace: 0,
    };
    // SAFETY: the structure is of the size that is said.
    let done = unsafe {
        libc::syscall(
            SYS_MOUNT_SETATTR,
            at,
            path,
            flags,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    };
    c_int::try_from(done).unwrap_or(-1)
}

/// In words, for an error: `cover /home`.
pub fn in_words(act: &Act) -> String {
    match act {
        Act::Part => "part its mounts from the host's".to_owned(),
        Act::Layer { path, .. } => format!("layer {}", path.display()),
        Act::Keep { path, .. } => format!("take up {}", path.display()),
        Act::CloseAll => "make the system read-only".to_owned(),
        Act::Cover(path) => format!("cover {}", path.display()),
        Act::Folder(path) | Act::File(path) | Act::Link(_, path) => {
            format!("make {}", path.display())
        }
        Act::Put(_, path) => format!("put back {}", path.display()),
        Act::Close(path) | Act::Freeze(path) => format!("make {} read-only", path.display()),
        Act::Terminals(path) => format!("make terminals in {}", path.display()),
        Act::Processes => "make a /proc of its own".to_owned(),
    }
}

/// Writes `text` to the file at `path`, whole.
///
/// # Safety
///
/// Only system calls are made.
pub unsafe fn write_to(path: &CStr, text: &CStr) -> Result<(), Errno> {
    let bytes = text.to_bytes();
    // SAFETY: texts that end in NUL, and memory of the length that is said.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file < 0 {
            return Err(Errno::last());
        }
        let written = libc::write(file, bytes.as_ptr().cast(), bytes.len());
        let errno = Errno::last();
        libc::close(file);
        if usize::try_from(written) == Ok(bytes.len()) {
            Ok(())
        } else {
            Err(errno)
        }
    }
}
