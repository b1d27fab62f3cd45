//! Which tool an argv runs, seen through the programs that only launch others.

use super::location::has_extension;
use super::rust::Later;

/// What is known of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    pub tool: Tool,
    /// A folder that the tool is told to work in (`go -C`, `make -C`).
    pub folder: Option<String>,
}

/// The tools that output is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
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
    /// A test runner whose output is not read yet: whatever it shows is its tests' own text.
    Unread,
    /// Anything else, launchers of unknown commands among it: the output decides.
    Unknown,
}

/// Launchers whose own options, assignments and durations are followed by a command.
const LAUNCHERS: [&str; 16] = [
    "env",
    "npx",
    "bunx",
    "time",
    "nice",
    "ionice",
    "nohup",
    "stdbuf",
    "timeout",
    "xvfb-run",
    "uvx",
    "pipx",
    "sudo",
    "dotenv",
    "cross-env",
    "command",
];

/// Test runners that the parsers of other formats would misread.
const UNREAD: [&str; 14] = [
    "pytest",
    "py.test",
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

impl Command {
    /// Reads an argv.
    pub(super) fn of(argv: &[String]) -> Self {
        let mut words: Vec<String> = argv.to_vec();
        // Each step takes at least one word off; a shell's one word is opened once.
        for _ in 0..16 {
            match inner(&words) {
                Some(inner) => words = inner,
                None => break,
            }
        }
        let Some(program) = words.first() else {
            return Self {
                tool: Tool::Unknown,
                folder: None,
            };
        };
        let name = base_name(program);
        let arguments = &words[1..];
        let folder = match name.as_str() {
            "go" | "make" | "gmake" | "ninja" | "cargo" => value_of(arguments, "-C"),
            _ => None,
        };
        Self {
            tool: tool(&name, arguments),
            folder,
        }
    }
}

fn tool(name: &str, arguments: &[String]) -> Tool {
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
            let before = arguments.iter().take_while(|word| *word != "--");
            let whole = before
                .into_iter()
                .any(|word| single.contains(&word.split('=').next().unwrap_or_default()));
            let every = arguments
                .iter()
                .any(|word| word == "--no-fail-fast" || word == "--no-run");
            let packages = arguments
                .iter()
                .filter(|word| *word == "-p" || *word == "--package")
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
        Some(name)
            if [
                "npm-cli", "npx-cli", "yarn", "pnpm", "jest", "vitest", "mocha", "ava", "eslint",
                "tsc",
            ]
            .contains(&name.as_str()) =>
        {
            Tool::Unknown
        }
        _ if arguments
            .iter()
            .any(|word| word == "--test" || word.starts_with("--test-")) =>
        {
            Tool::NodeTest
        }
        _ => Tool::Node,
    }
}

/// The command that a launcher launches.
fn inner(words: &[String]) -> Option<Vec<String>> {
    let name = base_name(words.first()?);
    let arguments = &words[1..];
    match name.as_str() {
        "sh" | "bash" | "dash" | "zsh" => shell(arguments),
        "pnpm" | "yarn" | "npm" | "bun" => match arguments.first().map(String::as_str) {
            Some("exec" | "x" | "dlx") => Some(command_after(&arguments[1..])),
            _ => None,
        },
        "uv" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye" => {
            match arguments.first().map(String::as_str) {
                Some("run") => Some(command_after(&arguments[1..])),
                _ => None,
            }
        }
        "bundle" => match arguments.first().map(String::as_str) {
            Some("exec") => Some(command_after(&arguments[1..])),
            _ => None,
        },
        "python" | "python3" => {
            let at = arguments.iter().position(|argument| argument == "-m")?;
            arguments
                .get(at + 1..)
                .filter(|rest| !rest.is_empty())
                .map(<[String]>::to_vec)
        }
        launcher if LAUNCHERS.contains(&launcher) => Some(command_after(arguments)),
        _ => None,
    }
    .filter(|inner| !inner.is_empty())
}

/// What stands after a launcher's options, assignments and durations.
fn command_after(arguments: &[String]) -> Vec<String> {
    let mut rest = arguments;
    while let Some(word) = rest.first() {
        let assignment = word
            .split_once('=')
            .is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        let duration = word.starts_with(|c: char| c.is_ascii_digit());
        let with_value = matches!(
            word.as_str(),
            "-u" | "-n" | "-p" | "--package" | "-s" | "-k" | "-e"
        ) && rest.len() > 2;
        if with_value {
            rest = &rest[2..];
        } else if word.starts_with('-') || assignment || duration {
            rest = &rest[1..];
        } else {
            break;
        }
    }
    rest.to_vec()
}

/// A script of one plain command is that command.
fn shell(arguments: &[String]) -> Option<Vec<String>> {
    let at = arguments
        .iter()
        .position(|argument| argument.starts_with('-') && argument.ends_with('c'))?;
    let script = arguments.get(at + 1)?;
    if script.contains(['|', '&', ';', '\n', '<', '>', '`', '$', '(', '"', '\'', '*']) {
        return None;
    }
    let words: Vec<String> = script.split_whitespace().map(str::to_owned).collect();
    (!words.is_empty()).then_some(words)
}

/// The program's name without folder, `.exe`, `.js` and a version.
fn base_name(program: &str) -> String {
    let name = program
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(program)
        .to_ascii_lowercase();
    for end in [".exe", ".cmd", ".bat", ".js", ".mjs", ".cjs"] {
        if let Some(stem) = name.strip_suffix(end) {
            return stem.to_owned();
        }
    }
    name
}

fn value_of(arguments: &[String], option: &str) -> Option<String> {
    let at = arguments
        .iter()
        .position(|argument| argument.starts_with(option))?;
    match arguments[at].strip_prefix(option) {
        Some("") => arguments.get(at + 1).cloned(),
        joined => joined.map(str::to_owned),
    }
}

/// Whether a command prints one story on both streams, so that they are read as one.
pub(super) fn joins_streams(argv: &[String]) -> bool {
    let mut words = argv.to_vec();
    for _ in 0..16 {
        let Some(program) = words.first() else {
            return false;
        };
        let name = base_name(program);
        let first = words.get(1).map(String::as_str);
        match name.as_str() {
            "sh" | "bash" | "dash" | "zsh" | "make" | "gmake" | "ninja" | "just" | "ctest"
            | "cargo" | "cargo-nextest" | "task" | "concurrently" | "turbo" | "nx" | "prove"
            | "perl" => return true,
            "npm" | "pnpm" | "yarn" | "bun" if !matches!(first, Some("exec" | "x" | "dlx")) => {
                return true;
            }
            _ => {}
        }
        match inner(&words) {
            Some(inner) => words = inner,
            None => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{Command, Later, Tool, joins_streams};

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
        assert_eq!(tool("uv run python -m pytest -q"), Tool::Unread);
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
}
