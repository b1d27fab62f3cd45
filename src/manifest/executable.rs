//! The program that a check runs: a name or a path, never a command line.

use super::cwd::Folders;
use super::fields::At;
use super::problems::Problems;
use super::syntax::{Syntax, quoted};

/// What only a shell would understand.
const SHELL: [char; 13] = [
    '|', '&', ';', '<', '>', '$', '`', '*', '?', '(', '{', '~', '\\',
];

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

/// Longer hints are no help.
const LONGEST: usize = 200;

/// What to write instead of a command line.
fn instead(text: &str, args: &[At<&str>], place: Place<'_, '_>) -> String {
    let for_a_shell = text.contains(SHELL) || sets_a_variable(text);
    let told: usize = args.iter().map(|arg| arg.value.len() + 1).sum();
    let words = if text.len() + told > 4 * LONGEST {
        None
    } else if for_a_shell {
        let script = script(text, args);
        script.map(|script| vec!["sh".to_owned(), "-c".to_owned(), script])
    } else {
        words(text).map(|mut words| {
            words.extend(args.iter().map(|arg| arg.value.to_owned()));
            words
        })
    };
    let written = words.and_then(|words| spelled(&words, place));
    let written = written.filter(|hint| hint.chars().count() <= LONGEST);
    match (written, for_a_shell) {
        (Some(written), true) => format!("no shell reads it; write {written}"),
        (Some(written), false) => format!("write {written}"),
        (None, _) => "one program stands here, and its arguments in a list".to_owned(),
    }
}

/// Whether a variable is set first, as only a shell does: `CI=1 go test`.
fn sets_a_variable(line: &str) -> bool {
    let name = line.trim_start().split_once('=').map(|(name, _)| name);
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.is_some_and(|name| !name.is_empty() && name.chars().all(part))
}

/// What a shell is to run, `args` behind it; `None` where those would need quotes of their own.
fn script(line: &str, args: &[At<&str>]) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,@%+".contains(c);
    let all_plain = args
        .iter()
        .all(|arg| arg.value.chars().all(plain) && !arg.value.is_empty());
    let words = std::iter::once(line).chain(args.iter().map(|arg| arg.value));
    all_plain.then(|| words.collect::<Vec<_>>().join(" "))
}

/// The words of a line, quotes taken off as a shell would; `None` where one does not end.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            Some(_) | None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The argument vector as its fields.
fn spelled(words: &[String], place: Place<'_, '_>) -> Option<String> {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let list = |words: &[String]| format!("[{}]", words.join(", "));
    if place.name != "executable" {
        return Some(place.syntax.pair(place.name, &list(&quoted)));
    }
    let (program, rest) = quoted.split_first()?;
    let executable = place.syntax.pair("executable", program);
    if rest.is_empty() {
        return Some(executable);
    }
    Some(format!(
        "{executable}, {}",
        place.syntax.pair("args", &list(rest))
    ))
}

#[cfg(test)]
mod tests {
    use super::{sets_a_variable, words};

    #[test]
    fn a_line_is_split_as_a_shell_would() {
        let split = |line: &str| words(line).map(|words| words.join("|"));
        assert_eq!(split(" go  test ").as_deref(), Some("go|test"));
        assert_eq!(
            split("sh -c 'a b' \"\" x\"y z\"").as_deref(),
            Some("sh|-c|a b||xy z")
        );
        assert_eq!(split("it's"), None);
        assert!(sets_a_variable("CI=1 go test") && !sets_a_variable("go test -p=1"));
    }
}
