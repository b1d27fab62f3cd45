//! rustc and clippy: `error[E0308]: message`, then `--> path:line:column`.

use crate::model::{Exit, Failure, Level};

use super::super::location::{Place, count, exact_place, text};
use super::super::parser::{Out, Parser, Tally, add_folder};
use super::base::Base;

/// How many lines a message may take before its place.
const MAX_HEAD: usize = 12;

/// One diagnostic being read.
#[derive(Debug)]
pub(super) struct Diagnostic {
    pub row: Failure,
    pub place: Option<Place>,
    lines: usize,
}

impl Diagnostic {
    /// `error[E0308]: message`, `warning: message`; not the lines that only count.
    pub(super) fn begin(line: &[u8]) -> Option<Self> {
        let (level, rest) = if let Some(rest) = line.strip_prefix(b"error") {
            (Level::Error, rest)
        } else {
            (Level::Warning, line.strip_prefix(b"warning")?)
        };
        let (rule, message) = match rest.strip_prefix(b"[") {
            Some(rest) => {
                let end = memchr::memmem::find(rest, b"]: ")?;
                (Some(text(&rest[..end])), &rest[end + 3..])
            }
            None => (None, rest.strip_prefix(b": ")?),
        };
        let mut row = Failure::new("rustc", text(message));
        row.level = level;
        row.rule = rule;
        Some(Self {
            row,
            place: None,
            lines: 0,
        })
    }

    /// Reads what follows; false where the diagnostic has ended.
    pub(super) fn line(&mut self, line: &[u8]) -> bool {
        if line.is_empty() {
            return false;
        }
        self.lines += 1;
        let trimmed = line.trim_ascii_start();
        if let Some(rest) = trimmed.strip_prefix(b"--> ") {
            if self.place.is_none() {
                self.place = exact_place(rest);
            }
        } else if let Some(lint) = lint(trimmed) {
            // A lint's own name says more than nothing; an error code stands.
            if self.row.rule.is_none() {
                self.row.rule = Some(lint);
            }
        } else if self.place.is_none() {
            if self.lines > MAX_HEAD {
                return false;
            }
            self.row.message.push('\n');
            self.row.message.push_str(&text(line));
        }
        true
    }
}

/// The lint that a note names: `` = note: `-D clippy::needless-return` implied by … ``,
/// `` = note: `#[warn(unused_imports)]` on by default ``.
fn lint(line: &[u8]) -> Option<String> {
    let note = line.strip_prefix(b"= note: `")?;
    let end = memchr::memchr(b'`', note)?;
    let quoted = text(&note[..end]);
    let name = if let Some(flag) = quoted.strip_prefix('-') {
        flag.split_once(' ')?.1
    } else {
        quoted
            .strip_prefix("#[")?
            .split_once('(')?
            .1
            .strip_suffix(")]")?
    };
    Some(name.trim().replace('-', "_"))
}

/// Lines of cargo and rustc that only sum up.
fn is_summary(message: &str) -> bool {
    [
        "could not compile ",
        "aborting due to ",
        "test failed, to rerun",
        "doctest failed, to rerun",
        "process didn't exit successfully",
        "build failed",
        "no such command",
        "failed to ",
    ]
    .iter()
    .any(|start| message.starts_with(start))
        || message.ends_with("targets failed:")
        || message.ends_with("target failed:")
        || message.contains(" warnings emitted")
        || message.contains(" warning emitted")
        || (message.starts_with('`') && message.contains(" generated "))
}

/// The parser of the compiler's own output.
#[derive(Debug, Default)]
pub(in super::super) struct Rustc {
    current: Option<Diagnostic>,
    base: Base,
    errors: u64,
    warnings: u64,
    /// Errors that `could not compile … due to N previous errors` speaks of.
    announced: u64,
    not_built: Vec<String>,
}

impl Rustc {
    fn flush(&mut self, out: &mut Out<'_>) {
        let Some(diagnostic) = self.current.take() else {
            return;
        };
        let Diagnostic { mut row, place, .. } = diagnostic;
        let coded = row
            .rule
            .as_deref()
            .is_some_and(|rule| rule.starts_with('E'));
        // Without a place any program could have printed it.
        let linker = row.message.starts_with("linking with ");
        if place.is_none() && !(row.level == Level::Error && (coded || linker)) {
            return;
        }
        if row
            .rule
            .as_deref()
            .is_some_and(|rule| rule.starts_with("clippy::"))
        {
            row.tool = "clippy";
        }
        if let Some(place) = &place {
            out.paths
                .put_from(&self.base.of(&place.path, out.paths), &mut row, place);
        }
        match row.level {
            Level::Error => {
                self.errors += 1;
                // A lint under `-D` has a name and does not keep others from being looked at.
                if (coded || row.rule.is_none())
                    && let Some(path) = row.path.as_deref().filter(|_| !row.outside)
                {
                    add_folder(&mut self.not_built, package_folder(path));
                }
            }
            Level::Warning => self.warnings += 1,
        }
        out.row(row);
    }

    fn announce(&mut self, message: &str) {
        let Some((_, rest)) = message.split_once(" due to ") else {
            return;
        };
        let rest = rest.trim_start_matches("previous error");
        let errors = count(rest.as_bytes()).map_or(1, |(errors, _)| errors);
        self.announced = self.announced.max(errors);
    }
}

/// The package that a file is of, as cargo lays packages out.
fn package_folder(path: &str) -> &str {
    for part in ["src/", "tests/", "examples/", "benches/"] {
        if path.starts_with(part) {
            return "";
        }
        if let Some(at) = path.rfind(&format!("/{part}")) {
            return &path[..at];
        }
    }
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl Parser for Rustc {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        if matches!(line.first(), Some(b'e' | b'w'))
            && let Some(diagnostic) = Diagnostic::begin(line)
        {
            self.flush(out);
            if is_summary(&diagnostic.row.message) {
                self.announce(&diagnostic.row.message);
                return diagnostic.row.message.starts_with("could not compile ");
            }
            self.current = Some(diagnostic);
            return true;
        }
        let Some(current) = &mut self.current else {
            return false;
        };
        let going_on = current.line(line);
        // Until its place has come, these are only the words of some program.
        let mine = current.place.is_some() || line.starts_with(b" ");
        if !going_on {
            self.flush(out);
        }
        going_on && mine
    }

    fn finish(&mut self, _exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        self.flush(out);
        let claimed = if self.announced > 0 && self.errors > 0 {
            Some(self.errors)
        } else {
            None
        };
        Tally {
            seen: self.errors + self.warnings > 0 || self.announced > 0,
            failed: (self.errors > 0).then_some(self.errors),
            claimed: claimed.or((self.announced > 0).then_some(self.announced)),
            not_built: std::mem::take(&mut self.not_built),
            ..Tally::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::package_folder;

    #[test]
    fn a_file_is_of_the_package_above_its_source_folder() {
        assert_eq!(package_folder("src/lib.rs"), "");
        assert_eq!(package_folder("crates/a/src/x/y.rs"), "crates/a");
        assert_eq!(package_folder("crates/a/tests/it.rs"), "crates/a");
        assert_eq!(package_folder("crates/a/build.rs"), "crates/a");
    }
}
