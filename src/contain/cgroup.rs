//! Folders of a cgroup v2 tree, one for each check that runs: what a check starts is born in its
//! check's folder and stays there, whatever it does to its parents, session or environment. No
//! controller is needed for that. See `Documentation/admin-guide/cgroup-v2.rst` of the kernel.
//!
//! A folder is ended as a whole (`cgroup.kill`, Linux 5.14) and says itself when nothing lives in
//! it (`cgroup.events`).

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use nix::dir::{Dir, Type};
use nix::fcntl::{OFlag, open, openat};
use nix::sys::stat::{Mode, fstat, mkdirat};
use nix::sys::statfs::{CGROUP2_SUPER_MAGIC, fstatfs, statfs};
use nix::unistd::{UnlinkatFlags, unlinkat};

use crate::model::Limits;

use super::limits::{self, CONTROLLERS};
use super::processes::ProcessKey;

/// Where a cgroup v2 tree is mounted: alone, or beside trees of version 1.
const USUAL_PLACES: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
/// Folders inside a check's, for which it must have asked: a nested run, a service manager.
const DEEPEST: usize = 32;

/// The folder that checks' folders are made in, and the names of those.
pub struct Place {
    folder: OwnedFd,
    path: PathBuf,
    prefix: String,
    made: u32,
    /// Folders in it have files of [`super::limits`], though perhaps not all.
    limits: bool,
    /// Empty, to be used again: making a folder costs more than all else that is done for a check.
    free: Vec<Slot>,
}

impl Place {
    /// Our own folder, or the one above it where only that has controllers, and a first one in it.
    /// `None` where there is no such tree, or nothing can be made in it, or the kernel cannot end
    /// one as a whole.
    pub fn new(run: ProcessKey) -> Option<Self> {
        let own = own_folder()?;
        let given = give_controllers(&own);
        // A folder with processes in it gives its controllers to none below, but for the topmost.
        let above = own
            .parent()
            .filter(|above| given < CONTROLLERS.len() && give_controllers(above) > given);
        above
            .and_then(|above| Self::within(above.to_owned(), run))
            .or_else(|| Self::within(own, run))
    }

    fn within(path: PathBuf, run: ProcessKey) -> Option<Self> {
        let folder = open(
            &path,
            OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC,
            Mode::empty(),
        );
        let mut place = Self {
            folder: folder.ok()?,
            limits: give_controllers(&path) > 0,
            path,
            prefix: prefix(run),
            made: 0,
            free: Vec::new(),
        };
        let first = place.make().ok()?;
        place.free.push(first);
        Some(place)
    }

    /// What the paths of this run's folders begin with, whole.
    pub fn prefix(&self) -> PathBuf {
        self.path.join(&self.prefix)
    }

    /// Whether a folder can be given any limit.
    pub fn has_limits(&self) -> bool {
        self.limits
    }

    /// An empty folder for one check.
    pub fn take(&mut self) -> io::Result<Slot> {
        match self.free.pop() {
            Some(slot) => Ok(slot),
            None => self.make(),
        }
    }

    fn make(&mut self) -> io::Result<Slot> {
        let name = format!("{}-{}", self.prefix, self.made);
        mkdirat(&self.folder, name.as_str(), Mode::S_IRWXU)?;
        // From here on it is removed with the others, also where it cannot be used.
        self.made += 1;
        Slot::open(&self.folder, name)
    }

    /// Takes back a folder in which nothing lives, without what was made in it. One in which
    /// something lives is removed by whoever ends that.
    pub fn give_back(&mut self, slot: Slot) {
        if slot.is_populated() || slot.remove_inner().is_err() {
            return;
        }
        // What it counted is another check's.
        if slot.was_killed.get() || (self.limits && slot.was_killed_for_memory()) {
            let name = slot.name.as_str();
            let _ = unlinkat(&self.folder, name, UnlinkatFlags::RemoveDir);
            return;
        }
        self.free.push(slot);
    }
}

