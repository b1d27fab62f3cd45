//! An entry of a tracker's list of records.

use super::super::fields::{At, Fields};
use super::super::problems::Problems;
use super::super::shapes::RECORD;
use super::super::syntax::Syntax;
use super::Texts;
use crate::text::Node;

pub(in super::super) struct RawRecord<'n> {
    pub id: Option<At<&'n str>>,
    pub executable: Option<At<&'n str>>,
    pub args: Option<Texts<'n>>,
    pub timeout: Option<At<&'n str>>,
}

impl<'n> RawRecord<'n> {
    pub fn read(node: &'n Node<'n>, problems: &mut Problems<'_>) -> Option<Self> {
        let fields = Fields::of(node, &RECORD, Syntax::Json, problems)?;
        Some(Self {
            id: fields.string("id", problems),
            executable: fields.string("executable", problems),
            args: fields.strings("args", problems),
            timeout: fields.duration("timeout", problems),
        })
    }
}
