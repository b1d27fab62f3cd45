//! `go build`, `go vet` and what `go test` prints of a build: `# package`, then diagnostics.

use memchr::memmem;

use crate::model::{Exit, Failure};

use super::super::location::{Place, leading_place, text};
use super::super::parser::{Out, Parser, Tally, add_folder};
use super::modules::Modules;
use super::unexplained::Unexplained;

/// Where a line stands, and so what it takes to be a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// In the output of a build: no header is needed.
    Build,
    /// Between the packages of `go test`: below a header.
    Between,
    /// The same, and the command is not known: the header must be an import path.
    Unknown,
    /// Among the lines of a package's tests, with both streams in one: the header must be an import
    /// path, and the file in its folder, or a test has printed it.
    Tests,
}

/// Reads diagnostics of the Go compiler, of vet and of the package loader.
#[derive(Debug)]
pub(super) struct Diagnostics {
    tool: &'static str,
    /// A diagnostic that may go on over further lines.
    pending: Option<Failure>,
    /// Below a `# package` line, and the package.
    inside: bool,
    package: String,
    unexplained: Unexplained,
    pub(super) modules: Modules,
    pub(super) errors: u64,
    pub(super) stopped_early: bool,
    pub(super) not_built: Vec<String>,
    /// Findings of vet: a package that has some was looked at all the same.
    vet: bool,
}

impl Diagnostics {
    pub(super) fn new(tool: &'static str) -> Self {
        Self {
            tool,
            pending: None,
            inside: false,
            package: String::new(),
            unexplained: Unexplained::default(),
            modules: Modules::default(),
            errors: 0,
            stopped_early: false,
            not_built: Vec::new(),
            vet: false,
        }
    }

    /// Nothing is being read that may go on.
    pub(super) fn rests(&self) -> bool {
        self.pending.is_none() && !self.inside && !self.unexplained.is_open()
    }

    /// Reads a line where a diagnostic may stand; true where it was part of a build's output.
    pub(super) fn line(&mut self, line: &[u8], place: Where, out: &mut Out<'_>) -> bool {
        if let Some(package) = line.strip_prefix(b"# ") {
            let any_name = matches!(place, Where::Build | Where::Between);
            return self.header(package, any_name, out);
        }
        if line.starts_with(b"\t") && self.pending.is_some() {
            if let Some(pending) = &mut self.pending
                && pending.message.len() < 2048
            {
                pending.message.push('\n');
                pending.message.push_str(text(line).trim());
            }
            return true;
        }
        self.flush(out);
        if !self.inside && place != Where::Build {
            return false;
        }
        let loading = line.strip_prefix(b"vet: ");
        let body = loading.unwrap_or(line);
        let Some((file, message)) = leading_place(body).filter(|(file, _)| {
            is_source(&file.path) && (place != Where::Tests || self.is_of_package(&file.path))
        }) else {
            // A linker's or cgo's own words: the block goes on.
            self.inside &= !line.is_empty();
            if self.inside {
                self.unexplained.words(line);
            }
            return false;
        };
        self.diagnostic(&file, message, !self.vet || loading.is_some(), out);
        true
    }

    /// `# example.com/x`, `# example.com/x [example.com/x.test]`, `# [example.com/x]`.
    /// Unless `any_name` a comment of one word does not pass for it.
    fn header(&mut self, package: &[u8], any_name: bool, out: &mut Out<'_>) -> bool {
        let package = package
            .strip_prefix(b"[")
            .and_then(|p| p.strip_suffix(b"]"))
            .unwrap_or(package);
        let name = package.split(|&b| b == b' ').next().unwrap_or_default();
        let after = &package[name.len()..];
        let plausible = !name.is_empty()
            && (any_name || name.contains(&b'/'))
            && (after.is_empty() || after.starts_with(b" ["))
            && name
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || b"./-_~+@".contains(b));
        if !plausible {
            return false;
        }
        self.flush(out);
        self.inside = true;
        self.package = text(name);
        self.unexplained.begin(&self.package);
        true
    }

    /// Whether `path` lies where the package of the header does.
    fn is_of_package(&self, path: &str) -> bool {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = folder.trim_start_matches("./");
        !folder.is_empty() && self.package.ends_with(folder)
    }

    /// `unbuilt`: the file's package was not looked at further.
    fn diagnostic(&mut self, place: &Place, message: &[u8], unbuilt: bool, out: &mut Out<'_>) {
        self.unexplained.explain();
        let message = message.trim_ascii();
        if message == b"too many errors" {
            self.stopped_early = true;
            return;
        }
        if message.is_empty() || is_fetch_error(message) {
            return;
        }
        let mut row = Failure::new(self.tool, text(message));
        out.paths.put(&mut row, place);
        if let Some(path) = row.path.as_deref().filter(|_| unbuilt && !row.outside) {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            add_folder(&mut self.not_built, folder);
        }
        self.errors += 1;
        self.pending = Some(row);
    }

    /// Package `import` was not looked at, or not to its end.
    pub(super) fn not_looked_at(&mut self, import: &str, out: &Out<'_>) {
        if let Some(folder) = self.modules.folder(out.paths, import) {
            add_folder(&mut self.not_built, &folder);
        }
    }

    /// What follows belongs to no diagnostic.
    pub(super) fn close(&mut self, out: &mut Out<'_>) {
        self.flush(out);
        self.unexplained.end();
        self.inside = false;
    }

    /// The end: gives a row for each package that was not built for a reason without a place.
    pub(super) fn finish(&mut self, exit: Option<Exit>, out: &mut Out<'_>) {
        self.close(out);
        self.errors += self
            .unexplained
            .rows(self.tool, exit, &mut self.modules, out);
        self.stopped_early |= self.unexplained.unmatched;
    }

    fn flush(&mut self, out: &mut Out<'_>) {
        // Asked of every line: what is not there need not be moved.
        if self.pending.is_some()
            && let Some(row) = self.pending.take()
        {
            out.row(row);
        }
    }
}

