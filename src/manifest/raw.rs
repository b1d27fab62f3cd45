//! The file as it is written: every field with its type and place, nothing defaulted yet.
//!
//! Here and below, `None` is absent or refused already.

mod check;
mod common;
mod record;
mod sensor;
mod top;

pub(super) use check::{RawCheck, RawOutput};
pub(super) use common::RawCommon;
pub(super) use record::RawRecord;
pub(super) use sensor::{RawSensor, RawSensorOutput, RawSource};
pub(super) use top::{RawFormatter, RawKnobs, RawManifest};

use super::fields::At;

/// A list of texts with their places.
pub(super) type Texts<'n> = At<Vec<At<&'n str>>>;

/// Names with texts, in the order of the file.
pub(super) type Variables<'n> = Vec<(At<&'n str>, At<&'n str>)>;
