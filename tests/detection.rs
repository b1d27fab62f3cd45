//! A tree without a manifest: what it declares itself is run.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use harness_check::detect::{detect, harness_json};
use harness_check::model::HostFacts;
use serde_json::{Value, json};

use crate::support::{Project, Ran, check_of, has_tool};

/// The argv of every check of a verdict, a line each.
fn commands(verdict: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let checks = verdict["checks"].as_array().unwrap();
    checks
        .iter()
        .map(|check| {
            let argv: Vec<_> = check["argv"].as_array().unwrap().iter().map(word).collect();
            format!("{}: {}", word(&check["id"]), argv.join(" "))
        })
        .collect()
}

/// The rows of checks in a human report, their times left out.
fn check_rows(ran: &Ran) -> Vec<String> {
    let row = |line: &str| {
        let shown = line
            .trim_end()
            .rsplit_once("  ")
            .map_or(line, |(left, _)| left);
        shown.trim_end().to_owned()
    };
    let marks = ["  ✓  ", "  ✗  ", "  ~  ", "  !  ", "  -  "];
    ran.stdout
        .lines()
        .filter(|line| marks.iter().any(|mark| line.starts_with(mark)))
        .map(row)
        .collect()
}

#[test]
fn a_go_module_is_tested_vetted_and_built_and_the_tree_is_as_it_was() {
    if !has_tool("go") {
        return;
    }
    let main = "package main\n\nfunc main() {}\n";
    let library = "package lib\n\nfunc One() int { return 1 }\n";
    let test = "package lib\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal(One())\n\t}\n}\n";
    for (name, files) in [
        (
            "one main package",
            &[
                ("main.go", main),
                ("lib/lib.go", library),
                ("lib/lib_test.go", test),
            ][..],
        ),
        ("a main package and nothing else", &[("main.go", main)]),
        (
            "several",
            &[
                ("cmd/a/main.go", main),
                ("cmd/b/main.go", main),
                ("lib/lib_test.go", test),
                ("lib/lib.go", library),
            ],
        ),
        (
            "none",
            &[("lib/lib.go", library), ("lib/lib_test.go", test)],
        ),
    ] {
        let project = Project::new();
        project
            .write("go.mod", "module example.com/tool\n\ngo 1.21\n")
            .write(".gitignore", "/tool\n*.exe\n");
        for (path, text) in files {
            project.write(path, text);
        }
        project.commit();
        let before = project.status();
        let ran = project.run([""; 0]);
        assert_eq!(project.status(), before, "{name}");
        assert!(
            ran.stdout.contains("  found go.mod (no harness.json)\n"),
            "{}",
            ran.stdout
        );
        if files.len() == 1 {
            ran.expect(0, "ok: 2 passed, 1 skipped (test found no tests)");
            assert_eq!(
                check_rows(&ran)[0],
                "  -  test       go test ./...                no tests found"
            );
        } else {
            ran.expect(0, "ok: 3 passed");
            assert_eq!(
                check_rows(&ran),
                [
                    "  ✓  test       go test ./...                exit 0",
                    "  ✓  lint       go vet ./...                 exit 0",
                    "  ✓  typecheck  go build -o /dev/null ./...  exit 0",
                ],
                "{name}"
            );
        }
    }
}

#[test]
fn a_detected_build_failure_has_its_place() {
    if !has_tool("go") {
        return;
    }
    let project = Project::new();
    project
        .write("go.mod", "module example.com/tool\n\ngo 1.21\n")
        .write(
            "cmd/a/main.go",
            "package main\n\nfunc main() {\n\tvar x int = \"one\"\n\t_ = x\n}\n",
        );
    let (code, verdict) = project.json(&[]);
    assert_eq!(code, 1);
    let row = &check_of(&verdict, "typecheck")["failures"][0];
    assert_eq!(
        (&row["path"], &row["line"], &row["column"]),
        (&json!("cmd/a/main.go"), &json!(4), &json!(14))
    );
}

