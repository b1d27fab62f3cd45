//! Marks of an agent's run and of CI. A mark chooses a report and refuses acts that lower the
//! bar; it never turns a failure into a pass.

/// Variables that agents set in what they start.
pub const AGENT_MARKS: [&str; 12] = [
    "AI_AGENT",
    "AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "OPENCODE",
    "COPILOT_AGENT",
    "PI_CODING_AGENT",
    "YNH_AGENT_SESSION",
];

/// Variables that CI systems set.
pub const CI_MARKS: [&str; 8] = [
    "CI",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "BUILDKITE",
    "CIRCLECI",
    "TF_BUILD",
    "JENKINS_URL",
    "TEAMCITY_VERSION",
];

/// What `AGENT`, a word of many meanings, has to begin with to be a mark.
const AGENT_NAMES: [&str; 22] = [
    "aider",
    "amazon-q",
    "amp",
    "auggie",
    "augment",
    "claude",
    "cline",
    "codex",
    "copilot",
    "crush",
    "cursor",
    "devin",
    "droid",
    "gemini",
    "goose",
    "junie",
    "kiro",
    "opencode",
    "openhands",
    "pi",
    "qwen",
    "windsurf",
];

/// The variable (or flag) that marks this run as an agent's; `vars` gives a variable's value.
pub fn agent_mark(vars: impl Fn(&str) -> Option<String>, flag: bool) -> Option<String> {
    if flag {
        return Some("--agent".to_owned());
    }
    let marks = |name: &str| {
        let value = vars(name);
        let value = value.as_deref().filter(|value| says_yes(value));
        value.is_some_and(|value| name != "AGENT" || is_agent_name(value))
    };
    AGENT_MARKS
        .iter()
        .find(|name| marks(name))
        .map(|name| (*name).to_owned())
}

/// The variable that marks this run as CI's.
pub fn ci_mark(vars: impl Fn(&str) -> Option<String>) -> Option<String> {
    let marks = |name: &str| vars(name).is_some_and(|value| says_yes(&value));
    CI_MARKS
        .iter()
        .find(|name| marks(name))
        .map(|name| (*name).to_owned())
}

fn says_yes(value: &str) -> bool {
    let value = value.trim();
    !(value.is_empty() || value == "0" || value.eq_ignore_ascii_case("false"))
}

/// A known name, with or without a version or a further word: `goose`, `claude-code_2.1_agent`.
fn is_agent_name(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    AGENT_NAMES.iter().any(|name| {
        let rest = value.strip_prefix(name);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    })
}

/// What marks a run, in words: a variable is set, a flag was given.
pub fn is_set(mark: &str) -> String {
    let verb = if mark.starts_with("--") {
        "was given"
    } else {
        "is set"
    };
    format!("{mark} {verb}")
}

#[cfg(test)]
mod tests {
    use super::{AGENT_MARKS, CI_MARKS, agent_mark, ci_mark};

    fn with(name: &'static str, value: &'static str) -> impl Fn(&str) -> Option<String> {
        move |asked| (asked == name).then(|| value.to_owned())
    }

    #[test]
    fn each_variable_is_a_mark_and_names_itself() {
        for name in AGENT_MARKS {
            let value = if name == "AGENT" { "goose" } else { "1" };
            assert_eq!(agent_mark(with(name, value), false).as_deref(), Some(name));
        }
        for name in CI_MARKS {
            assert_eq!(ci_mark(with(name, "true")).as_deref(), Some(name));
        }
        assert_eq!(agent_mark(|_| None, true).as_deref(), Some("--agent"));
        assert_eq!(agent_mark(|_| None, false), None);
        assert_eq!(ci_mark(|_| None), None);
    }

    #[test]
    fn a_variable_that_says_no_is_no_mark() {
        for value in ["", " ", "0", "false", "False"] {
            assert_eq!(
                agent_mark(with("CLAUDECODE", value), false),
                None,
                "{value:?}"
            );
            assert_eq!(ci_mark(with("CI", value)), None, "{value:?}");
        }
    }

    #[test]
    fn agent_is_a_mark_only_with_a_known_name() {
        for value in ["goose", "Amp", "claude-code_2.1_agent", "opencode/1.0"] {
            assert!(agent_mark(with("AGENT", value), false).is_some(), "{value}");
        }
        for value in ["1", "true", "ssh", "ampere", "pilot", "007"] {
            assert_eq!(agent_mark(with("AGENT", value), false), None, "{value}");
        }
    }
}
