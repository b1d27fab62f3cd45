//! Every manifest in `fixtures/manifests`, and every part of one, read as each of the four forms:
//! nothing makes the reader panic, and problems come in the order of the file, each with a place
//! in it. What is said of them is held by `tests/manifests.rs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Context, Form, HostFacts, Manifest, Source, parse};
use crate::model::{Diagnostic, Profile};

const HOST: HostFacts = HostFacts {
    cores: 8,
    ci: false,
    memory_bytes: 32 << 30,
};

const FORMATS: [&str; 5] = ["auto", "text", "none", "go-test", "tap"];

const FORMS: [Form; 4] = [Form::Json, Form::Toml, Form::Plugin, Form::Records];

/// A folder with what the fixtures name most.
fn tree() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("pkg/sub")).unwrap();
    fs::write(dir.path().join("pkg/my tool"), "").unwrap();
    dir
}

fn read(bytes: &[u8], form: Form, root: &Path) -> Result<Manifest, Vec<Diagnostic>> {
    // The digest is not looked at, and these tests read very many texts.
    let source = Source {
        bytes: bytes.to_vec(),
        sha256: String::new(),
    };
    let context = Context {
        root,
        harness: root,
        shown: "harness",
        host: &HOST,
        known_formats: &FORMATS,
    };
    parse(&source, form, &context)
}

/// A good fixture, read as its name says.
fn valid(name: &str) -> Manifest {
    let file = folder().join("valid").join(name);
    let form = form(&file).unwrap();
    read(&fs::read(file).unwrap(), form, tree().path()).unwrap()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/manifests")
}

/// All fixtures, each with its own form.
fn fixtures() -> Vec<(Form, Vec<u8>)> {
    let mut folders = vec![folder()];
    let mut fixtures = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Some(form) = form(&path) {
                fixtures.push((form, fs::read(path).unwrap()));
            }
        }
    }
    assert!(fixtures.len() > 160, "{}", fixtures.len());
    fixtures
}

/// What a fixture is by its place and name; `None` for what is none.
fn form(path: &Path) -> Option<Form> {
    let shape = path.parent()?.file_name()?.to_str()?;
    Some(match (shape, path.extension()?.to_str()?) {
        ("plugin", "json") => Form::Plugin,
        ("records", "json") => Form::Records,
        (_, "json") => Form::Json,
        (_, "toml") => Form::Toml,
        _ => return None,
    })
}

/// That all of `told` is told in the order of the file, each problem in its place.
fn in_order(told: &[Diagnostic]) {
    assert!(!told.is_empty());
    for d in told {
        assert_eq!(d.path, "harness");
        let (Some(line), Some(column)) = (d.line, d.column) else {
            assert_eq!((d.line, d.column, &d.excerpt), (None, None, &None));
            continue;
        };
        assert!(line >= 1 && column >= 1, "{d:?}");
        if let Some((text, marked)) = d.excerpt.as_deref() {
            let length = text.chars().count();
            assert!(
                marked.start < marked.end && marked.end <= length + 1,
                "{d:?}"
            );
        }
    }
    let places: Vec<_> = told.iter().map(|d| (d.line, d.column)).collect();
    assert!(places.is_sorted(), "{places:?}");
}

/// Longer prefixes of the few fixtures that repeat one thing thousands of times say nothing new.
const LONGEST_PREFIX: usize = 2_000;

/// In a form that is not its own a fixture is mostly refused at once: so many prefixes are passed
/// over for one that is read.
const STEP: usize = 7;

#[test]
fn no_bytes_make_it_panic_and_problems_are_told_in_order() {
    let dir = tree();
    let fixtures = fixtures();
    let (fixtures, root) = (&fixtures, dir.path());
    std::thread::scope(|threads| {
        for form in FORMS {
            threads.spawn(move || {
                let mut random = Random(0x9e37_79b9_7f4a_7c15);
                let look = |bytes: &[u8]| {
                    if let Err(told) = read(bytes, form, root) {
                        in_order(&told);
                    }
                };
                for (own, bytes) in fixtures {
                    look(bytes);
                    let step = if *own == form { 1 } else { STEP };
                    for end in (0..bytes.len().min(LONGEST_PREFIX)).step_by(step) {
                        look(&bytes[..end]);
                    }
                    for _ in 0..10 {
                        look(&random.flip(bytes));
                    }
                }
            });
        }
    });
}

