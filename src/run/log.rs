//! The log of one check, made only when it is worth having: the output outgrew a head that is held
//! in memory, or the check did not pass.

use std::fs::File;
use std::io::{self, Write as _};

use super::logs::Logs;
use super::ring::Ring;

/// Output up to here makes no log file unless the check fails.
const HEAD: usize = 64 * 1024;
/// More than the line takes that says what is left out.
const LINE: u64 = 100;

/// Takes all that a check prints.
pub struct Log<'a> {
    logs: Option<&'a Logs>,
    name: String,
    state: State,
}

/// Where the log stands.
enum State {
    /// Short so far: all of it.
    Head(Vec<u8>),
    /// In the file, so many bytes. Room for a tail is set aside.
    Open { file: File, written: u64 },
    /// The file is full: what comes is kept in a ring.
    Full { file: File, ring: Ring },
    /// The file ends where it could not be written any more.
    Cut(io::Error),
    /// There is no file, and why.
    Lost(io::Error),
    /// There is no state folder.
    Nowhere,
}

/// What became of the log.
#[derive(Debug)]
pub enum LogFate {
    /// None was needed, or there is nowhere to put one.
    None,
    /// It is in the log folder under this name.
    Written(String),
    /// As `Written`, but it ends before the output does.
    Cut(String, io::Error),
    /// It could not be made.
    Lost(io::Error),
}

impl<'a> Log<'a> {
    /// A log that an earlier run made of the same check becomes `<name>.1`.
    pub fn new(logs: Option<&'a Logs>, id_file_name: &str) -> Self {
        let name = format!("{id_file_name}.log");
        let state = match logs {
            Some(logs) => {
                logs.move_aside(&name);
                State::Head(Vec::new())
            }
            None => State::Nowhere,
        };
        Self { logs, name, state }
    }

    /// Bytes as they arrive.
    pub fn take(&mut self, bytes: &[u8]) {
        let Some(logs) = self.logs else { return };
        if let State::Head(head) = &mut self.state {
            if head.len() + bytes.len() <= HEAD {
                head.extend_from_slice(bytes);
                return;
            }
            self.open(tail_room(logs));
        }
        self.state = match std::mem::replace(&mut self.state, State::Nowhere) {
            State::Open { file, written } => write(logs, file, written, bytes),
            State::Full { file, mut ring } => {
                ring.push(bytes);
                State::Full { file, ring }
            }
            same @ (State::Head(_) | State::Cut(_) | State::Lost(_) | State::Nowhere) => same,
        };
    }

    /// Puts what there is so far into a file, and sets so much more aside.
    fn open(&mut self, aside: u64) {
        let (State::Head(head), Some(logs)) = (&self.state, self.logs) else {
            return;
        };
        let length = head.len() as u64;
        self.state = if logs.reserve(length + aside) {
            match logs.create(&self.name) {
                Ok(mut file) => match file.write_all(head) {
                    Ok(()) => State::Open {
                        file,
                        written: length,
                    },
                    Err(error) => State::Cut(error),
                },
                Err(error) => State::Lost(error),
            }
        } else {
            State::Lost(io::Error::other("this run's logs take up all their room"))
        };
    }

    /// The output is over: writes what is held back and says what became of the log. With `keep`
    /// a short log is written too: the check did not pass.
    pub fn finish(mut self, keep: bool) -> LogFate {
        if matches!(self.state, State::Head(_)) {
            if !keep {
                return LogFate::None;
            }
            self.open(0);
        } else if let (State::Open { .. }, Some(logs)) = (&self.state, self.logs) {
            logs.release(tail_room(logs));
        }
        if let State::Full { file, ring } = &mut self.state
            && let Err(error) = end(file, ring)
        {
            self.state = State::Cut(error);
        }
        match self.state {
            State::Open { .. } | State::Full { .. } => LogFate::Written(self.name),
            State::Cut(error) => LogFate::Cut(self.name, error),
            State::Lost(error) => LogFate::Lost(error),
            State::Head(_) | State::Nowhere => LogFate::None,
        }
    }
}

/// What a log that is open may still grow by when it is full.
fn tail_room(logs: &Logs) -> u64 {
    logs.room().tail as u64 + LINE
}

/// As much of `bytes` as there is room for; the rest begins the tail.
fn write(logs: &Logs, mut file: File, written: u64, bytes: &[u8]) -> State {
    let room = usize::try_from(logs.room().one.saturating_sub(written)).unwrap_or(usize::MAX);
    let (fits, rest) = bytes.split_at(bytes.len().min(room));
    let (fits, rest) = if logs.reserve(fits.len() as u64) {
        (fits, rest)
    } else {
        (&[][..], bytes)
    };
    if let Err(error) = file.write_all(fits) {
        return State::Cut(error);
    }
    if rest.is_empty() {
        let written = written + fits.len() as u64;
        return State::Open { file, written };
    }
    let mut ring = Ring::new(logs.room().tail);
    ring.push(rest);
    State::Full { file, ring }
}

