//! The picture that a shot check takes: `<cwd>/.smith/shots/<shot>.png`, if this run wrote it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::model::{CheckResult, CheckSpec, ExitFact, Termination};
use crate::text::{ONE_LINE, one_line};

use super::stamp::Stamp;

/// What a check prints in place of a picture.
const NONE_TAKEN: &str = "no shot taken:";
/// Kept of a line of output; enough for any reason that is shown.
const MOST_LINE: usize = 4 * ONE_LINE;

/// The shot of one check, watched for while it runs.
pub struct Shot {
    root: PathBuf,
    /// From the root, with `/`.
    shown: String,
    /// What stood there before.
    before: Option<Stamp>,
    line: Vec<u8>,
    /// The check's own reason, the last where it gave several.
    reason: Option<String>,
}

impl Shot {
    /// Looks at what is there before `check` is launched; `None` where it takes no shot. `root`:
    /// links resolved.
    pub fn before(root: &Path, check: &CheckSpec) -> Option<Self> {
        let name = check.shot.as_ref()?;
        let folder = match check.cwd.as_str() {
            "." | "" => String::new(),
            cwd => format!("{cwd}/"),
        };
        let shown = format!("{folder}.smith/shots/{name}.png");
        Some(Self {
            before: written(root, &shown),
            root: root.to_owned(),
            shown,
            line: Vec::new(),
            reason: None,
        })
    }

    /// Standard output as it arrives.
    pub fn hear(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let room = MOST_LINE.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            let Some(end) = end else { return };
            self.end_line();
            bytes = &bytes[end + 1..];
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.starts_with(NONE_TAKEN.as_bytes()) {
            self.reason = Some(one_line(&line));
        }
    }

    /// Names the picture in `result`, or notes why there is none. Nothing of the check is alive.
    pub fn conclude(mut self, result: &mut CheckResult) {
        self.end_line();
        let now = written(&self.root, &self.shown);
        if now.is_some() && now != self.before {
            result.shot = Some(self.shown);
            return;
        }
        result.notes.push(
            self.reason
                .unwrap_or_else(|| format!("{NONE_TAKEN} {}", end(result))),
        );
    }
}

/// Notes that a check which was never launched took no shot.
pub fn not_taken(result: &mut CheckResult) {
    result.notes.push(format!("{NONE_TAKEN} {}", end(result)));
}

/// The stamp of the file `shown` below `root`: a regular one, and really in it.
fn written(root: &Path, shown: &str) -> Option<Stamp> {
    let path = root.join(shown);
    let metadata = fs::symlink_metadata(&path)
        .ok()
        .filter(fs::Metadata::is_file)?;
    let inside = path.canonicalize().is_ok_and(|real| real.starts_with(root));
    inside.then(|| Stamp::new(&metadata))
}

