//! The formats by name, and which parsers read which command.

use regex::bytes::Regex;

use super::command::{Command, Tool};
use super::eslint::Eslint;
use super::generic::Generic;
use super::go::{GoBuild, GoTest};
use super::golangci::Golangci;
use super::node::NodeSpec;
use super::parser::Parser;
use super::plain::PlainText;
use super::pytest::Pytest;
use super::rust::{CargoTest, Later, Rustc, Rustfmt};
use super::tap::Tap;

/// A format that `output.format` and `check parse --format` can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatInfo {
    /// As written in a manifest, and as [`crate::model::Failure::tool`] says it.
    pub name: &'static str,
    /// What it reads.
    pub reads: &'static str,
    /// The versions whose real output it was tried on; empty where there is no such thing.
    pub tried_on: &'static str,
}

const FORMATS: [FormatInfo; 14] = [
    FormatInfo {
        name: "auto",
        reads: "whatever the command, else the output, shows",
        tried_on: "",
    },
    FormatInfo {
        name: "text",
        reads: "on a failing exit, each line (or each that matches) as a row",
        tried_on: "",
    },
    FormatInfo {
        name: "none",
        reads: "nothing: the exit code alone decides",
        tried_on: "",
    },
    FormatInfo {
        name: "go-test",
        reads: "go test, plain and -v, builds included",
        tried_on: "go 1.19, 1.26, 1.27",
    },
    FormatInfo {
        name: "go-build",
        reads: "go build and go vet",
        tried_on: "go 1.19, 1.26, 1.27",
    },
    FormatInfo {
        name: "tap",
        reads: "TAP 12 to 14: node --test, tape, node-tap, perl, bats, vitest",
        tried_on: "node 20, 24; tape 5.10; tap 21.8; Test::More 1.3; bats 1.8; vitest 4.1",
    },
    FormatInfo {
        name: "node-test",
        reads: "node --test, spec or TAP, and files that fail to load",
        tried_on: "node 20, 24",
    },
    FormatInfo {
        name: "golangci-lint",
        reads: "golangci-lint's text output",
        tried_on: "1.64, 2.13",
    },
    FormatInfo {
        name: "cargo-test",
        reads: "cargo test: unit, integration and documentation tests, and their build",
        tried_on: "rust 1.95",
    },
    FormatInfo {
        name: "rustc",
        reads: "rustc, cargo build, cargo check, cargo clippy",
        tried_on: "rust 1.95",
    },
    FormatInfo {
        name: "rustfmt",
        reads: "rustfmt --check, cargo fmt --check",
        tried_on: "rust 1.95",
    },
    FormatInfo {
        name: "pytest",
        reads: "pytest's short summary and closing line",
        tried_on: "6.2, 7.4, 8.4, 9.2",
    },
    FormatInfo {
        name: "eslint",
        reads: "eslint's default report (stylish)",
        tried_on: "9.39",
    },
    FormatInfo {
        name: "generic",
        reads: "path:line[:column]: message, as compilers and linters print it",
        tried_on: "gcc 12, clang 14, eslint unix, ruff concise, mypy",
    },
];

/// Every format, in the order to list them.
pub fn formats() -> &'static [FormatInfo] {
    &FORMATS
}

/// Whether `name` is a format.
pub fn is_format(name: &str) -> bool {
    FORMATS.iter().any(|format| format.name == name)
}

/// One parser in a lane, and the name that it goes by.
pub(super) struct Entry {
    pub name: &'static str,
    pub parser: Box<dyn Parser>,
}

fn entry(name: &'static str, parser: impl Parser + 'static) -> Entry {
    Entry {
        name,
        parser: Box::new(parser),
    }
}

