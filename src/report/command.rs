//! Command lines as a person would type them.

use crate::text::Printable;

/// Words that `check` takes as a command before it takes them as an id.
const COMMANDS: [&str; 18] = [
    "run",
    "last",
    "list",
    "init",
    "format",
    "host",
    "doctor",
    "baseline",
    "trust",
    "parse",
    "plan",
    "merge",
    "validate",
    "schema",
    "completions",
    "man",
    "help",
    "version",
];

/// `argv` as one line, words that a shell would split or read quoted; printable.
pub fn command_line<S: AsRef<str>>(argv: &[S]) -> String {
    let words: Vec<String> = argv.iter().map(|word| quoted(word.as_ref())).collect();
    Printable::new(&words.join(" ")).to_string()
}

/// The command that runs the check `id` alone, found by the words `place`.
pub(super) fn again(place: &[String], id: &str) -> String {
    let id = if COMMANDS.contains(&id) || id.starts_with('-') {
        format!("--only={id}")
    } else {
        id.to_owned()
    };
    let words: Vec<&str> = std::iter::once("check")
        .chain(place.iter().map(String::as_str))
        .chain([id.as_str()])
        .collect();
    command_line(&words)
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./=:,@%+^~".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{again, command_line};

    #[test]
    fn what_is_shown_can_be_typed() {
        assert_eq!(command_line(&["go", "test", "./..."]), "go test ./...");
        assert_eq!(command_line(&["a b", "", "it's"]), r"'a b' '' 'it'\''s'");
        assert_eq!(command_line(&["x", "a\x1b[1m"]), r"x 'a\x1B[1m'");
    }

    #[test]
    fn an_id_that_is_a_command_is_reached_all_the_same() {
        assert_eq!(again(&[], "lint"), "check lint");
        assert_eq!(again(&[], "go vet"), "check 'go vet'");
        assert_eq!(again(&[], "list"), "check --only=list");
        assert_eq!(again(&[], "-x"), "check --only=-x");
        let place = ["-C".to_owned(), "a b".to_owned()];
        assert_eq!(again(&place, "lint"), "check -C 'a b' lint");
    }
}
