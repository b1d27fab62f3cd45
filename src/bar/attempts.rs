//! Every attempt to lower the bar, a line each, outside the tree.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use serde::Serialize;

/// Someone asked to lower the bar.
#[derive(Debug, Clone, Serialize)]
pub struct Attempt<'a> {
    /// RFC 3339, UTC.
    pub at: &'a str,
    /// For example `baseline record`.
    pub act: &'a str,
    /// The variable that marks the run as an agent's or as CI's.
    pub mark: Option<&'a str>,
    /// Whether it was done.
    pub done: bool,
    /// Why not, or what was done.
    pub outcome: &'a str,
}

/// Appends to `attempts.jsonl` in the state folder, which is made where it is not there. A link
/// is not followed.
pub fn log_attempt(state: &Path, attempt: &Attempt<'_>) -> io::Result<()> {
    fs::create_dir_all(state)?;
    let path = state.join("attempts.jsonl");
    if fs::symlink_metadata(&path).is_ok_and(|meta| !meta.is_file()) {
        return Err(io::Error::other("attempts.jsonl is not a file"));
    }
    let mut line = serde_json::to_vec(attempt)?;
    line.push(b'\n');
    // One write, so that two runs do not mix their lines.
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?
        .write_all(&line)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Attempt, log_attempt};

    #[test]
    fn attempts_are_kept_a_line_each() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("check");
        let attempt = Attempt {
            at: "2026-11-30T00:00:00Z",
            act: "baseline record",
            mark: Some("CLAUDECODE"),
            done: false,
            outcome: "a person\ndoes it",
        };
        log_attempt(&state, &attempt).unwrap();
        log_attempt(
            &state,
            &Attempt {
                done: true,
                mark: None,
                ..attempt
            },
        )
        .unwrap();
        assert_eq!(
            fs::read_to_string(state.join("attempts.jsonl")).unwrap(),
            "{\"at\":\"2026-11-30T00:00:00Z\",\"act\":\"baseline record\",\"mark\":\"CLAUDECODE\",\"done\":false,\"outcome\":\"a person\\ndoes it\"}\n\
             {\"at\":\"2026-11-30T00:00:00Z\",\"act\":\"baseline record\",\"mark\":null,\"done\":true,\"outcome\":\"a person\\ndoes it\"}\n"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("target");
        std::os::unix::fs::symlink(&target, dir.path().join("attempts.jsonl")).unwrap();
        let attempt = Attempt {
            at: "",
            act: "",
            mark: None,
            done: false,
            outcome: "",
        };
        assert!(log_attempt(dir.path(), &attempt).is_err());
        assert!(!target.exists());
    }
}