/// A fixed sequence of numbers without a pattern.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }

    /// `bytes` with one to four of them changed.
    fn flip(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut flipped = bytes.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(flipped.len());
            if let Some(byte) = flipped.get_mut(at) {
                *byte = u8::try_from(self.below(256)).unwrap();
            }
        }
        flipped
    }
}

/// The two spellings of one manifest are one manifest.
#[test]
fn json_and_toml_say_the_same() {
    let [json, toml] = ["full-json.json", "full-toml.toml"].map(|name| {
        let manifest = valid(name);
        let mut settings = manifest.settings;
        settings.root = PathBuf::new();
        let mut checks = manifest.checks;
        for check in &mut checks {
            // Lines are the one thing in which they differ.
            check.declared_at = None;
        }
        format!("{settings:?}\n{checks:?}")
    });
    assert!(json.contains("GOPROXY"), "{json}");
    assert_eq!(json, toml);
}

/// No command lists the knobs, so they are held here.
#[test]
fn knobs_are_what_the_manifest_sets_and_their_defaults_else() {
    let set = valid("full-json.json").settings;
    assert_eq!(set.limits.cpu_percent, 150);
    assert_eq!(set.limits.memory_bytes, 1 << 30);
    assert_eq!(set.limits.processes, 100);
    assert_eq!(set.limits.output_bytes, Some(1 << 20));
    assert!(set.require_containment);
    assert_eq!((set.timeout.as_secs(), set.grace.as_millis()), (3600, 500));
    assert_eq!(set.jobs, 3);
    for name in [
        "smallest.json",
        "all-defaults-spelled-out.json",
        "knob-duration-zero.json",
        "every-later-knob.json",
    ] {
        let unset = valid(name).settings;
        assert_eq!(unset.limits.cpu_percent, 600, "{name}");
        assert_eq!(unset.limits.memory_bytes, 4 << 30, "{name}");
        assert_eq!(unset.limits.processes, 4096, "{name}");
        assert_eq!(unset.limits.output_bytes, None, "{name}");
        assert_eq!(unset.profile, Profile::LocalSubscription, "{name}");
        assert!(!unset.require_containment, "{name}");
        assert_eq!(unset.timeout.as_secs(), 30 * 60, "{name}");
        assert_eq!(unset.grace.as_secs(), 2, "{name}");
        assert_eq!(unset.jobs, 8, "{name}");
    }
    assert_eq!(
        valid("uncontained-profile.json").settings.profile,
        Profile::UncontainedDevelopment
    );
}

/// `checks_env` and `env`, by value.
#[test]
fn a_checks_own_variables_win() {
    let checks = valid("full-json.json").checks;
    let env: Vec<(&str, &str)> = checks[0]
        .env
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(env, [("A_1", ""), ("CI", "1"), ("LANG", "C.UTF-8")]);
}

/// Variables of one check are its own, and those of all are kept once.
#[test]
fn variables_are_shared_and_never_leak() {
    let text = br#"{"checks_env": {"A": "all"}, "checks": [
        {"id": "1", "executable": "x"},
        {"id": "2", "executable": "x", "env": {"A": "own"}},
        {"id": "3", "executable": "x"}
    ]}"#;
    let checks = read(text, Form::Json, tree().path()).unwrap().checks;
    let values: Vec<&str> = checks.iter().map(|check| check.env["A"].as_str()).collect();
    assert_eq!(values, ["all", "own", "all"]);
    assert!(Arc::ptr_eq(&checks[0].env, &checks[2].env));
}
