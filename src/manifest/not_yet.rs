//! Fields that are known and that this version cannot act on: refused, since to ignore one would
//! be to judge by less than was asked for.

use std::ops::Range;

use super::choice::{Words, choose};
use super::fields::At;
use super::problems::Problems;

/// Refuses the field `name`, whose value at `span` is valid and not the default.
pub(super) fn refuse(name: &str, span: &Range<usize>, problems: &mut Problems<'_>) {
    let message = format!("{name}: not yet, this version cannot act on it");
    problems.advise(span, message, "leave it out");
}

/// Refuses the field `name` where it says another of its `words` than the default.
pub(super) fn word<T: Copy + PartialEq + Default>(
    name: &str,
    given: Option<&At<&str>>,
    words: Words<T>,
    problems: &mut Problems<'_>,
) {
    let chosen = choose(name, given, words, problems);
    if let (Some(given), Some(chosen)) = (given, chosen)
        && chosen != T::default()
    {
        refuse(name, &given.span, problems);
    }
}