/// Nothing of ours is left in the tree.
impl Drop for Place {
    fn drop(&mut self) {
        for number in 0..self.made {
            let name = format!("{}-{number}", self.prefix);
            let _ = unlinkat(&self.folder, name.as_str(), UnlinkatFlags::RemoveDir);
        }
    }
}

/// What the names of a run's folders begin with. It tells the run from any other on this host
/// that is alive.
pub fn prefix(run: ProcessKey) -> String {
    format!("check-{}-{}", run.pid, run.start_time)
}

/// One check's folder.
pub struct Slot {
    name: String,
    folder: OwnedFd,
    events: File,
    /// Never used again: in a folder that was ever killed, newer kernels (seen with Linux 6.18)
    /// kill whatever is born into it, as if the killing had missed its birth.
    was_killed: Cell<bool>,
}

impl Slot {
    fn open(parent: &OwnedFd, name: String) -> io::Result<Self> {
        let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let folder = openat(parent, name.as_str(), flags, Mode::empty())?;
        let file =
            |name: &str, flags| openat(&folder, name, flags | OFlag::O_CLOEXEC, Mode::empty());
        // Only looked for: without it a folder is no better than a session.
        drop(file("cgroup.kill", OFlag::O_PATH)?);
        let events = File::from(file("cgroup.events", OFlag::O_RDONLY)?);
        Ok(Self {
            name,
            folder,
            events,
            was_killed: Cell::new(false),
        })
    }

    /// The last part of its path.
    #[cfg(test)]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// For a process to be started in it.
    pub fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    /// Whether a process lives in it, or in a folder below. One that has ended and was not waited
    /// for does not count. What cannot be read counts as life.
    pub fn is_populated(&self) -> bool {
        let mut text = [0; 64];
        match self.events.read_at(&mut text, 0) {
            Ok(length) => !text[..length].starts_with(b"populated 0"),
            Err(_) => true,
        }
    }

    /// Ends everything in it, and what that is starting.
    pub fn kill(&self) {
        self.was_killed.set(true);
        let _ = self.write("cgroup.kill", "1");
    }

    /// Stops everything in it where it stands, or lets it go on.
    pub fn freeze(&self, frozen: bool) {
        let _ = self.write("cgroup.freeze", if frozen { "1" } else { "0" });
    }

    /// Asks for limits of everything in it together. Which of them hold is another question.
    pub fn limit(&self, limits: &Limits) {
        for (name, text) in limits::files(limits, 0) {
            let _ = self.write(name, &text);
        }
    }

    /// Which limits do not hold, in words.
    pub fn lacks(&self, limits: &Limits) -> Vec<&'static str> {
        limits::missing(limits, 0, |name| self.read(name).ok())
    }

    /// Whether anything in it was killed because all of it together had too much memory.
    pub fn was_killed_for_memory(&self) -> bool {
        let events = self.read("memory.events").unwrap_or_default();
        events.lines().any(|line| {
            let killed = line.strip_prefix("oom_kill ");
            killed.is_some_and(|count| count != "0")
        })
    }

    fn read(&self, name: &str) -> io::Result<String> {
        let flags = OFlag::O_RDONLY | OFlag::O_CLOEXEC;
        let mut text = String::new();
        let file = openat(&self.folder, name, flags, Mode::empty())?;
        File::from(file).read_to_string(&mut text)?;
        Ok(text)
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let flags = OFlag::O_WRONLY | OFlag::O_CLOEXEC;
        let file = openat(&self.folder, name, flags, Mode::empty())?;
        File::from(file).write_all(text.as_bytes())
    }

    /// The processes in it and below.
    pub fn members(&self) -> Vec<i32> {
        let mut found = Vec::new();
        collect(&self.folder, 0, &mut found);
        found
    }

    /// Whether `pid` is in it or below.
    pub fn holds(&self, pid: i32) -> bool {
        let Ok(text) = fs::read_to_string(format!("/proc/{pid}/cgroup")) else {
            return false;
        };
        let path = text.lines().find_map(|line| line.strip_prefix("0::"));
        path.is_some_and(|path| {
            Path::new(path)
                .iter()
                .any(|part| part == self.name.as_str())
        })
    }

    fn remove_inner(&self) -> io::Result<()> {
        // A folder without folders has two links.
        if fstat(&self.folder)?.st_nlink > 2 {
            remove_below(&self.folder, 0)?;
        }
        Ok(())
    }
}

