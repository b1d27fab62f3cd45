//! The places, and what may come of a good tree and of a bad one in each.

use std::ffi::CStr;
use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use nix::libc;
use nix::mount::{MsFlags, mount};
use nix::sys::resource::{Resource, setrlimit};

use crate::containment::surroundings::{NONE, c_path, in_mount_namespace};
use crate::support::{Project, is_root, not_tested};

/// One place.
#[derive(Clone)]
pub struct Place {
    pub name: &'static str,
    /// What becomes `check`, whose command line follows; nothing where it is started directly.
    pub through: &'static [&'static str],
    /// Changes what it finds.
    pub make: fn(&mut Command, &Project),
    /// Exit codes that may come of a tree that passes.
    pub good: &'static [i32],
    /// Exit codes that may come of a tree that fails.
    pub bad: &'static [i32],
    /// Whether anybody reads what it says.
    pub is_heard: bool,
    /// It is another user's, who may do nothing that others may not.
    pub is_users: bool,
    needs_root: bool,
}

/// Those that can be had here.
pub fn places() -> Vec<Place> {
    let mut all = streams();
    all.extend(room());
    all.extend(limits());
    all.extend(namespaces());
    all.extend(states());
    if !is_root() {
        all.retain(|place| !place.needs_root);
        not_tested("places that need mounts or other users: that needs root");
    }
    all
}

/// The right verdict, and no other.
pub const RIGHT: (&[i32], &[i32]) = (&[0], &[1]);
const NO_VERDICT: (&[i32], &[i32]) = (&[2], &[2]);
/// What a check itself says where it cannot do its work is a failure.
const STARVED: (&[i32], &[i32]) = (&[0, 1, 2], &[1, 2]);
const EITHER: (&[i32], &[i32]) = (&[0, 2], &[1, 2]);

/// A place like any other.
pub fn place(name: &'static str, allowed: (&'static [i32], &'static [i32])) -> Place {
    Place {
        name,
        through: &[],
        make: |_, _| {},
        good: allowed.0,
        bad: allowed.1,
        is_heard: true,
        is_users: false,
        needs_root: false,
    }
}

impl Place {
    /// Changed by `make`.
    pub fn made(mut self, make: fn(&mut Command, &Project)) -> Self {
        self.make = make;
        self
    }

    /// Started through `words`.
    pub fn through(mut self, words: &'static [&'static str]) -> Self {
        self.through = words;
        self
    }

    fn rooted(mut self) -> Self {
        self.needs_root = true;
        self
    }

    fn users(mut self) -> Self {
        self.is_users = true;
        self.rooted()
    }

    fn unheard(mut self) -> Self {
        self.is_heard = false;
        self
    }
}

const IN_NO_FOLDER: &[&str] = &[
    "sh",
    "-c",
    "mkdir gone; cd gone; rmdir ../gone; exec \"$@\"",
    "sh",
];
const IN_NO_FOLDER_WITHOUT_C: &[&str] = &[
    "sh",
    "-c",
    "mkdir gone; cd gone; rmdir ../gone; exec \"$1\"",
    "sh",
];

/// What its standard streams are.
fn streams() -> Vec<Place> {
    vec![
        place("no standard input", RIGHT).made(|command, _| close(command, &[0])),
        place("no standard output", RIGHT)
            .made(|command, _| close(command, &[1]))
            .unheard(),
        place("no standard error", RIGHT).made(|command, _| close(command, &[2])),
        place("no standard stream", RIGHT)
            .made(|command, _| close(command, &[0, 1, 2]))
            .unheard(),
        place("full standard output", (&[2], &[1]))
            .made(|command, _| {
                command.stdout(File::create("/dev/full").unwrap());
            })
            .unheard(),
    ]
}

