//! What `/proc` says of processes; see proc(5). Every answer may be out of date when it arrives:
//! whoever acts on one holds a pidfd and compares start times first.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use nix::libc;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

/// A process as told apart from a later one with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessKey {
    pub pid: i32,
    /// Clock ticks since boot.
    pub start_time: u64,
}

/// The facts of `/proc/<pid>/stat`.
#[derive(Debug, Clone, Copy)]
pub struct Stat {
    pub key: ProcessKey,
    pub parent: i32,
    pub group: i32,
    pub session: i32,
    /// It has ended and waits to be reaped: the whole of it, and not its main thread alone.
    pub ended: bool,
    /// It was stopped by a signal.
    pub stopped: bool,
}

/// The facts of one process; `None` where there is none.
pub fn stat(pid: i32) -> Option<Stat> {
    read_stat(&pid.to_string())
}

/// `whose`: an id, or `self`.
fn read_stat(whose: &str) -> Option<Stat> {
    // The name is at most 64 bytes, and the numbers some twenty each.
    let mut bytes = [0; 2048];
    let mut file = File::open(format!("/proc/{whose}/stat")).ok()?;
    let length = file.read(&mut bytes).ok()?;
    // A name may hold any bytes.
    parse_stat(&String::from_utf8_lossy(&bytes[..length]))
}

/// Whether `pid`, a child of ours that nobody has waited for, has ended.
pub fn has_ended(pid: i32) -> bool {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    !matches!(
        waitid(Id::Pid(Pid::from_raw(pid)), flags),
        Ok(WaitStatus::StillAlive)
    )
}

/// The name, in parentheses, may hold spaces and parentheses itself: the last one closes it.
fn parse_stat(text: &str) -> Option<Stat> {
    let pid = text.split(' ').next()?.parse().ok()?;
    let mut fields = text[text.rfind(')')? + 1..].split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    // The number of threads is field 20, the start time field 22; the fields to 6 are behind us.
    let threads: u32 = fields.nth(13)?.parse().ok()?;
    let start_time = fields.nth(1)?.parse().ok()?;
    // A main thread that has ended is a zombie as long as any other thread goes on.
    let ended = matches!(state, "X" | "x") || state == "Z" && threads <= 1;
    let stopped = matches!(state, "T" | "t");
    Some(Stat {
        key: ProcessKey { pid, start_time },
        parent,
        group,
        session,
        ended,
        stopped,
    })
}

/// This process itself; `None` where `/proc` is not there, or another namespace's.
pub fn own() -> Option<ProcessKey> {
    let own = std::process::id().cast_signed();
    let stat = read_stat("self")?;
    (stat.key.pid == own).then_some(stat.key)
}

/// When a process that starts now starts, in clock ticks since boot.
pub fn newest_start() -> u64 {
    let uptime = fs::read_to_string("/proc/uptime").unwrap_or_default();
    let seconds = uptime
        .split(' ')
        .next()
        .and_then(|text| text.split_once('.'));
    // SAFETY: asks for a number.
    let ticks = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100);
    let Some((whole, hundredths)) = seconds else {
        return u64::MAX;
    };
    let (whole, hundredths) = (whole.parse::<u64>(), hundredths.parse::<u64>());
    match (whole, hundredths) {
        (Ok(whole), Ok(hundredths)) => whole * ticks + hundredths * ticks / 100,
        _ => u64::MAX,
    }
}

/// The ids of all processes that can be seen.
pub fn all() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The children of our main thread, to whom orphans come; asked often, so the file stays open.
pub struct Children {
    own_pid: i32,
    file: Option<File>,
}

impl Children {
    /// See [`children`].
    pub fn of_main_thread(own_pid: i32) -> Self {
        let file = File::open(format!("/proc/{own_pid}/task/{own_pid}/children"));
        Self {
            own_pid,
            file: file.ok(),
        }
    }

    /// Those that there are, ended ones included.
    pub fn list(&self) -> Vec<i32> {
        let Some(file) = &self.file else {
            return children(self.own_pid);
        };
        let mut list = Vec::new();
        let mut text = Vec::with_capacity(256);
        let mut part = [0; 4096];
        // The kernel makes the list anew for each read from its start, and ends it with a space.
        while let Ok(length @ 1..) = file.read_at(&mut part, text.len() as u64) {
            text.extend_from_slice(&part[..length]);
            if length < part.len() {
                break;
            }
        }
        let words = text.split(|&byte| byte == b' ');
        list.extend(words.filter_map(|word| std::str::from_utf8(word).ok()?.parse::<i32>().ok()));
        list
    }
}