fn collect(folder: &OwnedFd, depth: usize, found: &mut Vec<i32>) {
    if depth > DEEPEST {
        return;
    }
    let flags = OFlag::O_RDONLY | OFlag::O_CLOEXEC;
    if let Ok(procs) = openat(folder, "cgroup.procs", flags, Mode::empty()) {
        let mut text = String::new();
        if File::from(procs).read_to_string(&mut text).is_ok() {
            found.extend(text.lines().filter_map(|pid| pid.parse::<i32>().ok()));
        }
    }
    for name in inner(folder).unwrap_or_default() {
        if let Ok(folder) = enter(folder, &name) {
            collect(&folder, depth + 1, found);
        }
    }
}

fn enter(parent: &OwnedFd, name: &OsStr) -> nix::Result<OwnedFd> {
    let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    openat(parent, name, flags, Mode::empty())
}

/// The names of the folders in `folder`.
fn inner(folder: &OwnedFd) -> io::Result<Vec<OsString>> {
    let own = enter(folder, OsStr::new("."))?;
    let mut names = Vec::new();
    for entry in Dir::from_fd(own)?.iter() {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        let is_folder = entry.file_type() == Some(Type::Directory);
        if is_folder && name != "." && name != ".." {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// Removes the folders in `folder`, in which nothing lives.
fn remove_below(folder: &OwnedFd, depth: usize) -> io::Result<()> {
    if depth > DEEPEST {
        return Err(io::Error::other("cgroups nested too deeply"));
    }
    for name in inner(folder)? {
        remove_below(&enter(folder, &name)?, depth + 1)?;
        unlinkat(folder, name.as_os_str(), UnlinkatFlags::RemoveDir)?;
    }
    Ok(())
}

/// What came of ending the folders of a dead run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Processes that lived in them.
    pub killed: usize,
    /// Nothing of them is left.
    pub all_gone: bool,
}

/// Kills all that lives in the folders of a run that is dead, and removes those that are empty.
/// `prefix`: as [`Place::prefix`].
pub fn end(prefix: &Path) -> Ended {
    let mut ended = Ended {
        killed: 0,
        all_gone: true,
    };
    let (Some(parent), Some(name)) = (prefix.parent(), prefix.file_name()) else {
        return ended;
    };
    let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let Ok(folder) = open(parent, flags, Mode::empty()) else {
        return ended;
    };
    if fstatfs(&folder).is_ok_and(|stat| stat.filesystem_type() != CGROUP2_SUPER_MAGIC) {
        return ended;
    }
    let mut begins = name.to_owned();
    begins.push("-");
    let begins = begins.as_encoded_bytes();
    let names = inner(&folder).unwrap_or_default();
    let ours = names
        .iter()
        .filter(|name| name.as_encoded_bytes().starts_with(begins));
    for name in ours {
        let Ok(slot) = Slot::open(&folder, name.to_string_lossy().into_owned()) else {
            continue;
        };
        ended.killed += slot.members().len();
        slot.kill();
        ended.all_gone &= slot.remove_inner().is_ok()
            && unlinkat(&folder, name.as_os_str(), UnlinkatFlags::RemoveDir).is_ok();
    }
    ended
}

/// How many of the controllers of [`super::limits`] the folders in this one have, each asked for
/// where they do not.
pub fn give_controllers(folder: &Path) -> usize {
    let names = |file: &str| {
        let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let has = |names: &[String], name: &str| names.iter().any(|other| other == name);
    let given = names("cgroup.subtree_control");
    let to_give = names("cgroup.controllers");
    let is_to_be_had = |name: &&&str| {
        has(&given, name)
            || (has(&to_give, name)
                && fs::write(folder.join("cgroup.subtree_control"), format!("+{name}")).is_ok())
    };
    CONTROLLERS.iter().filter(is_to_be_had).count()
}

/// Whether all that limits need is in trees of version 1, where a check cannot be limited as a
/// whole by whoever is not root, nor ended: nobody gives it to version 2 then.
pub fn is_version_1() -> bool {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    all_in_version_1(&own)
}

/// `own`: what `/proc/self/cgroup` says, `hierarchy:controllers:path` a line; see cgroups(7).
fn all_in_version_1(own: &str) -> bool {
    let taken = |name: &&str| {
        own.lines()
            .filter_map(|line| line.split(':').nth(1))
            .any(|names| names.split(',').any(|other| other == *name))
    };
    CONTROLLERS.iter().all(taken)
}

/// Where the cgroup v2 tree is.
fn mount() -> Option<&'static Path> {
    let is_tree = |place: &&&str| {
        statfs(**place).is_ok_and(|stat| stat.filesystem_type() == CGROUP2_SUPER_MAGIC)
    };
    USUAL_PLACES
        .iter()
        .find(is_tree)
        .map(|&place| Path::new(place))
}

/// The folder that this process is in.
pub fn own_folder() -> Option<PathBuf> {
    let text = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = text.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let mount = mount()?;
    let usual = mount.join(own);
    if usual.is_dir() {
        return Some(usual);
    }
    // A container sees its own part of the tree alone, and may be told its place in the whole.
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let root = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ').skip(3);
        let (root, at) = (fields.next()?, fields.next()?);
        (Path::new(at) == mount).then(|| root.trim_start_matches('/').to_owned())
    })?;
    let below = Path::new(own).strip_prefix(&root).ok()?;
    Some(mount.join(below)).filter(|folder| folder.is_dir())
}

