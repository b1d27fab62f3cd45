//! Packages that were not built for a reason that names no place: an import cycle, a linker's own
//! words, a C compiler that is not there. Without a row of their own they would hide behind the
//! known failures of other packages.

use crate::model::{Exit, Failure};

use super::super::location::text;
use super::super::parser::Out;
use super::modules::Modules;

/// How many packages are kept.
const MAX: usize = 1000;
/// The longest reason.
const MAX_REASON: usize = 500;

/// What stands below `# package` lines, as long as no diagnostic explains it.
#[derive(Debug, Default)]
pub(super) struct Unexplained {
    open: Option<Block>,
    /// Package and reason.
    found: Vec<(String, String)>,
    /// A pattern could not be matched: nothing is known of what it was to cover.
    pub(super) unmatched: bool,
}

#[derive(Debug)]
struct Block {
    package: String,
    last: Vec<u8>,
    warned: bool,
    erred: bool,
}

impl Unexplained {
    /// Below a `# package` line that nothing explains so far.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// `# package` was read.
    pub(super) fn begin(&mut self, package: &str) {
        self.end();
        self.open = Some(Block {
            package: package.to_owned(),
            last: Vec::new(),
            warned: false,
            erred: false,
        });
    }

    /// A diagnostic was read below it.
    pub(super) fn explain(&mut self) {
        self.open = None;
    }

    /// Anything else was read below it.
    pub(super) fn words(&mut self, line: &[u8]) {
        let Some(block) = &mut self.open else { return };
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        let holds = |word: &[u8]| memchr::memmem::find(line, word).is_some();
        block.warned |= holds(b"warning");
        block.erred |= holds(b"error");
        block.last.clear();
        block
            .last
            .extend_from_slice(&line[..line.len().min(MAX_REASON)]);
    }

    /// The block is over. A linker that only warns does not fail.
    pub(super) fn end(&mut self) {
        let Some(block) = self.open.take() else {
            return;
        };
        if block.last.is_empty() || (block.warned && !block.erred) {
            return;
        }
        if block.package.starts_with('.') || block.package.contains("...") {
            self.unmatched = true;
        } else if self.found.len() < MAX {
            self.found.push((block.package, text(&block.last)));
        }
    }

    /// Gives a row for each package, but where the command succeeded all the same; how many.
    pub(super) fn rows(
        &mut self,
        tool: &'static str,
        exit: Option<Exit>,
        modules: &mut Modules,
        out: &mut Out<'_>,
    ) -> u64 {
        self.end();
        let mut rows = 0;
        if exit == Some(Exit::Code(0)) {
            self.unmatched = false;
            return rows;
        }
        for (package, reason) in self.found.drain(..) {
            // A heading in somebody's text is one word, unless the module is.
            if package.contains('/') || modules.folder(out.paths, &package).is_some() {
                rows += 1;
                let message = format!("{package} could not be built: {reason}");
                out.row(Failure::new(tool, message));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::super::parser::Out;
    use super::super::super::paths::Paths;
    use super::super::modules::Modules;
    use super::Unexplained;
    use crate::model::{Exit, Failure};

    fn rows(blocks: &[&[&str]], exit: i32) -> (Vec<String>, bool) {
        let mut unexplained = Unexplained::default();
        for block in blocks {
            unexplained.begin(block[0]);
            for line in &block[1..] {
                unexplained.words(line.as_bytes());
            }
        }
        let paths = Paths::new(Path::new("/nonexistent"), ".");
        let mut messages = Vec::new();
        let mut give = |row: Failure| messages.push(row.message);
        let mut out = Out {
            paths: &paths,
            rows: &mut give,
        };
        let count = unexplained.rows(
            "go-test",
            Some(Exit::Code(exit)),
            &mut Modules::default(),
            &mut out,
        );
        assert_eq!(count, messages.len() as u64);
        (messages, unexplained.unmatched)
    }

    #[test]
    fn a_reason_without_a_place_is_a_row() {
        let cycle: &[&str] = &[
            "a.b/x",
            "package a.b/x",
            "\timports a.b/x: import cycle not allowed",
        ];
        let cgo: &[&str] = &[
            "runtime/cgo",
            "cgo: C compiler \"gcc\" not found: exec: \"gcc\": executable file not found in $PATH",
            "",
        ];
        let wanted = [
            "a.b/x could not be built: imports a.b/x: import cycle not allowed",
            "runtime/cgo could not be built: cgo: C compiler \"gcc\" not found: exec: \"gcc\": \
             executable file not found in $PATH",
        ];
        assert_eq!(
            rows(&[cycle, cgo], 1),
            (wanted.map(str::to_owned).to_vec(), false)
        );
        assert_eq!(rows(&[cycle, cgo], 0), (Vec::new(), false));
    }

    #[test]
    fn warnings_headings_and_patterns_are_no_rows() {
        let warning: &[&str] = &["a.b/x.test", "ld: warning: ignoring duplicate libraries"];
        let heading: &[&str] = &["Summary", "all is well"];
        let pattern: &[&str] = &["./no/...", "pattern ./no/...: lstat ./no/: no such file"];
        assert_eq!(
            rows(&[warning, heading, &["a.b/y"]], 1),
            (Vec::new(), false)
        );
        assert_eq!(rows(&[pattern], 1), (Vec::new(), true));
    }
}
