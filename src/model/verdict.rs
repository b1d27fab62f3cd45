//! The verdict, version 1: the data every report is made from. Names and order are frozen.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{
    Category, CheckSpec, Evidence, Isolation, Leak, Level, Network, Role, Streams, Termination,
    Tolerance,
};

/// The one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictWord {
    /// Exit 0.
    Passed,
    /// Exit 1.
    Failed,
    /// Exit 2: no verdict could be reached.
    None,
}

impl VerdictWord {
    /// The exit code that goes with it.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::Failed => 1,
            Self::None => 2,
        }
    }
}

/// Whose move it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Route {
    /// Nobody's.
    Pass,
    /// Whoever edits the tree.
    Repair,
    /// Whoever runs the host or owns the manifest.
    Operator,
    /// Ask again later: another run holds the root.
    Wait,
    /// A repair bound was reached; never said by this program.
    Failed,
}

/// What one check came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Judged, and nothing gates.
    Pass,
    /// Judged, and something new is wrong.
    Fail,
    /// Judged, and all that is wrong is recorded.
    Known,
    /// Could not run or could not be judged.
    Broken,
    /// Not allowed to run.
    Refused,
    /// Did not apply, or had nothing to wait for.
    Skipped,
    /// Ended or left unstarted by something that says nothing of the tree.
    Cancelled,
}

/// Where a row stands against the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowState {
    /// Not in it.
    New,
    /// In it.
    Known,
}

/// A row and what the ratchet says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedFailure {
    /// See [`super::Failure`].
    pub path: Option<String>,
    /// 1-based.
    pub line: Option<u32>,
    /// 1-based.
    pub column: Option<u32>,
    /// The whole name.
    pub test: Option<String>,
    /// The rule, linter or error code.
    pub rule: Option<String>,
    /// The tool's own grade.
    pub level: Level,
    /// Never empty.
    pub message: String,
    /// The parser's registry name.
    pub tool: String,
    /// The path lies outside the root and is kept as printed.
    pub outside: bool,
    /// The source line, white space folded; absent where there is none.
    pub source: Option<String>,
    /// See [`RowState`].
    pub state: RowState,
    /// 32 hex digits; equal findings share it.
    pub fingerprint: String,
    /// How many equal findings this row stands for, at least 1.
    pub count: u64,
    /// Ids of other checks that found the same.
    pub also: Vec<String>,
}

/// Which tails were cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StreamsTruncated {
    /// More was printed than `stdout_tail` holds.
    pub stdout: bool,
    /// More was printed than `stderr_tail` holds.
    pub stderr: bool,
}

/// One check of the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Its name.
    pub id: String,
    /// See [`Status`].
    pub status: Status,
    /// Why, where the status is not `pass`.
    pub reason: Option<String>,
    /// See [`Tolerance`].
    pub tolerance: Tolerance,
    /// See [`Category`].
    pub category: Option<Category>,
    /// See [`Role`].
    pub role: Role,
    /// Program first.
    pub argv: Vec<String>,
    /// Relative to the root.
    pub cwd: String,
    /// Names of the variables beyond the six keys.
    pub env: Vec<String>,
    /// `{"code": n}`, `{"signal": "SIGSEGV"}` or null.
    pub exit: Option<ExitFact>,
    /// See [`Termination`].
    pub termination: Termination,
    /// From launch to the end of the last process.
    pub duration_ms: u64,
    /// See [`Isolation`].
    pub isolation: Isolation,
    /// The tool's own version, where a probe asked for it.
    pub version: Option<String>,
    /// See [`Streams`].
    pub streams: Streams,
    /// See [`Evidence`].
    pub evidence: Option<Evidence>,
    /// At most 200, new ones first.
    pub failures: Vec<JudgedFailure>,
    /// All gating rows, kept or not.
    pub failures_total: u64,
    /// Gating rows that are not in the baseline.
    pub new: u64,
    /// Gating rows that are.
    pub known: u64,
    /// Recorded failures that are truly gone.
    pub fixed: u64,
    /// Recorded failures that were not looked at this time.
    pub unseen: u64,
    /// Processes that outlived the check and were ended.
    pub leaks: Vec<Leak>,
    /// The picture that a shot check wrote.
    pub shot: Option<String>,
    /// At most 16 KiB, bytes that are not UTF-8 as `\xNN`.
    pub stdout_tail: String,
    /// At most 16 KiB, bytes that are not UTF-8 as `\xNN`.
    pub stderr_tail: String,
    /// See [`StreamsTruncated`].
    pub truncated: StreamsTruncated,
    /// The whole output, where it was kept.
    pub log: Option<String>,
    /// Sentences worth a reader's time.
    pub notes: Vec<String>,
    /// Where it was looked for and what to do, a line each: for people's reports.
    #[serde(default)]
    pub details: Vec<String>,
    /// Found by detection, so that people see the command.
    #[serde(default)]
    pub detected: bool,
    /// See [`Network`].
    #[serde(default)]
    pub network: Network,
    /// It takes a shot, and so the verdict does not hang on it.
    #[serde(default)]
    pub optional: bool,
}

