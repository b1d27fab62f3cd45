//! One call of git: what it prints, record by record as it comes, and an end to it.

use std::io::Read as _;
use std::process::{ChildStdout, Command, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use memchr::memchr;

use super::patience::{GitError, Patience};
use super::process::Process;

/// Read at once; a pipe holds no more by default.
const CHUNK: usize = 64 * 1024;

/// Chunks that are read ahead.
const CHUNKS: usize = 4;

/// A longer record is none: no path is so long that a file could have it.
const MAX_RECORD: usize = 1 << 20;

/// How often it is asked whether the answer is still wanted while git is silent.
const TICK: Duration = Duration::from_millis(10);

/// No more goes by between two such questions, however slow the machine is.
const MOST_AT_ONCE: Duration = Duration::from_secs(1);

/// A git at work.
pub(super) struct Call<'p> {
    /// For people: `git status`.
    what: &'static str,
    process: Process,
    chunks: Receiver<Vec<u8>>,
    patience: Patience<'p>,
    /// What it may still take; `None` where only the patience counts.
    left: Option<Duration>,
    /// When that was last counted.
    counted_at: Instant,
    /// The chunk that is being read, and where.
    chunk: Vec<u8>,
    at: usize,
    /// The record that was read last.
    record: Vec<u8>,
}

impl<'p> Call<'p> {
    /// One that looks at the state of things, and so within its limit.
    pub(super) fn start(
        what: &'static str,
        command: Command,
        patience: Patience<'p>,
    ) -> Result<Self, GitError> {
        let process = Process::start(command).map_err(|_| GitError::Failed)?;
        Ok(Self {
            left: Some(patience.limit()),
            ..Self::of(what, process, patience)?
        })
    }

    /// One that goes through history, which takes as long as that is.
    pub(super) fn of(
        what: &'static str,
        mut process: Process,
        patience: Patience<'p>,
    ) -> Result<Self, GitError> {
        let out = process.stdout().map_err(|_| GitError::Failed)?;
        let (sender, chunks) = sync_channel(CHUNKS);
        // Not waited for: whoever was handed git's output may hold it open for ever.
        thread::Builder::new()
            .name("git".to_owned())
            .spawn(move || read(out, &sender))
            .map_err(|_| GitError::Failed)?;
        Ok(Self {
            what,
            process,
            chunks,
            patience,
            left: None,
            counted_at: Instant::now(),
            chunk: Vec::new(),
            at: 0,
            record: Vec::new(),
        })
    }

    /// The next record, without the NUL that ends it; `None` at the end, where the last one has
    /// to have had its NUL.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, GitError> {
        self.record.clear();
        loop {
            let rest = &self.chunk[self.at..];
            let end = memchr(0, rest);
            self.record
                .extend_from_slice(&rest[..end.unwrap_or(rest.len())]);
            if self.record.len() > MAX_RECORD {
                return Err(GitError::Failed);
            }
            if let Some(end) = end {
                self.at += end + 1;
                return Ok(Some(&self.record));
            }
            if !self.fill()? {
                if self.record.is_empty() {
                    return Ok(None);
                }
                // What was torn off.
                return Err(GitError::Failed);
            }
        }
    }

    /// Takes the next chunk; false at the end.
    fn fill(&mut self) -> Result<bool, GitError> {
        loop {
            self.go_on()?;
            match self.chunks.recv_timeout(TICK) {
                Ok(chunk) => {
                    self.chunk = chunk;
                    self.at = 0;
                    return Ok(true);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.chunk.clear();
                    self.at = 0;
                    return Ok(false);
                }
            }
        }
    }

    /// Whether there is a reason to wait any longer.
    fn go_on(&mut self) -> Result<(), GitError> {
        if self.patience.is_over() {
            return Err(GitError::CalledOff);
        }
        let Some(left) = &mut self.left else {
            return Ok(());
        };
        // While we are stopped (Ctrl-Z) no time goes by.
        let now = Instant::now();
        let passed = (now - self.counted_at).min(MOST_AT_ONCE);
        self.counted_at = now;
        *left = left.saturating_sub(passed);
        if left.is_zero() {
            return Err(GitError::Slow(self.what, self.patience.limit()));
        }
        Ok(())
    }

    /// How it ended, where all that it printed was read.
    pub(super) fn status(&mut self) -> Result<ExitStatus, GitError> {
        let mut pause = Duration::from_micros(100);
        while !self.process.has_ended().map_err(|_| GitError::Failed)? {
            self.go_on()?;
            thread::sleep(pause);
            pause = (pause * 2).min(TICK);
        }
        self.process.end().map_err(|_| GitError::Failed)
    }

    /// That it ended well, where all that it printed was read.
    pub(super) fn succeeded(mut self) -> Result<(), GitError> {
        if self.status()?.success() {
            Ok(())
        } else {
            Err(GitError::Failed)
        }
    }
}

