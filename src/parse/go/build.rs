//! `go build`, `go vet` and what `go test` prints of a build: `# package`, then diagnostics.

use memchr::memmem;

use crate::model::{Exit, Failure};

use super::super::location::{Place, leading_place, text};
use super::super::parser::{Out, Parser, Tally, add_folder};
use super::modules::Modules;

/// Reads diagnostics of the Go compiler, of vet and of the package loader.
#[derive(Debug)]
pub(super) struct Diagnostics {
    tool: &'static str,
    /// A diagnostic that may go on over further lines.
    pending: Option<Failure>,
    /// Below a `# package` line.
    inside: bool,
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
            modules: Modules::default(),
            errors: 0,
            stopped_early: false,
            not_built: Vec::new(),
            vet: false,
        }
    }

    /// Reads a line where a diagnostic may stand; true where it was part of a build's output.
    /// `anywhere`: diagnostics need no `# package` line before them.
    pub(super) fn line(&mut self, line: &[u8], anywhere: bool, out: &mut Out<'_>) -> bool {
        if let Some(package) = line.strip_prefix(b"# ") {
            return self.header(package, anywhere, out);
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
        if !self.inside && !anywhere {
            return false;
        }
        let loading = line.strip_prefix(b"vet: ");
        let body = loading.unwrap_or(line);
        let Some((place, message)) =
            leading_place(body).filter(|(place, _)| is_source(&place.path))
        else {
            // A linker's or cgo's own words are no row, and the block goes on.
            self.inside &= !line.is_empty();
            return false;
        };
        self.diagnostic(&place, message, !self.vet || loading.is_some(), out);
        true
    }

    /// `# example.com/x`, `# example.com/x [example.com/x.test]`, `# [example.com/x]`.
    /// Where `known` is false a comment of one word must not pass for it.
    fn header(&mut self, package: &[u8], known: bool, out: &mut Out<'_>) -> bool {
        let package = package
            .strip_prefix(b"[")
            .and_then(|p| p.strip_suffix(b"]"))
            .unwrap_or(package);
        let name = package.split(|&b| b == b' ').next().unwrap_or_default();
        let after = &package[name.len()..];
        let plausible = !name.is_empty()
            && (known || name.contains(&b'/'))
            && (after.is_empty() || after.starts_with(b" ["))
            && name
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || b"./-_~+@".contains(b));
        if !plausible {
            return false;
        }
        self.flush(out);
        self.inside = true;
        true
    }

    /// `unbuilt`: the file's package was not looked at further.
    fn diagnostic(&mut self, place: &Place, message: &[u8], unbuilt: bool, out: &mut Out<'_>) {
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

    /// What follows belongs to no diagnostic.
    pub(super) fn close(&mut self, out: &mut Out<'_>) {
        self.flush(out);
        self.inside = false;
    }

    fn flush(&mut self, out: &mut Out<'_>) {
        if let Some(row) = self.pending.take() {
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
    /// The argv says that diagnostics need no header.
    anywhere: bool,
}

impl GoBuild {
    /// `known`: the command is known to be one of Go's; `vet`: to be `go vet`.
    pub(in super::super) fn new(known: bool, vet: bool) -> Self {
        let mut diagnostics = Diagnostics::new("go-build");
        diagnostics.vet = vet;
        Self {
            diagnostics,
            anywhere: known,
        }
    }
}

impl Parser for GoBuild {
    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> bool {
        self.diagnostics.line(line, self.anywhere, out)
    }

    fn finish(&mut self, _exit: Option<Exit>, out: &mut Out<'_>) -> Tally {
        self.diagnostics.close(out);
        Tally {
            seen: self.diagnostics.errors > 0,
            failed: (self.diagnostics.errors > 0).then_some(self.diagnostics.errors),
            stopped_early: self.diagnostics.stopped_early,
            not_built: std::mem::take(&mut self.diagnostics.not_built),
            ..Tally::default()
        }
    }
}