/// The children of every thread of `pid`, ended ones included.
pub fn children(pid: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(list) => found.extend(
                list.split_ascii_whitespace()
                    .filter_map(|p| p.parse::<i32>().ok()),
            ),
            // A thread that is just gone has none; a kernel without the file has the long way.
            Err(_) if thread.path().exists() => return children_by_scan(pid),
            Err(_) => {}
        }
    }
    found
}

/// As [`children`], for kernels built without `CONFIG_PROC_CHILDREN`.
fn children_by_scan(parent: i32) -> Vec<i32> {
    all()
        .filter(|&pid| stat(pid).is_some_and(|s| s.parent == parent))
        .collect()
}

/// `pids` and all that descends from them, each once, parents before children.
pub fn with_descendants(pids: Vec<i32>) -> Vec<i32> {
    let mut known = HashSet::new();
    let mut all = pids;
    all.retain(|&pid| known.insert(pid));
    let mut next = 0;
    while let Some(&pid) = all.get(next) {
        all.extend(
            children(pid)
                .into_iter()
                .filter(|&child| known.insert(child)),
        );
        next += 1;
    }
    all
}

/// Whether the process was started with this variable; false where that cannot be read.
pub fn has_variable(pid: i32, name: &str, value: &OsStr) -> bool {
    any_variable(pid, name, |found| found == value)
}

/// Whether the process was started with a variable of this name whose value is `wanted`; false
/// where that cannot be read.
pub fn any_variable(pid: i32, name: &str, wanted: impl Fn(&OsStr) -> bool) -> bool {
    memory(pid, "environ").split(|&b| b == 0).any(|pair| {
        pair.strip_prefix(name.as_bytes())
            .and_then(|rest| rest.strip_prefix(b"="))
            .is_some_and(|found| wanted(OsStr::from_bytes(found)))
    })
}

/// A file of the process that shows its memory; empty where that cannot be read. A main thread that
/// has ended has none, and any other shows the same.
fn memory(pid: i32, file: &str) -> Vec<u8> {
    let own = Path::new("/proc").join(pid.to_string());
    let shown = fs::read(own.join(file)).unwrap_or_default();
    if !shown.is_empty() {
        return shown;
    }
    let threads = fs::read_dir(own.join("task")).into_iter().flatten();
    threads
        .flatten()
        .filter_map(|thread| fs::read(thread.path().join(file)).ok())
        .find(|shown| !shown.is_empty())
        .unwrap_or_default()
}

/// The command line or, where it is empty, the name; at most 200 characters.
pub fn command(pid: i32) -> String {
    let line = memory(pid, "cmdline");
    let words: Vec<_> = line
        .split(|&b| b == 0)
        .filter(|word| !word.is_empty())
        .map(String::from_utf8_lossy)
        .collect();
    if words.is_empty() {
        let name = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("comm"));
        return format!("[{}]", name.unwrap_or_default().trim_end());
    }
    words.join(" ").chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::{children, command, parse_stat, stat};

    #[test]
    fn a_name_with_parentheses_and_spaces_does_not_shift_the_fields() {
        let text = "42 (a) R (b) S 7 42 41 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9988 1 2 3";
        let stat = parse_stat(text).unwrap();
        assert_eq!(
            (stat.key.pid, stat.parent, stat.group, stat.session),
            (42, 7, 42, 41)
        );
        assert_eq!(stat.key.start_time, 9988);
        assert!(!stat.ended);
        assert!(parse_stat("42 (cut").is_none());
    }

    #[test]
    fn a_zombie_with_threads_is_a_main_thread_that_has_ended() {
        let with = |state, threads| {
            let text = format!(
                "42 (a) {state} 7 42 41 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 {threads} 0 9988 1"
            );
            parse_stat(&text).unwrap().ended
        };
        assert!(with("Z", 1) && with("Z", 0) && with("X", 1));
        assert!(!with("Z", 2) && !with("S", 1) && !with("T", 2));
    }

    #[test]
    fn a_real_child_is_found_and_named() {
        let own = i32::try_from(std::process::id()).unwrap();
        let mut child = std::process::Command::new("sleep")
            .arg("600")
            .spawn()
            .unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let found = children(own);
        let stat = stat(pid).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found.contains(&pid));
        assert_eq!(stat.parent, own);
        assert!(!command(own).is_empty());
    }
}