/// Until the end, or until nobody takes it any more.
fn read(mut out: ChildStdout, chunks: &SyncSender<Vec<u8>>) {
    loop {
        let mut chunk = vec![0; CHUNK];
        let Ok(count) = out.read(&mut chunk) else {
            return;
        };
        chunk.truncate(count);
        if count == 0 || chunks.send(chunk).is_err() {
            return;
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::cell::Cell;
    use std::fs;
    use std::path::Path;
    use std::process::Stdio;

    use super::{Call, Command, Duration, GitError, Instant, MAX_RECORD, Patience, thread};

    fn sh(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::null());
        command
    }

    fn records(script: &str) -> Result<Vec<Vec<u8>>, GitError> {
        let mut call = Call::start("sh", sh(script), Patience::until(&|| false))?;
        let mut records = Vec::new();
        while let Some(record) = call.next()? {
            records.push(record.to_vec());
        }
        call.succeeded().map(|()| records)
    }

    /// Waits until the process whose id `file` holds is gone or a zombie.
    fn is_gone(file: &Path) {
        let pid = fs::read_to_string(file).unwrap();
        let stat = format!("/proc/{}/stat", pid.trim());
        let lives = || fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
        let give_up = Instant::now() + Duration::from_mins(1);
        while lives() {
            assert!(Instant::now() < give_up, "process {pid} lives");
            thread::yield_now();
        }
    }

    #[test]
    fn records_are_whole_wherever_reads_cut_them() {
        assert_eq!(
            records(r"printf 'a\0'; printf 'b '; printf 'c\0\0'").unwrap(),
            [&b"a"[..], b"b c", b""]
        );
        assert_eq!(records("").unwrap(), [b""; 0]);
        let long = MAX_RECORD - 1;
        let script = format!(r"head -c {long} /dev/zero | tr '\0' x; printf '\0'");
        assert_eq!(records(&script).unwrap()[0].len(), long);
    }

    #[test]
    fn what_is_torn_endless_or_fails_is_no_answer() {
        for script in [
            r"printf 'a\0b'",
            r"printf 'a\0'; exit 3",
            r"printf 'a\0'; kill -9 $$",
            r"tr '\0' x < /dev/zero",
        ] {
            assert_eq!(records(script), Err(GitError::Failed), "{script}");
        }
    }

    /// A script that says its child's id to a file, and then waits for a child that waits for
    /// nothing that comes.
    fn stuck(pid: &Path) -> Command {
        let fifo = pid.with_extension("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        sh(&format!(
            r"cat '{}' & echo $! > '{}'; printf 'ready\0'; wait",
            fifo.display(),
            pid.display()
        ))
    }

    #[test]
    fn what_takes_too_long_is_killed_with_all_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let pid = dir.path().join("pid");
        let limit = Duration::from_millis(200);
        let patience = Patience::until(&|| false).at_most(limit);
        let mut call = Call::start("git status", stuck(&pid), patience).unwrap();
        // A machine that is slow enough for the limit to come first has nothing to show.
        if call.next() == Ok(Some(b"ready")) {
            let slow = GitError::Slow("git status", limit);
            assert_eq!(call.next(), Err(slow));
            drop(call);
            is_gone(&pid);
        }
    }

    #[test]
    fn what_is_called_off_is_killed_with_all_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let pid = dir.path().join("pid");
        let over = Cell::new(false);
        let ask = || over.get();
        let mut call = Call::start("git status", stuck(&pid), Patience::until(&ask)).unwrap();
        assert_eq!(call.next(), Ok(Some(&b"ready"[..])));
        over.set(true);
        assert_eq!(call.next(), Err(GitError::CalledOff));
        drop(call);
        is_gone(&pid);
    }

    #[test]
    fn an_output_that_stays_open_holds_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let pid = dir.path().join("pid");
        let script = format!("setsid sleep 600 & echo $! > '{}'", pid.display());
        let ask = || fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n'));
        let mut call = Call::start("sh", sh(&script), Patience::until(&ask)).unwrap();
        assert_eq!(call.next(), Err(GitError::CalledOff));
        drop(call);
        let pid: i32 = fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
        let _ = nix::sys::signal::kill(
            nix::unistd::Pid::from_raw(pid),
            nix::sys::signal::Signal::SIGKILL,
        );
    }
}