/// How a check ended: its process, not what its output came to.
fn end(result: &CheckResult) -> String {
    match (result.termination, &result.exit, &result.reason) {
        (Termination::Exited, Some(ExitFact::Code(code)), _) => format!("exit status {code}"),
        (_, _, Some(reason)) => reason.clone(),
        (_, Some(ExitFact::Signal(signal)), None) => format!("killed by {signal}"),
        (_, _, None) => "how it ended is not known".to_owned(),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};

    use super::{Shot, not_taken};
    use crate::model::{CheckId, CheckResult, CheckSpec, ExitFact, Status, Termination};

    struct Tree {
        _dir: tempfile::TempDir,
        root: PathBuf,
    }

    fn tree() -> Tree {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("tree");
        fs::create_dir_all(root.join("web/.smith/shots")).unwrap();
        Tree { _dir: dir, root }
    }

    fn check() -> CheckSpec {
        CheckSpec {
            cwd: "web".to_owned(),
            shot: Some("login".to_owned()),
            ..CheckSpec::new(CheckId::new("login").unwrap(), "shoot", Vec::new())
        }
    }

    fn ended(code: i32) -> CheckResult {
        CheckResult {
            termination: Termination::Exited,
            exit: Some(ExitFact::Code(code)),
            ..CheckResult::new(&check(), Status::Fail)
        }
    }

    /// What the result says of the shot once `act` has run.
    fn shot(root: &Path, act: impl FnOnce(&mut Shot)) -> (Option<String>, Vec<String>) {
        let mut shot = Shot::before(root, &check()).unwrap();
        act(&mut shot);
        let mut result = ended(3);
        shot.conclude(&mut result);
        (result.shot, result.notes)
    }

    #[test]
    fn a_picture_that_this_run_wrote_is_named() {
        let tree = tree();
        let file = tree.root.join("web/.smith/shots/login.png");
        let named = (Some("web/.smith/shots/login.png".to_owned()), Vec::new());
        let taken = |_: &mut Shot| fs::write(&file, "one").unwrap();
        assert_eq!(shot(&tree.root, taken), named);
        assert_eq!(
            shot(&tree.root, |_| {}),
            (None, vec!["no shot taken: exit status 3".to_owned()]),
            "it is the one of the run before"
        );
        let again = |_: &mut Shot| fs::write(&file, "another").unwrap();
        assert_eq!(shot(&tree.root, again), named);
        let replaced = |_: &mut Shot| {
            fs::remove_file(&file).unwrap();
            fs::write(file.with_extension("part"), "another").unwrap();
            fs::rename(file.with_extension("part"), &file).unwrap();
        };
        assert_eq!(shot(&tree.root, replaced), named);
    }

    #[test]
    fn a_link_a_folder_and_what_lies_outside_are_no_picture() {
        let tree = tree();
        let shots = tree.root.join("web/.smith/shots");
        let file = shots.join("login.png");
        let outside = tree.root.parent().unwrap().join("outside");
        fs::create_dir(&outside).unwrap();
        let none = (None, vec!["no shot taken: exit status 3".to_owned()]);
        let linked = |_: &mut Shot| {
            fs::write(shots.join("real.png"), "x").unwrap();
            symlink("real.png", &file).unwrap();
        };
        assert_eq!(shot(&tree.root, linked), none);
        let folder = |_: &mut Shot| {
            fs::remove_file(&file).unwrap();
            fs::create_dir(&file).unwrap();
        };
        assert_eq!(shot(&tree.root, folder), none);
        let elsewhere = |_: &mut Shot| {
            fs::remove_dir_all(&shots).unwrap();
            symlink(&outside, &shots).unwrap();
            fs::write(outside.join("login.png"), "x").unwrap();
        };
        assert_eq!(shot(&tree.root, elsewhere), none);
    }

    #[test]
    fn the_checks_own_reason_is_said_however_much_it_prints() {
        let tree = tree();
        let said = |shot: &mut Shot| {
            shot.hear(b"no shot taken: try 1\n  no shot taken: indented\nno sh");
            shot.hear(b"ot taken: no \x1b[1mdisplay\x1b[0m\n");
            for _ in 0..1000 {
                shot.hear(&[b'x'; 1000]);
            }
            assert!(shot.line.len() < 1000);
        };
        let (_, notes) = shot(&tree.root, said);
        assert_eq!(notes, ["no shot taken: no display"]);
        let unended = |shot: &mut Shot| shot.hear(b"no shot taken: no display");
        assert_eq!(shot(&tree.root, unended).1, ["no shot taken: no display"]);
    }

    #[test]
    fn without_one_how_it_ended_is_said() {
        let mut refused = CheckResult::new(&check(), Status::Refused);
        refused.reason = Some("the host can't".to_owned());
        not_taken(&mut refused);
        assert_eq!(refused.notes, ["no shot taken: the host can't"]);
        let tree = tree();
        let mut slow = ended(0);
        slow.termination = Termination::TimedOut;
        slow.exit = None;
        slow.reason = Some("timed out after 5s".to_owned());
        Shot::before(&tree.root, &check())
            .unwrap()
            .conclude(&mut slow);
        assert_eq!(slow.notes, ["no shot taken: timed out after 5s"]);
    }
}
