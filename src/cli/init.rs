//! `check init`: what detection finds, as a manifest to be kept and changed.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::SystemTime;

use crate::bar::{Attempt, is_set, log_attempt};
use crate::detect;
use crate::launch::Caller;
use crate::report::command_line;
use crate::text::{Printable, plural};

use super::args::{Color, InitArgs, PlaceArgs};
use super::place::{self, NoPlace, Unwritten};
use super::printing::Printer;
use super::ready::{mark, no_place};
use super::state::State;
use super::{End, answer, host};

/// Writes it, where there is none. A new manifest takes nothing from a bar that nobody has set,
/// so that an agent may do this as well; where there is one, an agent may put none beside it.
pub fn init(args: &InitArgs, caller: &Caller) -> End {
    match write(args, caller) {
        Ok((file, checks)) => answer(0, |out| {
            let shown = Printable::new(&file).to_string();
            writeln!(out, "wrote {shown}: {}", plural(checks as u64, "check"))?;
            let check = again(&args.place);
            writeln!(out, "see them: {check} list    run them: {check}")
        }),
        Err(no) => {
            let verdict = no_place(no, SystemTime::now());
            Printer::human(Color::Auto, caller).print(*verdict, None)
        }
    }
}

/// How to find that manifest again.
fn again(place: &PlaceArgs) -> String {
    let mut words = vec!["check".to_owned()];
    words.extend(place.words());
    command_line(&words)
}

/// The file as shown to people, and how many checks it holds.
fn write(args: &InitArgs, caller: &Caller) -> Result<(String, usize), NoPlace> {
    let host = host::facts(caller);
    let unwritten = place::unwritten(&args.place, caller)?;
    if let Some(mark) = mark(&args.place, caller)
        && let Some(beside) = unwritten.beside()?
    {
        return Err(refused(&unwritten, &mark, &beside, caller));
    }
    let Unwritten { root, file, .. } = unwritten;
    let found = detect::detect(&root, &host).map_err(place::not_detected)?;
    let text = detect::harness_json(&found);
    let shown = place::shown(&file, &root, caller);
    create(&file, &text).map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            return place::already(&shown);
        }
        NoPlace::Usage(format!("{shown} cannot be written: {error}"), Vec::new())
    })?;
    let checks = found
        .checks
        .iter()
        .filter(|check| !check.only_named)
        .count();
    Ok((shown, checks))
}

/// Why an agent may not write it, which is logged.
fn refused(unwritten: &Unwritten, mark: &str, beside: &Path, caller: &Caller) -> NoPlace {
    let shown = place::shown(beside, &unwritten.root, caller);
    let message = format!(
        "init is refused in an agent's run ({}): {shown} is there, and another manifest could \
         stand in its place",
        is_set(mark)
    );
    if let Some(state) = State::open(&unwritten.root, unwritten.repository.as_ref(), caller) {
        let attempt = Attempt {
            at: &humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            act: "init",
            mark: Some(mark),
            done: false,
            outcome: &message,
        };
        // It is refused all the same.
        let _ = log_attempt(state.folder.path(), &attempt);
    }
    let hint = format!("change {shown}, or ask a person to run it in their own terminal");
    NoPlace::Usage(message, vec![hint])
}

/// A file that is there stays as it is, also when it came to be just now.
fn create(file: &Path, text: &str) -> io::Result<()> {
    let mut open = File::create_new(file)?;
    open.write_all(text.as_bytes()).inspect_err(|_| {
        // Half a manifest would be read as one.
        let _ = fs::remove_file(file);
    })
}
