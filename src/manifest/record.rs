//! A tracker's records: a list that stands for the manifest.

use super::duration;
use super::problems::Problems;
use super::raw::RawRecord;
use super::resolver::{Resolver, arguments};
use crate::model::CheckSpec;

impl<'n> Resolver<'n> {
    /// The resolved form of `raw`; `None` where a problem keeps it from being one.
    pub fn record(
        &mut self,
        raw: &RawRecord<'n>,
        problems: &mut Problems<'_>,
    ) -> Option<CheckSpec> {
        let id = self.id(raw.id.as_ref(), problems);
        let args = arguments("args", raw.args.as_ref(), problems);
        self.program(
            "executable",
            raw.executable.as_ref(),
            raw.args.as_ref(),
            ".",
            problems,
        );
        let timeout = duration::limit("timeout", raw.timeout.as_ref(), problems);
        let executable = raw.executable.as_ref()?;
        Some(CheckSpec {
            timeout,
            env: self.env.clone(),
            declared_at: Some(self.declared_at(executable.span.start, problems)),
            ..CheckSpec::new(id?, executable.value, args)
        })
    }
}
