//! `check host`: what this host gives to checks of this tree, found by launching something; what is left
//! of runs that are gone, and its end.

pub mod attempts;
mod clean;
mod probe;
mod properties;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::contain::{self, UnitFact};
use crate::launch::{Caller, SIX_KEYS, SearchPath, Surroundings, Wanted, find_program};
use crate::model::{Isolation, ManifestFacts, RunSettings};
use crate::ratchet::Baselines;
use crate::report::{HostReport, Program, Style, Unit, Verbosity, host_human, host_json};
use crate::text::plural;
use crate::vcs::Repository;

use super::args::HostArgs;
use super::last;
use super::place::{self, NoPlace, Place};
use super::printing::{Printer, style};
use super::ready::no_place;
use super::remembered::Remembered;
use super::state::State;
use super::{End, answer, host};

/// Looks and says it; with `--clean`, ends what is left of runs that are gone.
pub fn doctor(args: &HostArgs, caller: &Caller) -> End {
    // A manifest with problems does not hide the host.
    let around = place::root(&args.place).or_else(|_| place::top(&args.place));
    let (root, repository) = match around {
        Ok(around) => around,
        Err(no) => {
            return match Printer::open(&args.answer.as_print(), caller) {
                Ok(printer) => printer.print(*no_place(no, SystemTime::now()), None),
                Err(end) => end,
            };
        }
    };
    if args.clean {
        return clean::clean(args, caller, &root, repository.as_ref());
    }
    let facts = host::facts(caller);
    let (place, no_manifest) = match place::find(&args.place, caller, &facts) {
        Ok(place) => {
            let found = place.detected.as_ref();
            let found = found.map(|found| format!("none; found {}", found.family));
            (place, found)
        }
        Err(no) => {
            let settings = facts.default_settings(&root);
            (
                without_manifest(root, repository, settings),
                Some(why_not(&no)),
            )
        }
    };
    look(args, caller, &place, no_manifest)
}

/// A tree of which only the place is known.
fn without_manifest(root: PathBuf, repository: Option<Repository>, settings: RunSettings) -> Place {
    Place {
        settings,
        root,
        repository,
        checks: Vec::new(),
        manifest: ManifestFacts::default(),
        file: None,
        detected: None,
    }
}

fn why_not(no: &NoPlace) -> String {
    match no {
        NoPlace::Usage(message, _) => message.clone(),
        NoPlace::BadManifest(problems) => {
            let problems = plural(problems.len() as u64, "problem");
            format!("{problems} (check validate)")
        }
    }
}

fn look(args: &HostArgs, caller: &Caller, place: &Place, no_manifest: Option<String>) -> End {
    let state = State::open(&place.root, place.repository.as_ref(), caller);
    let report = report(place, no_manifest, state.as_ref(), args.last, caller);
    if args.answer.for_programs() {
        return answer(0, |out| host_json(&report, out));
    }
    let verbosity = if args.verbose {
        Verbosity::Verbose
    } else {
        Verbosity::Normal
    };
    let style = Style {
        verbosity,
        ..style(args.answer.color, caller)
    };
    answer(0, |out| host_human(&report, &style, out))
}

fn report(
    place: &Place,
    no_manifest: Option<String>,
    state: Option<&State>,
    of_last_run: bool,
    caller: &Caller,
) -> HostReport {
    let surroundings = Surroundings::new(caller);
    let (inside, not_passed) = names(place, &surroundings, caller);
    let runtime = caller.path_var("XDG_RUNTIME_DIR");
    // Before the probe, which has a unit of its own.
    let units = contain::units(runtime.as_deref()).map(|mut units| {
        if of_last_run {
            let ours = state.map(of_the_last_run).unwrap_or_default();
            units.retain(|unit| ours.contains(&unit.name));
        }
        units.into_iter().map(unit).collect()
    });
    let (isolation, properties, not_probed) = match probe::probe(place, state, caller) {
        Ok(probed) => {
            let properties = properties::properties(&probed.isolation, &probed.attempts);
            (probed.isolation, properties, None)
        }
        Err(error) => (Isolation::default(), Vec::new(), Some(format!("{error:#}"))),
    };
    HostReport {
        root: place.root.display().to_string(),
        repository: place.repository.as_ref().map(in_words),
        manifest: place.manifest.clone(),
        no_manifest,
        baseline: baseline(&place.root),
        programs: programs(place, surroundings.path(), state),
        inside,
        not_passed,
        isolation,
        not_probed,
        properties,
        units,
        of_last_run,
    }
}

