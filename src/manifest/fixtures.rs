//! Every manifest in `fixtures/manifests`, with all that is said about it.
//!
//! `invalid/<name>.expected` holds its problems, one a line: `line:col: message | hint`.
//! `valid/<name>.expected` holds what it resolves to. `UPDATE_GOLDEN=1` writes them anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Context, Found, HostFacts, Manifest, Source, parse};
use crate::model::Diagnostic;

const HOST: HostFacts = HostFacts {
    cores: 8,
    ci: false,
    memory_bytes: 32 << 30,
};

const FORMATS: [&str; 7] = [
    "auto",
    "text",
    "none",
    "go-test",
    "tap",
    "golangci-lint",
    "generic",
];

/// The tree that the fixtures speak of.
fn tree() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    fs::create_dir_all(root.join("pkg/sub")).unwrap();
    fs::create_dir(dir.path().join("outside")).unwrap();
    fs::write(root.join("go.mod"), "module x\n").unwrap();
    fs::write(root.join("pkg/my tool"), "").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../outside", root.join("link-out")).unwrap();
        std::os::unix::fs::symlink("pkg/sub", root.join("link-in")).unwrap();
    }
    dir
}

fn read(bytes: Vec<u8>, file: &Path, root: &Path) -> Result<Manifest, Vec<Diagnostic>> {
    // The digest is not looked at, and these tests read very many texts.
    let source = Source {
        bytes,
        sha256: String::new(),
    };
    let context = Context {
        root,
        harness: root,
        shown: "harness",
        host: &HOST,
        known_formats: &FORMATS,
    };
    parse(&source, Found::of(file).form, &context)
}

fn fixtures(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/manifests")
        .join(kind);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext != "expected"))
        .collect();
    files.sort();
    let stems: BTreeSet<_> = files.iter().map(|file| file.file_stem().unwrap()).collect();
    assert_eq!(
        stems.len(),
        files.len(),
        "two fixtures would share one golden"
    );
    files
}

/// Compares with the golden beside `file`, or writes it.
fn golden(file: &Path, told: &str, wrong: &mut Vec<String>) {
    let expected = file.with_extension("expected");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&expected, told).unwrap();
        return;
    }
    let known = fs::read_to_string(&expected).unwrap_or_default();
    if known != told {
        wrong.push(format!(
            "{}\n--- expected\n{known}--- told\n{told}",
            file.display()
        ));
    }
}

fn problems(diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for d in diagnostics {
        if let (Some(line), Some(column)) = (d.line, d.column) {
            write!(text, "{line}:{column}: ").unwrap();
        }
        text += &d.message;
        if let Some(hint) = &d.hint {
            write!(text, " | {hint}").unwrap();
        }
        text.push('\n');
    }
    text
}

fn resolved(manifest: &Manifest, root: &Path) -> String {
    let mut text = String::new();
    let s = &manifest.settings;
    assert_eq!(s.root, root);
    writeln!(
        text,
        "{:?} {:?} require_containment={} timeout={:?} grace={:?} jobs={}",
        s.limits, s.profile, s.require_containment, s.timeout, s.grace, s.jobs
    )
    .unwrap();
    for c in &manifest.checks {
        let at = c.declared_at.as_ref().unwrap();
        assert!(!c.detected);
        writeln!(
            text,
            "{}:{}: {} {:?} in {}",
            at.path,
            at.line,
            c.id,
            c.argv(),
            c.cwd
        )
        .unwrap();
        writeln!(
            text,
            "  timeout={:?} {:?} {:?} area={:?} leaks={:?} allow_empty={} exclusive={}",
            c.timeout, c.tolerance, c.category, c.area, c.leaks, c.allow_empty, c.exclusive
        )
        .unwrap();
        let o = &c.output;
        let pattern = o.pattern.as_ref().map(regex::bytes::Regex::as_str);
        writeln!(
            text,
            "  format={} match={pattern:?} streams={:?} claims={:?} env={:?} pass_env={:?}",
            o.format, o.streams, o.claims, c.env, c.pass_env
        )
        .unwrap();
    }
    text.replace(root.to_str().unwrap(), "<root>")
}

