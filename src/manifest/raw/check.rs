//! An entry of `checks`.

use super::super::fields::{At, Fields};
use super::super::problems::Problems;
use super::super::shapes::{CHECK, OUTPUT};
use super::super::syntax::{Syntax, cited};
use super::{RawCommon, Texts};
use crate::text::{Node, Value};

pub(in super::super) struct RawCheck<'n> {
    pub id: Option<At<&'n str>>,
    pub executable: Option<At<&'n str>>,
    pub args: Option<Texts<'n>>,
    pub shot: Option<At<&'n str>>,
    pub version: Option<Texts<'n>>,
    pub output: Option<RawOutput<'n>>,
    pub count_on: Option<At<&'n str>>,
    pub shards: Option<At<u64>>,
    pub common: RawCommon<'n>,
}

/// How a check's output is to be read.
pub(in super::super) struct RawOutput<'n> {
    pub format: Option<At<&'n str>>,
    pub pattern: Option<At<&'n str>>,
    pub path: Option<At<&'n str>>,
    pub streams: Option<At<&'n str>>,
    pub claims: Option<At<&'n str>>,
}

impl<'n> RawCheck<'n> {
    pub fn read(node: &'n Node<'n>, syntax: Syntax, problems: &mut Problems<'_>) -> Option<Self> {
        let fields = Fields::of(node, &CHECK, syntax, problems)?;
        Some(Self {
            id: fields.string("id", problems),
            executable: fields.string("executable", problems),
            args: fields.strings("args", problems),
            shot: fields.string("shot", problems),
            version: fields.strings("version", problems),
            output: RawOutput::read(&fields, syntax, problems),
            count_on: fields.string("count_on", problems),
            shards: fields.count("shards", problems),
            common: RawCommon::read(&fields, problems),
        })
    }
}

impl<'n> RawOutput<'n> {
    fn read(fields: &Fields<'n>, syntax: Syntax, problems: &mut Problems<'_>) -> Option<Self> {
        let node = fields.node("output")?;
        if says_format(node, syntax, problems) {
            return None;
        }
        let fields = Fields::of(node, &OUTPUT, syntax, problems)?;
        Some(Self {
            format: fields.string("format", problems),
            pattern: fields.string("match", problems),
            path: fields.string("path", problems),
            streams: fields.string("streams", problems),
            claims: fields.string("claims", problems),
        })
    }
}

/// A text where `output` has a map is probably its format.
pub(super) fn says_format(node: &Node<'_>, syntax: Syntax, problems: &mut Problems<'_>) -> bool {
    let Value::String(text) = &node.value else {
        return false;
    };
    let map = syntax.pair("format", &cited(text));
    let hint = format!("write {}", syntax.pair("output", &format!("{{{map}}}")));
    problems.advise(&node.span, "output must be a map, is a string", hint);
    true
}
