//! One check: from what is written to what is run.

use std::collections::{BTreeMap, HashMap};

use super::choice::{CATEGORY, COUNT_ON, LEAKS, NETWORK, RATCHET, ROLE, TOLERANCE, choose};
use super::cwd::Folders;
use super::duration;
use super::environment;
use super::executable;
use super::fields::At;
use super::not_yet;
use super::output;
use super::problems::Problems;
use super::raw::RawCheck;
use super::syntax::{Syntax, cited};
use crate::model::{CheckId, CheckSpec, DeclaredAt};

/// What every check of one manifest is resolved against.
pub(super) struct Resolver<'a> {
    pub syntax: Syntax,
    /// As people know the file.
    pub shown: &'a str,
    pub formats: &'a [&'a str],
    pub folders: Folders<'a>,
    /// `checks_env`.
    pub env: BTreeMap<String, String>,
    /// Each id, letter case folded, with where it stands first.
    pub ids: HashMap<String, usize>,
}

impl<'n> Resolver<'n> {
    /// The resolved form of `raw`; `None` where a problem keeps it from being one.
    pub fn resolve(
        &mut self,
        raw: &RawCheck<'n>,
        problems: &mut Problems<'_>,
    ) -> Option<CheckSpec> {
        let id = self.id(raw.id.as_ref(), problems);
        let cwd = self.cwd(raw.cwd.as_ref(), problems);
        let args: &[At<&str>] = raw.args.as_ref().map_or(&[], |list| &list.value);
        for (i, arg) in args.iter().enumerate() {
            if arg.value.contains('\0') {
                problems.say(&arg.span, format!("args[{i}] holds a NUL character"));
            }
        }
        if let Some(executable) = &raw.executable {
            let folder = cwd.as_deref().unwrap_or(".");
            executable::check(
                executable,
                args,
                folder,
                &self.folders,
                self.syntax,
                problems,
            );
        }
        let mut env = self.env.clone();
        environment::values("env", raw.env.as_ref(), &mut env, problems);
        let pass_env = environment::names(raw.pass_env.as_ref(), problems);
        let tolerance = choose("tolerance", raw.tolerance.as_ref(), TOLERANCE, problems);
        let category = choose("category", raw.category.as_ref(), CATEGORY, problems);
        let leaks = choose("leaks", raw.leaks.as_ref(), LEAKS, problems);
        let timeout = duration::limit("timeout", raw.timeout.as_ref(), problems);
        let output = output::resolve(raw.output.as_ref(), self.formats, problems);
        refuse_later_ones(raw, problems);
        let executable = raw.executable.as_ref()?;
        let args = args.iter().map(|arg| arg.value.to_owned()).collect();
        Some(CheckSpec {
            cwd: cwd?,
            timeout,
            tolerance: tolerance.unwrap_or_default(),
            category,
            area: raw
                .area
                .as_ref()
                .map(|at| at.value.to_owned())
                .filter(|area| !area.is_empty()),
            output,
            env,
            pass_env,
            allow_empty: raw.allow_empty.as_ref().is_some_and(|at| at.value),
            leaks: leaks.unwrap_or_default(),
            exclusive: raw.exclusive.as_ref().is_some_and(|at| at.value),
            declared_at: Some(DeclaredAt {
                path: self.shown.to_owned(),
                line: problems.lines.line(executable.span.start),
            }),
            ..CheckSpec::new(id?, executable.value, args)
        })
    }

    fn id(&mut self, given: Option<&At<&str>>, problems: &mut Problems<'_>) -> Option<CheckId> {
        let given = given?;
        let id = match CheckId::new(given.value) {
            Ok(id) => id,
            Err(error) => {
                problems.say(&given.span, format!("id {error}"));
                return None;
            }
        };
        let first = *self.ids.entry(id.folded()).or_insert(given.span.start);
        if first != given.span.start {
            let place = problems.place(first);
            let message = format!("id {} is taken: see {place}", cited(id.as_str()));
            problems.advise(&given.span, message, "ids differ in more than letter case");
            return None;
        }
        Some(id)
    }

    fn cwd(&mut self, given: Option<&At<&'n str>>, problems: &mut Problems<'_>) -> Option<String> {
        let text = given.map_or(".", |at| at.value);
        match self.folders.resolve(text) {
            Ok(folder) => Some(folder),
            Err(error) => {
                let span = given.map_or(0..0, |at| at.span.clone());
                match error.hint(text) {
                    Some(hint) => problems.advise(&span, format!("cwd {error}"), hint),
                    None => problems.say(&span, format!("cwd {error}")),
                }
                None
            }
        }
    }
}

/// Fields whose rooms are not built: valid or not is said first, then that they do nothing.
fn refuse_later_ones(raw: &RawCheck<'_>, problems: &mut Problems<'_>) {
    if let Some(shot) = raw.shot.as_ref().filter(|at| !at.value.is_empty()) {
        if shot.value.contains(['/', '\\', '\0']) || matches!(shot.value, "." | "..") {
            problems.advise(
                &shot.span,
                "shot must be a bare file name",
                "it becomes <shot>.png",
            );
        } else {
            not_yet::refuse("shot", &shot.span, problems);
        }
    }
    for (name, list) in [("paths", &raw.paths), ("version", &raw.version)] {
        if let Some(list) = list.as_ref().filter(|list| !list.value.is_empty()) {
            not_yet::refuse(name, &list.span, problems);
        }
    }
    not_yet::word("role", raw.role.as_ref(), ROLE, problems);
    not_yet::word("ratchet", raw.ratchet.as_ref(), RATCHET, problems);
    not_yet::word("count_on", raw.count_on.as_ref(), COUNT_ON, problems);
    not_yet::word("network", raw.network.as_ref(), NETWORK, problems);
    if let Some(floor) = raw.floor.as_ref().filter(|at| at.value) {
        not_yet::refuse("floor", &floor.span, problems);
    }
    if let Some(shards) = raw.shards.as_ref().filter(|at| at.value > 0) {
        not_yet::refuse("shards", &shards.span, problems);
    }
}
