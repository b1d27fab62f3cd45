//! Variables that a failing check's output names, that the caller has and the check had not: the
//! likeliest reason why it works in a shell and fails here. Only ever names, never a value.

use std::collections::BTreeSet;

/// How many are named: one note must not be a page.
const MOST: usize = 3;
/// Shorter names are found in any text.
const SHORTEST: usize = 4;

/// Names that say something of a session, a terminal or a runner, or that a tool's output is full
/// of, in any letter case: a check is not missing them.
const NOISE: [&str; 50] = [
    "BROWSER",
    "COLORTERM",
    "COLUMNS",
    "DEBUG",
    "EDITOR",
    "ERROR",
    "FAILED",
    "FAILURE",
    "FORCE_COLOR",
    "HISTFILE",
    "HISTSIZE",
    "HOME",
    "HOST",
    "HOSTNAME",
    "INFO",
    "INFOPATH",
    "LANG",
    "LANGUAGE",
    "LESS",
    "LEVEL",
    "LINES",
    "LOGNAME",
    "LS_COLORS",
    "MAIL",
    "MANPATH",
    "MODE",
    "NAME",
    "NO_COLOR",
    "OLDPWD",
    "OSTYPE",
    "PAGER",
    "PATH",
    "PORT",
    // Every panic names it.
    "RUST_BACKTRACE",
    "SHELL",
    "SHLVL",
    "SMITH_ANTHROPIC_API_KEY",
    "STATUS",
    "TERM",
    "TEST",
    "TITLE",
    "TRACE",
    "TYPE",
    "USER",
    "USERNAME",
    "VERSION",
    "VISUAL",
    "WARN",
    "WARNING",
    "WINDOWID",
];

/// Beginnings of such names: locales, and what git sets for its own hooks.
const NOISY_BEGINNINGS: [&str; 2] = ["LC_", "GIT_"];

/// The names of `callers` that stand as whole words in `output` and are not among `checks`, in
/// order, at most [`MOST`].
pub fn unpassed(output: &[&str], callers: &[String], checks: &[String]) -> Vec<String> {
    let had: BTreeSet<String> = checks.iter().map(|name| folded(name)).collect();
    let words: BTreeSet<String> = output
        .iter()
        .flat_map(|text| words(text))
        .map(folded)
        .collect();
    let missed: BTreeSet<&String> = callers
        .iter()
        .filter(|name| is_telling(name))
        .filter(|name| {
            let name = folded(name);
            words.contains(&name) && !had.contains(&name)
        })
        .collect();
    missed.into_iter().take(MOST).cloned().collect()
}

/// Windows knows no difference of letter case in names.
fn folded(name: &str) -> String {
    if cfg!(windows) {
        name.to_ascii_uppercase()
    } else {
        name.to_owned()
    }
}

/// What could be a name: runs of letters, digits and `_`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.len() >= SHORTEST)
}

/// Whether text that holds `name` is likely to mean the variable.
fn is_telling(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let ordinary_word = name.bytes().all(|byte| byte.is_ascii_lowercase());
    let may_be_passed = !name.starts_with(|c: char| c.is_ascii_digit())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    may_be_passed
        && !ordinary_word
        && !NOISE.contains(&upper.as_str())
        && !NOISY_BEGINNINGS
            .iter()
            .any(|start| upper.starts_with(start))
}

/// What to do about one of them.
pub fn advice(name: &str) -> String {
    format!("{name} is set in your shell but not inside checks; add \"pass_env\": [\"{name}\"]")
}

#[cfg(test)]
mod tests {
    use super::{advice, unpassed};

    fn of(output: &str, callers: &[&str], checks: &[&str]) -> Vec<String> {
        let owned = |names: &[&str]| {
            names
                .iter()
                .map(|&name| name.to_owned())
                .collect::<Vec<_>>()
        };
        unpassed(&[output], &owned(callers), &owned(checks))
    }

    #[test]
    fn a_name_is_a_whole_word() {
        let has = |output: &str| !of(output, &["DATABASE_URL"], &[]).is_empty();
        assert!(has("KeyError: 'DATABASE_URL'"));
        assert!(has("DATABASE_URL"));
        assert!(has("${DATABASE_URL:?} is not set"));
        assert!(has("process.env.DATABASE_URL"));
        assert!(!has("TEST_DATABASE_URL"));
        assert!(!has("DATABASE_URLS"));
        assert!(!has("\u{e9}DATABASE_URL"));
        assert_eq!(has("database_url"), cfg!(windows));
        assert!(!has(""));
    }

    #[test]
    fn what_the_check_had_is_not_named() {
        assert_eq!(of("API_URL", &["API_URL"], &["API_URL"]), [""; 0]);
        assert_eq!(of("API_URL", &[], &[]), [""; 0]);
    }

    #[test]
    fn names_that_any_text_holds_are_left_out() {
        let noise = [
            "PATH", "HOME", "PWD", "SHELL", "LANG", "LC_ALL", "TERM", "DEBUG", "GIT_DIR", "Path",
            "TZ", "editor", "CI", "1ABC",
        ];
        let text = noise.join(" ");
        assert_eq!(of(&text, &noise, &[]), [""; 0]);
        let telling = ["http_proxy", "GoLandVM"];
        assert_eq!(
            of(&telling.join(" "), &telling, &[]),
            ["GoLandVM", "http_proxy"]
        );
    }

    #[test]
    fn a_few_are_named_in_order() {
        let names = ["E_VAR", "B_VAR", "D_VAR", "A_VAR", "C_VAR"];
        assert_eq!(
            of(&names.join(","), &names, &[]),
            ["A_VAR", "B_VAR", "C_VAR"]
        );
    }

    #[test]
    fn the_advice_can_be_pasted() {
        assert_eq!(
            advice("DATABASE_URL"),
            "DATABASE_URL is set in your shell but not inside checks; \
             add \"pass_env\": [\"DATABASE_URL\"]"
        );
    }
}
