//! The commits that matter to some files: what each changed against each of its parents.
//!
//! `git rev-list` names the commits, `git diff-tree` compares each with each parent; both are
//! plumbing that reads no setting of how to show things. A merge is one line a parent on its way
//! from one to the other, since only so does the answer say which parent it is about.

use std::ffi::OsString;
use std::io::{self, BufWriter, Read as _, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::call::Call;
use super::content::native;
use super::git::Git;
use super::patience::{GitError, Patience};
use super::process::Process;

/// More paths than this cost git more than looking at everything.
const MAX_PATHSPECS: usize = 32;

/// No commit's name is longer.
const MAX_NAME: usize = 64;

/// Read at once.
const CHUNK: usize = 16 * 1024;

/// A commit against one of its parents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// In hexadecimal.
    pub commit: Vec<u8>,
    /// In hexadecimal; `None` where there is none, or none that has to do with these files.
    pub parent: Option<Vec<u8>>,
    /// Paths from the top.
    pub changed: Vec<Vec<u8>>,
}

/// Steps from HEAD backwards, those of one commit one after another.
pub(super) struct History<'p> {
    diff: Call<'p>,
    list: Process,
    /// Hears how all of the list was handed on.
    pumped: Receiver<io::Result<()>>,
    patience: Patience<'p>,
    /// The header of the step to come.
    header: Option<Vec<u8>>,
}

impl<'p> History<'p> {
    /// Of the files at `paths`, from the top. Steps may tell of other files too.
    pub(super) fn of(
        git: &Git,
        git_dir: &Path,
        top: &Path,
        paths: &[Vec<u8>],
        patience: Patience<'p>,
    ) -> Result<Self, GitError> {
        let specs = pathspecs(paths).ok_or(GitError::Failed)?;
        let command = |words: &[&str]| {
            let mut command = git.command(git_dir, top);
            command.env("GIT_LITERAL_PATHSPECS", "1").args(words);
            command.arg("--").args(&specs);
            command
        };
        let list = command(&["rev-list", "--full-history", "--parents", "HEAD"]);
        let mut diff = command(&[
            "diff-tree",
            "--stdin",
            "--always",
            "--root",
            "-m",
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            "--parents",
        ]);
        diff.stdin(Stdio::piped());
        let failed = |_| GitError::Failed;
        let mut list = Process::start(list).map_err(failed)?;
        let mut diff = Process::start(diff).map_err(failed)?;
        let listed = list.stdout().map_err(failed)?;
        let asked = diff.stdin().map_err(failed)?;
        let (told, pumped) = mpsc::sync_channel(1);
        thread::Builder::new()
            .name("git history".to_owned())
            .spawn(move || {
                // Whoever has read enough does not listen.
                let _ = told.send(pump(listed, asked));
            })
            .map_err(failed)?;
        Ok(Self {
            diff: Call::of("git diff-tree", diff, patience)?,
            list,
            pumped,
            patience,
            header: None,
        })
    }

    /// The next step; `None` at the end of history. An error where git failed.
    pub(super) fn next(&mut self) -> Result<Option<Step>, GitError> {
        let header = match self.header.take() {
            Some(header) => header,
            None => match self.diff.next()? {
                Some(header) => header.to_vec(),
                None => return self.ended().map(|()| None),
            },
        };
        let mut ids = header.split(|byte| *byte == b' ').map(<[u8]>::to_vec);
        let (commit, parent, another) = (ids.next(), ids.next(), ids.next());
        let mut changed = Vec::new();
        while let Some(record) = self.diff.next()? {
            if !record.starts_with(b":") {
                self.header = Some(record.to_vec());
                break;
            }
            changed.extend(self.diff.next()?.map(<[u8]>::to_vec));
        }
        Ok(Some(Step {
            commit: commit.unwrap_or_default(),
            parent: parent.filter(|_| another.is_none()),
            changed,
        }))
    }

