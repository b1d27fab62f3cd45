//! Variables that a manifest adds to the sterile environment.

use std::collections::{BTreeMap, HashSet};

use super::fields::At;
use super::problems::Problems;
use super::syntax::cited;

/// What every check has, and no manifest may change.
const FIXED: [(&str, &str); 3] = [
    ("PATH", "every check has the caller's"),
    ("HOME", "every check has an empty one of its own"),
    ("SMITH_ANTHROPIC_API_KEY", "every check has a dummy"),
];

/// Adds the variables of `given` (the field `field`) to `env`.
pub(super) fn values(
    field: &str,
    given: &[(At<&str>, At<&str>)],
    env: &mut BTreeMap<String, String>,
    problems: &mut Problems<'_>,
) {
    for (name, value) in given {
        if allowed(field, name, problems) {
            if value.value.contains('\0') {
                let message = format!("{field}.{} holds a NUL character", name.value);
                problems.say(&value.span, message);
            }
            env.insert(name.value.to_owned(), value.value.to_owned());
        }
    }
}

/// The names in `given` (the field `pass_env`), each once.
pub(super) fn names(given: Option<&At<Vec<At<&str>>>>, problems: &mut Problems<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let mut seen = HashSet::new();
    for name in given.into_iter().flat_map(|list| &list.value) {
        if allowed("pass_env", name, problems) && seen.insert(name.value) {
            names.push(name.value.to_owned());
        }
    }
    names
}

fn allowed(field: &str, name: &At<&str>, problems: &mut Problems<'_>) -> bool {
    let text = name.value;
    // In any letter case, since Windows knows no difference.
    if let Some((fixed, why)) = FIXED
        .iter()
        .find(|(fixed, _)| text.eq_ignore_ascii_case(fixed))
    {
        let hint = format!("take it out; {why}");
        problems.advise(&name.span, format!("{field} may not hold {fixed}"), hint);
        return false;
    }
    let valid = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if valid {
        return true;
    }
    if problems.is_beyond(&name.span) {
        return false;
    }
    let message = format!("{field}: {} is no variable name", cited(text));
    if field == "pass_env" && text.contains('=') {
        let hint = "pass_env holds names only; give a value in env";
        problems.advise(&name.span, message, hint);
    } else {
        problems.advise(&name.span, message, "letters, digits and _, no digit first");
    }
    false
}
