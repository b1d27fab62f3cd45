//! The tools that output is read for, by program and arguments. Nothing here reads output.

use super::super::location::has_extension;
use super::super::rust::Later;
use super::launcher::base_name;

/// The tools that output is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Tool {
    GoTest {
        failfast: bool,
    },
    GoBuild,
    GoVet,
    Golangci,
    CargoTest(Later),
    Rustc,
    Rustfmt,
    Eslint,
    /// Node's test runner.
    NodeTest,
    /// A program run by node.
    Node,
    Tap,
    Pytest,
    /// A test runner whose output is not read yet: whatever it shows is its tests' own text.
    Unread,
    /// Anything else, launchers of unknown commands among it: the output decides.
    Unknown,
}

/// Test runners that the parsers of other formats would misread.
const UNREAD: [&str; 12] = [
    "unittest",
    "jest",
    "vitest",
    "mocha",
    "ava",
    "jasmine",
    "rspec",
    "phpunit",
    "mvn",
    "gradle",
    "ctest",
    "playwright",
];

/// Packages of node that only run other tools, by the name of their script.
const NODE_RUNNERS: [&str; 10] = [
    "npm-cli", "npx-cli", "yarn", "pnpm", "jest", "vitest", "mocha", "ava", "eslint", "tsc",
];

/// The tool that the program `name` with `arguments` is.
pub(super) fn tool(name: &str, arguments: &[String]) -> Tool {
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let tap = arguments.iter().any(|argument| {
        argument == "tap" || argument.contains("reporter=tap") || argument == "--tap"
    });
    match name {
        "go" => go(arguments),
        "golangci-lint" | "golangci-lint-v1" | "golangci-lint-v2" => Tool::Golangci,
        "cargo" => cargo(arguments),
        "rustc" | "clippy-driver" => Tool::Rustc,
        "rustfmt" | "cargo-fmt" => Tool::Rustfmt,
        "eslint" => Tool::Eslint,
        "node" | "nodejs" | "tsx" | "ts-node" => node(arguments),
        "tap" | "tape" | "bats" | "prove" => Tool::Tap,
        "perl"
            if arguments
                .iter()
                .any(|argument| has_extension(argument, &["t"])) =>
        {
            Tool::Tap
        }
        "pytest" | "py.test" => {
            if tap {
                Tool::Tap
            } else {
                Tool::Pytest
            }
        }
        name if UNREAD.contains(&name) => {
            if tap {
                Tool::Tap
            } else {
                Tool::Unread
            }
        }
        "python" if has("pytest") || has("unittest") => Tool::Unread,
        _ => Tool::Unknown,
    }
}

fn go(arguments: &[String]) -> Tool {
    let rest = if arguments.first().is_some_and(|word| word == "-C") {
        arguments.get(2..)
    } else {
        Some(arguments)
    };
    let rest = rest.unwrap_or_default();
    match rest.first().map(String::as_str) {
        Some("test") => {
            let failfast = rest
                .iter()
                .any(|word| matches!(word.as_str(), "-failfast" | "--failfast" | "-failfast=true"));
            // `-json` is another format.
            if rest.iter().any(|word| word == "-json" || word == "--json") {
                Tool::Unknown
            } else {
                Tool::GoTest { failfast }
            }
        }
        Some("build" | "install" | "list" | "mod") => Tool::GoBuild,
        Some("vet") => Tool::GoVet,
        _ => Tool::Unknown,
    }
}

fn cargo(arguments: &[String]) -> Tool {
    let mut words = arguments
        .iter()
        .map(String::as_str)
        .skip_while(|word| word.starts_with('+'));
    let mut sub = None;
    while let Some(word) = words.next() {
        if matches!(
            word,
            "-C" | "--config" | "--color" | "-Z" | "--manifest-path"
        ) {
            words.next();
        } else if !word.starts_with('-') {
            sub = Some(word);
            break;
        }
    }
    let single = ["--doc", "--lib", "--test", "--bin", "--example", "--bench"];
    match sub {
        Some("test" | "t") => {
            // What follows `--` is libtest's.
            let own = || {
                arguments
                    .iter()
                    .map(String::as_str)
                    .take_while(|word| *word != "--")
            };
            let whole =
                own().any(|word| single.contains(&word.split('=').next().unwrap_or_default()));
            let every = own().any(|word| matches!(word, "--no-fail-fast" | "--no-run"));
            let packages = own()
                .filter(|word| word.starts_with("-p") || word.starts_with("--package"))
                .count();
            Tool::CargoTest(match (every, whole, packages) {
                (true, _, _) | (false, true, 1) => Later::None,
                (false, true, _) => Later::Packages,
                (false, false, _) => Later::Unknown,
            })
        }
        Some("build" | "b" | "check" | "c" | "clippy" | "doc" | "d" | "rustc") => Tool::Rustc,
        Some("fmt") => Tool::Rustfmt,
        _ => Tool::Unknown,
    }
}

fn node(arguments: &[String]) -> Tool {
    let script = arguments.iter().find(|argument| !argument.starts_with('-'));
    match script.map(|script| base_name(script)) {
        // A package manager or another runner, started by its script.
        Some(name) if NODE_RUNNERS.contains(&name.as_str()) => Tool::Unknown,
        _ if arguments
            .iter()
            .any(|word| word == "--test" || word.starts_with("--test-")) =>
        {
            Tool::NodeTest
        }
        _ => Tool::Node,
    }
}
