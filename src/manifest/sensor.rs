//! One sensor: a check whose command is a text for the shell, or that asks the history of files.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::executable;
use super::fields::At;
use super::glob::globs;
use super::output;
use super::problems::Problems;
use super::raw::{RawSensor, RawSource};
use super::resolver::Resolver;
use crate::model::{CheckSpec, Freshness, Source};

/// Runs a text; the contract names this one shell.
const SHELL: &str = "/bin/sh";

impl<'n> Resolver<'n> {
    /// The resolved form of `raw`; `None` where a problem keeps it from being one. `env` is
    /// what every sensor gets.
    pub fn sensor(
        &mut self,
        raw: &RawSensor<'n>,
        env: &Arc<BTreeMap<String, String>>,
        problems: &mut Problems<'_>,
    ) -> Option<CheckSpec> {
        let id = self.id(Some(&raw.id), problems);
        let common = self.common(&raw.common, Arc::clone(env), problems);
        let source = raw.source.as_ref().and_then(|raw| source(raw, problems));
        let version = script("version_command", raw.version_command.as_ref(), problems);
        let output = output::of_sensor(
            raw.output.as_ref(),
            self.formats,
            &mut self.patterns,
            problems,
        );
        let declared_at = self.declared_at(raw.source.as_ref()?.span.start, problems);
        Some(CheckSpec {
            output,
            version: version
                .map(|script| shell(script).to_vec())
                .unwrap_or_default(),
            sensor: true,
            ..common?.check(id?, source?, declared_at)
        })
    }
}

/// The one of two that is written.
fn source(raw: &RawSource<'_>, problems: &mut Problems<'_>) -> Option<Source> {
    let both_lists = "files are the artefacts, inputs what they are made from";
    match (raw.has_command, raw.has_files || raw.has_inputs) {
        (true, true) => {
            let hint = "a sensor runs a command or compares files: make two of it";
            problems.advise(&raw.span, "source has a command and files", hint);
            None
        }
        (false, false) => {
            let hint = "source has a command, or files and inputs";
            problems.advise(&raw.span, "source is empty", hint);
            None
        }
        (true, false) => {
            let given = raw.command.as_ref()?;
            if given.value.trim().is_empty() {
                let hint = "name what the shell shall run";
                problems.advise(&given.span, "source.command is empty", hint);
                return None;
            }
            let [executable, args @ ..] = shell(script("source.command", Some(given), problems)?);
            let args = args.to_vec();
            Some(Source::Command { executable, args })
        }
        (false, true) => {
            for (there, name) in [(raw.has_files, "files"), (raw.has_inputs, "inputs")] {
                if !there {
                    problems.advise(&raw.span, format!("source.{name} is missing"), both_lists);
                }
            }
            for (name, list) in [("files", &raw.files), ("inputs", &raw.inputs)] {
                if let Some(list) = list.as_ref().filter(|list| list.value.is_empty()) {
                    problems.advise(&list.span, format!("source.{name} is empty"), both_lists);
                }
            }
            Some(Source::Files(Freshness {
                files: globs("source.files", raw.files.as_ref(), problems),
                inputs: globs("source.inputs", raw.inputs.as_ref(), problems),
            }))
        }
    }
}

/// A text for the shell; an empty one is absent.
fn script(name: &str, given: Option<&At<&str>>, problems: &mut Problems<'_>) -> Option<String> {
    let given = given.filter(|given| !given.value.trim().is_empty())?;
    if given.value.contains('\0') {
        problems.say(&given.span, executable::holds_nul(name));
        return None;
    }
    Some(given.value.to_owned())
}

fn shell(script: String) -> [String; 3] {
    [SHELL.to_owned(), "-c".to_owned(), script]
}