fn is_source(path: &str) -> bool {
    [".go", ".s", ".c", ".h", ".cc", ".cpp", ".mod", ".work"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// A module could not be had: no fault of the tree.
pub(in super::super) fn is_fetch_error(message: &[u8]) -> bool {
    let has = |word: &[u8]| memmem::find(message, word).is_some();
    (has(b"dial tcp") && (has(b"Get \"http") || has(b"lookup ")))
        || has(b"module lookup disabled by GOPROXY=off")
        || (has(b"Get \"http")
            && (has(b"connect: ") || has(b"no such host") || has(b"i/o timeout")))
}

/// The parser of `go build` and `go vet` alone.
#[derive(Debug)]
pub(in super::super) struct GoBuild {
    diagnostics: Diagnostics,
    place: Where,
}

impl GoBuild {
    /// `known`: the command is known to be one of Go's; `vet`: to be `go vet`.
    pub(in super::super) fn new(known: bool, vet: bool) -> Self {
        let mut diagnostics = Diagnostics::new("go-build");
        diagnostics.vet = vet;
        Self {
            diagnostics,
            place: if known { Where::Build } else { Where::Unknown },
        }
    }
}

impl Parser for GoBuild {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        self.diagnostics.line(line, self.place, out)
    }

    fn finish(&mut self, exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        self.diagnostics.finish(exit, out);
        Tally {
            seen: self.diagnostics.errors > 0 || self.diagnostics.stopped_early,
            failed: (self.diagnostics.errors > 0).then_some(self.diagnostics.errors),
            stopped_early: self.diagnostics.stopped_early,
            not_built: std::mem::take(&mut self.diagnostics.not_built),
            ..Tally::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::super::parser::Out;
    use super::super::super::paths::Paths;
    use super::{Diagnostics, Where};

    fn rows(place: Where, lines: &[&str]) -> Vec<String> {
        let paths = Paths::new(Path::new("/r"), ".");
        let mut rows = Vec::new();
        let mut give = |row: crate::model::Failure| rows.push(row.message);
        let mut out = Out {
            paths: &paths,
            rows: &mut give,
        };
        let mut diagnostics = Diagnostics::new("go-build");
        for line in lines {
            diagnostics.line(line.as_bytes(), place, &mut out);
        }
        diagnostics.close(&mut out);
        rows
    }

    #[test]
    fn a_diagnostic_needs_the_header_that_its_surroundings_ask_for() {
        let line = "s/s.go:5:1: bad";
        assert_eq!(rows(Where::Build, &[line]), ["bad"]);
        assert_eq!(rows(Where::Between, &[line]), [""; 0]);
        assert_eq!(
            rows(
                Where::Between,
                &["# shop", line, "\tmore", "s/s.go:9:1: too many errors"]
            ),
            ["bad\nmore"]
        );
        assert_eq!(rows(Where::Unknown, &["# shop", line]), [""; 0]);
        assert_eq!(
            rows(
                Where::Unknown,
                &["# x.org/shop/s [x.org/shop/s.test]", line]
            ),
            ["bad"]
        );
        assert_eq!(
            rows(
                Where::Tests,
                &["# x.org/shop/s", line, "other/o.go:1:1: printed by a test"]
            ),
            ["bad"]
        );
    }
}
