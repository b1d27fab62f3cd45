//! `check init`: what detection finds, as a manifest to be kept and changed.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::SystemTime;

use crate::detect;
use crate::launch::Caller;
use crate::report::command_line;
use crate::text::{Printable, plural};

use super::args::{Color, InitArgs, PlaceArgs};
use super::place::{self, NoPlace};
use super::printing::Printer;
use super::ready::no_place;
use super::{End, answer, host};

/// Writes it, where there is none. A new manifest takes nothing from a bar that nobody has set,
/// so that an agent may do this as well.
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
    let (root, file) = place::unwritten(&args.place, caller)?;
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

/// A file that is there stays as it is, also when it came to be just now.
fn create(file: &Path, text: &str) -> io::Result<()> {
    let mut open = File::create_new(file)?;
    open.write_all(text.as_bytes()).inspect_err(|_| {
        // Half a manifest would be read as one.
        let _ = fs::remove_file(file);
    })
}
