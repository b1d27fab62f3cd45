//! The program that a check runs: a name or a path, never a command line.

use super::cwd::Folders;
use super::fields::At;
use super::problems::Problems;
use super::syntax::{Syntax, cited, quoted};

/// What only a shell would understand.
const SHELL: [char; 8] = ['|', '&', ';', '<', '>', '$', '`', '*'];

/// Where a program is named, and what its path starts from.
#[derive(Clone, Copy)]
pub(super) struct Place<'p, 'f> {
    /// The field: `executable`, or one whose first text is a program.
    pub name: &'p str,
    /// The check's, resolved.
    pub cwd: &'p str,
    pub folders: &'p Folders<'f>,
    pub syntax: Syntax,
}

/// Refuses what is no program: nothing, a NUL, or a command line where no file of that name is.
pub(super) fn check(
    executable: &At<&str>,
    args: &[At<&str>],
    place: Place<'_, '_>,
    problems: &mut Problems<'_>,
) {
    let (text, span, name) = (executable.value, &executable.span, place.name);
    if text.trim().is_empty() {
        problems.advise(span, format!("{name} is empty"), "name the program to run");
    } else if text.contains('\0') {
        problems.say(span, holds_nul(name));
    } else if text.contains(char::is_whitespace) && !place.folders.is_file(place.cwd, text) {
        let what = if text.contains(' ') {
            "a space"
        } else {
            "white space"
        };
        let message = format!("{name} holds {what} and names no file");
        problems.advise(span, message, instead(text, args, place));
    }
}

/// The character that would end any argument.
pub(super) fn holds_nul(name: &str) -> String {
    format!("{name} holds a NUL character")
}

/// Nobody copies more bytes from a hint.
const LONGEST: usize = 1000;

/// What to write instead of a command line.
fn instead(text: &str, args: &[At<&str>], place: Place<'_, '_>) -> String {
    let told: usize = args.iter().map(|arg| arg.value.len() + 1).sum();
    if text.len() + told > LONGEST {
        return "no shell reads it; write each word as a text of its own".to_owned();
    }
    let spelled = |program: &str, args: &[String]| {
        let list = |words: &[String]| format!("[{}]", words.join(", "));
        if place.name != "executable" {
            let all: Vec<String> = std::iter::once(program.to_owned())
                .chain(args.iter().cloned())
                .collect();
            return place.syntax.pair(place.name, &list(&all));
        }
        let executable = place.syntax.pair("executable", program);
        if args.is_empty() {
            return executable;
        }
        format!("{executable}, {}", place.syntax.pair("args", &list(args)))
    };
    if text.contains(SHELL) {
        let shell = spelled("\"sh\"", &["\"-c\"".to_owned(), quoted(text)]);
        return format!("no shell reads it; write {shell}");
    }
    let mut words = text.split_whitespace().map(cited);
    let program = words.next().unwrap_or_default();
    let args: Vec<String> = words
        .chain(args.iter().map(|arg| cited(arg.value)))
        .collect();
    format!("write {}", spelled(&program, &args))
}
