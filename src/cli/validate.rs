//! `check validate`: what is wrong with a manifest, if anything. Nothing is run.

use std::io::{self, Write};
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::launch::Caller;
use crate::model::Diagnostic;
use crate::text::{Printable, plural};

use super::args::ValidateArgs;
use super::place::{self, NoPlace, Place};
use super::printing::Printer;
use super::ready::no_place;
use super::{End, answer, exit, host};

/// What the rules are about, for a person who wants to know what a yes is worth.
const CHECKED: &str = "fields and their types, ids, folders, durations, patterns, globs, formats";

/// Reads the manifest and says what it comes to.
pub fn validate(args: &ValidateArgs, caller: &Caller) -> End {
    let host = host::facts(caller);
    let found = place::declared(&args.place, args.file.as_deref(), caller, &host);
    match found {
        Ok(place) if args.answer.for_programs() => {
            answer(0, |out| writeln!(out, "{:#}", document(Ok(&place))))
        }
        Ok(place) => answer(0, |out| human(&place, out)),
        Err(NoPlace::BadManifest(problems)) if args.answer.for_programs() => {
            answer(exit::OPERATOR, |out| {
                writeln!(out, "{:#}", document(Err(&problems)))
            })
        }
        Err(no) => match Printer::open(&args.answer.as_print(), caller) {
            Ok(printer) => printer.print(*no_place(no, SystemTime::now()), None),
            Err(end) => end,
        },
    }
}

fn human(place: &Place, out: &mut impl Write) -> io::Result<()> {
    let shown = place.manifest.path.as_deref().unwrap_or_default();
    let ids: Vec<&str> = place.checks.iter().map(|check| check.id.as_str()).collect();
    let listed = if ids.len() > MAX_NAMED {
        format!("{}, …", ids[..MAX_NAMED].join(", "))
    } else {
        ids.join(", ")
    };
    let count = plural(ids.len() as u64, "check");
    writeln!(
        out,
        "{}: {count}: {}",
        Printable::new(shown),
        Printable::new(&listed)
    )?;
    writeln!(out, "valid: {CHECKED}; nothing was run")
}

/// Ids that are named on the one line.
const MAX_NAMED: usize = 12;

fn document(found: Result<&Place, &Vec<Diagnostic>>) -> Value {
    let none = Vec::new();
    let (place, problems) = match found {
        Ok(place) => (Some(place), &none),
        Err(problems) => (None, problems),
    };
    let ids: Vec<&str> = place
        .into_iter()
        .flat_map(|place| &place.checks)
        .map(|check| check.id.as_str())
        .collect();
    json!({
        "version": 1,
        "valid": place.is_some(),
        "root": place.map(|place| place.root.display().to_string()),
        "manifest": place.map(|place| &place.manifest),
        "checks": ids,
        "diagnostics": problems,
    })
}
