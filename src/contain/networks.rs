//! Networks that checks had and nobody is in any more. Making one, and the kernel's end of one, is the
//! dearest part of a contained start; the next check may as well have it, where nothing in it tells of
//! the last.
//!
//! What is in a network of ours beside sockets (its interface, addresses, rules, settings) no check can
//! change: it has no capability there. A socket may outlast its process in `TIME_WAIT`, or be in another
//! check's hands; whoever enters looks for those, and makes a new one where there are any.

use std::fs::File;
use std::os::fd::{OwnedFd, RawFd};

use nix::errno::Errno;
use nix::libc;

/// What a network says of its sockets; see `Documentation/filesystems/proc.rst` of the kernel.
const COUNTS: [&std::ffi::CStr; 2] = [c"/proc/self/net/sockstat", c"/proc/self/net/sockstat6"];

/// Those that are free.
#[derive(Debug, Default)]
pub struct Networks {
    free: Vec<OwnedFd>,
}

impl Networks {
    /// One of them.
    pub fn take(&mut self) -> Option<OwnedFd> {
        self.free.pop()
    }

    /// Nobody is in this one any more.
    pub fn give_back(&mut self, network: OwnedFd) {
        self.free.push(network);
    }
}

/// The network that the process `pid` is in.
pub fn of(pid: libc::pid_t) -> Option<OwnedFd> {
    let file = File::open(format!("/proc/{pid}/ns/net")).ok()?;
    Some(file.into())
}

/// Enters `network`; whether nothing is left in it. Only system calls are made.
pub fn enter(network: RawFd) -> Result<bool, Errno> {
    // SAFETY: the call takes numbers.
    let entered = unsafe { libc::setns(network, libc::CLONE_NEWNET) };
    Errno::result(entered)?;
    for path in COUNTS {
        let mut text = [0_u8; 512];
        // SAFETY: a text that ends in NUL, and a buffer of ours.
        let length = unsafe {
            let file = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
            if file < 0 {
                // Without IPv6 there is no second one.
                if path == COUNTS[1] && Errno::last() == Errno::ENOENT {
                    continue;
                }
                return Ok(false);
            }
            let length = libc::read(file, text.as_mut_ptr().cast(), text.len());
            libc::close(file);
            length
        };
        let length = usize::try_from(length).unwrap_or(0);
        if length == 0 || length == text.len() || !is_unused(&text[..length]) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether no socket is counted: `sockets: used 0`, and of each kind `inuse 0`, `tw 0`. What `orphan`,
/// `alloc` and `mem` count is the whole host's. Allocates nothing.
fn is_unused(text: &[u8]) -> bool {
    const COUNTED: [&[u8]; 3] = [b"used", b"inuse", b"tw"];
    let mut words = text.split(u8::is_ascii_whitespace);
    let mut seen = false;
    while let Some(word) = words.next() {
        if COUNTED.contains(&word) {
            seen = true;
            if words.next() != Some(b"0") {
                return false;
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::is_unused;

    const FRESH: &str = "sockets: used 0\n\
        TCP: inuse 0 orphan 3 tw 0 alloc 9 mem 316\n\
        UDP: inuse 0 mem 0\n\
        UDPLITE: inuse 0\n\
        RAW: inuse 0\n\
        FRAG: inuse 0 memory 0\n";

    #[test]
    fn a_network_is_unused_where_every_count_of_its_own_is_zero() {
        assert!(is_unused(FRESH.as_bytes()));
        assert!(is_unused(b"TCP6: inuse 0\nUDP6: inuse 0\n"));
        for (zero, used) in [
            ("used 0", "used 1"),
            ("TCP: inuse 0", "TCP: inuse 2"),
            ("tw 0", "tw 1"),
            ("UDP: inuse 0", "UDP: inuse 10"),
            ("RAW: inuse 0", "RAW: inuse 1"),
        ] {
            assert!(!is_unused(FRESH.replace(zero, used).as_bytes()), "{used}");
        }
        // What says nothing proves nothing.
        assert!(!is_unused(b""));
        assert!(!is_unused(b"sockets: used"));
    }
}
