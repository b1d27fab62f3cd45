//! What is kept of a check's output: a bounded tail of each stream, and a log that is only made
//! when it is worth having.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write as _};

use crate::launch::Folder;
use crate::model::Tail;
use crate::parse::Stream;

/// Kept of each stream for the report.
const TAIL: usize = 16 * 1024;
/// Output up to here makes no log file unless the check fails.
const HEAD: usize = 64 * 1024;
/// A log is never longer than this and the tail that follows.
const LOG_CAP: u64 = 256 * 1024 * 1024;
/// Kept beyond the cap, and written when the check is over.
const LOG_TAIL: usize = 1024 * 1024;

/// The last bytes of a stream.
#[derive(Debug, Default)]
struct Ring {
    bytes: VecDeque<u8>,
    dropped: u64,
}

impl Ring {
    fn push(&mut self, bytes: &[u8], capacity: usize) {
        let kept = &bytes[bytes.len().saturating_sub(capacity)..];
        let excess = (self.bytes.len() + kept.len()).saturating_sub(capacity);
        self.bytes.drain(..excess);
        self.bytes.extend(kept);
        self.dropped += (excess + bytes.len() - kept.len()) as u64;
    }

    fn into_tail(self) -> Tail {
        Tail {
            bytes: self.bytes.into(),
            truncated: self.dropped > 0,
        }
    }
}

/// Where the log stands.
enum Log {
    /// Short so far: all of it.
    Head(Vec<u8>),
    /// In the file, so many bytes.
    Open { file: File, written: u64 },
    /// The file is full: what comes is kept in a ring.
    Full { file: File, ring: Ring },
    /// No file can be written, and why.
    Lost(io::Error),
    /// There is no state folder.
    Nowhere,
}

/// Takes the output of one check.
pub struct Capture<'a> {
    tails: [Ring; 2],
    log: Log,
    folder: Option<&'a Folder>,
    name: String,
    total: u64,
}

impl<'a> Capture<'a> {
    /// A log of the run before becomes `<name>.1`.
    pub fn new(folder: Option<&'a Folder>, id_file_name: &str) -> Self {
        let name = format!("{id_file_name}.log");
        let log = match folder {
            Some(folder) => {
                // There is none after a run that passed.
                let _ = folder.rename(&name, format!("{name}.1"));
                Log::Head(Vec::new())
            }
            None => Log::Nowhere,
        };
        Self {
            tails: [Ring::default(), Ring::default()],
            log,
            folder,
            name,
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
        self.tails[index].push(bytes, TAIL);
        if let Log::Head(head) = &mut self.log {
            if head.len() + bytes.len() <= HEAD {
                head.extend_from_slice(bytes);
                return;
            }
            self.open_log();
        }
        self.log = match std::mem::replace(&mut self.log, Log::Nowhere) {
            Log::Open { mut file, written } => match file.write_all(bytes) {
                Ok(()) if written + bytes.len() as u64 >= LOG_CAP => Log::Full {
                    file,
                    ring: Ring::default(),
                },
                Ok(()) => Log::Open {
                    file,
                    written: written + bytes.len() as u64,
                },
                Err(error) => Log::Lost(error),
            },
            Log::Full { file, mut ring } => {
                ring.push(bytes, LOG_TAIL);
                Log::Full { file, ring }
            }
            same @ (Log::Head(_) | Log::Lost(_) | Log::Nowhere) => same,
        };
    }

    /// Puts what there is so far into the file.
    fn open_log(&mut self) {
        let (Log::Head(head), Some(folder)) = (&self.log, self.folder) else {
            return;
        };
        let opened = folder.create(&self.name).and_then(|mut file| {
            file.write_all(head)?;
            Ok(Log::Open {
                file,
                written: head.len() as u64,
            })
        });
        self.log = opened.unwrap_or_else(Log::Lost);
    }

    /// Takes the last bytes of standard output and standard error.
    pub fn tails(&mut self) -> (Tail, Tail) {
        let [stdout, stderr] = std::mem::take(&mut self.tails);
        (stdout.into_tail(), stderr.into_tail())
    }

    /// The output is over: writes what is held back and says what became of the log. With `keep`
    /// a short log is written too: the check did not pass.
    pub fn finish(mut self, keep: bool) -> LogFate {
        if keep {
            self.open_log();
        }
        match self.log {
            Log::Open { .. } => LogFate::Written(self.name),
            Log::Full { file, ring } => match end_full_log(file, &ring) {
                Ok(()) => LogFate::Written(self.name),
                Err(error) => LogFate::Lost(error),
            },
            Log::Lost(error) => LogFate::Lost(error),
            Log::Head(_) | Log::Nowhere => LogFate::None,
        }
    }
}

/// What a log over the cap ends with: how much is missing, then the tail.
fn end_full_log(mut file: File, ring: &Ring) -> io::Result<()> {
    if ring.dropped > 0 {
        writeln!(file, "\n[check: {} bytes are left out here]", ring.dropped)?;
    }
    let (first, second) = ring.bytes.as_slices();
    file.write_all(first)?;
    file.write_all(second)
}

/// What became of the log.
#[derive(Debug)]
pub enum LogFate {
    /// None was needed, or there is nowhere to put one.
    None,
    /// It is in the log folder under this name.
    Written(String),
    /// It could not be written.
    Lost(io::Error),
}

#[cfg(test)]
mod tests {
    use super::{Capture, Folder, HEAD, LogFate, Stream, TAIL};

    #[test]
    fn a_short_log_is_only_made_when_the_check_did_not_pass() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        for keep in [false, true] {
            let mut capture = Capture::new(Some(&folder), "lint");
            capture.take(Stream::Stdout, b"out\n");
            capture.take(Stream::Stderr, b"err\n");
            let (stdout, stderr) = capture.tails();
            assert_eq!(
                (stdout.bytes, stderr.bytes),
                (b"out\n".to_vec(), b"err\n".to_vec())
            );
            let fate = capture.finish(keep);
            assert_eq!(matches!(fate, LogFate::Written(_)), keep);
            assert_eq!(dir.path().join("lint.log").exists(), keep);
        }
        // The next run moves it aside.
        drop(Capture::new(Some(&folder), "lint"));
        let old = std::fs::read(dir.path().join("lint.log.1")).unwrap();
        assert_eq!(old, b"out\nerr\n");
        assert!(!dir.path().join("lint.log").exists());
    }

    #[test]
    fn a_long_log_is_whole_and_the_tail_is_short() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let mut capture = Capture::new(Some(&folder), "test");
        let chunk: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        let rounds = HEAD / chunk.len() + 3;
        for _ in 0..rounds {
            capture.take(Stream::Stdout, &chunk);
        }
        assert_eq!(capture.total(), (rounds * chunk.len()) as u64);
        let (stdout, _) = capture.tails();
        assert_eq!(stdout.bytes.len(), TAIL);
        assert!(stdout.truncated);
        assert!(stdout.bytes.ends_with(&chunk[chunk.len() - 100..]));
        assert!(matches!(capture.finish(false), LogFate::Written(_)));
        let log = std::fs::read(dir.path().join("test.log")).unwrap();
        assert_eq!(log, chunk.repeat(rounds));
    }
}
