//! How a check's output is to be read.

use regex::bytes::Regex;

use super::choice::{CLAIMS, STREAMS, choose, one_of};
use super::fields::At;
use super::not_yet;
use super::problems::Problems;
use super::raw::RawOutput;
use super::syntax::cited;
use crate::model::OutputSpec;

/// The resolved form of `raw`; `formats` are all names that `format` may have.
pub(super) fn resolve(
    raw: Option<&RawOutput<'_>>,
    formats: &[&str],
    problems: &mut Problems<'_>,
) -> OutputSpec {
    let mut output = OutputSpec::default();
    let Some(raw) = raw else {
        return output;
    };
    if let Some(format) = &raw.format {
        if formats.contains(&format.value) {
            format.value.clone_into(&mut output.format);
        } else {
            let message = format!("output.format {} is unknown", cited(format.value));
            problems.advise(&format.span, message, one_of(format.value, formats));
        }
    }
    if let Some(path) = raw.path.as_ref().filter(|path| !path.value.is_empty()) {
        not_yet::refuse("output.path", &path.span, problems);
    }
    output.pattern = raw
        .pattern
        .as_ref()
        .and_then(|given| pattern(given, problems));
    output.streams = choose("output.streams", raw.streams.as_ref(), STREAMS, problems);
    output.claims =
        choose("output.claims", raw.claims.as_ref(), CLAIMS, problems).unwrap_or_default();
    output
}

fn pattern(given: &At<&str>, problems: &mut Problems<'_>) -> Option<Regex> {
    if given.value.is_empty() {
        return None;
    }
    match Regex::new(given.value) {
        Ok(regex) => Some(regex),
        Err(regex::Error::CompiledTooBig(_)) => {
            problems.say(&given.span, "output.match is too large a pattern");
            None
        }
        Err(error) => {
            // The crate draws a picture of several lines; its last says what is wrong.
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or_default();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason);
            problems.say(&given.span, format!("output.match is no pattern: {reason}"));
            None
        }
    }
}