#[test]
fn every_invalid_manifest_is_told_all_its_problems() {
    let dir = tree();
    let root = dir.path().join("root");
    let files = fixtures("invalid");
    assert!(files.len() >= 50, "{}", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let told =
            read(fs::read(&file).unwrap(), &file, &root).expect_err(&file.display().to_string());
        for d in &told {
            assert_eq!(d.path, "harness");
            let Some(column) = d.column else {
                assert_eq!((d.line, &d.excerpt), (None, &None));
                continue;
            };
            assert!(column >= 1 && d.line.is_some_and(|line| line >= 1));
            if let Some((line, marked)) = &d.excerpt {
                let last = column as usize - 1 + marked;
                assert!(*marked >= 1 && last <= line.chars().count() + 1, "{d:?}");
            }
        }
        let order: Vec<_> = told.iter().map(|d| (d.line, d.column)).collect();
        assert!(order.is_sorted(), "{}: {order:?}", file.display());
        golden(&file, &problems(&told), &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_valid_manifest_resolves_as_expected() {
    let dir = tree();
    let root = dir.path().join("root");
    let files = fixtures("valid");
    assert!(files.len() >= 15, "{}", files.len());
    let mut wrong = Vec::new();
    for file in files {
        match read(fs::read(&file).unwrap(), &file, &root) {
            Ok(manifest) => golden(&file, &resolved(&manifest, &root), &mut wrong),
            Err(told) => wrong.push(format!("{}\n{}", file.display(), problems(&told))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The two spellings of one manifest are one manifest.
#[test]
fn json_and_toml_say_the_same() {
    let dir = tree();
    let root = dir.path().join("root");
    let both = ["full-json.json", "full-toml.toml"].map(|name| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures/manifests/valid")
            .join(name);
        let manifest = read(fs::read(&file).unwrap(), &file, &root).unwrap();
        let mut text = resolved(&manifest, &root);
        // Lines are the one thing in which they differ.
        text = regex::Regex::new("harness:[0-9]+")
            .unwrap()
            .replace_all(&text, "")
            .into_owned();
        text
    });
    assert_eq!(both[0], both[1]);
}

/// Screen J, as far as data goes.
#[test]
fn a_command_line_is_shown_with_what_to_write() {
    let dir = tree();
    let text = "{\n\n  \"checks\": [{\n    \"id\": \"lint\",\n    \"executable\": \"golangci-lint run\"\n  }]\n}\n";
    let file = Path::new("harness.json");
    let told = read(text.into(), file, &dir.path().join("root")).unwrap_err();
    let expected = Diagnostic {
        path: "harness".to_owned(),
        line: Some(5),
        column: Some(19),
        message: "executable holds a space and names no file".to_owned(),
        hint: Some("write \"executable\": \"golangci-lint\", \"args\": [\"run\"]".to_owned()),
        excerpt: Some(("    \"executable\": \"golangci-lint run\"".to_owned(), 19)),
    };
    assert_eq!(told, [expected]);
}

#[test]
fn variables_of_one_check_are_its_own_and_those_of_all_are_kept_once() {
    let dir = tree();
    let text = r#"{"checks_env": {"A": "all"}, "checks": [
        {"id": "1", "executable": "x"},
        {"id": "2", "executable": "x", "env": {"A": "own"}},
        {"id": "3", "executable": "x"}
    ]}"#;
    let file = Path::new("harness.json");
    let manifest = read(text.into(), file, &dir.path().join("root")).unwrap();
    let env = |nth: usize| &manifest.checks[nth].env;
    assert_eq!(
        [env(0)["A"].as_str(), &env(1)["A"], &env(2)["A"]],
        ["all", "own", "all"]
    );
    assert!(Arc::ptr_eq(env(0), env(2)));
}

#[test]
fn no_bytes_make_it_panic() {
    let dir = tree();
    let root = dir.path().join("root");
    let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = |below: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).unwrap() % below.max(1)
    };
    let mut read_texts = 0;
    for file in fixtures("invalid").into_iter().chain(fixtures("valid")) {
        let bytes = fs::read(&file).unwrap();
        // Each as both spellings: what is no JSON is not thereby TOML.
        for name in ["harness.json", "harness.toml"] {
            for end in (0..bytes.len()).take(4000) {
                let _ = read(bytes[..end].to_vec(), Path::new(name), &root);
                read_texts += 1;
            }
            for _ in 0..50 {
                let mut flipped = bytes.clone();
                for _ in 0..=next(4) {
                    let at = next(flipped.len());
                    if let Some(byte) = flipped.get_mut(at) {
                        *byte = u8::try_from(next(256)).unwrap();
                    }
                }
                let _ = read(flipped, Path::new(name), &root);
                read_texts += 1;
            }
        }
    }
    assert!(read_texts > 20_000, "{read_texts}");
}
