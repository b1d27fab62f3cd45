//! A Go module judged with real `go`: what fails, what is known, what is new, and what is a lie.

use serde_json::{Value, json};

use crate::support::{Project, Ran, check_of, has_tool, rows};

/// The module of `fixtures/projects/go`: two failing tests in two packages, one of them a subtest,
/// a third package whose tests do not build, and an unchecked error for a linter.
fn module() -> Project {
    let project = Project::from_fixture("projects/go");
    project.commit();
    project
}

/// The module with nothing but its tests declared.
fn tests_only() -> Project {
    let project = module();
    project.check("test", &["go", "test", "./..."]);
    project
}

/// `rows` of what is new.
fn new_rows(verdict: &Value, id: &str) -> Vec<String> {
    let known = |row: &&Value| row["state"] == "new";
    let failures = check_of(verdict, id)["failures"].as_array().unwrap();
    let kept: Vec<Value> = failures.iter().filter(known).cloned().collect();
    rows(&json!({ "checks": [{ "id": id, "failures": kept }] }), id)
}

fn record(project: &Project) -> Ran {
    let ran = project.run(["baseline", "record"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    ran
}

/// Every line but those that say how long something took, which differ.
fn lines(ran: &Ran) -> Vec<&str> {
    ran.stdout.lines().collect()
}

/// A row of the table, its time taken off.
fn row_of<'a>(ran: &'a Ran, id: &str) -> &'a str {
    let mut words = ran
        .stdout
        .lines()
        .filter(|line| line.split_whitespace().nth(1) == Some(id));
    let row = words
        .next()
        .unwrap_or_else(|| panic!("no row of {id} in\n{}", ran.stdout));
    row.rsplit_once("  ").unwrap().0.trim_end()
}

#[test]
fn a_module_with_failures_of_every_kind_fails_with_each_at_its_place() {
    if !has_tool("go") || !has_tool("golangci-lint") {
        return;
    }
    let project = module();
    let ran = project.run([""; 0]);
    ran.expect(1, "blocked: 2 of 3 checks failed");
    assert_eq!(row_of(&ran, "test"), "  ✗  test       3 new");
    assert_eq!(row_of(&ran, "lint"), "  ✗  lint       1 new");
    assert_eq!(row_of(&ran, "typecheck"), "  ✓  typecheck  exit 0");
    for row in lines(&ran)
        .iter()
        .filter(|line| line.ends_with("ms") || line.ends_with('s') && line.starts_with("  ✗"))
    {
        assert_eq!(
            row.chars().count(),
            80,
            "the time ends at column 80: {row:?}"
        );
    }
    let below = ran
        .stdout
        .split_once("\n\ntest: 3 new\n")
        .expect("a block of test")
        .1;
    let (test, lint) = below
        .split_once("\n\nlint: 1 new\n")
        .expect("a block of lint");
    let mut blocks: Vec<&str> = test
        .lines()
        .filter(|line| line.starts_with("internal/"))
        .collect();
    blocks.sort_unstable();
    assert_eq!(
        blocks,
        [
            "internal/cache/evict_test.go:14: TestEvict/ttl: got 3 entries, want 2",
            "internal/store/store_test.go:6:15: undefined: Capacity",
            "internal/wire/wire_test.go:7: TestDecode: Decode(1, 2) = 258, want 513",
        ]
    );
    assert!(test.contains("internal/store/store_test.go:6:15: undefined: Capacity\n    6 │     if Size() != Capacity {\n      │                  ^\n"), "{test}");
    assert_eq!(
        lint,
        "cmd/tern/main.go:16:12: Error return value of `file.Close` is not checked (errcheck)\n    \
         16 │     file.Close()\n       │               ^\n\
         log: .git/check/logs/lint.log    again: check lint\n\n\
         blocked: 2 of 3 checks failed\n"
    );
    assert!(
        test.ends_with("log: .git/check/logs/test.log    again: check test"),
        "{test}"
    );

    let (code, verdict) = project.json(&[]);
    assert_eq!(
        (code, &verdict["verdict"], &verdict["exit_code"]),
        (1, &json!("failed"), &json!(1))
    );
    let mut found = rows(&verdict, "test");
    found.sort();
    assert_eq!(
        found,
        [
            "internal/cache/evict_test.go:14 TestEvict/ttl",
            "internal/store/store_test.go:6 null",
            "internal/wire/wire_test.go:7 TestDecode",
        ]
    );
    let lint = &check_of(&verdict, "lint")["failures"][0];
    assert_eq!(
        (
            &lint["path"],
            &lint["line"],
            &lint["column"],
            &lint["rule"],
            &lint["source"]
        ),
        (
            &json!("cmd/tern/main.go"),
            &json!(16),
            &json!(12),
            &json!("errcheck"),
            &json!("file.Close()")
        )
    );
    assert_eq!(verdict["summary"]["new"], 4);
    assert!(
        !project.path(".check").exists(),
        "a run writes nothing into the tree"
    );
}

