//! A field that its kind of map does not have: what was probably meant.

use super::problems::Problems;
use super::shape::Shape;
use super::syntax::{Syntax, cited};
use crate::text::{Entry, nearest};

/// A word that begins a field's name says it from so many letters on.
const ENOUGH: usize = 5;

/// Reports `entry`; says which field of `shape` it was probably meant to be, so that nothing more
/// is said of the lack of that one. `missing` are the fields that its map lacks: one that is there
/// already was not meant.
pub(super) fn unknown(
    entry: &Entry<'_>,
    missing: &[&'static str],
    shape: &Shape,
    syntax: Syntax,
    problems: &mut Problems<'_>,
) -> Option<&'static str> {
    if problems.is_beyond(&entry.key_span) {
        return None;
    }
    let name = &*entry.key;
    let mut message = format!("unknown field {}", cited(name));
    let mut tell = |message: &str, hint: &str| problems.advise(&entry.key_span, message, hint);
    let found = shape.refused.iter().find(|(refused, _)| *refused == name);
    if let Some((_, reason)) = found {
        message = format!("{} has no field {}", shape.what, cited(name));
        tell(&message, reason);
        return None;
    }
    let alias = shape.aliases.iter();
    let alias = alias
        .clone()
        .find(|(alias, _)| name.eq_ignore_ascii_case(alias));
    if let Some((_, meant)) = alias {
        tell(&message, &did_you_mean(meant));
        return Some(meant);
    }
    if let Some(place) = shape.elsewhere.iter().find(|place| place.shape.has(name)) {
        let top = place.within.is_none() && syntax == Syntax::Toml && place.is_top();
        let above = if top { ", above every [table]" } else { "" };
        tell(&message, &format!("{}{above}", place.hint));
        return place.within;
    }
    let meant = begins(name, missing).or_else(|| nearest(name, missing));
    let hint = match meant {
        Some(meant) => did_you_mean(meant),
        None => format!("{} has: {}", shape.what, shape.names().join(", ")),
    };
    tell(&message, &hint);
    meant
}

fn did_you_mean(meant: &str) -> String {
    format!("did you mean \"{meant}\"?")
}

/// The one name that `word` is the beginning of.
fn begins(word: &str, names: &[&'static str]) -> Option<&'static str> {
    if word.len() < ENOUGH {
        return None;
    }
    let mut longer = names.iter().filter(|name| {
        let start = name.as_bytes().get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    });
    let first = longer.next()?;
    longer.next().is_none().then_some(*first)
}

#[cfg(test)]
mod tests {
    use super::begins;

    #[test]
    fn a_beginning_says_one_name_or_none() {
        let names = [
            "checks_cpu_percent",
            "checks_max_memory_bytes",
            "checks_max_processes",
        ];
        assert_eq!(begins("Checks_CPU", &names), Some("checks_cpu_percent"));
        assert_eq!(begins("checks_max", &names), None);
        assert_eq!(begins("chec", &names[..1]), None);
        assert_eq!(begins("çççç", &names), None);
    }
}