fn in_words(repository: &Repository) -> String {
    let common = repository.common_dir();
    let main = common.filter(|common| repository.git_dir().is_some_and(|git| git != *common));
    match main.and_then(Path::parent) {
        Some(main) => format!("git, worktree of {}", main.display()),
        None => "git".to_owned(),
    }
}

fn baseline(root: &Path) -> Option<(u64, u64)> {
    let baselines = Baselines::load(root, &[]).ok()?;
    let mut sum = (0, 0);
    for baseline in baselines.all().filter(|baseline| baseline.failures() > 0) {
        sum = (sum.0 + baseline.failures(), sum.1 + 1);
    }
    Some(sum)
}

/// Each program once, where its first check would find it.
fn programs(place: &Place, path: &SearchPath, state: Option<&State>) -> Vec<Program> {
    let remembered = Remembered::read(state);
    let mut programs: Vec<Program> = Vec::new();
    for check in place.checks.iter().filter(|check| !check.argv().is_empty()) {
        let name = check.executable();
        if programs.iter().any(|program| program.name == name) {
            continue;
        }
        let found = find_program(name, &place.root.join(&check.cwd), &check.cwd, path);
        let version = found.as_ref().ok().and_then(|found| {
            let said = remembered.versions.of_program(found);
            said.map(str::to_owned)
        });
        programs.push(Program {
            name: name.to_owned(),
            version,
            missing: found.as_ref().err().map(ToString::to_string),
            path: found.ok().map(|path| path.display().to_string()),
        });
    }
    programs
}

/// What any check gets, and what only the caller has.
fn names(
    place: &Place,
    surroundings: &Surroundings<'_>,
    caller: &Caller,
) -> (Vec<String>, Vec<String>) {
    let none = BTreeMap::new();
    let of_checks = place.checks.iter().map(|check| Wanted {
        executable: check.executable(),
        env: &check.env,
        pass_env: &check.pass_env,
    });
    let bare = Wanted {
        executable: "",
        env: &none,
        pass_env: &[],
    };
    let mut inside: Vec<String> = Vec::new();
    for wanted in of_checks.chain([bare]) {
        for (name, _) in surroundings.environment(Path::new("/"), wanted).vars {
            let name = name.to_string_lossy().into_owned();
            if !inside.contains(&name) {
                inside.push(name);
            }
        }
    }
    inside.sort_by_key(|name| (rank(name), name.clone()));
    let mut outside = caller.names();
    outside.retain(|name| !inside.contains(name));
    outside.sort_unstable();
    (inside, outside)
}

/// The six keys first.
fn rank(name: &str) -> usize {
    let place = SIX_KEYS.iter().position(|first| *first == name);
    place.unwrap_or(SIX_KEYS.len())
}

/// The units that the checks of the last run had, as its verdict names them.
fn of_the_last_run(state: &State) -> Vec<String> {
    let verdict = last::kept(state).into_iter();
    let checks = verdict.flat_map(|verdict| verdict.checks);
    checks.filter_map(|check| check.isolation.unit).collect()
}

fn unit(fact: UnitFact) -> Unit {
    Unit {
        name: fact.name,
        controller: fact.controller,
        alive: fact.alive,
        age_ms: fact.age.and_then(|age| u64::try_from(age.as_millis()).ok()),
    }
}