#[test]
fn from_the_record_on_only_what_is_new_blocks() {
    if !has_tool("go") || !has_tool("golangci-lint") {
        return;
    }
    let project = module();
    let recorded = record(&project);
    assert_eq!(
        recorded.stdout,
        "  test       3 failures in 3 files   .check/baseline/test.jsonl\n\
         \x20 lint       1 failure in 1 file     .check/baseline/lint.jsonl\n\
         \x20 typecheck  nothing to record: it passed\n\
         commit it:  git add .check/baseline && git commit -m \"Record the check baseline\"\n\
         recorded: 4 failures in 2 checks; from now on only new ones block\n"
    );
    let first = project.baseline();
    assert_eq!(record(&project).stdout, recorded.stdout);
    assert_eq!(
        project.baseline(),
        first,
        "recording twice is byte-identical"
    );

    let ran = project.run([""; 0]);
    ran.expect(0, "ok: 1 passed, 2 known");
    assert_eq!(row_of(&ran, "test"), "  ~  test       known (3)");
    assert_eq!(row_of(&ran, "lint"), "  ~  lint       known (1)");
    assert!(
        !ran.stdout.contains("evict_test.go"),
        "known failures are not listed: {}",
        ran.stdout
    );

    // Lines above move everything and change nothing.
    project.insert_above("internal/cache/evict_test.go", "// Above.\n\n");
    project.insert_above("internal/store/store_test.go", "// Above.\n\n");
    project.insert_above("cmd/tern/main.go", "// Above.\n\n");
    let (code, verdict) = project.json(&[]);
    assert_eq!(
        (code, &verdict["summary"]["new"]),
        (0, &json!(0)),
        "{verdict}"
    );
    assert!(
        rows(&verdict, "test")
            .contains(&"internal/cache/evict_test.go:16 TestEvict/ttl".to_owned())
    );

    // One more failing test: it alone.
    project.write(
        "internal/wire/more_test.go",
        "package wire\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) {\n\tt.Error(\"one more\")\n}\n",
    );
    let ran = project.run([""; 0]);
    ran.expect(1, "blocked: 1 of 3 checks failed");
    assert_eq!(row_of(&ran, "test"), "  ✗  test       1 new, 3 known");
    let listed: Vec<&str> = lines(&ran)
        .into_iter()
        .filter(|line| line.contains("_test.go:"))
        .collect();
    assert_eq!(listed, ["internal/wire/more_test.go:6: TestMore: one more"]);
    let (_, verdict) = project.json(&[]);
    assert_eq!(
        new_rows(&verdict, "test"),
        ["internal/wire/more_test.go:6 TestMore"]
    );

    let ran = project.run(["--no-baseline"]);
    ran.expect(1, "blocked: 2 of 3 checks failed");
    assert_eq!(row_of(&ran, "test"), "  ✗  test       4 new");
}

