//! What is kept of a check's output: a bounded tail of each stream, and its log.

use crate::model::Tail;
use crate::parse::Stream;

use super::log::{Log, LogFate};
use super::logs::Logs;
use super::ring::Ring;

/// Kept of each stream for the report.
const TAIL: usize = 16 * 1024;

/// Takes the output of one check.
pub struct Capture<'a> {
    tails: [Ring; 2],
    log: Log<'a>,
    total: u64,
}

impl<'a> Capture<'a> {
    /// See [`Log::new`].
    pub fn new(logs: Option<&'a Logs>, id_file_name: &str) -> Self {
        Self {
            tails: [Ring::new(TAIL), Ring::new(TAIL)],
            log: Log::new(logs, id_file_name),
            total: 0,
        }
    }

    /// All bytes so far, on both streams.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Bytes as they arrive.
    pub fn take(&mut self, stream: Stream, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let index = match stream {
            Stream::Stdout => 0,
            Stream::Stderr => 1,
        };
        self.tails[index].push(bytes);
        self.log.take(bytes);
    }

    /// Takes the last bytes of standard output and standard error.
    pub fn tails(&mut self) -> (Tail, Tail) {
        let mut tail = |index: usize| {
            let ring = std::mem::replace(&mut self.tails[index], Ring::new(TAIL));
            Tail {
                truncated: ring.dropped() > 0,
                bytes: ring.into_bytes(),
            }
        };
        (tail(0), tail(1))
    }

    /// See [`Log::finish`].
    pub fn finish(self, keep: bool) -> LogFate {
        self.log.finish(keep)
    }
}

#[cfg(test)]
mod tests {
    use super::{Capture, Stream, TAIL};

    #[test]
    fn each_stream_has_a_tail_of_its_own_and_all_bytes_are_counted() {
        let mut capture = Capture::new(None, "test");
        let long: Vec<u8> = (0..=255).cycle().take(3 * TAIL).collect();
        capture.take(Stream::Stdout, &long);
        capture.take(Stream::Stderr, b"short");
        capture.take(Stream::Stdout, b"end");
        assert_eq!(capture.total(), long.len() as u64 + 8);
        let (stdout, stderr) = capture.tails();
        assert_eq!((stdout.bytes.len(), stdout.truncated), (TAIL, true));
        assert!(stdout.bytes.ends_with(b"end"));
        assert_eq!(
            (&stderr.bytes[..], stderr.truncated),
            (&b"short"[..], false)
        );
    }
}
