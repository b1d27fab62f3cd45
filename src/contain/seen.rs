//! What a check's own process found around it, the moment before it became its program: the only
//! proof that what was asked for was done.

use std::ffi::{CStr, CString, c_char};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr;

use nix::libc;

use crate::model::View;

use super::StartError;

const NETWORK: &CStr = c"/proc/self/ns/net";
const MOUNTS: &CStr = c"/proc/self/ns/mnt";
const PROCESSES: &CStr = c"/proc/self/ns/pid";
/// Read-only wherever the system is.
const SYSTEM: [&CStr; 3] = [c"/", c"/usr", c"/etc"];

/// Which file something is; zero where it cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Place {
    device: u64,
    inode: u64,
}

impl Place {
    /// # Safety
    ///
    /// `path` ends in NUL. Only a system call is made.
    unsafe fn of(path: *const c_char) -> Self {
        let mut stat = MaybeUninit::<libc::stat>::zeroed();
        // SAFETY: as the caller vouches; the structure is the call's own.
        let stat = unsafe {
            if libc::stat(path, stat.as_mut_ptr()) < 0 {
                return Self::default();
            }
            stat.assume_init()
        };
        Self {
            device: stat.st_dev,
            inode: stat.st_ino,
        }
    }

    fn is_known(self) -> bool {
        self != Self::default()
    }
}

/// What is looked at, from inside and from outside.
#[derive(Debug, Clone, Copy, Default)]
pub struct Look {
    network: Place,
    mounts: Place,
    processes: Place,
    homes: [Place; MOST_HOMES],
    looked_for_homes: bool,
    system_is_read_only: bool,
}

/// The home of `HOME`, and that of the user database.
pub const MOST_HOMES: usize = 4;

/// The paths that are looked at.
pub struct Watched {
    /// What the pointers lead to.
    _homes: Vec<CString>,
    pointers: [*const c_char; MOST_HOMES],
}

impl Watched {
    /// What `view` hides. Of more folders than there is room for, the deepest are looked at: what
    /// covers a folder covers what is below it.
    pub fn new(view: &View) -> Result<Self, StartError> {
        let mut hidden: Vec<&Path> = view.hidden.iter().map(AsRef::as_ref).collect();
        hidden.sort_by_key(|path| std::cmp::Reverse(path.components().count()));
        hidden.truncate(MOST_HOMES);
        if view.holds_home {
            // That others are hidden would prove nothing of the one in the tree.
            hidden.clear();
        }
        let text = |path: &&Path| CString::new(path.as_os_str().as_bytes());
        let homes: Result<Vec<_>, _> = hidden.iter().map(text).collect();
        let homes = homes.map_err(|_| StartError::Nul("a path that it is to see"))?;
        let mut pointers = [ptr::null(); MOST_HOMES];
        for (pointer, home) in pointers.iter_mut().zip(&homes) {
            *pointer = home.as_ptr();
        }
        Ok(Self {
            _homes: homes,
            pointers,
        })
    }

    /// For the child.
    pub fn pointers(&self) -> [*const c_char; MOST_HOMES] {
        self.pointers
    }

    /// How it is where we are ourselves.
    pub fn look(&self) -> Look {
        // SAFETY: the texts are there.
        unsafe { look(&self.pointers) }
    }
}

impl Seen {
    /// What a look from inside proves. `outside`: a look from where we are. Allocates nothing.
    pub fn judge(outside: &Look, inside: &Look) -> Self {
        let differs = |outside: Place, inside: Place| {
            outside.is_known() && inside.is_known() && outside != inside
        };
        let mut homes = outside.homes.iter().zip(&inside.homes);
        Self {
            network: differs(outside.network, inside.network),
            // What is not there outside cannot be seen inside.
            home: inside.looked_for_homes
                && homes.all(|(outside, inside)| !outside.is_known() || outside != inside),
            read_only: differs(outside.mounts, inside.mounts) && inside.system_is_read_only,
            processes: differs(outside.processes, inside.processes),
            landlock: false,
        }
    }