impl CheckResult {
    /// What `spec` comes to while nothing but its status is known: nothing ran, nothing was found.
    pub fn new(spec: &CheckSpec, status: Status) -> Self {
        Self {
            id: spec.id.to_string(),
            status,
            reason: None,
            tolerance: spec.tolerance,
            category: spec.category,
            role: spec.role,
            argv: spec.argv(),
            cwd: spec.cwd.clone(),
            env: Vec::new(),
            exit: None,
            termination: Termination::NotRun,
            duration_ms: 0,
            isolation: Isolation {
                mechanism: "none".to_owned(),
                ..Isolation::default()
            },
            version: None,
            streams: spec.output.streams.unwrap_or(Streams::Split),
            evidence: None,
            failures: Vec::new(),
            failures_total: 0,
            new: 0,
            known: 0,
            fixed: 0,
            unseen: 0,
            leaks: Vec::new(),
            shot: None,
            stdout_tail: String::new(),
            stderr_tail: String::new(),
            truncated: StreamsTruncated::default(),
            log: None,
            notes: Vec::new(),
            details: Vec::new(),
            detected: spec.detected,
            network: spec.network,
            optional: spec.shot.is_some(),
        }
    }

    /// Whether the verdict hangs on it.
    pub fn gates(&self) -> bool {
        self.tolerance == Tolerance::Blocking && !self.optional
    }

    /// Whether a process of it was started.
    pub fn was_launched(&self) -> bool {
        !matches!(
            self.termination,
            Termination::SpawnFailed | Termination::Refused | Termination::NotRun
        )
    }
}

/// How a process ended, as JSON has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExitFact {
    /// 0 to 255.
    Code(i32),
    /// For example `SIGSEGV`.
    Signal(String),
}

/// The tree that was judged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tree {
    /// HEAD's commit; null outside git and before the first commit.
    pub commit: Option<String>,
    /// Whether the work tree differs from it.
    pub dirty: Option<bool>,
    /// SHA-256 in hex over HEAD, the diff and the untracked files.
    pub digest: Option<String>,
}

/// The manifest that was used.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ManifestFacts {
    /// Relative to the root where it lies inside; null for a detected run.
    pub path: Option<String>,
    /// In hex.
    pub sha256: Option<String>,
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// `linux` or `windows`.
    pub os: String,
    /// For example `x86_64`.
    pub arch: String,
}