#[test]
fn a_cargo_package_is_tested_linted_and_checked() {
    if !has_tool("cargo") {
        return;
    }
    let project = Project::new();
    project
        .write(
            "Cargo.toml",
            "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        )
        .write(
            "src/lib.rs",
            "//! One.\n\n/// One.\npub fn one() -> u32 {\n    1\n}\n",
        )
        .write(".gitignore", "target/\nCargo.lock\n");
    let (code, verdict) = project.json(&[]);
    assert_eq!(
        commands(&verdict),
        [
            "test: cargo test",
            "lint: cargo clippy -- -D warnings",
            "typecheck: cargo check"
        ]
    );
    assert_eq!(code, 0, "{verdict}");
    assert_eq!(check_of(&verdict, "test")["status"], "skipped");
    let ran = project.run([""; 0]);
    ran.expect(0, "ok: 2 passed, 1 skipped (test found no tests)");
    project.edit(
        "src/lib.rs",
        "    1\n}\n",
        "    return 1;\n}\n\n#[test]\nfn is_one() {\n    assert_eq!(one(), 1);\n}\n",
    );
    let (code, verdict) = project.json(&[]);
    assert_eq!(
        (code, &verdict["summary"]["pass"]),
        (1, &json!(2)),
        "{verdict}"
    );
    let row = &check_of(&verdict, "lint")["failures"][0];
    assert_eq!(
        (&row["path"], &row["line"], &row["rule"]),
        (
            &json!("src/lib.rs"),
            &json!(5),
            &json!("clippy::needless_return")
        )
    );
}

#[test]
fn scripts_run_by_the_package_manager_whose_lockfile_is_here() {
    for (lockfile, manager) in [
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lock", "bun"),
        ("package-lock.json", "npm"),
    ] {
        let project = Project::new();
        project
            .write(
                "package.json",
                r#"{"scripts": {"lint": "x", "test": "x", "build": "x"}}"#,
            )
            .write(lockfile, "");
        // Stands in for the manager, which this machine need not have.
        let tools = tempfile::tempdir().unwrap();
        let stand_in = tools.path().join(manager);
        fs::write(&stand_in, "#!/bin/sh\necho \"$0 $*\"\necho \"CI=$CI NO_COLOR=$NO_COLOR TERM=$TERM COLUMNS=$COLUMNS LANG=$LANG\"\n").unwrap();
        fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = project.command(["--json"]);
        command.env("PATH", format!("{}:/usr/bin:/bin", tools.path().display()));
        let ran = Ran::of(&command.output().unwrap());
        let verdict: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(ran.code, 0, "{verdict}");
        assert_eq!(
            commands(&verdict),
            [
                format!("test: {manager} run test"),
                format!("lint: {manager} run lint")
            ]
        );
        let check = check_of(&verdict, "lint");
        assert_eq!(
            check["stdout_tail"],
            format!(
                "{} run lint\nCI=1 NO_COLOR=1 TERM=dumb COLUMNS=200 LANG=C.UTF-8\n",
                stand_in.display()
            )
        );
        assert_eq!(check["streams"], "joined");
        assert_eq!(
            check["env"],
            json!([
                "CI",
                "COLUMNS",
                "FORCE_COLOR",
                "GIT_PAGER",
                "LANG",
                "NO_COLOR",
                "PAGER",
                "TERM"
            ])
        );
        assert_eq!(verdict["manifest"], json!({ "path": null, "sha256": null }));
    }
}

#[test]
fn a_check_script_is_the_whole_of_it_and_a_placeholder_is_no_script() {
    if !has_tool("npm") {
        return;
    }
    let project = Project::new();
    project.write(
        "package.json",
        r#"{"scripts": {"check": "true", "test": "false"}}"#,
    );
    let (code, verdict) = project.json(&[]);
    assert_eq!(
        (code, commands(&verdict)),
        (0, vec!["check: npm run check".to_owned()])
    );

    let placeholder = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
    project.write("package.json", placeholder);
    let ran = project.run([""; 0]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    ran.has("package.json is here and declares no check, test, lint or typecheck");
}

#[test]
fn what_a_check_stands_for_runs_when_it_is_named() {
    if !has_tool("make") {
        return;
    }
    let project = Project::new();
    project.write(
        "Makefile",
        ".PHONY: check test lint\ncheck: lint\ntest:\n\techo testing\nlint:\n\ttrue\n",
    );
    let (code, verdict) = project.json(&[]);
    assert_eq!(
        (code, commands(&verdict)),
        (0, vec!["check: make check".to_owned()])
    );
    assert_eq!(check_of(&verdict, "check")["streams"], "joined");
    let (code, verdict) = project.json(&["test"]);
    assert_eq!(
        (code, commands(&verdict)),
        (0, vec!["test: make test".to_owned()])
    );
    assert_eq!(
        check_of(&verdict, "test")["stdout_tail"],
        "echo testing\ntesting\n"
    );
}

#[test]
fn recipes_of_a_justfile_are_run_by_just() {
    if !has_tool("just") {
        return;
    }
    let project = Project::new();
    project.write(
        "justfile",
        "# check: not this one\ntest *args:\n    echo 'lint:' {{ args }}\n\ntypecheck: test\n    exit 3\n\nlint file:\n    false\n",
    );
    let ran = project.run([""; 0]);
    ran.expect(1, "blocked: 1 of 2 checks failed");
    assert_eq!(
        check_rows(&ran),
        [
            "  ✓  test       just test       exit 0",
            "  ✗  typecheck  just typecheck  exit status 3"
        ]
    );
    assert!(
        ran.stdout.contains("  found justfile (no harness.json)\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn pytest_says_what_failed_and_no_tests_are_no_failure() {
    if !has_tool("pytest") {
        return;
    }
    let project = Project::new();
    project
        .write("setup.cfg", "[tool:pytest]\naddopts = -p no:cacheprovider\n")
        .write(
            "tests/test_sum.py",
            "def test_one():\n    assert sum([1]) == 1\n\n\nclass TestTwo:\n    def test_both(self):\n        assert sum([1, 1]) == 3, \"of two\"\n",
        );
    let (code, verdict) = project.json(&[]);
    let check = check_of(&verdict, "test");
    assert_eq!(code, 1, "{verdict}");
    assert_eq!(
        check["evidence"],
        json!({"ran": 2, "failed": 1, "skipped": 0, "claimed": 1, "stopped_early": false})
    );
    let row = &check["failures"][0];
    assert_eq!(check["failures"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&row["path"], &row["test"], &row["line"]),
        (
            &json!("tests/test_sum.py"),
            &json!("TestTwo::test_both"),
            &Value::Null
        )
    );
    assert!(
        row["message"]
            .as_str()
            .unwrap()
            .starts_with("AssertionError: of two"),
        "{row}"
    );

    project.edit("tests/test_sum.py", "== 3", "== 2");
    project.run([""; 0]).expect(0, "ok: 1 passed");
    project.write("tests/test_sum.py", "");
    let (_, verdict) = project.json(&[]);
    let check = check_of(&verdict, "test");
    assert_eq!(
        (&check["status"], &check["reason"]),
        (&json!("skipped"), &json!("no tests found"))
    );
}

#[test]
fn no_tests_are_seen_through_a_launcher_that_hands_the_exit_code_on() {
    if !has_tool("pytest") || !has_tool("just") {
        return;
    }
    let project = Project::new();
    project.write(
        "justfile",
        "test:\n    pytest -p no:cacheprovider\n\nlint:\n    true\n",
    );
    let ran = project.run([""; 0]);
    ran.expect(0, "ok: 1 passed, 1 skipped (test found no tests)");
}

#[test]
fn tools_of_the_projects_own_environment_come_first() {
    let project = Project::new();
    project
        .write(
            "pyproject.toml",
            "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n",
        )
        .script(".venv/bin/pytest", "#!/bin/sh\necho '1 passed in 0.01s'\n")
        .script(".venv/bin/ruff", "#!/bin/sh\necho \"$@\"\n")
        .script(".venv/bin/mypy", "#!/bin/sh\necho \"$@\"\n");
    let (code, verdict) = project.json(&[]);
    assert_eq!(code, 0, "{verdict}");
    assert_eq!(
        commands(&verdict),
        [
            "test: .venv/bin/pytest",
            "lint: .venv/bin/ruff check .",
            "typecheck: .venv/bin/mypy ."
        ]
    );
    assert_eq!(check_of(&verdict, "test")["evidence"]["ran"], 1);
    assert_eq!(check_of(&verdict, "lint")["stdout_tail"], "check .\n");
}

#[test]
fn a_tool_that_is_not_installed_is_said_with_what_to_do() {
    for (file, text, program, step) in [
        (
            "package.json",
            r#"{"scripts": {"test": "x"}}"#,
            "npm",
            "install Node.js, which has npm (https://nodejs.org)",
        ),
        (
            "Cargo.toml",
            "[package]\n",
            "cargo",
            "install Rust (https://rustup.rs)",
        ),
        (
            "go.mod",
            "module x\n",
            "go",
            "install Go (https://go.dev/dl)",
        ),
        ("pytest.ini", "", "pytest", "pip install pytest"),
        (
            "justfile",
            "test:\n  x\n",
            "just",
            "install just (https://just.systems)",
        ),
        ("Makefile", "test: x\n", "make", "install make"),
    ] {
        let project = Project::new();
        project.write(file, text);
        let mut command = project.command([""; 0]);
        let empty = tempfile::tempdir().unwrap();
        command.env("PATH", empty.path());
        let ran = Ran::of(&command.output().unwrap());
        assert_eq!(ran.code, 2, "{}", ran.stdout);
        ran.has(step);
        let missing = format!("could not run: {program} is not on PATH");
        assert!(ran.stdout.contains(&missing), "{}", ran.stdout);
    }
}

#[test]
fn a_written_manifest_judges_as_the_detected_run_did() {
    if !has_tool("go") || !has_tool("make") {
        return;
    }
    let go = [
        ("go.mod", "module example.com/tool\n\ngo 1.21\n"),
        ("a.go", "package tool\n\nfunc One() int { return 1 }\n"),
        (
            "a_test.go",
            "package tool\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tt.Log(One())\n}\n",
        ),
    ];
    let make = [(
        "Makefile",
        "test:\n\techo CI is $$CI\n\tfalse\nlint: test\n",
    )];
    for (files, says) in [(&go[..], "ok "), (&make, "CI is 1")] {
        let project = Project::new();
        for (path, text) in files {
            project.write(path, text);
        }
        let (code, detected) = project.json(&[]);
        let host = HostFacts {
            cores: 2,
            ci: false,
            memory_bytes: 1 << 33,
        };
        let found = detect(project.root(), &host).unwrap();
        project.write("harness.json", harness_json(&found));
        let (again, declared) = project.json(&[]);
        assert_eq!(code, again, "{declared}");
        assert_eq!(declared["manifest"]["path"], "harness.json");
        assert_eq!(commands(&detected), commands(&declared));
        for (before, after) in checks(&detected).iter().zip(checks(&declared)) {
            for fact in ["status", "reason", "env", "streams", "failures_total"] {
                assert_eq!(before[fact], after[fact], "{fact} of {}", before["id"]);
            }
        }
        let said = &checks(&declared)[0]["stdout_tail"];
        assert!(said.as_str().unwrap().contains(says), "{said}");
    }
}

fn checks(verdict: &Value) -> &Vec<Value> {
    verdict["checks"].as_array().unwrap()
}

#[test]
fn families_that_are_here_too_are_named_and_not_run() {
    if !has_tool("npm") {
        return;
    }
    let project = Project::new();
    project
        .write("package.json", r#"{"scripts": {"test": "exit 0"}}"#)
        .write("Cargo.toml", "[package]\n")
        .write("pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]\n")
        .write("justfile", "test:\n  go test\n\nbuild:\n  go build\n")
        .write("GNUmakefile", "check: test\ntest: x\n");
    let ran = project.run([""; 0]);
    ran.expect(0, "ok: 1 passed");
    ran.has(
        "also here, not run: Cargo.toml (test, lint, typecheck), pyproject.toml (test, lint), \
         justfile (test), GNUmakefile (check, test). To choose: check init",
    );
    assert_eq!(check_rows(&ran), ["  ✓  test  npm run test  exit 0"]);
}

#[test]
fn a_package_file_that_is_no_json_is_told_with_its_place() {
    let project = Project::new();
    project
        .write("package.json", "{\n  \"scripts\": {\"test\": }\n}\n")
        .write("go.mod", "module x\n");
    let ran = project.run([""; 0]);
    ran.expect(2, "no verdict: 1 problem in package.json; nothing was run");
    assert!(
        ran.stdout.starts_with("package.json:2:23: "),
        "{}",
        ran.stdout
    );
}

#[test]
fn where_nothing_is_found_the_manifest_to_write_can_be_pasted() {
    for project in [Project::new(), Project::without_git()] {
        let ran = project.run([""; 0]);
        assert_eq!(
            ran.stdout,
            "  write a harness.json, for example:\n    {\"checks\": [\n      {\"id\": \"test\", \"executable\": \
             \"make\", \"args\": [\"test\"]}\n    ]}\nno verdict: nothing to check is declared here: looked \
             for harness.json, harness.toml, plugin.json, package.json, Cargo.toml, go.mod, pytest \
             configuration or tests, justfile, Makefile\n"
        );
        assert_eq!((ran.code, ran.stderr.as_str()), (2, ""));
        let (code, verdict) = project.json(&[]);
        assert_eq!((code, &verdict["verdict"]), (2, &json!("none")));

        let pasted: Vec<&str> = ran
            .stdout
            .lines()
            .filter(|line| line.starts_with("    "))
            .collect();
        project
            .write("harness.json", pasted.join("\n"))
            .write("Makefile", "test:\n\t@true\n");
        if has_tool("make") {
            project.run([""; 0]).expect(0, "ok: 1 passed");
        }
    }
}

#[test]
fn detection_looks_at_the_top_of_the_repository_and_outside_of_one_only_here() {
    if !has_tool("npm") {
        return;
    }
    let package = r#"{"scripts": {"test": "exit 0"}}"#;
    let inside = Project::new();
    inside.write("package.json", package).write("a/b/c", "");
    inside.run(["-C", "a/b"]).expect(0, "ok: 1 passed");
    let outside = Project::without_git();
    outside.write("package.json", package).write("a/b/c", "");
    assert_eq!(outside.run(["-C", "a/b"]).code, 2);
    outside.run([""; 0]).expect(0, "ok: 1 passed");
}