    /// Whether all of it went well.
    fn ended(&mut self) -> Result<(), GitError> {
        let failed = |_| GitError::Failed;
        // The list has ended, or what reads it would not have.
        let pumped = loop {
            match self.pumped.recv_timeout(Duration::from_millis(10)) {
                Ok(pumped) => break pumped,
                Err(RecvTimeoutError::Timeout) if self.patience.is_over() => {
                    return Err(GitError::CalledOff);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(GitError::Failed),
            }
        };
        let diff = self.diff.status()?;
        while !self.list.has_ended().map_err(failed)? {
            if self.patience.is_over() {
                return Err(GitError::CalledOff);
            }
            thread::sleep(Duration::from_millis(1));
        }
        let list = self.list.end().map_err(failed)?;
        if diff.success() && list.success() && pumped.is_ok() {
            Ok(())
        } else {
            Err(GitError::Failed)
        }
    }
}

fn pump(mut listed: ChildStdout, asked: ChildStdin) -> io::Result<()> {
    let mut asked = OneLineAParent::new(BufWriter::with_capacity(CHUNK, asked));
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = listed.read(&mut chunk)?;
        if count == 0 {
            return asked.end();
        }
        asked.take(&chunk[..count])?;
        // Whoever waits for an answer has to be asked.
        asked.out.flush()?;
    }
}

/// `c p q` as `c p` and `c q`; of a line nothing is held but two names.
struct OneLineAParent<W> {
    out: W,
    commit: Vec<u8>,
    name: Vec<u8>,
    has_parent: bool,
}

impl<W: Write> OneLineAParent<W> {
    fn new(out: W) -> Self {
        Self {
            out,
            commit: Vec::new(),
            name: Vec::new(),
            has_parent: false,
        }
    }

    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        for byte in bytes {
            match byte {
                b' ' => self.end_name()?,
                b'\n' => self.end_line()?,
                _ if self.name.len() == MAX_NAME => return Err(io::ErrorKind::InvalidData.into()),
                _ => self.name.push(*byte),
            }
        }
        Ok(())
    }

    fn end_name(&mut self) -> io::Result<()> {
        if self.commit.is_empty() {
            std::mem::swap(&mut self.commit, &mut self.name);
        } else {
            self.has_parent = true;
            self.out.write_all(&self.commit)?;
            self.out.write_all(b" ")?;
            self.out.write_all(&self.name)?;
            self.out.write_all(b"\n")?;
        }
        self.name.clear();
        Ok(())
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.end_name()?;
        if !self.has_parent {
            self.out.write_all(&self.commit)?;
            self.out.write_all(b"\n")?;
        }
        self.commit.clear();
        self.has_parent = false;
        Ok(())
    }

    /// A last line without its end is a torn one.
    fn end(mut self) -> io::Result<()> {
        if !self.commit.is_empty() || !self.name.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.out.flush()
    }
}

/// The paths themselves, else their folders; none, which is everything, where those are many too.
fn pathspecs(paths: &[Vec<u8>]) -> Option<Vec<OsString>> {
    let folder = |path: &Vec<u8>| match path.iter().rposition(|byte| *byte == b'/') {
        Some(end) => path[..end].to_vec(),
        None => Vec::new(),
    };
    let mut specs: Vec<Vec<u8>>;
    if paths.len() > MAX_PATHSPECS {
        specs = paths.iter().map(folder).collect();
        specs.sort_unstable();
        specs.dedup();
    } else {
        specs = paths.to_vec();
    }
    if specs.len() > MAX_PATHSPECS || specs.iter().any(Vec::is_empty) {
        specs.clear();
    }
    specs
        .iter()
        .map(|spec| native(spec).map(OsString::from))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{MAX_NAME, OneLineAParent, io};

    fn asked(chunks: &[&str]) -> io::Result<String> {
        let mut out = Vec::new();
        let mut lines = OneLineAParent::new(&mut out);
        for chunk in chunks {
            lines.take(chunk.as_bytes())?;
        }
        lines.end()?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_line_a_parent_wherever_reads_cut_them() {
        assert_eq!(
            asked(&["c p q\nr", "oot\na", " b\n"]).unwrap(),
            "c p\nc q\nroot\na b\n"
        );
        assert_eq!(asked(&[]).unwrap(), "");
        let many = " parent".repeat(100_000);
        assert_eq!(asked(&["c", &many, "\n"]).unwrap().lines().count(), 100_000);
    }

    #[test]
    fn what_is_torn_or_no_name_is_refused() {
        assert!(asked(&["c p"]).is_err());
        assert!(asked(&["c"]).is_err());
        assert!(asked(&[&"c".repeat(MAX_NAME + 1)]).is_err());
    }
}
