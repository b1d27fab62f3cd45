//! A value of `sensors`.

use std::ops::Range;

use super::super::fields::{At, Fields};
use super::super::problems::Problems;
use super::super::shapes::{SENSOR, SENSOR_OUTPUT, SENSOR_SOURCE};
use super::super::syntax::{Syntax, cited};
use super::check::says_format;
use super::{RawCommon, Texts};
use crate::text::{Entry, Node, Value};

pub(in super::super) struct RawSensor<'n> {
    /// Its key.
    pub id: At<&'n str>,
    pub source: Option<RawSource<'n>>,
    pub version_command: Option<At<&'n str>>,
    pub output: Option<RawSensorOutput<'n>>,
    pub common: RawCommon<'n>,
}

/// Where a sensor's answer comes from.
pub(in super::super) struct RawSource<'n> {
    pub span: Range<u32>,
    pub command: Option<At<&'n str>>,
    pub files: Option<Texts<'n>>,
    pub inputs: Option<Texts<'n>>,
    /// Which of them are written, right or wrong.
    pub has_command: bool,
    pub has_files: bool,
    pub has_inputs: bool,
}

/// How a sensor's output is to be read.
pub(in super::super) struct RawSensorOutput<'n> {
    pub format: Option<At<&'n str>>,
    pub pattern: Option<At<&'n str>>,
    pub channel: Option<At<&'n str>>,
    pub path: Option<At<&'n str>>,
}

impl<'n> RawSensor<'n> {
    pub fn read(entry: &'n Entry<'n>, syntax: Syntax, problems: &mut Problems<'_>) -> Option<Self> {
        let fields = Fields::of(&entry.node, &SENSOR, syntax, problems)?;
        Some(Self {
            id: At {
                value: &entry.key,
                span: entry.key_span.clone(),
            },
            source: RawSource::read(&fields, syntax, problems),
            version_command: fields.string("version_command", problems),
            output: RawSensorOutput::read(&fields, syntax, problems),
            common: RawCommon::read(&fields, problems),
        })
    }
}

impl<'n> RawSource<'n> {
    fn read(fields: &Fields<'n>, syntax: Syntax, problems: &mut Problems<'_>) -> Option<Self> {
        let node = fields.node("source")?;
        if says_command(node, syntax, problems) {
            return None;
        }
        let fields = Fields::of(node, &SENSOR_SOURCE, syntax, problems)?;
        Some(Self {
            span: node.span.clone(),
            command: fields.string("command", problems),
            files: fields.strings("files", problems),
            inputs: fields.strings("inputs", problems),
            has_command: fields.has("command"),
            has_files: fields.has("files"),
            has_inputs: fields.has("inputs"),
        })
    }
}

impl<'n> RawSensorOutput<'n> {
    fn read(fields: &Fields<'n>, syntax: Syntax, problems: &mut Problems<'_>) -> Option<Self> {
        let node = fields.node("output")?;
        if says_format(node, syntax, problems) {
            return None;
        }
        let fields = Fields::of(node, &SENSOR_OUTPUT, syntax, problems)?;
        Some(Self {
            format: fields.string("format", problems),
            pattern: fields.string("match", problems),
            channel: fields.string("channel", problems),
            path: fields.string("path", problems),
        })
    }
}

/// A text where `source` has a map is the command.
fn says_command(node: &Node<'_>, syntax: Syntax, problems: &mut Problems<'_>) -> bool {
    let Value::String(text) = &node.value else {
        return false;
    };
    let map = syntax.pair("command", &cited(text));
    let hint = format!("write {}", syntax.pair("source", &format!("{{{map}}}")));
    problems.advise(&node.span, "source must be a map, is a string", hint);
    true
}