    /// Whether nothing is missing of what a check is to be contained by, beside its limits.
    pub fn is_whole(self, network: bool) -> bool {
        (self.network || !network) && self.home && self.read_only
    }
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
/// What one launch was seen to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Seen {
    /// A network of its own, with loopback up and nothing else.
    pub network: bool,
    /// The real home is hidden.
    pub home: bool,
    /// The system is read-only.
    pub read_only: bool,
    /// It sees no process but its own.
    pub processes: bool,
    /// Landlock, and no mount, holds its files.
    pub landlock: bool,
}

/// Looks. `homes`: texts that end in NUL, or null.
///
/// # Safety
///
/// As said. Only system calls are made.
pub unsafe fn look(homes: &[*const c_char; MOST_HOMES]) -> Look {
    // SAFETY: as the caller vouches.
    unsafe {
        let mut seen = Look {
            network: Place::of(NETWORK.as_ptr()),
            mounts: Place::of(MOUNTS.as_ptr()),
            processes: Place::of(PROCESSES.as_ptr()),
            homes: [Place::default(); MOST_HOMES],
            looked_for_homes: false,
            system_is_read_only: true,
        };
        for (place, home) in seen.homes.iter_mut().zip(homes) {
            if !home.is_null() {
                seen.looked_for_homes = true;
                *place = Place::of(*home);
            }
        }
        for path in SYSTEM {
            seen.system_is_read_only &= is_read_only(path);
        }
        seen
    }
}

/// # Safety
///
/// Only a system call is made.
unsafe fn is_read_only(path: &CStr) -> bool {
    let mut facts = MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: a text that ends in NUL, and the call's own structure.
    unsafe {
        libc::statvfs(path.as_ptr(), facts.as_mut_ptr()) == 0
            && facts.assume_init().f_flag & libc::ST_RDONLY != 0
    }
}

#[cfg(test)]
mod tests {
    use super::{Look, Place, Seen, Watched};
    use crate::model::View;

    fn watched() -> Watched {
        let view = View {
            hidden: vec!["/proc".into(), "/nonexistent/home".into()],
            ..View::default()
        };
        Watched::new(&view).unwrap()
    }

    fn place(inode: u64) -> Place {
        Place { device: 1, inode }
    }

    #[test]
    fn nothing_is_proven_by_a_look_from_where_we_are() {
        let look = watched().look();
        assert!(look.network.is_known() && look.processes.is_known());
        assert_eq!(Seen::judge(&look, &look), Seen::default());
    }

    #[test]
    fn a_home_in_the_tree_is_never_said_to_be_hidden() {
        let view = View {
            hidden: vec!["/proc".into()],
            holds_home: true,
            ..View::default()
        };
        let outside = Watched::new(&view).unwrap().look();
        let mut inside = outside;
        inside.homes = [place(4); 4];
        assert!(!Seen::judge(&outside, &inside).home);
    }

    #[test]
    fn what_could_not_be_asked_is_no_proof() {
        let look = watched().look();
        let blind = Look::default();
        let seen = Seen::judge(&look, &blind);
        assert!(
            !(seen.network || seen.read_only || seen.processes),
            "{seen:?}"
        );
    }

    #[test]
    fn other_namespaces_another_folder_and_a_closed_system_are_proof() {
        let outside = watched().look();
        let mut inside = outside;
        inside.network = place(1);
        inside.mounts = place(2);
        inside.processes = place(3);
        inside.homes = [place(4); 4];
        inside.system_is_read_only = true;
        let all = Seen {
            network: true,
            home: true,
            read_only: true,
            processes: true,
            landlock: false,
        };
        assert_eq!(Seen::judge(&outside, &inside), all);
        // With the host's mounts, a read-only system is the host's own state.
        inside.mounts = outside.mounts;
        assert!(!Seen::judge(&outside, &inside).read_only);
    }
}