#[test]
fn what_is_fixed_is_counted_and_tightening_drops_exactly_that() {
    if !has_tool("go") || !has_tool("golangci-lint") {
        return;
    }
    let project = module();
    record(&project);
    let before = project.baseline();
    project.edit("internal/wire/wire_test.go", "513", "258");
    let ran = project.run([""; 0]);
    ran.expect(0, "ok: 1 passed, 2 known");
    assert_eq!(row_of(&ran, "test"), "  ~  test       known (2), 1 fixed");
    ran.has("baseline: 1 recorded failure is now fixed (drop it: check baseline tighten)");
    assert_eq!(project.baseline(), before, "a run never writes it");
    let (_, verdict) = project.json(&[]);
    assert_eq!(
        (&verdict["summary"]["fixed"], &verdict["baseline"]["fixed"]),
        (&json!(1), &json!(1))
    );

    let tightened = project.run(["baseline", "tighten"]);
    assert_eq!(
        (tightened.code, tightened.stdout.as_str()),
        (
            0,
            "  test       1 fixed, removed: tests 1\ntightened: 4 recorded failures, now 3\n"
        )
    );
    let after = project.baseline();
    let mut wanted = before;
    for (_, text) in &mut wanted {
        *text = text
            .split_inclusive('\n')
            .filter(|line| !line.contains("TestDecode"))
            .collect();
    }
    assert_eq!(
        after, wanted,
        "that record is gone and every other byte stayed"
    );

    let again = project.run(["baseline", "tighten"]);
    assert_eq!(
        (again.code, again.stdout.as_str()),
        (0, "tightened: 3 recorded failures, none of them fixed\n")
    );
    assert_eq!(project.baseline(), after);

    // A package that no longer builds hides its tests: they are not fixed.
    project.write(
        "internal/cache/broken_test.go",
        "package cache\n\nvar _ = undefinedThing\n",
    );
    let (code, verdict) = project.json(&["test"]);
    let test = check_of(&verdict, "test");
    assert_eq!(
        (code, &test["new"], &test["fixed"], &test["unseen"]),
        (1, &json!(1), &json!(0), &json!(1))
    );
    let kept = project.run(["baseline", "tighten", "--only", "test"]);
    assert_eq!(kept.code, 0);
    assert_eq!(project.baseline(), after, "{}", kept.stdout);
}

#[test]
fn the_last_failure_fixed_takes_the_file_along() {
    if !has_tool("go") {
        return;
    }
    let project = tests_only();
    record(&project);
    project.edit("internal/wire/wire_test.go", "513", "258");
    project.edit(
        "internal/cache/evict_test.go",
        "{1, 2, 3}, 3",
        "{1, 2, 3}, 2",
    );
    project.edit("internal/store/store_test.go", "Capacity", "0");
    let ran = project.run([""; 0]);
    ran.expect(0, "ok: 1 passed");
    assert!(
        row_of(&ran, "test").ends_with(", 3 fixed"),
        "{}",
        ran.stdout
    );
    project
        .run(["baseline", "tighten"])
        .expect(0, "tightened: 3 recorded failures, now 0");
    assert_eq!(project.baseline(), []);
    // What comes back is new.
    project.edit("internal/wire/wire_test.go", "258", "513");
    project
        .run([""; 0])
        .expect(1, "blocked: 1 of 1 check failed");
}

/// Ways for a test binary to end in the middle of a test.
const DEATHS: [(&str, &str); 7] = [
    ("kill -9", "syscall.Kill(os.Getpid(), syscall.SIGKILL)"),
    (
        "segv",
        "syscall.Kill(os.Getpid(), syscall.SIGSEGV); select {}",
    ),
    ("exit 0", "os.Exit(0)"),
    ("exit 1", "os.Exit(1)"),
    ("panic", "panic(\"boom\")"),
    (
        "panic elsewhere",
        "go func() { panic(\"boom\") }(); select {}",
    ),
    ("nil map", "var m map[int]int; m[1] = 1"),
];

/// A test file whose only test does that.
fn dying(test: &str, body: &str) -> String {
    format!(
        "package wire\n\nimport (\n\t\"os\"\n\t\"syscall\"\n\t\"testing\"\n)\n\n\
         var _, _ = os.Getpid, syscall.Getpid\n\nfunc {test}(t *testing.T) {{\n\t{body}\n}}\n"
    )
}

