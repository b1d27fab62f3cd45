//! The published schema: what `check schema` prints, what every good manifest agrees with by
//! another's reading of it, and what it can refuse.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

use super::{SHAPES, Shape, fixtures};
use crate::support::{Project, fixture};

/// In no network: the compiler knows the drafts, and this name is of nothing.
const NAME: &str = "memory:///manifest";

/// The published schema, compiled.
struct Published {
    schemas: Schemas,
    manifest: SchemaIndex,
    sensors: SchemaIndex,
    record: SchemaIndex,
}

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/manifest.schema.json")
}

fn document() -> Value {
    serde_json::from_str(&fs::read_to_string(page()).unwrap()).unwrap()
}

fn published() -> Published {
    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    compiler.add_resource(NAME, document()).unwrap();
    let mut compile = |below: &str| {
        compiler
            .compile(&format!("{NAME}{below}"), &mut schemas)
            .unwrap()
    };
    let manifest = compile("");
    let sensors = compile("#/properties/sensors");
    let record = compile("#/$defs/record");
    Published {
        schemas,
        manifest,
        sensors,
        record,
    }
}

impl Published {
    fn accepts(&self, value: &Value, shape: &Shape) -> Result<(), String> {
        let agrees = |value: &Value, schema| {
            self.schemas
                .validate(value, schema)
                .map_err(|error| format!("{error:#}"))
        };
        match shape.folder {
            "plugin" => {
                let sensors = value.get("sensors").ok_or("no sensors")?;
                agrees(sensors, self.sensors)
            }
            // A schema of one record: the list itself has nothing to say but that it is one.
            "records" => {
                let records = value.as_array().ok_or("no list")?;
                records
                    .iter()
                    .try_for_each(|value| agrees(value, self.record))
            }
            _ => agrees(value, self.manifest),
        }
    }
}

/// A fixture as a tree of JSON; `None` where it is no such text.
fn read(file: &Path, shape: &Shape) -> Option<Value> {
    let text = fs::read_to_string(file).ok()?;
    match shape.extension {
        "toml" => toml::from_str(text.trim_start_matches('\u{feff}')).ok(),
        _ => serde_json::from_str(&text).ok(),
    }
}

#[test]
fn the_published_schema_is_what_check_prints() {
    let printed = Project::without_git().run(["schema", "manifest"]);
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(page(), &printed.stdout).unwrap();
    }
    let kept = fs::read_to_string(page()).unwrap_or_default();
    assert_eq!(kept, printed.stdout, "write it anew with UPDATE_GOLDEN=1");
}

#[test]
fn the_schema_is_one() {
    let schema = document();
    let draft = schema["$schema"].as_str().unwrap();
    assert_eq!(draft, "https://json-schema.org/draft/2020-12/schema");
    let mut schemas = Schemas::new();
    let draft = Compiler::new().compile(draft, &mut schemas).unwrap();
    if let Err(error) = schemas.validate(&schema, draft) {
        panic!("{error:#}");
    }
}

#[test]
fn every_good_manifest_agrees_with_the_schema() {
    let schema = published();
    let mut wrong = Vec::new();
    for shape in &SHAPES {
        let files = fixtures("valid", shape);
        assert!(!files.is_empty(), "{}", shape.place);
        for file in files {
            let value = read(&file, shape).unwrap_or_else(|| panic!("{}", file.display()));
            if let Err(why) = schema.accepts(&value, shape) {
                wrong.push(format!("{}: {why}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A schema that refuses nothing would agree with everything: what it lets pass is known by name,
/// each for what a schema cannot know.
#[test]
fn what_the_schema_cannot_refuse_is_known() {
    let schema = published();
    let mut passed = String::new();
    let mut refused = 0;
    for shape in &SHAPES {
        for file in fixtures("invalid", shape) {
            let Some(value) = read(&file, shape) else {
                continue;
            };
            if schema.accepts(&value, shape).is_ok() {
                let name = file.strip_prefix(fixture("manifests/invalid")).unwrap();
                writeln!(passed, "{}", name.display()).unwrap();
            } else {
                refused += 1;
            }
        }
    }
    let list = fixture("manifests/beyond-the-schema.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&list, &passed).unwrap();
    }
    assert_eq!(fs::read_to_string(&list).unwrap_or_default(), passed);
    assert!(refused >= 80, "{refused}");
}
