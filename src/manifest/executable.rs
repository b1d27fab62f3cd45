//! The program that a check runs: a name or a path, never a command line.

use super::cwd::Folders;
use super::fields::At;
use super::problems::Problems;
use super::syntax::{Syntax, cited, quoted};

/// What only a shell would understand.
const SHELL: [char; 8] = ['|', '&', ';', '<', '>', '$', '`', '*'];

/// Refuses what is no program: nothing, a NUL, or a command line where no file of that name is.
pub(super) fn check(
    executable: &At<&str>,
    args: &[At<&str>],
    cwd: &str,
    folders: &Folders<'_>,
    syntax: Syntax,
    problems: &mut Problems<'_>,
) {
    let (text, span) = (executable.value, &executable.span);
    if text.trim().is_empty() {
        problems.advise(span, "executable is empty", "name the program to run");
    } else if text.contains('\0') {
        problems.say(span, "executable holds a NUL character");
    } else if text.contains(char::is_whitespace) && !folders.is_file(cwd, text) {
        let what = if text.contains(' ') {
            "a space"
        } else {
            "white space"
        };
        let message = format!("executable holds {what} and names no file");
        problems.advise(span, message, instead(text, args, syntax));
    }
}

fn instead(text: &str, args: &[At<&str>], syntax: Syntax) -> String {
    if text.contains(SHELL) {
        let script = quoted(text);
        let executable = syntax.pair("executable", "\"sh\"");
        let args = syntax.pair("args", &format!("[\"-c\", {script}]"));
        return format!("no shell reads it; write {executable}, {args}");
    }
    let mut words = text
        .split_whitespace()
        .map(str::to_owned)
        .map(|word| cited(&word));
    let program = words.next().unwrap_or_default();
    let all: Vec<String> = words
        .chain(args.iter().map(|arg| cited(arg.value)))
        .collect();
    let executable = syntax.pair("executable", &program);
    if all.is_empty() {
        return format!("write {executable}");
    }
    format!(
        "write {executable}, {}",
        syntax.pair("args", &format!("[{}]", all.join(", ")))
    )
}