#[test]
fn a_test_binary_that_dies_is_never_known() {
    if !has_tool("go") {
        return;
    }
    let project = tests_only();
    record(&project);
    let before = project.baseline();
    for (name, body) in DEATHS {
        project.write("internal/wire/aa_test.go", dying("TestAaa", body));
        let (code, verdict) = project.json(&[]);
        let test = check_of(&verdict, "test");
        assert_eq!(
            (code, &test["status"], &test["new"]),
            (1, &json!("fail"), &json!(1)),
            "{name}: {test}"
        );
        // TestDecode comes after it and was not looked at.
        assert_eq!(
            (&test["fixed"], &test["unseen"]),
            (&json!(0), &json!(1)),
            "{name}: {test}"
        );
        let refused = project.run(["baseline", "record"]);
        refused.expect(
            2,
            "no verdict: 1 of 1 check cannot be recorded; nothing was written",
        );
        refused.has("test: it stopped early, so there may be more");
        assert_eq!(project.baseline(), before, "{name}");
    }
}

#[test]
fn a_crash_behind_a_known_failure_is_not_known() {
    if !has_tool("go") {
        return;
    }
    let project = tests_only();
    record(&project);
    for (name, body) in DEATHS {
        // The recorded TestDecode fails as ever, and then the binary dies.
        project.write("internal/wire/zz_test.go", dying("TestZzz", body));
        let (code, verdict) = project.json(&[]);
        let test = check_of(&verdict, "test");
        assert_eq!(
            (code, &test["new"], &test["known"]),
            (1, &json!(1), &json!(3)),
            "{name}: {test}"
        );
        if name == "kill -9" {
            let message =
                "example.invalid/tern/internal/wire failed outside its tests: signal: killed";
            assert_eq!(test["failures"][0]["message"], message);
        }
        std::fs::remove_file(project.path("internal/wire/zz_test.go")).unwrap();
        // The recorded TestDecode itself crashes.
        let decode = project.read("internal/wire/wire_test.go");
        project.edit(
            "internal/wire/wire_test.go",
            "\tif got := Decode(1",
            &format!("\t{body}\n\tif got := Decode(1"),
        );
        project.edit("internal/wire/wire_test.go", "import \"testing\"", "import (\n\t\"os\"\n\t\"syscall\"\n\t\"testing\"\n)\n\nvar _, _ = os.Getpid, syscall.Getpid");
        let (code, verdict) = project.json(&[]);
        assert_eq!(
            (code, &check_of(&verdict, "test")["status"]),
            (1, &json!("fail")),
            "{name}: {verdict}"
        );
        project.write("internal/wire/wire_test.go", decode);
    }
    project.run([""; 0]).expect(0, "ok: 1 known");
}

#[test]
fn a_package_that_does_not_build_for_a_reason_without_a_place_is_new() {
    if !has_tool("go") {
        return;
    }
    let project = tests_only();
    record(&project);
    let before = project.baseline();
    // An import cycle.
    project
        .write(
            "internal/one/one.go",
            "package one\n\nimport _ \"example.invalid/tern/internal/two\"\n",
        )
        .write(
            "internal/two/two.go",
            "package two\n\nimport _ \"example.invalid/tern/internal/one\"\n",
        );
    let (code, verdict) = project.json(&[]);
    let test = check_of(&verdict, "test");
    assert_eq!(
        (code, &test["new"], &test["known"], &test["fixed"]),
        (1, &json!(2), &json!(3), &json!(0))
    );
    let messages: Vec<&str> = test["failures"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| row["message"].as_str())
        .collect();
    let wanted = "example.invalid/tern/internal/one could not be built: \
        imports example.invalid/tern/internal/one from two.go: import cycle not allowed";
    assert!(messages.contains(&wanted), "{messages:?}");
    std::fs::remove_dir_all(project.path("internal/one")).unwrap();
    std::fs::remove_dir_all(project.path("internal/two")).unwrap();
    project.run([""; 0]).expect(0, "ok: 1 known");

    // A pattern that names nothing, beside packages whose failures are known.
    project.check("test", &["go", "test", "./internal/...", "./absent/..."]);
    let ran = project.run([""; 0]);
    ran.expect(1, "blocked: 1 of 1 check failed");
    assert!(
        ran.stdout.contains("pattern ./absent/...: "),
        "{}",
        ran.stdout
    );
    let refused = project.run(["baseline", "record"]);
    refused.expect(
        2,
        "no verdict: 1 of 1 check cannot be recorded; nothing was written",
    );
    assert_eq!(project.baseline(), before);
}

