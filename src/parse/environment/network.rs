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

/// Who answers, or refuses, where there is no network as well.
const OURSELVES: [&[u8]; 7] = [
    b"localhost",
    b"127.0.0.1:",
    b"127.0.0.1 ",
    b"127.0.0.1/",
    b"::1",
    b"0.0.0.0",
    b"/unix",
];

/// Whether `line` has one of them, and not of ourselves.
pub fn is_refused(line: &[u8]) -> bool {
    let has = |words: &[&[u8]]| words.iter().any(|word| memmem::find(line, word).is_some());
    has(&WORDS) && !(has(&OURSELVES) || line.ends_with(b"127.0.0.1"))
}
