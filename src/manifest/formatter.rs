//! What `check format` is to run.

use super::duration;
use super::glob::globs;
use super::problems::Problems;
use super::raw::RawFormatter;
use super::resolver::{Resolver, arguments};

impl<'n> Resolver<'n> {
    /// Holds every entry of `formatters` to its rules. Their ids are their own: one may be a
    /// check's too.
    pub fn formatters(&mut self, raw: &[RawFormatter<'n>], problems: &mut Problems<'_>) {
        let checks = std::mem::take(&mut self.ids);
        for raw in raw {
            self.id(raw.id.as_ref(), problems);
            self.program(
                "executable",
                raw.executable.as_ref(),
                raw.args.as_ref(),
                ".",
                problems,
            );
            arguments("args", raw.args.as_ref(), problems);
            globs("match", raw.files.as_ref(), problems);
            duration::limit("timeout", raw.timeout.as_ref(), problems);
        }
        self.ids = checks;
    }
}