#[test]
fn a_status_that_contradicts_the_runner_is_red() {
    if !has_tool("go") {
        return;
    }
    let project = module();
    project.write(
        "internal/wire/main_test.go",
        "package wire\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n\
         func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n",
    );
    project.check("test", &["go", "test", "-v", "-count=1", "./internal/wire"]);
    let (code, verdict) = project.json(&[]);
    assert_eq!(code, 1, "{verdict}");
    assert_eq!(
        rows(&verdict, "test"),
        ["internal/wire/wire_test.go:7 TestDecode"]
    );
    let reason = check_of(&verdict, "test")["reason"].as_str().unwrap();
    assert_eq!(reason, "exit code 0, but the report says 1 failed");
}

#[test]
fn go_itself_dying_is_never_known() {
    if !has_tool("go") {
        return;
    }
    let project = module();
    project.script(
        "runs",
        "#!/bin/sh\ngo test ./...\n[ -e die ] && kill -9 $$\nexit 1\n",
    );
    project.checks(
        &json!([{ "id": "test", "executable": "./runs", "output": { "format": "go-test" } }]),
    );
    record(&project);
    project.run([""; 0]).expect(0, "ok: 1 known");
    project.write("die", "");
    let (code, verdict) = project.json(&[]);
    let test = check_of(&verdict, "test");
    assert_eq!(
        (code, &test["status"], &test["exit"]),
        (1, &json!("fail"), &json!({ "signal": "SIGKILL" }))
    );
    let before = project.baseline();
    let refused = project.run(["baseline", "record"]);
    refused.expect(
        2,
        "no verdict: 1 of 1 check cannot be recorded; nothing was written",
    );
    refused.has("test: killed by SIGKILL");
    assert_eq!(project.baseline(), before);
}

#[test]
fn gos_test_cache_hits_on_the_second_run() {
    if !has_tool("go") {
        return;
    }
    let project = tests_only();
    // A test that reads HOME is cached under its value, so the home has to be where it was.
    project.write(
        "internal/wire/wire_test.go",
        "package wire\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n\
         func TestHome(t *testing.T) {\n\tif os.Getenv(\"HOME\") == \"\" {\n\t\tt.Fatal(\"no home\")\n\t}\n}\n",
    );
    project.check("test", &["go", "test", "./internal/wire"]);
    project.run([""; 0]).expect(0, "ok: 1 passed");
    let (_, verdict) = project.json(&[]);
    let tail = check_of(&verdict, "test")["stdout_tail"].as_str().unwrap();
    assert_eq!(tail, "ok  \texample.invalid/tern/internal/wire\t(cached)\n");
}

#[test]
fn exit_0_with_failures_in_the_report_is_red() {
    if !has_tool("go") {
        return;
    }
    let project = module();
    project.check(
        "lie",
        &[
            "sh",
            "-c",
            "go test ./internal/cache ./internal/wire || true",
        ],
    );
    let ran = project.run([""; 0]);
    ran.expect(1, "blocked: 1 of 1 check failed");
    assert!(
        row_of(&ran, "lie").contains("exit code 0, but the report says 2 failed"),
        "{}",
        ran.stdout
    );
    let (_, verdict) = project.json(&[]);
    let mut found = new_rows(&verdict, "lie");
    found.sort();
    assert_eq!(
        found,
        [
            "internal/cache/evict_test.go:14 TestEvict/ttl",
            "internal/wire/wire_test.go:7 TestDecode"
        ]
    );
    project.checks(&json!([{
        "id": "lie", "executable": "sh", "args": ["-c", "go test ./internal/cache || true"],
        "output": { "claims": "note" }
    }]));
    project.run([""; 0]).expect(0, "ok: 1 passed");
}

