//! Which namespaces this host gives, learnt by asking for them.

use nix::libc::{self, c_int};

use super::enclose::Part;

/// Which namespaces a check gets, beside one of mounts and one of System V IPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spaces {
    /// A user namespace, without which only root may make the others.
    pub user: bool,
    /// A network of its own.
    pub network: bool,
    /// Process ids of its own.
    pub processes: bool,
}

impl Spaces {
    /// What is asked for first: everything.
    pub fn all(root: bool) -> Self {
        Self {
            user: !root,
            network: true,
            processes: true,
        }
    }

    /// For clone(2). The PID namespace is made later: the builder is not to be its first process.
    pub fn flags(self) -> c_int {
        let mut flags = libc::CLONE_NEWNS | libc::CLONE_NEWIPC;
        if self.user {
            flags |= libc::CLONE_NEWUSER;
        }
        if self.network {
            flags |= libc::CLONE_NEWNET;
        }
        flags
    }

    /// What may still be had where these could not, by the part that failed; `None` is the birth
    /// itself.
    pub fn after(self, failed: Option<Part>) -> Option<Self> {
        match failed {
            // Root without the capability for it is like anybody else.
            None if !self.user => Some(Self { user: true, ..self }),
            None | Some(Part::Loopback) if self.network => Some(Self {
                network: false,
                ..self
            }),
            // A container may hide parts of its `/proc`, which nobody inside may then show anew.
            Some(Part::Processes | Part::Inner) if self.processes => Some(Self {
                processes: false,
                ..self
            }),
            None
            | Some(
                Part::Loopback
                | Part::Processes
                | Part::Inner
                | Part::Users
                | Part::Outer
                | Part::Main
                | Part::Required,
            ) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, Spaces};

    const fn spaces(user: bool, network: bool, processes: bool) -> Spaces {
        Spaces {
            user,
            network,
            processes,
        }
    }

    #[test]
    fn only_what_failed_is_done_without() {
        let all = Spaces::all(false);
        assert_eq!(all.after(None), Some(spaces(true, false, true)));
        assert_eq!(
            all.after(Some(Part::Inner)),
            Some(spaces(true, true, false))
        );
        assert_eq!(all.after(Some(Part::Users)), None);
        let least = Spaces {
            user: true,
            network: false,
            processes: false,
        };
        for part in [None, Some(Part::Inner), Some(Part::Loopback)] {
            assert_eq!(least.after(part), None);
        }
        assert_eq!(
            Spaces::all(true).after(None),
            Some(spaces(true, true, true))
        );
    }
}
