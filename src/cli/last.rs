//! `check last`: the last verdict again, without running anything.

use std::time::SystemTime;

use crate::launch::Caller;
use crate::model::{Route, Verdict};
use crate::report::{empty_verdict, usage_verdict};
use crate::text::nearest;

use super::End;
use super::args::LastArgs;
use super::place;
use super::printing::Printer;
use super::ready::{Unrun, no_place};
use super::run::LAST;
use super::state::State;

/// Larger is no verdict of ours.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Shows it, or says that there is none. Gives that verdict's exit code.
pub fn last(args: &LastArgs, caller: &Caller) -> End {
    let printer = match Printer::open(&args.print, caller) {
        Ok(printer) => printer.at(&args.place),
        Err(end) => return end,
    };
    match read(args, caller) {
        Ok(verdict) | Err(verdict) => printer.print(*verdict, None),
    }
}

fn read(args: &LastArgs, caller: &Caller) -> Result<Box<Verdict>, Unrun> {
    let now = SystemTime::now();
    let (root, repository) = place::root(&args.place).map_err(|no| no_place(no, now))?;
    let state = State::open(&root, repository.as_ref(), caller);
    let mut verdict = state.as_ref().and_then(kept).ok_or_else(|| {
        let reason = "no verdict is kept of this tree yet".to_owned();
        let mut none = empty_verdict(Some(reason), Route::Operator, now);
        none.notes.push("make one: check".to_owned());
        Box::new(none)
    })?;
    narrow(&mut verdict, &args.ids, now)?;
    Ok(Box::new(verdict))
}

/// The last verdict. A torn file is as good as none.
pub fn kept(state: &State) -> Option<Verdict> {
    let bytes = state.folder.read(LAST, MAX_BYTES).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Only the checks that were named are shown; the verdict stays that of all.
fn narrow(verdict: &mut Verdict, ids: &[String], now: SystemTime) -> Result<(), Unrun> {
    if ids.is_empty() {
        return Ok(());
    }
    let known: Vec<&str> = verdict
        .checks
        .iter()
        .map(|check| check.id.as_str())
        .collect();
    if let Some(word) = ids
        .iter()
        .find(|id| !known.iter().any(|k| k.eq_ignore_ascii_case(id)))
    {
        let hint = nearest(word, &known).map(|id| format!("did you mean:  check last {id}"));
        let message = format!("no check of the last run is named {word:?}");
        let none = usage_verdict(message, hint.into_iter().collect(), now);
        return Err(Box::new(none));
    }
    verdict
        .checks
        .retain(|check| ids.iter().any(|id| id.eq_ignore_ascii_case(&check.id)));
    Ok(())
}