#[test]
fn a_pass_without_a_test_is_no_pass() {
    if !has_tool("go") {
        return;
    }
    let project = module();
    project.write("nosuch/README", "no package is here\n");
    let without_tests: [&[&str]; 4] = [
        &["go", "test", "./nosuch/..."],
        &["go", "test", "./cmd/..."],
        &["go", "test", "-run", "Nothing", "./internal/wire"],
        &[
            "sh",
            "-c",
            "go test -v -run Nothing ./internal/wire ./cmd/... | cat",
        ],
    ];
    for argv in without_tests {
        project.check("test", argv);
        let ran = project.run([""; 0]);
        ran.expect(
            2,
            "no verdict: 1 of 1 check could not be judged; nothing failed",
        );
        let wanted = format!("  !  test  nothing ran: 0 tests ({})", argv.join(" "));
        assert_eq!(row_of(&ran, "test"), wanted);
        let (_, verdict) = project.json(&[]);
        assert_eq!(check_of(&verdict, "test")["status"], "broken");
    }
    project.checks(&json!([
        { "id": "test", "executable": "go", "args": ["test", "./cmd/..."], "allow_empty": true },
    ]));
    let ran = project.run([""; 0]);
    ran.expect(0, "ok: 1 passed");
    assert!(
        ran.stdout.contains("no tests ran, as allow_empty permits"),
        "{}",
        ran.stdout
    );
    // It permits no tests, not a command that fails.
    project.checks(&json!([
        { "id": "test", "executable": "go", "args": ["test", "./absent/..."], "allow_empty": true },
    ]));
    assert_ne!(project.run([""; 0]).code, 0);
    // One package with tests among many without is a run with tests.
    project.check(
        "test",
        &["go", "test", "-run", "Zero", "./cmd/...", "./internal/wire"],
    );
    project.run([""; 0]).expect(0, "ok: 1 passed");
}

#[test]
fn a_program_missing_inside_a_launcher_is_no_failure_of_the_tree() {
    let project = Project::new();
    project.write(
        "Makefile",
        "lint:\n\tno-such-linter --version\ntest:\n\tsh -c 'no-such-tester; exit $$?'\n",
    );
    let mut checks =
        vec![json!({ "id": "sh", "executable": "sh", "args": ["-c", "no-such-linter ./..."] })];
    if has_tool("make") {
        checks.push(json!({ "id": "make", "executable": "make", "args": ["lint"] }));
        checks.push(json!({ "id": "make-sh", "executable": "make", "args": ["test"] }));
    }
    let count = checks.len();
    project.checks(&Value::Array(checks));
    let ran = project.run([""; 0]);
    let checks = if count == 1 { "check" } else { "checks" };
    ran.expect(
        2,
        &format!("no verdict: {count} of {count} {checks} could not be judged; nothing failed"),
    );
    assert!(
        row_of(&ran, "sh").contains("could not run: no-such-linter was not found"),
        "{}",
        ran.stdout
    );
    // The tree failing beside it is still said, and counts.
    project.checks(&json!([
        { "id": "sh", "executable": "sh", "args": ["-c", "no-such-linter ./..."] },
        { "id": "red", "executable": "false" },
    ]));
    project
        .run([""; 0])
        .expect(1, "blocked: 1 of 2 checks failed, 1 could not be judged");
    // 127 beside a failure that names a place is a failure.
    project.write("a.go", "package a\n");
    project.check("sh", &["sh", "-c", "echo 'a.go:1:1: wrong'; exit 127"]);
    project
        .run([""; 0])
        .expect(1, "blocked: 1 of 1 check failed");
}

