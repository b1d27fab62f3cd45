//! `check list`: what would run. Nothing is run.

use std::time::SystemTime;

use crate::launch::Caller;
use crate::model::Verdict;
use crate::report::{Listing, list_human, list_json};

use super::args::ListArgs;
use super::place;
use super::printing::{Printer, style};
use super::ready::{Unrun, no_place, unknown_word};
use super::select::{self, Wanted};
use super::{End, answer, commands, host};

/// Says it, or why that cannot be said.
pub fn list(args: &ListArgs, caller: &Caller) -> End {
    match listing(args, caller) {
        Ok(listing) if args.answer.for_programs() => answer(0, |out| list_json(&listing, out)),
        Ok(listing) => {
            let style = style(args.answer.color, caller);
            answer(0, |out| list_human(&listing, &style, out))
        }
        Err(unrun) => match Printer::open(&args.answer.as_print(), caller) {
            Ok(printer) => printer.print(*unrun, None),
            Err(end) => end,
        },
    }
}

fn listing(args: &ListArgs, caller: &Caller) -> Result<Listing, Unrun> {
    let now = SystemTime::now();
    let host = host::facts(caller);
    let place = place::find(&args.place, caller, &host).map_err(|no| no_place(no, now))?;
    let wanted = Wanted {
        selectors: &args.selectors,
        only: &args.select.only,
        skip: &args.select.skip,
    };
    let commands = commands();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let selection = select::select(place.checks, wanted, &commands).map_err(|word| {
        Box::new(Verdict {
            root: Some(place.root.display().to_string()),
            manifest: place.manifest.clone(),
            ..unknown_word(&word, now)
        })
    })?;
    Ok(Listing {
        root: place.root.display().to_string(),
        manifest: place.manifest,
        detected: place.detected,
        checks: selection.chosen,
        not_selected: selection.rest,
        only_named: selection.only_named,
    })
}
