//! How a check's output is to be read.

use super::choice::{CHANNEL, CLAIMS, STREAMS, choose, one_of};
use super::fields::At;
use super::glob;
use super::pattern::Patterns;
use super::problems::Problems;
use super::raw::{RawOutput, RawSensorOutput};
use super::syntax::cited;
use crate::model::OutputSpec;

/// The resolved form of a check's `output`; `formats` are all names that `format` may have.
pub(super) fn of_check<'n>(
    raw: Option<&RawOutput<'n>>,
    formats: &[&'static str],
    patterns: &mut Patterns<'n>,
    problems: &mut Problems<'_>,
) -> OutputSpec {
    let default = OutputSpec::default();
    let Some(raw) = raw else {
        return default;
    };
    let format = format(raw.format.as_ref(), formats, problems);
    let claims = choose("output.claims", raw.claims.as_ref(), CLAIMS, problems);
    OutputSpec {
        format: format.unwrap_or(default.format),
        pattern: patterns.read(raw.pattern.as_ref(), problems),
        path: report_files(raw.path.as_ref(), problems),
        streams: choose("output.streams", raw.streams.as_ref(), STREAMS, problems),
        claims: claims.unwrap_or_default(),
        ..default
    }
}

/// The resolved form of a sensor's `output`.
pub(super) fn of_sensor<'n>(
    raw: Option<&RawSensorOutput<'n>>,
    formats: &[&'static str],
    patterns: &mut Patterns<'n>,
    problems: &mut Problems<'_>,
) -> OutputSpec {
    let default = OutputSpec::default();
    let Some(raw) = raw else {
        return default;
    };
    let format = format(raw.format.as_ref(), formats, problems);
    let channel = choose("output.channel", raw.channel.as_ref(), CHANNEL, problems);
    OutputSpec {
        format: format.unwrap_or(default.format),
        pattern: patterns.read(raw.pattern.as_ref(), problems),
        path: report_files(raw.path.as_ref(), problems),
        channel: channel.unwrap_or_default(),
        ..default
    }
}

fn format(
    given: Option<&At<&str>>,
    formats: &[&'static str],
    problems: &mut Problems<'_>,
) -> Option<&'static str> {
    let given = given?;
    let found = formats.iter().find(|format| **format == given.value);
    if found.is_none() && !problems.is_beyond(&given.span) {
        let message = format!("output.format {} is unknown", cited(given.value));
        problems.advise(&given.span, message, one_of(given.value, formats));
    }
    found.copied()
}

fn report_files(given: Option<&At<&str>>, problems: &mut Problems<'_>) -> Option<String> {
    let given = given.filter(|given| !given.value.is_empty())?;
    if let Err((why, hint)) = glob::check(given.value, "cwd") {
        let message = format!("output.path {} {why}", cited(given.value));
        problems.advise(&given.span, message, hint);
    }
    Some(given.value.to_owned())
}