#[cfg(test)]
mod tests {
    use super::{Place, ProcessKey, all_in_version_1, end};
    use std::process::Command;

    #[test]
    fn controllers_are_in_version_1_where_all_of_them_are() {
        let hybrid = "5:pids:/a\n4:cpu,cpuacct:/\n3:memory:/a\n1:name=systemd:/\n0::/a\n";
        assert!(all_in_version_1(hybrid));
        assert!(!all_in_version_1("5:pids:/a\n4:cpuset:/\n0::/a\n"));
        assert!(!all_in_version_1("0::/user.slice\n"));
        assert!(!all_in_version_1(""));
    }

    #[test]
    fn a_folder_knows_who_lives_in_it_and_ends_it_as_a_whole() {
        let run = ProcessKey {
            pid: std::process::id().cast_signed(),
            start_time: 1,
        };
        let Some(mut place) = Place::new(run) else {
            assert!(
                !nix::unistd::getuid().is_root() || std::env::var_os("CI").is_none(),
                "no cgroup v2 folder can be made here, not even by root"
            );
            return;
        };
        let slot = place.take().unwrap();
        let path = place.path.join(&slot.name);
        std::fs::create_dir(path.join("inner")).unwrap();
        let mut child = Command::new("sh")
            .args(["-c", "echo 0 > $1/inner/cgroup.procs; exec sleep 600", "sh"])
            .arg(&path)
            .spawn()
            .unwrap();
        while !slot.is_populated() {
            std::thread::yield_now();
        }
        assert_eq!(slot.members(), [child.id().cast_signed()]);
        assert!(slot.members().iter().all(|&pid| slot.holds(pid)));
        assert!(!slot.holds(std::process::id().cast_signed()));
        slot.kill();
        while slot.is_populated() {
            std::thread::yield_now();
        }
        let _ = child.kill();
        child.wait().unwrap();
        place.give_back(slot);
        assert!(!path.exists(), "nothing could be born in it any more");

        let slot = place.take().unwrap();
        let path = place.path.join(&slot.name);
        std::fs::create_dir(path.join("inner")).unwrap();
        place.give_back(slot);
        assert!(!path.join("inner").exists(), "what was made in it is gone");
        let again = place.take().unwrap();
        assert_eq!(place.path.join(&again.name), path);
        assert!(end(&place.prefix()).all_gone);
        assert!(!path.exists());
    }
}
