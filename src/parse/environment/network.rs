//! The words by which tools say that the network was refused to them.

use memchr::memmem;

/// Each says it alone: of resolvers, of sockets, and of what HTTP clients make of those.
const WORDS: [&[u8]; 19] = [
    b"resolve host",
    b"resolving timed out",
    b"Could not connect",
    b"Couldn't connect",
    b"Failed to connect",
    b"network failure",
    b"name resolution",
    b"dns error",
    b"error sending request",
    b"Unknown host",
    b"UnknownHostException",
    b"etwork is unreachable",
    b"onnection refused",
    b"No route to host",
    b"no such host",
    b"getaddrinfo",
    b"ECONNREFUSED",
    b"ENETUNREACH",
    b"ENOTFOUND",
];

/// Whether `line` has one of them.
pub fn is_refused(line: &[u8]) -> bool {
    WORDS.iter().any(|word| memmem::find(line, word).is_some())
}
