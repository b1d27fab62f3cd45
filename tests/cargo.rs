//! Real cargo: the demo's own story, and rows of tests and of code that does not compile.

use std::fs;

use serde_json::json;

use crate::support::{Project, check_of, fixture, has_tool, rows};

/// The bug that the demo's baseline does not know, and what it would be without it.
const NEW_BUG: [&str; 2] = ["words / 200\n", "(words / 200).max(1)\n"];

#[test]
fn the_demo_shows_a_pass_a_known_and_a_new_failure() {
    if !has_tool("cargo") {
        return;
    }
    let project = Project::from_fixture("demo");
    let ran = project.run([""; 0]);
    ran.expect(1, "blocked: 1 of 3 checks failed");
    for row in [
        "  ✓  build   exit 0 ",
        "  ~  format  known (1) ",
        "  ✗  test    1 new, 1 known ",
    ] {
        assert!(ran.stdout.contains(row), "no {row:?} in\n{}", ran.stdout);
    }
    ran.has("test: 1 new");
    let (_, verdict) = project.json(&[]);
    let new = &check_of(&verdict, "test")["failures"][0];
    assert_eq!(
        (
            &new["path"],
            &new["line"],
            &new["column"],
            &new["test"],
            &new["state"]
        ),
        (
            &json!("src/lib.rs"),
            &json!(40),
            &json!(9),
            &json!("tests::a_short_text_takes_a_minute"),
            &json!("new")
        )
    );
    project.edit("src/lib.rs", NEW_BUG[0], NEW_BUG[1]);
    project.run([""; 0]).expect(0, "ok: 1 passed, 2 known");
}

#[test]
fn the_demo_runs_from_the_top_of_its_repository_and_leaves_it_clean() {
    if !has_tool("cargo") {
        return;
    }
    let project = Project::new();
    let demo = Project::from_fixture("demo");
    fs::create_dir(project.path("fixtures")).unwrap();
    fs::rename(demo.root(), project.path("fixtures/demo")).unwrap();
    fs::remove_dir_all(project.path("fixtures/demo/.git")).unwrap();
    project.commit();
    project
        .run(["-C", "fixtures/demo"])
        .expect(1, "blocked: 1 of 3 checks failed");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    assert_eq!(project.status(), "!! fixtures/demo/target/\n");
}

/// `UPDATE_GOLDEN=1` writes it anew.
#[test]
fn the_demo_baseline_is_what_record_writes() {
    if !has_tool("cargo") {
        return;
    }
    let project = Project::from_fixture("demo");
    project.edit("src/lib.rs", NEW_BUG[0], NEW_BUG[1]);
    if project.path(".check").exists() {
        fs::remove_dir_all(project.path(".check")).unwrap();
    }
    let last = "recorded: 2 failures in 2 checks; from now on only new ones block";
    project.run(["baseline", "record"]).expect(0, last);
    let files = ["format.jsonl", "test.jsonl"];
    let mut written: Vec<_> = fs::read_dir(project.path(".check/baseline"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    written.sort();
    assert_eq!(written, files);
    let committed = fixture("demo/.check/baseline");
    for file in files {
        let now = project.read(&format!(".check/baseline/{file}"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(&committed).unwrap();
            fs::write(committed.join(file), &now).unwrap();
        }
        let before = fs::read_to_string(committed.join(file)).unwrap_or_default();
        assert_eq!(now, before, "{file} differs; look, then UPDATE_GOLDEN=1");
    }
}

/// A workspace with one package, below the root.
fn workspace(library: &str) -> Project {
    let project = Project::new();
    project
        .write(
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/one\"]\nresolver = \"2\"\n",
        )
        .write(
            "crates/one/Cargo.toml",
            "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        )
        .write("crates/one/src/lib.rs", library)
        .write(".gitignore", "target/\nCargo.lock\n");
    project
}

#[test]
fn failing_tests_of_every_kind_have_their_path_from_the_root() {
    if !has_tool("cargo") {
        return;
    }
    let project = workspace(
        "//! ```\n//! assert_eq!(one::one(), 2);\n//! ```\n\n\
         pub fn one() -> u32 {\n    1\n}\n\n\
         #[cfg(test)]\nmod tests {\n    #[test]\n    fn unit() {\n        assert_eq!(super::one(), 3);\n    }\n\
         \n    #[test]\n    fn prints() {\n        println!(\"test tests::lies ... FAILED\");\n    }\n}\n",
    );
    project.write(
        "crates/one/tests/whole.rs",
        "#[test]\nfn integration() {\n    panic!(\"all of it\");\n}\n",
    );
    project.check("test", &["cargo", "test", "--offline", "--no-fail-fast"]);
    let (code, verdict) = project.json(&[]);
    assert_eq!(code, 1);
    let mut found = rows(&verdict, "test");
    found.sort();
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(
        found[0].starts_with("crates/one/src/lib.rs:1 "),
        "a doctest: {found:?}"
    );
    assert_eq!(found[1], "crates/one/src/lib.rs:13 tests::unit");
    assert_eq!(found[2], "crates/one/tests/whole.rs:3 integration");
    let recorded = "recorded: 3 failures in 1 check; from now on only new ones block";
    project.run(["baseline", "record"]).expect(0, recorded);
    project.run([""; 0]).expect(0, "ok: 1 known");
}

#[test]
fn code_that_does_not_compile_is_a_row_of_the_compiler_and_fixes_nothing() {
    if !has_tool("cargo") {
        return;
    }
    let tests = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn unit() {\n        assert_eq!(super::one(), 3);\n    }\n}\n";
    let project = workspace(&format!("pub fn one() -> u32 {{\n    1\n}}\n\n{tests}"));
    project.checks(&json!([
        { "id": "build", "executable": "cargo", "args": ["check", "--offline"], "exclusive": true },
        { "id": "test", "executable": "cargo", "args": ["test", "--offline", "--no-fail-fast"] },
    ]));
    let recorded = "recorded: 1 failure in 1 check; from now on only new ones block";
    project.run(["baseline", "record"]).expect(0, recorded);

    project.edit("crates/one/src/lib.rs", "    1\n", "    \"1\"\n");
    let (code, verdict) = project.json(&[]);
    assert_eq!(code, 1);
    let row = &check_of(&verdict, "build")["failures"][0];
    assert_eq!(
        (
            &row["path"],
            &row["line"],
            &row["column"],
            &row["rule"],
            &row["tool"]
        ),
        (
            &json!("crates/one/src/lib.rs"),
            &json!(2),
            &json!(5),
            &json!("E0308"),
            &json!("rustc")
        )
    );
    assert_eq!(
        row["message"].as_str().unwrap().lines().next().unwrap(),
        "mismatched types"
    );
    let test = check_of(&verdict, "test");
    assert_eq!(
        (&test["status"], &test["fixed"], &test["unseen"]),
        (&json!("fail"), &json!(0), &json!(1))
    );
    assert_eq!(
        rows(&verdict, "test"),
        ["crates/one/src/lib.rs:2 null"],
        "{test}"
    );
}
