//! The fields that a check and a sensor share.

use super::super::fields::{At, Fields};
use super::super::problems::Problems;
use super::{Texts, Variables};

pub(in super::super) struct RawCommon<'n> {
    pub cwd: Option<At<&'n str>>,
    pub timeout: Option<At<&'n str>>,
    pub area: Option<At<&'n str>>,
    pub paths: Option<Texts<'n>>,
    pub tolerance: Option<At<&'n str>>,
    pub category: Option<At<&'n str>>,
    pub role: Option<At<&'n str>>,
    pub ratchet: Option<At<&'n str>>,
    pub env: Option<Variables<'n>>,
    pub pass_env: Option<Texts<'n>>,
    pub network: Option<At<&'n str>>,
    pub allow_empty: Option<At<bool>>,
    pub leaks: Option<At<&'n str>>,
    pub floor: Option<At<bool>>,
    pub exclusive: Option<At<bool>>,
}

impl<'n> RawCommon<'n> {
    pub(super) fn read(fields: &Fields<'n>, problems: &mut Problems<'_>) -> Self {
        Self {
            cwd: fields.string("cwd", problems),
            timeout: fields.duration("timeout", problems),
            area: fields.string("area", problems),
            paths: fields.strings("paths", problems),
            tolerance: fields.string("tolerance", problems),
            category: fields.string("category", problems),
            role: fields.string("role", problems),
            ratchet: fields.string("ratchet", problems),
            env: fields.string_map("env", problems),
            pass_env: fields.strings("pass_env", problems),
            network: fields.string("network", problems),
            allow_empty: fields.boolean("allow_empty", problems),
            leaks: fields.string("leaks", problems),
            floor: fields.boolean("floor", problems),
            exclusive: fields.boolean("exclusive", problems),
        }
    }
}