#[test]
fn a_module_that_is_not_downloaded_could_not_run() {
    if !has_tool("go") {
        return;
    }
    let project = Project::new();
    project
        .write(
            "go.mod",
            "module example.invalid/far\n\ngo 1.22\n\nrequire golang.org/x/text v0.3.0\n",
        )
        .write(
            "go.sum",
            "golang.org/x/text v0.3.0 h1:g61tztE5qeGQ89tm6NTjjM9VPIm088od1l6aSorWRWg=\n\
             golang.org/x/text v0.3.0/go.mod h1:NqM8EUOU14njkJ3fqMW+pc6Ldnwhi/IjpwHt7yyuwOQ=\n",
        )
        .write(
            "dep.go",
            "package far\n\nimport _ \"golang.org/x/text/unicode/norm\"\n",
        )
        .write(
            "far_test.go",
            "package far\n\nimport \"testing\"\n\nfunc TestFar(t *testing.T) {}\n",
        );
    let empty = tempfile::tempdir().unwrap();
    // Nobody listens on port 1: the shape of a host without network.
    let settings: [(&str, &str, &str); 3] = [
        ("off", "-mod=readonly", "a module is not downloaded"),
        ("off", "-mod=mod", "a module is not downloaded"),
        (
            "http://127.0.0.1:1",
            "-mod=readonly",
            "module golang.org/x/text is not downloaded",
        ),
    ];
    for (proxy, flags, reason) in settings {
        for argv in [["test", "./..."], ["build", "./..."], ["vet", "./..."]] {
            let env = json!({ "GOPROXY": proxy, "GOFLAGS": flags, "GONOSUMDB": "*" });
            project.checks(&json!([{ "id": "go", "executable": "go", "args": argv, "env": env }]));
            let mut command = project.command([""; 0]);
            command.env("GOMODCACHE", empty.path());
            let ran = Ran::of(&command.output().unwrap());
            ran.expect(
                2,
                "no verdict: 1 of 1 check could not be judged; nothing failed",
            );
            assert_eq!(
                row_of(&ran, "go"),
                format!("  !  go  could not run: {reason}"),
                "{argv:?} {proxy}"
            );
            ran.has("checks have no network. Run this once, then check again:  go mod download");
        }
    }
}

#[test]
fn a_passing_test_may_print_whatever_it_likes() {
    if !has_tool("go") {
        return;
    }
    let project = module();
    project.write(
        "internal/wire/wire_test.go",
        r##"package wire

import (
	"fmt"
	"testing"
)

func TestLoud(t *testing.T) {
	fmt.Println("--- FAIL: TestOther (0.00s)")
	fmt.Println("    wire_test.go:3: not a failure")
	fmt.Println("FAIL")
	fmt.Println("FAIL\texample.invalid/tern/internal/wire\t0.001s")
	fmt.Println("not ok 1 - a line")
	fmt.Println("# fail 3")
	fmt.Println("✖ a cross (1ms)")
	fmt.Println("ℹ fail 2")
	fmt.Println("wire.go:1:2: a log line")
	fmt.Println("panic: not a panic")
	fmt.Println("exit status 1")
	fmt.Println("make: *** [Makefile:1: x] Error 127")
	fmt.Println("test result: FAILED. 0 passed; 3 failed; 0 ignored")
	t.Log("wire.go:1:2: logged")
	t.Run("sub", func(t *testing.T) { fmt.Println("    --- FAIL: TestLoud/other (0.00s)") })
}

func TestItself(t *testing.T) {
	fmt.Println("--- FAIL: TestItself (0.00s)")
}
"##,
    );
    let loud: [&[&str]; 4] = [
        &["go", "test", "-v", "./internal/wire"],
        &["go", "test", "-v", "-count=1", "./internal/wire"],
        &["sh", "-c", "go test -v ./internal/wire 2>&1"],
        &["go", "test", "./internal/wire"],
    ];
    for argv in loud {
        project.check("test", argv);
        let ran = project.run([""; 0]);
        ran.expect(0, "ok: 1 passed");
        ran.lacks("FAIL");
    }
}
