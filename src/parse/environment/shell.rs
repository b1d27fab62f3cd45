//! A shell that does not find a program.

use crate::model::EnvironmentFailure;

use super::super::location::text;
use super::sign::Sign;

/// `sh: 1: eslint: not found`, `/bin/sh: line 1: x: command not found`, `bash: x: Permission denied`.
pub(super) fn read(line: &[u8]) -> Option<Sign> {
    let colon = memchr::memchr(b':', line)?;
    let shell = &line[..colon];
    let name = shell.rsplit(|&b| b == b'/').next().unwrap_or_default();
    if !matches!(name, b"sh" | b"bash" | b"dash" | b"zsh") {
        return None;
    }
    let rest = text(line[colon + 1..].trim_ascii());
    let missing = rest
        .strip_suffix(": not found")
        .or_else(|| rest.strip_suffix(": command not found"));
    let (body, what) = match missing {
        Some(body) => (body, "was not found"),
        None => (
            rest.strip_suffix(": Permission denied")?,
            "cannot be executed",
        ),
    };
    let name = body.rsplit(": ").next().unwrap_or(body).to_owned();
    let failure = EnvironmentFailure {
        reason: format!("{name} {what} ({})", text(line)),
        hint: None,
        network: false,
    };
    Some(Sign::Program { name, failure })
}