/// Where there is no room, or nothing may be written.
fn room() -> Vec<Place> {
    vec![
        place("no room for state", RIGHT)
            .rooted()
            .made(|command, project| {
                small_disk(command, project, "tree/.git/check", c"size=4k,nr_inodes=1");
            }),
        place("little room for state", RIGHT)
            .rooted()
            .made(|command, project| {
                small_disk(command, project, "tree/.git/check", c"size=8k,nr_inodes=64");
            }),
        place("no room for homes", NO_VERDICT)
            .rooted()
            .made(|command, project| {
                small_disk(command, project, "temp", c"size=4k,nr_inodes=1");
                command.env("TMPDIR", project.root().with_file_name("temp"));
            }),
        place("little room for homes", EITHER)
            .rooted()
            .made(|command, project| {
                small_disk(command, project, "temp", c"size=4k,nr_inodes=8");
                command.env("TMPDIR", project.root().with_file_name("temp"));
            }),
        place("no temp folder", EITHER).made(|command, project| {
            command.env("TMPDIR", project.root().with_file_name("absent"));
        }),
        place("a read-only root", RIGHT)
            .rooted()
            .made(|command, project| {
                read_only(command, project.root());
            }),
        place("a read-only temp folder", NO_VERDICT)
            .rooted()
            .made(|command, project| {
                let temp = project.root().with_file_name("temp");
                fs::create_dir(&temp).unwrap();
                read_only(command, &temp);
                command.env("TMPDIR", temp);
            }),
        place("read-only everything", NO_VERDICT)
            .rooted()
            .made(|command, _| {
                everything_read_only(command);
            }),
    ]
}

/// What it may use.
fn limits() -> Vec<Place> {
    vec![
        place("64 descriptors", EITHER).made(|c, _| limit(c, Resource::RLIMIT_NOFILE, 64)),
        place("20 descriptors", EITHER).made(|c, _| limit(c, Resource::RLIMIT_NOFILE, 20)),
        place("10 descriptors", EITHER).made(|c, _| limit(c, Resource::RLIMIT_NOFILE, 10)),
        place("4 descriptors", EITHER)
            .made(|c, _| limit(c, Resource::RLIMIT_NOFILE, 4))
            .unheard(),
        place("1 process", STARVED)
            .users()
            .made(|c, _| limit(c, Resource::RLIMIT_NPROC, 1)),
        place("2 processes", STARVED)
            .users()
            .made(|c, _| limit(c, Resource::RLIMIT_NPROC, 2)),
        place("3 processes", STARVED)
            .users()
            .made(|c, _| limit(c, Resource::RLIMIT_NPROC, 3)),
        place("4 processes", STARVED)
            .users()
            .made(|c, _| limit(c, Resource::RLIMIT_NPROC, 4)),
        place("64 processes", RIGHT)
            .users()
            .made(|c, _| limit(c, Resource::RLIMIT_NPROC, 64)),
        place("files of 0 bytes", EITHER)
            .made(|c, _| limit(c, Resource::RLIMIT_FSIZE, 0))
            .unheard(),
        place("files of 4 KiB", EITHER).made(|c, _| limit(c, Resource::RLIMIT_FSIZE, 4096)),
        place("256 MiB of addresses", RIGHT).made(|c, _| limit(c, Resource::RLIMIT_AS, 256 << 20)),
        place("64 MiB of addresses", RIGHT).made(|c, _| limit(c, Resource::RLIMIT_AS, 64 << 20)),
    ]
}

/// What it sees of the system.
fn namespaces() -> Vec<Place> {
    vec![
        place("process 1", RIGHT)
            .rooted()
            .through(&["unshare", "--pid", "--fork", "--mount-proc"]),
        place("process 1 that sees the host's /proc", EITHER)
            .rooted()
            .through(&["unshare", "--pid", "--fork"]),
        place("no /proc", EITHER).rooted().made(|command, _| {
            in_mount_namespace(command, || {
                let tmpfs = Some(c"tmpfs");
                mount(tmpfs, c"/proc", tmpfs, MsFlags::MS_RDONLY, NONE)
            });
        }),
        place("no /dev", EITHER).rooted().made(|command, _| {
            in_mount_namespace(command, || {
                let tmpfs = Some(c"tmpfs");
                mount(tmpfs, c"/dev", tmpfs, MsFlags::MS_RDONLY, NONE)
            });
        }),
    ]
}