/// Sums over the checks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// All that were selected; the seven below add up to it.
    pub checks: u64,
    /// See [`Status`].
    pub pass: u64,
    /// See [`Status`].
    pub fail: u64,
    /// See [`Status`].
    pub known: u64,
    /// See [`Status`].
    pub broken: u64,
    /// See [`Status`].
    pub refused: u64,
    /// See [`Status`].
    pub skipped: u64,
    /// See [`Status`].
    pub cancelled: u64,
    /// Non-blocking checks that failed.
    pub advisory: u64,
    /// Rows over all checks.
    pub new: u64,
    /// Rows over all checks.
    pub known_failures: u64,
    /// Records over all checks.
    pub fixed: u64,
    /// Records over all checks.
    pub unseen: u64,
    /// SHA-256 in hex over the sorted new fingerprints; null where there are none.
    pub new_digest: Option<String>,
}

/// The baseline as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BaselineFacts {
    /// Relative to the root; null where there is none.
    pub path: Option<String>,
    /// Records that today's rows met.
    pub known: u64,
    /// Records that are truly gone.
    pub fixed: u64,
}

/// What the tree was measured against.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bar {
    /// In hex.
    pub manifest_sha256: Option<String>,
    /// In hex, over the baseline files in order of name.
    pub baseline_sha256: Option<String>,
    /// `tree`, or the commit it was read from.
    pub source: String,
    /// Whether a person accepted this manifest; null where none ever did.
    pub trusted: Option<bool>,
    /// What this change would loosen.
    pub changes: Vec<String>,
}

/// A problem in a file that a person wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// As shown to people.
    pub path: String,
    /// 1-based; null where the file as a whole is meant.
    pub line: Option<u32>,
    /// 1-based, in characters.
    pub column: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
    /// The source line, or of a long one the part that matters, and which of its characters are
    /// meant: for people.
    #[serde(skip)]
    pub excerpt: Option<Box<(String, Range<usize>)>>,
    /// How many problems beside this one it stands for, which are not listed.
    #[serde(skip)]
    pub more: u64,
}

impl Diagnostic {
    /// Something is wrong with a file as a whole.
    pub fn of_file(
        path: impl Into<String>,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> Self {
        Self {
            path: path.into(),
            line: None,
            column: None,
            message: message.into(),
            hint,
            excerpt: None,
            more: 0,
        }
    }

    /// The same, at this line and column, of which `excerpt` shows what [`Self::excerpt`] says.
    #[must_use]
    pub fn at(self, (line, column): (u32, u32), excerpt: Option<(String, Range<usize>)>) -> Self {
        Self {
            line: Some(line),
            column: Some(column),
            excerpt: excerpt.map(Box::new),
            ..self
        }
    }
}

/// The whole verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// 1.
    pub version: u32,
    /// The one word.
    pub verdict: VerdictWord,
    /// 0, 1 or 2.
    pub exit_code: u8,
    /// See [`Route`].
    pub route: Route,
    /// Why, where the checks alone do not say it: `busy`, `interrupted by SIGTERM`, ….
    pub reason: Option<String>,
    /// Absolute; absent where none was found.
    pub root: Option<String>,
    /// See [`Tree`].
    pub tree: Tree,
    /// See [`ManifestFacts`].
    pub manifest: ManifestFacts,
    /// See [`Host`].
    pub host: Host,
    /// RFC 3339, UTC, milliseconds.
    pub started_at: String,
    /// The whole run.
    pub duration_ms: u64,
    /// What every launched check had.
    pub isolation: Isolation,
    /// See [`Summary`].
    pub summary: Summary,
    /// In manifest order.
    pub checks: Vec<CheckResult>,
    /// See [`BaselineFacts`].
    pub baseline: BaselineFacts,
    /// See [`Bar`].
    pub bar: Bar,
    /// Ids of checks that were not selected.
    pub not_selected: Vec<String>,
    /// `i/n`, or null.
    pub partition: Option<String>,
    /// Problems in files that people wrote.
    pub diagnostics: Vec<Diagnostic>,
    /// Sentences worth a reader's time.
    pub notes: Vec<String>,
}
