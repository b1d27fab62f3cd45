//! Programs that only launch others: what stands behind them.

use std::iter::successors;

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

/// Programs that read a script, and so may run anything.
const SHELLS: [&str; 10] = [
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "fish",
    "busybox",
    "cmd",
    "powershell",
    "pwsh",
];

/// How many launchers may stand in each other.
const MAX_DEEP: usize = 16;

/// The command as written, then what each launcher launches.
pub(super) fn layers(argv: &[String]) -> impl Iterator<Item = Vec<String>> {
    // Each step takes at least one word off; a shell's one word is opened once.
    successors(Some(argv.to_vec()), |words| inner(words)).take(MAX_DEEP + 1)
}

/// Whether the program of `argv` launches another one, so that its own file says nothing of what
/// is run.
pub fn launches_another(argv: &[String]) -> bool {
    let program = argv.first().map(|program| base_name(program));
    program.is_some_and(|name| SHELLS.contains(&name.as_str())) || inner(argv).is_some()
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
pub(super) fn base_name(program: &str) -> String {
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
