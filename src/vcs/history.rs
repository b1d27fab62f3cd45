//! The commits that matter to some files: what each changed against each of its parents.
//!
//! `git rev-list` names the commits, `git diff-tree` compares each with each parent; both are
//! plumbing that reads no setting of how to show things. A merge is one line a parent on its way
//! from one to the other, since only so does the answer say which parent it is about.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread::{self, JoinHandle};

use super::content::native;
use super::git::Git;
use super::tree::ended_well;

/// More paths than this cost git more than looking at everything.
const MAX_PATHSPECS: usize = 32;

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
pub(super) struct History {
    list: Child,
    diff: Child,
    pump: Option<JoinHandle<io::Result<()>>>,
    out: BufReader<ChildStdout>,
    /// The header of the step to come.
    header: Option<Vec<u8>>,
}

impl History {
    /// Of the files at `paths`, from the top. Steps may tell of other files too.
    pub(super) fn of(git: &Git, git_dir: &Path, top: &Path, paths: &[&[u8]]) -> Option<Self> {
        let specs = pathspecs(paths)?;
        let command = |words: &[&str]| {
            let mut command = git.command(git_dir, top);
            command.env("GIT_LITERAL_PATHSPECS", "1").args(words);
            command.stdout(Stdio::piped());
            command
        };
        let mut list = command(&["rev-list", "--full-history", "--parents", "HEAD", "--"])
            .args(&specs)
            .spawn()
            .ok()?;
        let diff = command(&[
            "diff-tree",
            "--stdin",
            "--always",
            "--root",
            "-m",
            "-r",
            "-z",
        ])
        .args(["--raw", "--no-renames", "--parents", "--"])
        .args(&specs)
        .stdin(Stdio::piped())
        .spawn();
        let Ok(mut diff) = diff else {
            ended_well(list, false);
            return None;
        };
        let (listed, asked) = (list.stdout.take()?, diff.stdin.take()?);
        Some(Self {
            out: BufReader::new(diff.stdout.take()?),
            pump: Some(thread::spawn(move || one_line_a_parent(listed, asked))),
            header: None,
            list,
            diff,
        })
    }

    /// The next step; `Ok(None)` at the end of history. An error where git failed.
    pub(super) fn next(&mut self) -> io::Result<Option<Step>> {
        let header = match self.header.take() {
            Some(header) => header,
            None => match self.token()? {
                Some(header) => header,
                None => return self.ended().map(|()| None),
            },
        };
        let mut ids = header.split(|byte| *byte == b' ').map(<[u8]>::to_vec);
        let (commit, parent, another) = (ids.next(), ids.next(), ids.next());
        let mut changed = Vec::new();
        while let Some(token) = self.token()? {
            if !token.starts_with(b":") {
                self.header = Some(token);
                break;
            }
            changed.extend(self.token()?);
        }
        Ok(Some(Step {
            commit: commit.unwrap_or_default(),
            parent: parent.filter(|_| another.is_none()),
            changed,
        }))
    }

    fn token(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut token = Vec::new();
        if self.out.read_until(0, &mut token)? == 0 {
            return Ok(None);
        }
        if token.pop() != Some(0) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some(token))
    }

    /// Whether all of it went well.
    fn ended(&mut self) -> io::Result<()> {
        let pumped = self.pump.take().map_or(Ok(()), |pump| {
            pump.join()
                .unwrap_or_else(|_| Err(io::Error::other("panicked")))
        });
        let well = self.diff.wait()?.success() && self.list.wait()?.success();
        if well {
            pumped
        } else {
            Err(io::Error::other("git failed"))
        }
    }
}

impl Drop for History {
    fn drop(&mut self) {
        // Whoever has read enough needs neither; one that has ended already is only reaped.
        for child in [&mut self.list, &mut self.diff] {
            let _ = child.kill();
            let _ = child.wait();
        }
        if let Some(pump) = self.pump.take() {
            let _ = pump.join();
        }
    }
}

/// `c p q` as `c p` and `c q`.
fn one_line_a_parent(listed: ChildStdout, mut asked: ChildStdin) -> io::Result<()> {
    for line in BufReader::new(listed).split(b'\n') {
        let line = line?;
        let mut ids = line.split(|byte| *byte == b' ');
        let commit = ids.next().unwrap_or_default();
        let mut lines = Vec::new();
        for parent in ids {
            lines.extend_from_slice(commit);
            lines.push(b' ');
            lines.extend_from_slice(parent);
            lines.push(b'\n');
        }
        if lines.is_empty() {
            lines.extend_from_slice(commit);
            lines.push(b'\n');
        }
        asked.write_all(&lines)?;
    }
    Ok(())
}

/// The paths themselves, else their folders; none, which is everything, where those are many too.
fn pathspecs(paths: &[&[u8]]) -> Option<Vec<OsString>> {
    let folder = |path: &&[u8]| match path.iter().rposition(|byte| *byte == b'/') {
        Some(end) => path[..end].to_vec(),
        None => Vec::new(),
    };
    let mut specs: Vec<Vec<u8>> = paths.iter().map(|path| path.to_vec()).collect();
    if specs.len() > MAX_PATHSPECS {
        specs = paths.iter().map(folder).collect();
        specs.sort_unstable();
        specs.dedup();
    }
    if specs.len() > MAX_PATHSPECS || specs.iter().any(Vec::is_empty) {
        specs.clear();
    }
    specs
        .iter()
        .map(|spec| native(spec).map(OsString::from))
        .collect()
}
