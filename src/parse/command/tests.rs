//! Commands as people write them.

use super::super::rust::Later;
use super::{Command, Tool, joins_streams, launches_another};

fn argv(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

#[test]
fn tools_are_seen_through_their_launchers() {
    let tool = |line: &str| Command::of(&argv(line)).tool;
    assert_eq!(tool("go test ./..."), Tool::GoTest { failfast: false });
    assert_eq!(
        tool("/usr/local/go/bin/go -C sub test -failfast"),
        Tool::GoTest { failfast: true }
    );
    assert_eq!(tool("env CGO_ENABLED=0 go vet ./..."), Tool::GoVet);
    assert_eq!(
        tool("timeout 60 cargo +nightly test"),
        Tool::CargoTest(Later::Unknown)
    );
    assert_eq!(
        tool("cargo test --no-fail-fast"),
        Tool::CargoTest(Later::None)
    );
    assert_eq!(tool("cargo clippy -- -D warnings"), Tool::Rustc);
    assert_eq!(tool("npx -y golangci-lint run"), Tool::Golangci);
    assert_eq!(tool("node --test"), Tool::NodeTest);
    assert_eq!(
        tool("node node_modules/npm/bin/npm-cli.js test"),
        Tool::Unknown
    );
    assert_eq!(tool("uv run python -m pytest -q"), Tool::Pytest);
    assert_eq!(tool(".venv/bin/pytest"), Tool::Pytest);
    assert_eq!(tool("pytest --tap"), Tool::Tap);
    assert_eq!(tool("npx jest"), Tool::Unread);
    assert_eq!(tool("pnpm exec vitest --reporter=tap"), Tool::Tap);
    assert_eq!(tool("npx eslint ."), Tool::Eslint);
    assert_eq!(tool("make test"), Tool::Unknown);
    assert_eq!(tool("go test -json ./..."), Tool::Unknown);
    let shell =
        |script: &str| Command::of(&["sh".to_owned(), "-c".to_owned(), script.to_owned()]).tool;
    assert_eq!(shell("go test ./x"), Tool::GoTest { failfast: false });
    assert_eq!(shell("cd x && go test"), Tool::Unknown);
    assert_eq!(
        Command::of(&argv("go -C svc test")).folder.as_deref(),
        Some("svc")
    );
    assert_eq!(Command::of(&[]).tool, Tool::Unknown);
    let folder = |line: &str| Command::of(&argv(line)).folder;
    assert_eq!(folder("make -Clib all").as_deref(), Some("lib"));
    assert_eq!(folder("cargo rustc -- -C opt-level=3"), None);
}

#[test]
fn tools_that_tell_one_story_on_two_streams_are_joined() {
    for joined in [
        "cargo test",
        "make test",
        "npm run lint",
        "env X=1 sh -c x",
        "just test",
    ] {
        assert!(joins_streams(&argv(joined)), "{joined}");
    }
    for split in [
        "go test ./...",
        "golangci-lint run",
        "npx eslint .",
        "pytest",
    ] {
        assert!(!joins_streams(&argv(split)), "{split}");
    }
}

#[test]
fn one_target_of_one_package_leaves_nothing_out() {
    let tool = |line: &str| Command::of(&argv(line)).tool;
    for one in [
        "cargo test -p a --lib",
        "cargo test --package=a --test it",
        "cargo t -pa --doc",
    ] {
        assert_eq!(tool(one), Tool::CargoTest(Later::None), "{one}");
    }
    for each in [
        "cargo test --lib",
        "cargo test -p a -p b --lib",
        "cargo test --lib -- -p a",
    ] {
        assert_eq!(tool(each), Tool::CargoTest(Later::Packages), "{each}");
    }
    assert_eq!(tool("cargo test -p a"), Tool::CargoTest(Later::Unknown));
}

#[test]
fn a_program_that_launches_another_says_nothing_of_what_is_run() {
    let launches = |line: &str| launches_another(&argv(line));
    for line in [
        "/bin/sh -c tool",
        "bash version.sh",
        "env tool -V",
        "npx eslint --version",
        "python3 -m pytest --version",
    ] {
        assert!(launches(line), "{line}");
    }
    for line in [
        "go version",
        "python3 --version",
        "./tool sh",
        "npm --version",
    ] {
        assert!(!launches(line), "{line}");
    }
    assert!(!launches_another(&[]));
}
