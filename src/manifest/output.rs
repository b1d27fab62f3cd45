//! How a check's output is to be read.

use regex::bytes::Regex;

use super::choice::{CHANNEL, CLAIMS, STREAMS, choose, one_of};
use super::fields::At;
use super::glob;
use super::problems::Problems;
use super::raw::{RawOutput, RawSensorOutput};
use super::syntax::cited;
use crate::model::OutputSpec;

/// The resolved form of a check's `output`; `formats` are all names that `format` may have.
pub(super) fn of_check(
    raw: Option<&RawOutput<'_>>,
    formats: &[&str],
    problems: &mut Problems<'_>,
) -> OutputSpec {
    let Some(raw) = raw else {
        return OutputSpec::default();
    };
    let format = format(raw.format.as_ref(), formats, problems);
    let claims = choose("output.claims", raw.claims.as_ref(), CLAIMS, problems);
    OutputSpec {
        format,
        pattern: pattern(raw.pattern.as_ref(), problems),
        path: report_files(raw.path.as_ref(), problems),
        streams: choose("output.streams", raw.streams.as_ref(), STREAMS, problems),
        claims: claims.unwrap_or_default(),
        ..OutputSpec::default()
    }
}

/// The resolved form of a sensor's `output`.
pub(super) fn of_sensor(
    raw: Option<&RawSensorOutput<'_>>,
    formats: &[&str],
    problems: &mut Problems<'_>,
) -> OutputSpec {
    let Some(raw) = raw else {
        return OutputSpec::default();
    };
    let format = format(raw.format.as_ref(), formats, problems);
    let channel = choose("output.channel", raw.channel.as_ref(), CHANNEL, problems);
    OutputSpec {
        format,
        pattern: pattern(raw.pattern.as_ref(), problems),
        path: report_files(raw.path.as_ref(), problems),
        channel: channel.unwrap_or_default(),
        ..OutputSpec::default()
    }
}

fn format(given: Option<&At<&str>>, formats: &[&str], problems: &mut Problems<'_>) -> String {
    if let Some(given) = given
        && !formats.contains(&given.value)
    {
        let message = format!("output.format {} is unknown", cited(given.value));
        problems.advise(&given.span, message, one_of(given.value, formats));
    }
    given.map_or("auto", |given| given.value).to_owned()
}

fn report_files(given: Option<&At<&str>>, problems: &mut Problems<'_>) -> Option<String> {
    let given = given.filter(|given| !given.value.is_empty())?;
    if let Err((why, hint)) = glob::check(given.value, "cwd") {
        let message = format!("output.path {} {why}", cited(given.value));
        problems.advise(&given.span, message, hint);
    }
    Some(given.value.to_owned())
}

fn pattern(given: Option<&At<&str>>, problems: &mut Problems<'_>) -> Option<Regex> {
    let given = given?;
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
