use std::fs;
use std::path::Path;

use super::{DetectError, Detected, HostFacts, NothingFound, detect};
use crate::model::Streams;
use crate::text::parse_json;

const HOST: HostFacts = HostFacts {
    cores: 4,
    ci: false,
    memory_bytes: 16 << 30,
};

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

fn found(files: &[(&str, &str)]) -> Detected {
    detect(tree(files).path(), &HOST).unwrap()
}

fn argvs(detected: &Detected) -> Vec<String> {
    let line = |c: &crate::model::CheckSpec| format!("{}: {}", c.id, c.argv().join(" "));
    detected.checks.iter().map(line).collect()
}

#[test]
fn a_go_module_has_its_three_commands() {
    let detected = found(&[("go.mod", "module x\n")]);
    assert_eq!(detected.family, "go.mod");
    let expected = [
        "test: go test ./...",
        "lint: go vet ./...",
        "typecheck: go build -o /dev/null ./...",
    ];
    assert_eq!(argvs(&detected), expected);
    assert!(
        detected
            .checks
            .iter()
            .all(|c| c.detected && !c.exclusive && c.declared_at.is_none())
    );
}

#[test]
fn cargo_runs_one_command_after_another() {
    let detected = found(&[("Cargo.toml", "[package]\n")]);
    let expected = [
        "test: cargo test",
        "lint: cargo clippy -- -D warnings",
        "typecheck: cargo check",
    ];
    assert_eq!(argvs(&detected), expected);
    assert!(detected.checks.iter().all(|c| c.exclusive));
}

#[test]
fn scripts_run_by_the_manager_whose_lockfile_is_here() {
    let package = r#"{"scripts": {"lint": "eslint .", "test": "node --test", "build": "x"}}"#;
    for (lockfile, manager) in [
        ("none", "npm"),
        ("package-lock.json", "npm"),
        ("yarn.lock", "yarn"),
        ("pnpm-lock.yaml", "pnpm"),
        ("bun.lock", "bun"),
        ("bun.lockb", "bun"),
    ] {
        let detected = found(&[("package.json", package), (lockfile, "")]);
        let expected = [
            format!("test: {manager} run test"),
            format!("lint: {manager} run lint"),
        ];
        assert_eq!(argvs(&detected), expected, "{lockfile}");
        assert!(
            detected
                .checks
                .iter()
                .all(|c| c.output.streams == Some(Streams::Joined))
        );
    }
}

#[test]
fn a_check_script_stands_alone() {
    let package = r#"{"scripts": {"test": "a", "check": "b", "lint": "c"}}"#;
    assert_eq!(
        argvs(&found(&[("package.json", package)])),
        ["check: npm run check"]
    );
}

#[test]
fn the_first_that_declares_a_command_wins_and_the_others_are_named() {
    let placeholder = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
    let detected = found(&[
        ("package.json", placeholder),
        ("go.mod", ""),
        ("Cargo.toml", ""),
    ]);
    assert_eq!(detected.family, "Cargo.toml");
    let three = ["test", "lint", "typecheck"].map(str::to_owned).to_vec();
    assert_eq!(detected.also, [("go.mod".to_owned(), three)]);

    let package = r#"{"scripts": {"lint": "x"}}"#;
    let detected = found(&[("package.json", package), ("go.mod", "")]);
    assert_eq!((detected.family, detected.also.len()), ("package.json", 1));
}

#[test]
fn a_package_that_is_no_json_is_told_with_its_place() {
    let dir = tree(&[
        ("package.json", "{\"scripts\": {\n  \"test\": \"x\",\n}}"),
        ("go.mod", ""),
    ]);
    let Err(DetectError::Unreadable(told)) = detect(dir.path(), &HOST) else {
        panic!("it was read")
    };
    assert_eq!(told.len(), 1);
    let first = &told[0];
    assert_eq!(
        (first.path.as_str(), first.line, first.column),
        ("package.json", Some(2), Some(14))
    );
    assert_eq!(first.message, "a comma before the end");
}

#[test]
fn what_package_managers_overlook_is_overlooked() {
    let package = "\u{feff}{\"scripts\": {\"test\": \"\", \"test\": \"x\", \"lint\": 3}}";
    assert_eq!(
        argvs(&found(&[("package.json", package)])),
        ["test: npm run test"]
    );
}

#[test]
fn nothing_found_says_what_was_looked_for_and_gives_a_manifest() {
    let dir = tree(&[("package.json", "[]")]);
    let Err(DetectError::NothingFound(nothing)) = detect(dir.path(), &HOST) else {
        panic!("something was found")
    };
    assert_eq!(
        nothing.to_string(),
        "nothing to check is declared here: looked for harness.json, harness.toml, package.json, \
         Cargo.toml, go.mod"
    );
    assert_eq!(
        nothing.notes,
        ["package.json is here and declares no check, test, lint or typecheck"]
    );
    assert_eq!(NothingFound::example().lines().count(), 3);
    assert!(parse_json(NothingFound::example()).faults.is_empty());
}

#[test]
fn a_detected_run_tells_tools_that_no_terminal_is_there() {
    let detected = found(&[("go.mod", "")]);
    let env: Vec<String> = detected.checks[0]
        .env
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    assert_eq!(
        env.join(" "),
        "CI=1 COLUMNS=200 FORCE_COLOR=0 GIT_PAGER=cat LANG=C.UTF-8 NO_COLOR=1 PAGER=cat TERM=dumb"
    );
    assert_eq!(detected.settings.limits.memory_bytes, 12 << 30);
    let small = HostFacts {
        memory_bytes: 1 << 30,
        ..HOST
    };
    let dir = tree(&[("go.mod", "")]);
    assert_eq!(
        detect(dir.path(), &small)
            .unwrap()
            .settings
            .limits
            .memory_bytes,
        4 << 30
    );
}

#[test]
fn a_folder_of_the_name_is_no_family() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("go.mod")).unwrap();
    assert!(detect(Path::new(dir.path()), &HOST).is_err());
}
