//! Which tool an argv runs, seen through the programs that only launch others. The argv alone
//! decides: nothing here looks at the tree or at output.

mod launcher;
mod streams;
#[cfg(test)]
mod tests;
mod tool;

pub use launcher::launches_another;
pub(super) use streams::joins_streams;
pub(super) use tool::Tool;

use launcher::{base_name, layers};

/// What is known of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    pub tool: Tool,
    /// A folder that the tool is told to work in (`go -C`, `make -C`).
    pub folder: Option<String>,
}

impl Command {
    /// Reads an argv.
    pub(super) fn of(argv: &[String]) -> Self {
        let words = layers(argv).last().unwrap_or_default();
        let Some((program, arguments)) = words.split_first() else {
            return Self {
                tool: Tool::Unknown,
                folder: None,
            };
        };
        let name = base_name(program);
        let folder = match name.as_str() {
            "go" | "make" | "gmake" | "ninja" | "cargo" => value_of(arguments, "-C"),
            _ => None,
        };
        Self {
            tool: tool::tool(&name, arguments),
            folder,
        }
    }
}

/// The value of `option`, as its next argument or joined to it. What follows `--` is another's.
fn value_of(arguments: &[String], option: &str) -> Option<String> {
    let mut own = arguments.iter().take_while(|argument| *argument != "--");
    let joined = own.find_map(|argument| argument.strip_prefix(option))?;
    if joined.is_empty() {
        own.next().cloned()
    } else {
        Some(joined.to_owned())
    }
}
