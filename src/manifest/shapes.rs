//! Every kind of map, field by field.

mod check;
mod formatter;
mod record;
mod sensor;
mod shared;
mod top;

pub(super) use check::{CHECK, OUTPUT};
pub(super) use formatter::FORMATTER;
pub(super) use record::RECORD;
pub(super) use sensor::{SENSOR, SENSOR_OUTPUT, SENSOR_SOURCE};
pub(super) use top::{MANIFEST, PLUGIN};

use super::shape::{Elsewhere, Field, Kind, Shape};

const fn field(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field {
        name,
        kind,
        required: false,
        about,
    }
}

const fn required(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field {
        required: true,
        ..field(name, kind, about)
    }
}

const fn outside(shape: &'static Shape, hint: &'static str) -> Elsewhere {
    Elsewhere {
        shape,
        hint,
        within: None,
    }
}

const fn within(field: &'static str, shape: &'static Shape, hint: &'static str) -> Elsewhere {
    Elsewhere {
        within: Some(field),
        ..outside(shape, hint)
    }
}

/// All of them.
#[cfg(test)]
pub(super) static ALL: [&Shape; 9] = [
    &MANIFEST,
    &PLUGIN,
    &CHECK,
    &OUTPUT,
    &SENSOR,
    &SENSOR_SOURCE,
    &SENSOR_OUTPUT,
    &FORMATTER,
    &RECORD,
];

#[cfg(test)]
mod tests {
    use super::ALL;

    /// A hint must lead somewhere, and a reason must not hide a field.
    #[test]
    fn aliases_lead_to_fields_and_reasons_hide_none() {
        for shape in ALL {
            for (alias, meant) in shape.aliases {
                assert!(shape.has(meant), "{}: {meant}", shape.what);
                assert!(!shape.has(alias), "{}: {alias}", shape.what);
            }
            for (name, _) in shape.refused {
                assert!(!shape.has(name), "{}: {name}", shape.what);
            }
            for field in shape.elsewhere.iter().filter_map(|place| place.within) {
                assert!(shape.has(field), "{}: {field}", shape.what);
            }
            let mut names = shape.names();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), shape.fields.len(), "{}", shape.what);
        }
    }
}
