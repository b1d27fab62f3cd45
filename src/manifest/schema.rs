//! The JSON Schema of a manifest, made of the tables that its reader follows.

use serde_json::{Map, Value, json};

use super::shape::{Field, Kind, Shape};
use super::shapes::{
    CHECK, FORMATTER, MANIFEST, OUTPUT, RECORD, SENSOR, SENSOR_OUTPUT, SENSOR_SOURCE,
};

/// What Go's `time.ParseDuration` accepts and is not below 0; that it is more than 0 and fits is
/// beyond a pattern.
const DURATION: &str = r"^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$";

/// The same, and what an unset knob looks like.
const KNOB_DURATION: &str = r"^([+-]?0|\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)?$";

/// Something, and no dot first.
const ID: &str = r"^\s*[^\s.]";

/// Between other characters: what white space around an id may be, and no character inside.
const CONTROL: &str = r"\S\s*[\u0000-\u001f\u007f-\u009f]\s*\S";

/// A path from a top, here or on Windows, or out of the root at once.
const ABSOLUTE: &str = r"^([/\\]|[A-Za-z]:[/\\]|\.\.(/|$))";

/// A variable's name.
const VARIABLE: &str = "^[A-Za-z_][A-Za-z0-9_]*$";

/// Every kind of map, by its name in the schema.
const DEFINITIONS: [(&str, &Shape); 7] = [
    ("check", &CHECK),
    ("output", &OUTPUT),
    ("sensor", &SENSOR),
    ("source", &SENSOR_SOURCE),
    ("sensorOutput", &SENSOR_OUTPUT),
    ("formatter", &FORMATTER),
    ("record", &RECORD),
];

/// The schema of `harness.json` (and of `harness.toml`, read as the same tree): JSON Schema,
/// draft 2020-12. `formats` are the names that `output.format` may have.
///
/// Whatever the reader accepts agrees with it. The reverse does not hold: that two ids differ or
/// that a folder exists is beyond a schema.
pub fn schema(formats: &[&str]) -> Value {
    let mut definitions: Map<String, Value> = DEFINITIONS
        .iter()
        .map(|(name, shape)| ((*name).to_owned(), object(shape, formats)))
        .collect();
    if let Some(Value::Object(source)) = definitions.get_mut("source") {
        let one = json!([{"required": ["command"]}, {"required": ["files", "inputs"]}]);
        source.insert("oneOf".to_owned(), one);
    }
    let mut schema = object(&MANIFEST, formats);
    schema["properties"]["checks"]["minItems"] = 1.into();
    if let Value::Object(schema) = &mut schema {
        let dialect = "https://json-schema.org/draft/2020-12/schema";
        schema.insert("$schema".to_owned(), dialect.into());
        schema.insert("title".to_owned(), "harness.json".into());
        let about = "The checks that `check` runs. A plugin.json holds `sensors` alone.";
        schema.insert("description".to_owned(), about.into());
        let one = json!([{"required": ["checks"]}, {"required": ["sensors"]}]);
        schema.insert("oneOf".to_owned(), one);
        schema.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}

fn object(shape: &Shape, formats: &[&str]) -> Value {
    let properties: Map<String, Value> = shape
        .fields
        .iter()
        .map(|field| (field.name.to_owned(), property(field, formats)))
        .collect();
    let required: Vec<&str> = shape
        .fields
        .iter()
        .filter(|field| field.required)
        .map(|field| field.name)
        .collect();
    let mut object = json!({
        "type": "object",
        "additionalProperties": shape.open,
        "properties": properties,
    });
    if !required.is_empty() {
        object["required"] = required.into();
    }
    object
}

fn property(field: &Field, formats: &[&str]) -> Value {
    let mut property = match &field.kind {
        Kind::Any => json!({}),
        Kind::Text => text(field.required),
        Kind::Id => id(),
        Kind::Folder => json!({"type": "string", "not": {"pattern": ABSOLUTE}}),
        Kind::Bool => json!({"type": "boolean"}),
        Kind::Count => json!({"type": "integer", "minimum": 0}),
        Kind::Duration => json!({"anyOf": [
            {"type": "string", "pattern": DURATION},
            {"const": ""},
        ]}),
        Kind::KnobDuration => json!({"anyOf": [
            {"type": "string", "pattern": KNOB_DURATION},
            {"const": 0},
        ]}),
        Kind::Pattern => json!({"type": "string"}),
        Kind::Format => json!({"enum": formats}),
        Kind::Word(words) => json!({"enum": words()}),
        Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Globs => json!({"type": "array", "items": {"type": "string", "minLength": 1}}),
        Kind::Variables => json!({
            "type": "object",
            "propertyNames": variable(),
            "additionalProperties": {"type": "string"},
        }),
        Kind::VariableNames => json!({"type": "array", "items": variable()}),
        Kind::Map(shape) => reference(shape),
        Kind::List(shape) => json!({"type": "array", "items": reference(shape)}),
        Kind::ById(shape) => json!({
            "type": "object",
            "minProperties": 1,
            "propertyNames": id(),
            "additionalProperties": reference(shape),
        }),
    };
    property["description"] = field.about.into();
    property
}

fn text(required: bool) -> Value {
    if required {
        json!({"type": "string", "minLength": 1})
    } else {
        json!({"type": "string"})
    }
}

fn id() -> Value {
    json!({"type": "string", "pattern": ID, "not": {"pattern": CONTROL}})
}

fn variable() -> Value {
    json!({
        "pattern": VARIABLE,
        "not": {"enum": ["PATH", "HOME", "SMITH_ANTHROPIC_API_KEY"]},
    })
}

fn reference(shape: &Shape) -> Value {
    let name = DEFINITIONS
        .iter()
        .find(|(_, defined)| std::ptr::eq(*defined, shape))
        .map_or("manifest", |(name, _)| name);
    json!({"$ref": format!("#/$defs/{name}")})
}