/// What a full log ends with: how much is missing, then the tail.
fn end(file: &mut File, ring: &Ring) -> io::Result<()> {
    if ring.dropped() > 0 {
        writeln!(
            file,
            "\n[check: {} bytes are left out here]",
            ring.dropped()
        )?;
    }
    ring.write_to(file)
}

#[cfg(test)]
mod tests {
    use super::super::logs::Room;
    use super::{HEAD, Log, LogFate, Logs};
    use crate::launch::Folder;
    use std::fs;
    use std::path::Path;

    fn logs(dir: &Path, all: u64, one: u64, tail: usize) -> Logs {
        Logs::with_room(Folder::open(dir).unwrap(), Room { all, one, tail }).unwrap()
    }

    fn print(log: &mut Log<'_>, length: usize) -> Vec<u8> {
        let all: Vec<u8> = (0..=255).cycle().take(length).collect();
        for part in all.chunks(10_000) {
            log.take(part);
        }
        all
    }

    #[test]
    fn a_short_log_is_only_made_when_the_check_did_not_pass() {
        let dir = tempfile::tempdir().unwrap();
        let logs = Logs::open(Folder::open(dir.path()).unwrap()).unwrap();
        for keep in [false, true] {
            let mut log = Log::new(Some(&logs), "lint");
            log.take(b"out\n");
            log.take(b"err\n");
            assert_eq!(matches!(log.finish(keep), LogFate::Written(_)), keep);
            assert_eq!(dir.path().join("lint.log").exists(), keep);
        }
        assert_eq!(
            fs::read(dir.path().join("lint.log")).unwrap(),
            b"out\nerr\n"
        );
    }

    #[test]
    fn a_long_log_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let logs = Logs::open(Folder::open(dir.path()).unwrap()).unwrap();
        let mut log = Log::new(Some(&logs), "test");
        let all = print(&mut log, 3 * HEAD);
        assert!(matches!(log.finish(false), LogFate::Written(_)));
        assert_eq!(fs::read(dir.path().join("test.log")).unwrap(), all);
    }

    #[test]
    fn a_log_over_its_cap_is_head_and_tail_and_says_what_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let logs = logs(dir.path(), 1 << 30, 100_000, 1000);
        for (length, missing) in [(100_000, None), (101_000, None), (300_000, Some(199_000))] {
            let mut log = Log::new(Some(&logs), "test");
            let all = print(&mut log, length);
            assert!(matches!(log.finish(false), LogFate::Written(_)));
            let said = missing.map_or(String::new(), |missing| {
                format!("\n[check: {missing} bytes are left out here]\n")
            });
            let mut wanted = all[..100_000].to_vec();
            wanted.extend(said.bytes());
            wanted.extend(&all[100_000.max(length - 1000)..]);
            assert!(fs::read(dir.path().join("test.log")).unwrap() == wanted);
        }
    }

    #[test]
    fn all_logs_together_stay_within_their_room() {
        let dir = tempfile::tempdir().unwrap();
        let logs = logs(dir.path(), 500_000, 300_000, 1000);
        let mut open: Vec<_> = (0..3)
            .map(|n| Log::new(Some(&logs), &n.to_string()))
            .collect();
        for log in &mut open {
            print(log, 400_000);
        }
        let fates: Vec<_> = open.into_iter().map(|log| log.finish(true)).collect();
        assert!(matches!(
            fates[..],
            [LogFate::Written(_), LogFate::Written(_), LogFate::Lost(_)]
        ));
        let length = |n| fs::metadata(dir.path().join(format!("{n}.log"))).map_or(0, |m| m.len());
        let lengths = ["0", "1", "2"].map(length);
        assert!(lengths[0] > 300_000, "{lengths:?}");
        assert!(lengths[1] > 190_000, "{lengths:?}");
        assert!(lengths.iter().sum::<u64>() <= 500_000, "{lengths:?}");
    }

    #[test]
    fn where_nothing_can_be_written_the_check_goes_on_and_that_is_told() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("test.log")).unwrap();
        let logs = Logs::open(Folder::open(dir.path()).unwrap()).unwrap();
        let mut log = Log::new(Some(&logs), "test");
        fs::create_dir(dir.path().join("test.log")).unwrap();
        print(&mut log, 3 * HEAD);
        assert!(matches!(log.finish(true), LogFate::Lost(_)));
        assert!(matches!(Log::new(None, "test").finish(true), LogFate::None));
    }
}