/// The parsers of `format` for `command`, the one to be asked first coming first; `None` for a
/// name that is no format.
pub(super) fn parsers(
    format: &str,
    command: &Command,
    pattern: Option<&Regex>,
) -> Option<Vec<Entry>> {
    let later = if let Tool::CargoTest(later) = command.tool {
        later
    } else {
        Later::Unknown
    };
    let failfast = command.tool == Tool::GoTest { failfast: true };
    let parsers = match format {
        "auto" => return Some(automatic(command.tool)),
        "text" => vec![entry("text", PlainText::new(pattern))],
        "none" => Vec::new(),
        "go-test" => vec![entry("go-test", GoTest::new(true, failfast))],
        "go-build" => vec![entry(
            "go-build",
            GoBuild::new(true, command.tool == Tool::GoVet),
        )],
        "tap" => vec![entry("tap", Tap::new(true))],
        "node-test" => node(),
        "golangci-lint" => vec![entry("golangci-lint", Golangci::new(true))],
        "cargo-test" => cargo_test(later),
        "rustc" => vec![entry("rustc", Rustc::default())],
        "rustfmt" => rustfmt(),
        "pytest" => vec![entry("pytest", Pytest::new(true))],
        "eslint" => vec![entry("eslint", Eslint::default())],
        "generic" => vec![entry("generic", Generic::new(true))],
        _ => return None,
    };
    Some(parsers)
}

fn automatic(tool: Tool) -> Vec<Entry> {
    match tool {
        Tool::GoTest { failfast } => vec![entry("go-test", GoTest::new(true, failfast))],
        Tool::GoBuild => vec![entry("go-build", GoBuild::new(true, false))],
        Tool::GoVet => vec![entry("go-build", GoBuild::new(true, true))],
        Tool::Golangci => vec![entry("golangci-lint", Golangci::new(true))],
        Tool::CargoTest(later) => cargo_test(later),
        Tool::Rustc => vec![entry("rustc", Rustc::default())],
        Tool::Rustfmt => rustfmt(),
        // `--format unix` and the like are of the generic shape.
        Tool::Eslint => vec![
            entry("eslint", Eslint::default()),
            entry("generic", Generic::new(false)),
        ],
        Tool::NodeTest => node(),
        Tool::Node => vec![
            entry("tap", Tap::new(false)),
            entry("node-test", NodeSpec::new(false)),
            entry("generic", Generic::new(false)),
        ],
        Tool::Tap => vec![
            entry("tap", Tap::new(true)),
            entry("node-test", NodeSpec::new(false)),
        ],
        Tool::Pytest => vec![entry("pytest", Pytest::new(true))],
        Tool::Unread => Vec::new(),
        Tool::Unknown => vec![
            entry("go-test", GoTest::new(false, false)),
            entry("tap", Tap::new(false)),
            entry("cargo-test", CargoTest::new(Later::Unknown)),
            entry("pytest", Pytest::new(false)),
            entry("eslint", Eslint::default()),
            entry("node-test", NodeSpec::new(false)),
            entry("rustc", Rustc::default()),
            entry("rustfmt", Rustfmt::default()),
            entry("golangci-lint", Golangci::new(false)),
            entry("go-build", GoBuild::new(false, false)),
            entry("generic", Generic::new(false)),
        ],
    }
}

fn node() -> Vec<Entry> {
    vec![
        entry("tap", Tap::new(true)),
        entry("node-test", NodeSpec::new(true)),
    ]
}

fn cargo_test(later: Later) -> Vec<Entry> {
    vec![
        entry("cargo-test", CargoTest::new(later)),
        entry("rustc", Rustc::default()),
    ]
}

fn rustfmt() -> Vec<Entry> {
    vec![
        entry("rustfmt", Rustfmt::default()),
        entry("rustc", Rustc::default()),
    ]
}

#[cfg(test)]
mod tests {
    use super::{Command, formats, is_format, parsers};

    #[test]
    fn every_listed_format_can_be_used_and_no_other() {
        let command = Command::of(&[]);
        for format in formats() {
            assert!(
                parsers(format.name, &command, None).is_some(),
                "{}",
                format.name
            );
        }
        assert!(!is_format("gotest"));
        assert!(parsers("gotest", &command, None).is_none());
    }
}
