//! What every check of one manifest is resolved against, and the rules that checks, sensors and
//! records share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::choice::{CATEGORY, LEAKS, NETWORK, RATCHET, ROLE, TOLERANCE, choose};
use super::cwd::Folders;
use super::duration;
use super::environment;
use super::fields::At;
use super::glob::globs;
use super::ids::Ids;
use super::pattern::Patterns;
use super::problems::Problems;
use super::raw::{RawCommon, Texts};
use super::syntax::{Syntax, cited};
use crate::model::{
    Category, CheckId, CheckSpec, CountOn, DeclaredAt, Leaks, Network, OutputSpec, Ratchet, Role,
    Source, Tolerance,
};

/// See the module.
pub(super) struct Resolver<'a> {
    pub syntax: Syntax,
    /// As people know the file.
    pub shown: Arc<str>,
    pub formats: &'a [&'static str],
    pub folders: Folders<'a>,
    pub patterns: Patterns<'a>,
    /// What every check gets: `checks_env`, and the harness's folder where it is to be told.
    pub env: Arc<BTreeMap<String, String>>,
    pub ids: Ids<'a>,
}

/// What [`RawCommon`] comes to.
pub(super) struct Common {
    pub cwd: String,
    timeout: Option<Duration>,
    area: Option<String>,
    paths: Vec<String>,
    tolerance: Tolerance,
    category: Option<Category>,
    role: Role,
    ratchet: Ratchet,
    env: Arc<BTreeMap<String, String>>,
    pass_env: Vec<String>,
    network: Network,
    allow_empty: bool,
    leaks: Leaks,
    floor: bool,
    exclusive: bool,
}

impl Common {
    /// The check `id` with all of this; it is declared at `declared_at`.
    pub fn check(self, id: CheckId, source: Source, declared_at: DeclaredAt) -> CheckSpec {
        CheckSpec {
            id,
            source,
            sensor: false,
            cwd: self.cwd,
            timeout: self.timeout,
            area: self.area,
            paths: self.paths,
            tolerance: self.tolerance,
            category: self.category,
            role: self.role,
            ratchet: self.ratchet,
            env: self.env,
            pass_env: self.pass_env,
            network: self.network,
            allow_empty: self.allow_empty,
            leaks: self.leaks,
            floor: self.floor,
            exclusive: self.exclusive,
            declared_at: Some(declared_at),
            shot: None,
            version: Vec::new(),
            output: OutputSpec::default(),
            count_on: CountOn::Failure,
            shards: 0,
            detected: false,
            only_named: false,
        }
    }
}

impl<'n> Resolver<'n> {
    /// `None` where there is no folder to run in; everything is looked at all the same.
    pub fn common(
        &mut self,
        raw: &RawCommon<'n>,
        mut env: Arc<BTreeMap<String, String>>,
        problems: &mut Problems<'_>,
    ) -> Option<Common> {
        // Shared by all checks that add nothing of their own.
        if let Some(own) = &raw.env {
            environment::values("env", own, Arc::make_mut(&mut env), problems);
        }
        let is = |flag: &Option<At<bool>>| flag.as_ref().is_some_and(|at| at.value);
        let tolerance = choose("tolerance", raw.tolerance.as_ref(), TOLERANCE, problems);
        let role = choose("role", raw.role.as_ref(), ROLE, problems);
        let ratchet = choose("ratchet", raw.ratchet.as_ref(), RATCHET, problems);
        let network = choose("network", raw.network.as_ref(), NETWORK, problems);
        let leaks = choose("leaks", raw.leaks.as_ref(), LEAKS, problems);
        let cwd = self.cwd(raw.cwd.as_ref(), problems);
        let common = Common {
            cwd: String::new(),
            timeout: duration::limit("timeout", raw.timeout.as_ref(), problems),
            area: area(raw.area.as_ref()),
            paths: globs("paths", raw.paths.as_ref(), problems),
            tolerance: tolerance.unwrap_or_default(),
            category: choose("category", raw.category.as_ref(), CATEGORY, problems),
            role: role.unwrap_or_default(),
            ratchet: ratchet.unwrap_or_default(),
            env,
            pass_env: environment::names(raw.pass_env.as_ref(), problems),
            network: network.unwrap_or_default(),
            allow_empty: is(&raw.allow_empty),
            leaks: leaks.unwrap_or_default(),
            floor: is(&raw.floor),
            exclusive: is(&raw.exclusive),
        };
        cwd.map(|cwd| Common { cwd, ..common })
    }

    /// An id that nothing before it has.
    pub fn id(
        &mut self,
        given: Option<&At<&'n str>>,
        problems: &mut Problems<'_>,
    ) -> Option<CheckId> {
        let given = given?;
        let id = match CheckId::new(given.value) {
            Ok(id) => id,
            Err(error) => {
                problems.say(&given.span, format!("id {error}"));
                return None;
            }
        };
        let first = self.ids.first(given.value, given.span.start);
        if first != given.span.start {
            // The same key twice in one map is told by the reader of the map.
            if problems.is_beyond(&given.span) || problems.has_at(&given.span) {
                return None;
            }
            let place = problems.place(first);
            let message = format!("id {} is taken: see {place}", cited(id.as_str()));
            problems.advise(&given.span, message, "ids differ in more than letter case");
            return None;
        }
        Some(id)
    }

    fn cwd(&mut self, given: Option<&At<&'n str>>, problems: &mut Problems<'_>) -> Option<String> {
        let Some(given) = given else {
            return Some(".".to_owned());
        };
        self.folders.read("cwd", given, problems)
    }

    /// Where `span` stands, for messages.
    pub fn declared_at(&self, start: u32, problems: &Problems<'_>) -> DeclaredAt {
        DeclaredAt {
            path: Arc::clone(&self.shown),
            line: problems.lines.line(start),
        }
    }
}

/// An argument can hold anything but the one character that would end it.
pub(super) fn arguments(
    name: &str,
    given: Option<&Texts<'_>>,
    problems: &mut Problems<'_>,
) -> Vec<String> {
    let given: &[At<&str>] = given.map_or(&[], |list| &list.value);
    for (i, arg) in given.iter().enumerate() {
        if arg.value.contains('\0') {
            problems.say(&arg.span, format!("{name}[{i}] holds a NUL character"));
        }
    }
    given.iter().map(|arg| arg.value.to_owned()).collect()
}

/// A name to select by.
fn area(given: Option<&At<&str>>) -> Option<String> {
    let text = given?.value.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
