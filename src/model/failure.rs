//! One row: something that a tool said is wrong, and where.

use serde::{Deserialize, Serialize};

/// How bad the tool itself calls a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A failing test, or a finding that the tool calls an error (or does not grade at all).
    Error,
    /// A finding that the tool calls a warning, or anything milder.
    Warning,
}

/// One failure as a parser read it. A fact that the tool did not print is `None`: a location is
/// never guessed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Failure {
    /// Relative to the root with `/` where the file is inside it; else as printed (see `outside`).
    pub path: Option<String>,
    /// 1-based.
    pub line: Option<u32>,
    /// 1-based, in the tool's own unit (bytes or characters).
    pub column: Option<u32>,
    /// The whole name, subtests and parameters included.
    pub test: Option<String>,
    /// The rule, linter or error code.
    pub rule: Option<String>,
    /// The tool's own grade.
    pub level: Level,
    /// Never empty. Further lines follow `\n`.
    pub message: String,
    /// The parser's registry name, for example `go-test`.
    pub tool: &'static str,
    /// The path lies outside the root and is kept as printed.
    pub outside: bool,
}

impl Failure {
    /// The `tool` of the one row that stands for a failing check whose output named none: it is
    /// made of exit status and tail, not read by a parser.
    pub const ROW_LESS: &'static str = "exit";

    /// A row of `tool` that says `message` and knows nothing else yet.
    pub fn new(tool: &'static str, message: impl Into<String>) -> Self {
        Self {
            path: None,
            line: None,
            column: None,
            test: None,
            rule: None,
            level: Level::Error,
            message: message.into(),
            tool,
            outside: false,
        }
    }
}
