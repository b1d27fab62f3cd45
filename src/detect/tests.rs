use std::fs;
use std::path::Path;

use super::{DetectError, Detected, HostFacts, NothingFound, detect, harness_json};
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

/// The ids of all checks, those that run only when they are named in brackets.
fn ids(detected: &Detected) -> String {
    let shown = |c: &crate::model::CheckSpec| {
        if c.only_named {
            format!("[{}]", c.id)
        } else {
            c.id.to_string()
        }
    };
    let ids: Vec<_> = detected.checks.iter().map(shown).collect();
    ids.join(" ")
}

#[test]
fn what_a_project_calls_its_check_stands_for_the_rest_which_can_be_named() {
    let package = r#"{"scripts": {"lint": "c", "test": "a", "check": "b"}}"#;
    let recipes = "test:\n  a\nlint:\n  a\ntypecheck:\n  a\ncheck: test lint\n";
    for (file, text, expected) in [
        ("package.json", package, "check [test] [lint]"),
        ("justfile", recipes, "check [test] [lint] [typecheck]"),
        (
            "Makefile",
            "lint: a\ntest: a\ncheck: a\n",
            "check [test] [lint]",
        ),
        ("Makefile", "lint: a\ntest: a\n", "test lint"),
        ("go.mod", "", "test lint typecheck"),
        ("Cargo.toml", "", "test lint typecheck"),
        ("pytest.ini", "", "test"),
    ] {
        assert_eq!(ids(&found(&[(file, text)])), expected, "{file}");
    }
}

#[test]
fn launchers_tell_their_story_on_one_stream() {
    for (file, text) in [("justfile", "test:\n  a\n"), ("Makefile", "test: a\n")] {
        let detected = found(&[(file, text)]);
        assert_eq!(detected.checks[0].output.streams, Some(Streams::Joined));
    }
    assert_eq!(found(&[("pytest.ini", "")]).checks[0].output.streams, None);
}

#[test]
fn families_are_asked_in_one_order() {
    let files = [
        ("package.json", r#"{"scripts": {"test": "x"}}"#),
        ("Cargo.toml", ""),
        ("go.mod", ""),
        ("pytest.ini", ""),
        ("justfile", "test:\n  a\n"),
        ("Makefile", "test: a\n"),
    ];
    for first in 0..files.len() {
        let detected = found(&files[first..]);
        let also = detected.also.iter().map(|(file, _)| file.as_str());
        let order: Vec<_> = std::iter::once(detected.family.as_str())
            .chain(also)
            .collect();
        let expected: Vec<_> = files[first..].iter().map(|(file, _)| *file).collect();
        assert_eq!(order, expected);
    }
}

#[test]
fn a_file_that_cannot_be_read_matters_only_where_it_would_be_run() {
    let broken = ("pyproject.toml", "[tool.pytest]\na = \n");
    let make = ("Makefile", "test: a\n");
    assert_eq!(found(&[("go.mod", ""), broken, make]).also[0].0, "Makefile");
    let dir = tree(&[broken, make]);
    let Err(DetectError::Unreadable(told)) = detect(dir.path(), &HOST) else {
        panic!("it was read")
    };
    assert_eq!(
        (told[0].path.as_str(), told[0].line),
        ("pyproject.toml", Some(2))
    );
}

#[test]
fn a_harness_json_declares_what_is_run_and_how() {
    let text = |files: &[(&str, &str)]| harness_json(&found(files));
    let env = concat!(
        "  \"checks_env\": {\n",
        "    \"CI\": \"1\",\n",
        "    \"NO_COLOR\": \"1\",\n",
        "    \"FORCE_COLOR\": \"0\",\n",
        "    \"TERM\": \"dumb\",\n",
        "    \"GIT_PAGER\": \"cat\",\n",
        "    \"PAGER\": \"cat\",\n",
        "    \"COLUMNS\": \"200\",\n",
        "    \"LANG\": \"C.UTF-8\"\n",
        "  }\n",
    );
    assert_eq!(
        text(&[("go.mod", "")]),
        format!(
            r#"{{
  "checks": [
    {{"id": "test", "executable": "go", "args": ["test", "./..."]}},
    {{"id": "lint", "executable": "go", "args": ["vet", "./..."]}},
    {{"id": "typecheck", "executable": "go", "args": ["build", "-o", "/dev/null", "./..."]}}
  ],
{env}}}
"#
        )
    );
    let checks = |files: &[(&str, &str)]| {
        let text = text(files);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["checks_env"].as_object().unwrap().len(), 8);
        let lines = text.lines().filter(|line| line.starts_with("    {"));
        lines.map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let package = r#"{"scripts": {"test": "a", "check": "b"}}"#;
    assert_eq!(
        checks(&[("package.json", package)]),
        [
            r#"{"id": "check", "executable": "npm", "args": ["run", "check"], "output": {"streams": "joined"}}"#
        ]
    );
    assert_eq!(
        checks(&[("Cargo.toml", "")])[2],
        r#"{"id": "typecheck", "executable": "cargo", "args": ["check"], "exclusive": true}"#
    );
    assert_eq!(
        checks(&[("pytest.ini", "")]),
        [r#"{"id": "test", "executable": "pytest"}"#]
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
    assert_eq!(
        (detected.family.as_str(), detected.also.len()),
        ("package.json", 1)
    );
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
    let dir = tree(&[
        ("package.json", "[]"),
        ("justfile", "test name:\n  a\n"),
        ("Makefile", "build:\n\ta\n"),
    ]);
    let Err(DetectError::NothingFound(nothing)) = detect(dir.path(), &HOST) else {
        panic!("something was found")
    };
    assert_eq!(
        nothing.to_string(),
        "nothing to check is declared here: looked for harness.json, harness.toml, plugin.json, \
         package.json, Cargo.toml, go.mod, pytest configuration or tests, justfile, Makefile"
    );
    assert_eq!(
        nothing.notes,
        [
            "package.json is here and declares no check, test, lint or typecheck",
            "just test needs an argument, so it is no check",
            "Makefile is here and declares no check, test or lint"
        ]
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
