//! `rustfmt --check` and `cargo fmt --check`.

use crate::model::{Exit, Failure};

use super::super::location::{Place, number, text};
use super::super::parser::{Out, Parser, Tally};

/// Reads `Diff in path:line:` (and `Diff in path at line N:` of older versions).
#[derive(Debug, Default)]
pub(in super::super) struct Rustfmt {
    rows: u64,
}

impl Parser for Rustfmt {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        let Some(place) = line.strip_prefix(b"Diff in ").and_then(place) else {
            return false;
        };
        let mut row = Failure::new("rustfmt", "not formatted as rustfmt would");
        out.paths.put(&mut row, &place);
        self.rows += 1;
        out.row(row);
        true
    }

    fn finish(&mut self, _exit: Option<Exit>, _out: &mut Out<'_>) -> Tally {
        Tally {
            seen: self.rows > 0,
            failed: (self.rows > 0).then_some(self.rows),
            ..Tally::default()
        }
    }
}

fn place(rest: &[u8]) -> Option<Place> {
    let rest = rest.strip_suffix(b":")?;
    let (path, digits) = match memchr::memmem::rfind(rest, b" at line ") {
        Some(at) => (&rest[..at], &rest[at + 9..]),
        None => memchr::memrchr(b':', rest).map(|at| (&rest[..at], &rest[at + 1..]))?,
    };
    let (line, after) = number(digits)?;
    let whole = after.is_empty() && path.ends_with(b".rs");
    whole.then(|| Place {
        path: text(path),
        line: Some(line),
        column: None,
    })
}
