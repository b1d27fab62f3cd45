//! What a check's own process could still open the moment before it became its program, where
//! Landlock holds its files: the only proof that it does.

use std::ffi::{CStr, c_char, c_int};
use std::mem::MaybeUninit;

use nix::errno::Errno;
use nix::libc;

use super::seen::{MOST_HOMES, Seen};

/// What no ruleset of ours allows, and everybody may list.
const TOP: &CStr = c"/";
/// Folders in which nothing may be made.
const FOLDERS: [&CStr; 3] = [c"/", c"/usr", c"/etc"];
/// What may not be written.
const FILE: &CStr = c"/etc/passwd";

/// What became of an attempt to open something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Door {
    /// Nobody tried.
    #[default]
    Untried,
    /// It was opened.
    Open,
    /// It was refused.
    Closed,
    /// Something else: it is not there, or the file system cannot do that.
    Other,
}

impl Door {
    /// # Safety
    ///
    /// `path` ends in NUL. Only system calls are made.
    unsafe fn of(path: *const c_char, flags: c_int) -> Self {
        // SAFETY: as the caller vouches; the descriptor is ours.
        unsafe {
            let file = libc::open(path, flags | libc::O_CLOEXEC, 0o600);
            if file >= 0 {
                libc::close(file);
                return Self::Open;
            }
        }
        if [Errno::EACCES, Errno::EPERM, Errno::EROFS].contains(&Errno::last()) {
            Self::Closed
        } else {
            Self::Other
        }
    }
}

/// What was tried, from inside or from outside.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tried {
    top: Door,
    homes: [Door; MOST_HOMES],
    system: [Door; FOLDERS.len() + 1],
    /// Whose system it is can change its modes, which Landlock holds from nobody.
    owns_system: bool,
}

impl Tried {
    /// What these prove. Allocates nothing.
    pub fn judge(outside: &Self, inside: &Self) -> Seen {
        let landlock = outside.top == Door::Open && inside.top == Door::Closed;
        let mut homes = outside.homes.iter().zip(&inside.homes);
        let is_hidden = |outside: Door, inside: Door| match inside {
            Door::Closed | Door::Untried => true,
            // What is not there outside cannot be seen inside.
            Door::Other => outside == Door::Other,
            Door::Open => false,
        };
        let mut system = inside.system.iter();
        Seen {
            network: false,
            home: landlock
                && inside.homes.contains(&Door::Closed)
                && homes.all(|(outside, inside)| is_hidden(*outside, *inside)),
            read_only: landlock
                && !inside.owns_system
                && inside.system.contains(&Door::Closed)
                && !system.any(|door| *door == Door::Open),
            processes: false,
            landlock,
        }
    }
}

/// Tries. `homes`: texts that end in NUL, or null. Nothing is left behind: a file without a name
/// is gone when it is closed, and a file that is opened for writing is not written.
///
/// # Safety
///
/// As said. Only system calls are made.
pub unsafe fn try_out(homes: &[*const c_char; MOST_HOMES]) -> Tried {
    const LIST: c_int = libc::O_RDONLY | libc::O_DIRECTORY;
    let mut tried = Tried::default();
    // SAFETY: as the caller vouches.
    unsafe {
        tried.top = Door::of(TOP.as_ptr(), LIST);
        for (door, home) in tried.homes.iter_mut().zip(homes) {
            if !home.is_null() {
                *door = Door::of(*home, LIST);
            }
        }
        for (door, folder) in tried.system.iter_mut().zip(FOLDERS) {
            *door = Door::of(folder.as_ptr(), libc::O_WRONLY | libc::O_TMPFILE);
            tried.owns_system |= owns(folder);
        }
        if let Some(door) = tried.system.last_mut() {
            *door = Door::of(FILE.as_ptr(), libc::O_WRONLY);
        }
    }
    tried
}

/// # Safety
///
/// Only system calls are made.
unsafe fn owns(path: &CStr) -> bool {
    let mut facts = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: a text that ends in NUL, and the call's own structure.
    unsafe {
        libc::stat(path.as_ptr(), facts.as_mut_ptr()) < 0
            || facts.assume_init().st_uid == libc::geteuid()
    }
}

#[cfg(test)]
mod tests {
    use super::{Door, MOST_HOMES, Seen, Tried};
    use std::ptr;

    fn tried(top: Door, home: Door, system: Door) -> Tried {
        let mut homes = [Door::Untried; MOST_HOMES];
        homes[0] = home;
        Tried {
            top,
            homes,
            system: [system; 4],
            owns_system: false,
        }
    }

    const HELD: Seen = Seen {
        network: false,
        home: true,
        read_only: true,
        processes: false,
        landlock: true,
    };

    #[test]
    fn nothing_is_proven_by_what_is_tried_where_we_are() {
        let homes = [c"/proc".as_ptr(), ptr::null(), ptr::null(), ptr::null()];
        // SAFETY: a text that ends in NUL.
        let outside = unsafe { super::try_out(&homes) };
        assert_eq!((outside.top, outside.homes[0]), (Door::Open, Door::Open));
        assert_eq!(Tried::judge(&outside, &outside), Seen::default());
    }

    #[test]
    fn what_was_open_and_is_refused_is_held() {
        let (open, closed) = (Door::Open, Door::Closed);
        let outside = tried(open, open, open);
        let inside = tried(closed, closed, closed);
        assert_eq!(Tried::judge(&outside, &inside), HELD);
        // A home that its owner's modes hide from us is as closed, and proves nothing alone.
        assert_eq!(Tried::judge(&tried(open, closed, closed), &inside), HELD);
        let unheld = tried(open, closed, closed);
        assert_eq!(Tried::judge(&unheld, &unheld), Seen::default());
    }

    #[test]
    fn what_is_open_inside_is_said() {
        let (open, closed) = (Door::Open, Door::Closed);
        let outside = tried(open, open, open);
        let home = Tried::judge(&outside, &tried(closed, open, closed));
        assert_eq!(
            home,
            Seen {
                home: false,
                ..HELD
            }
        );
        let mut inside = tried(closed, closed, closed);
        inside.system[1] = open;
        let read_only = false;
        let less = Seen { read_only, ..HELD };
        assert_eq!(Tried::judge(&outside, &inside), less);
        // The owner of the system may still change its modes.
        let mut inside = tried(closed, closed, closed);
        inside.owns_system = true;
        assert_eq!(Tried::judge(&outside, &inside), less);
        // No answer is none.
        let blind = tried(closed, closed, Door::Other);
        assert_eq!(Tried::judge(&outside, &blind), less);
        let gone = Tried::judge(&outside, &tried(closed, Door::Other, closed));
        assert!(!gone.home);
    }
}
