//! `check host --clean`: the end of what is left of runs that are gone, and of nothing else.

use std::io::Write as _;
use std::path::Path;

use serde_json::json;

use crate::cli::args::HostArgs;
use crate::cli::judging::end_dead_run;
use crate::cli::state::State;
use crate::cli::{End, answer, holder};
use crate::contain::{self, Cleaned};
use crate::exit;
use crate::launch::{Caller, HomePlace};
use crate::run::record::Record;
use crate::text::Printable;
use crate::vcs::Repository;

/// Ends it, and says what it was. The exit code is 2 where something of it could not be ended.
pub fn clean(
    args: &HostArgs,
    caller: &Caller,
    root: &Path,
    repository: Option<&Repository>,
) -> End {
    let runtime = caller.path_var("XDG_RUNTIME_DIR");
    let units = contain::clean(runtime.as_deref());
    let of_the_root = of_the_root(caller, root, repository);
    let left = units.iter().flatten().any(|unit| !unit.gone);
    let code = if left { exit::OPERATOR } else { 0 };
    if args.answer.for_programs() {
        let cleaned: Vec<_> = units
            .iter()
            .flatten()
            .map(|unit| json!({"name": unit.fact.name, "gone": unit.gone, "error": unit.error}))
            .collect();
        let document = json!({
            "version": 1,
            "units": cleaned,
            "units_not_asked": units.as_ref().err(),
            "left_by_the_last_run": of_the_root,
        });
        return answer(code, |out| writeln!(out, "{document:#}"));
    }
    let mut lines: Vec<String> = units.iter().flatten().map(in_words).collect();
    lines.extend(of_the_root);
    if lines.is_empty() {
        lines.push("nothing is left of any run that is gone".to_owned());
    }
    if let Err(why) = &units {
        lines.push(format!(
            "units cannot be asked for: {}",
            Printable::new(why)
        ));
    }
    answer(code, |out| {
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    })
}

/// A run of this root that was killed left its traces, and no other runs in it now.
fn of_the_root(caller: &Caller, root: &Path, repository: Option<&Repository>) -> Option<String> {
    let state = State::open(root, repository, caller)?;
    let taken = holder::take(root, None, Some(&state), caller).ok()?;
    taken.lock.as_ref()?;
    let record = Record::begin(Some(&state.folder), 0);
    let homes = HomePlace::new(caller, root, true, &[]);
    end_dead_run(&record, homes.path())
}

fn in_words(unit: &Cleaned) -> String {
    let name = Printable::new(&unit.fact.name);
    match (&unit.error, unit.gone) {
        (_, true) => format!("ended {name}"),
        (Some(error), false) => format!("could not end {name}: {}", Printable::new(error)),
        (None, false) => format!("could not end {name}: it is still there"),
    }
}
