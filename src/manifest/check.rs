//! One check: from what is written to what is run.

use std::sync::Arc;

use super::choice::{COUNT_ON, choose};
use super::executable;
use super::fields::At;
use super::output;
use super::problems::Problems;
use super::raw::{RawCheck, Texts};
use super::resolver::{Resolver, arguments};
use crate::model::{CheckSpec, Source};

impl<'n> Resolver<'n> {
    /// The resolved form of `raw`; `None` where a problem keeps it from being one.
    pub fn check(&mut self, raw: &RawCheck<'n>, problems: &mut Problems<'_>) -> Option<CheckSpec> {
        let id = self.id(raw.id.as_ref(), problems);
        let common = self.common(&raw.common, Arc::clone(&self.env), problems);
        let args = arguments("args", raw.args.as_ref(), problems);
        let cwd = common.as_ref().map_or(".", |common| &common.cwd);
        self.program(
            "executable",
            raw.executable.as_ref(),
            raw.args.as_ref(),
            cwd,
            problems,
        );
        let version = self.version(raw.version.as_ref(), cwd, problems);
        let shot = shot(raw.shot.as_ref(), problems);
        let output = output::of_check(
            raw.output.as_ref(),
            self.formats,
            &mut self.patterns,
            problems,
        );
        let count_on = choose("count_on", raw.count_on.as_ref(), COUNT_ON, problems);
        let executable = raw.executable.as_ref()?;
        let source = Source::Command {
            executable: executable.value.to_owned(),
            args,
        };
        let declared_at = self.declared_at(executable.span.start, problems);
        Some(CheckSpec {
            output,
            version,
            shot,
            count_on: count_on.unwrap_or_default(),
            shards: raw.shards.as_ref().map_or(0, |at| at.value),
            ..common?.check(id?, source, declared_at)
        })
    }

    /// Refuses what is no program.
    pub(super) fn program(
        &self,
        name: &str,
        given: Option<&At<&str>>,
        args: Option<&Texts<'_>>,
        cwd: &str,
        problems: &mut Problems<'_>,
    ) {
        if let Some(given) = given {
            let args: &[At<&str>] = args.map_or(&[], |list| &list.value);
            let place = executable::Place {
                name,
                cwd,
                folders: &self.folders,
                syntax: self.syntax,
            };
            executable::check(given, args, place, problems);
        }
    }

    /// The argument vector of a probe.
    fn version(
        &self,
        given: Option<&Texts<'_>>,
        cwd: &str,
        problems: &mut Problems<'_>,
    ) -> Vec<String> {
        let argv = arguments("version", given, problems);
        if let Some((program, args)) = given.and_then(|list| list.value.split_first()) {
            let place = executable::Place {
                name: "version",
                cwd,
                folders: &self.folders,
                syntax: self.syntax,
            };
            executable::check(program, args, place, problems);
        }
        argv
    }
}

/// The picture's name without `.png`.
fn shot(given: Option<&At<&str>>, problems: &mut Problems<'_>) -> Option<String> {
    let given = given.filter(|given| !given.value.is_empty())?;
    let text = given.value;
    let bare = !text.contains(|c: char| matches!(c, '/' | '\\' | ':') || c.is_control())
        && !matches!(text, "." | "..")
        && !text.trim().is_empty();
    if bare {
        return Some(text.to_owned());
    }
    let hint = "the picture is <cwd>/.smith/shots/<shot>.png";
    problems.advise(&given.span, "shot must be a bare file name", hint);
    None
}
