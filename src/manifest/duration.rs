//! Durations as a manifest has them: Go's, and never none at all.

use std::time::Duration;

use super::fields::{At, LIKE_THIS, not_negative};
use super::go_duration::{GoDurationError, parse_go_duration};
use super::problems::Problems;
use super::syntax::cited;

/// A check's own limit: more than nothing; an empty text is absent.
pub(super) fn limit(
    name: &str,
    given: Option<&At<&str>>,
    problems: &mut Problems<'_>,
) -> Option<Duration> {
    let given = given?;
    let nanoseconds = read(name, given, problems)?;
    match u64::try_from(nanoseconds) {
        Ok(positive) if positive > 0 => Some(Duration::from_nanos(positive)),
        _ => {
            let hint = "leave it out for no limit of its own";
            problems.advise(&given.span, format!("{name} must be more than 0"), hint);
            None
        }
    }
}

/// A knob: nothing at all is the default.
pub(super) fn knob(
    name: &str,
    given: Option<&At<&str>>,
    problems: &mut Problems<'_>,
) -> Option<Duration> {
    let given = given?;
    let nanoseconds = read(name, given, problems)?;
    if let Ok(positive) = u64::try_from(nanoseconds) {
        return (positive > 0).then(|| Duration::from_nanos(positive));
    }
    problems.say(&given.span, not_negative(name));
    None
}

fn read(name: &str, given: &At<&str>, problems: &mut Problems<'_>) -> Option<i64> {
    let text = given.value;
    if text.is_empty() {
        return None;
    }
    let error = match parse_go_duration(text) {
        Ok(nanoseconds) => return Some(nanoseconds),
        Err(error) => error,
    };
    let tight: String = text.split_whitespace().collect();
    let hint = if tight != text && parse_go_duration(&tight).is_ok() {
        format!("write \"{tight}\"")
    } else {
        match error {
            GoDurationError::MissingUnit if text.bytes().all(|b| b.is_ascii_digit()) => {
                format!("write \"{text}s\" for seconds")
            }
            GoDurationError::MissingUnit | GoDurationError::UnknownUnit(_) => {
                "units are h, m, s, ms, us and ns".to_owned()
            }
            GoDurationError::Invalid => LIKE_THIS.to_owned(),
            GoDurationError::Overflow => "the longest is 2562047h".to_owned(),
        }
    };
    problems.advise(&given.span, format!("{name} {} {error}", cited(text)), hint);
    None
}