/// What its parent left it.
fn states() -> Vec<Place> {
    vec![
        place("a working directory that is gone", NO_VERDICT).through(IN_NO_FOLDER_WITHOUT_C),
        place("a working directory that is gone, and -C", RIGHT).through(IN_NO_FOLDER),
        place("no environment", EITHER).made(|command, _| {
            command.env_clear();
        }),
        place("SIGCHLD ignored", RIGHT).made(|command, _| {
            before_exec(command, || {
                // SAFETY: signal(2) is async-signal-safe.
                unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
            });
        }),
        place("every signal blocked", RIGHT).made(|command, _| {
            before_exec(command, || {
                // SAFETY: both are async-signal-safe and take memory that is there.
                unsafe {
                    let mut all: libc::sigset_t = std::mem::zeroed();
                    libc::sigfillset(&raw mut all);
                    libc::sigprocmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
                }
            });
        }),
        place("a umask that takes everything", EITHER)
            .users()
            .made(|command, _| {
                before_exec(command, || {
                    // SAFETY: umask(2) is async-signal-safe.
                    unsafe { libc::umask(0o777) };
                });
            }),
    ]
}

/// Runs `change`, which may make async-signal-safe calls only, before `check` is there.
fn before_exec(command: &mut Command, change: fn()) {
    let change = move || {
        change();
        Ok(())
    };
    // SAFETY: so every caller of this function says.
    unsafe {
        command.pre_exec(change);
    }
}

/// Takes away all but `most` of a resource.
pub fn limit(command: &mut Command, resource: Resource, most: u64) {
    let change = move || Ok(setrlimit(resource, most, most)?);
    // SAFETY: setrlimit(2) is async-signal-safe.
    unsafe {
        command.pre_exec(change);
    }
}

/// Closes standard streams.
fn close(command: &mut Command, streams: &'static [i32]) {
    let change = move || {
        for &stream in streams {
            // SAFETY: close(2) is async-signal-safe, and nobody uses the descriptor before exec.
            unsafe { libc::close(stream) };
        }
        Ok(())
    };
    // SAFETY: as above.
    unsafe {
        command.pre_exec(change);
    }
}

/// Puts a file system with `options` at `place`, a path from the folder that the root is in.
fn small_disk(command: &mut Command, project: &Project, place: &str, options: &'static CStr) {
    let folder = project.root().with_file_name(place);
    fs::create_dir_all(&folder).unwrap();
    let folder = c_path(&folder);
    in_mount_namespace(command, move || {
        let tmpfs = Some(c"tmpfs");
        mount(
            tmpfs,
            folder.as_c_str(),
            tmpfs,
            MsFlags::empty(),
            Some(options),
        )
    });
}

fn read_only(command: &mut Command, folder: &Path) {
    let folder = c_path(folder);
    in_mount_namespace(command, move || {
        let bind = MsFlags::MS_BIND;
        mount(Some(folder.as_c_str()), folder.as_c_str(), NONE, bind, NONE)?;
        let again = MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
        mount(NONE, folder.as_c_str(), NONE, bind | again, NONE)
    });
}

fn everything_read_only(command: &mut Command) {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let mounts = mounts.lines().filter_map(|line| line.split(' ').nth(1));
    let mounts: Vec<_> = mounts.map(|path| c_path(Path::new(path))).collect();
    in_mount_namespace(command, move || {
        let flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY;
        for path in &mounts {
            // One that is hidden below another cannot be changed, nor written to.
            let _ = mount(NONE, path.as_c_str(), NONE, flags, NONE);
        }
        Ok(())
    });
}
