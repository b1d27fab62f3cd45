//! Who this process is among others: since when it lives, where its id means something, and under
//! whom it was started.

pub use platform::{descends_from, pid_namespace, start_time};

#[cfg(target_os = "linux")]
mod platform {
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;

    use crate::contain::processes::stat;

    /// Families older than this are none: a parent that is its own descendant would never end.
    const MOST_ANCESTORS: usize = 4096;

    /// When this process started, in clock ticks since boot (`starttime` in proc(5)). With its id
    /// it names a process that no later one can be mistaken for until the next boot. `None`
    /// without `/proc`.
    pub fn start_time() -> Option<u64> {
        Some(stat(own_pid())?.key.start_time)
    }

    /// The PID namespace that this process's id belongs to, by its inode (see
    /// `pid_namespaces(7)`). `None` without `/proc`.
    pub fn pid_namespace() -> Option<u64> {
        Some(fs::metadata("/proc/self/ns/pid").ok()?.ino())
    }

    /// Whether the process `ancestor` started this one, or one that started it, and so on. Where a
    /// parent has ended, whoever took its children over stands for it.
    pub fn descends_from(ancestor: u32) -> bool {
        let mut pid = own_pid();
        for _ in 0..MOST_ANCESTORS {
            let Some(found) = stat(pid) else { return false };
            // The first process of a namespace has parent 0, and so has one that was put into it.
            if found.parent <= 0 {
                return false;
            }
            if found.parent.cast_unsigned() == ancestor {
                return true;
            }
            pid = found.parent;
        }
        false
    }

    fn own_pid() -> i32 {
        std::process::id().cast_signed()
    }
}

#[cfg(windows)]
mod platform {
    /// Windows has no ticks to tell a reused id by.
    pub fn start_time() -> Option<u64> {
        None
    }

    /// Every id means the same process to everybody.
    pub fn pid_namespace() -> Option<u64> {
        Some(0)
    }

    /// Not known: a parent's id may be another's by now.
    pub fn descends_from(_ancestor: u32) -> bool {
        false
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::{descends_from, pid_namespace, start_time};

    #[test]
    fn this_process_descends_from_its_parent_and_not_from_itself_or_a_child() {
        assert!(descends_from(std::os::unix::process::parent_id()));
        assert!(!descends_from(std::process::id()));
        let mut child = std::process::Command::new("sleep")
            .arg("600")
            .spawn()
            .unwrap();
        let from_child = descends_from(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!from_child);
    }

    #[test]
    fn facts_stay_the_same_while_a_process_lives() {
        assert!(start_time().is_some_and(|ticks| ticks > 0));
        assert_eq!(start_time(), start_time());
        assert!(pid_namespace().is_some());
    }
}
