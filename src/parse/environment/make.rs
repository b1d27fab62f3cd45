//! make and its like: the folders that it enters, and the exit codes that it passes on.

use super::super::location::text;
use super::sign::Sign;

/// Folders that make says it enters and leaves.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) enum Folder {
    Enter(String),
    Leave,
}

/// What a line of make says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    Folder(Folder),
    Sign(Sign),
}

/// `make:`, `make[1]:`, `gmake:`, `ninja:`.
pub(super) fn is_make(line: &[u8]) -> bool {
    let name = line.iter().take_while(|b| b.is_ascii_lowercase()).count();
    matches!(&line[..name], b"make" | b"gmake" | b"ninja")
        && matches!(line.get(name), Some(b':' | b'['))
}

/// `make: *** [Makefile:7: lint] Error 127`, `make[1]: Entering directory '/x'`.
pub(super) fn read(line: &[u8]) -> Option<Said> {
    let words = &line[memchr::memchr(b':', line)? + 1..];
    let words = words.trim_ascii();
    if let Some(folder) = words.strip_prefix(b"Entering directory ") {
        let folder = text(folder).trim_matches(['\'', '`', '"']).to_owned();
        return Some(Said::Folder(Folder::Enter(folder)));
    }
    if words.starts_with(b"Leaving directory ") {
        return Some(Said::Folder(Folder::Leave));
    }
    let failed = words.strip_prefix(b"*** ")?;
    let code = if failed.ends_with(b" Error 127") {
        127
    } else if failed.ends_with(b" Error 126") {
        126
    } else {
        return None;
    };
    let words = text(line);
    Some(Said::Sign(Sign::Relays { words, code }))
}
