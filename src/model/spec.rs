//! What is to be run: the resolved form of a manifest, in which nothing is left to be defaulted.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

use super::CheckId;

/// Whether a check's failure gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tolerance {
    /// It gates.
    #[default]
    Blocking,
    /// Its rows are listed and it does not gate.
    Advisory,
    /// Its rows are counted and it does not gate.
    Report,
}

/// What a check is about; a name to select and to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Lint, format, complexity.
    Maintainability,
    /// Boundaries and dependencies.
    Architecture,
    /// Tests.
    Behaviour,
}

/// When a check runs beside the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// With the others.
    #[default]
    Regular,
    /// After every blocking check is green.
    ConvergenceVerifier,
    /// Only when named.
    StuckRecovery,
}

/// How today's failures are compared with the recorded ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ratchet {
    /// Each by its own identity.
    #[default]
    Fingerprint,
    /// By number a file.
    Count,
}

/// Which matches a count ratchet counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CountOn {
    /// Those of a check that exits non-zero.
    #[default]
    Failure,
    /// Those of exit 0 too.
    Any,
}

/// Which network a check runs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// Loopback alone, where the host can.
    #[default]
    None,
    /// The host's.
    Host,
}

/// What a process that outlives its check means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Leaks {
    /// It is named.
    #[default]
    Note,
    /// The check has failed.
    Fail,
}

/// Whether standard output and standard error are two pipes or one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Streams {
    /// Two pipes, each parsed on its own.
    Split,
    /// One pipe, so that the tool's own order is kept.
    Joined,
}

/// What a closing summary that reports failures beside exit 0 means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claims {
    /// The check has failed.
    #[default]
    Fail,
    /// It is noted.
    Note,
}

/// How a check's output is read.
#[derive(Debug, Clone)]
pub struct OutputSpec {
    /// A registry name, `auto`, `text` or `none`.
    pub format: String,
    /// Only lines (of `text`) or rows that match are kept.
    pub pattern: Option<Regex>,
    /// Decided by the manifest, else by the registry.
    pub streams: Option<Streams>,
    /// See [`Claims`].
    pub claims: Claims,
}

impl Default for OutputSpec {
    fn default() -> Self {
        Self {
            format: "auto".to_owned(),
            pattern: None,
            streams: None,
            claims: Claims::Fail,
        }
    }
}

/// Where the manifest declares something, for messages: `harness.json:14`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredAt {
    /// As shown to people.
    pub path: String,
    /// 1-based.
    pub line: u32,
}

/// One check, resolved: every default applied, every rule held.
#[derive(Debug, Clone)]
pub struct CheckSpec {
    /// Its name.
    pub id: CheckId,
    /// A program name to be looked up, or a path with a slash relative to `cwd`.
    pub executable: String,
    /// The arguments, literally.
    pub args: Vec<String>,
    /// Relative to the root, `.` for the root itself; an existing folder inside it.
    pub cwd: String,
    /// Its own limit; `None` leaves it the run's.
    pub timeout: Option<Duration>,
    /// See [`Tolerance`].
    pub tolerance: Tolerance,
    /// See [`Category`].
    pub category: Option<Category>,
    /// See [`Role`].
    pub role: Role,
    /// A name to select by.
    pub area: Option<String>,
    /// See [`OutputSpec`].
    pub output: OutputSpec,
    /// Values added to the six keys (`checks_env` and `env`, the latter winning).
    pub env: BTreeMap<String, String>,
    /// Names of the caller's variables that are handed on.
    pub pass_env: Vec<String>,
    /// Zero tests may pass.
    pub allow_empty: bool,
    /// See [`Leaks`].
    pub leaks: Leaks,
    /// Runs alone.
    pub exclusive: bool,
    /// Found by detection, not declared: finding no tests is then no fault of a declaration.
    pub detected: bool,
    /// Where `executable` stands in the manifest; `None` for a detected check.
    pub declared_at: Option<DeclaredAt>,
}

impl CheckSpec {
    /// The check that a manifest declares by these three fields alone.
    pub fn new(id: CheckId, executable: impl Into<String>, args: Vec<String>) -> Self {
        Self {
            id,
            executable: executable.into(),
            args,
            cwd: ".".to_owned(),
            timeout: None,
            tolerance: Tolerance::Blocking,
            category: None,
            role: Role::Regular,
            area: None,
            output: OutputSpec::default(),
            env: BTreeMap::new(),
            pass_env: Vec::new(),
            allow_empty: false,
            leaks: Leaks::Note,
            exclusive: false,
            detected: false,
            declared_at: None,
        }
    }

    /// The whole argument vector, program first.
    pub fn argv(&self) -> Vec<String> {
        std::iter::once(self.executable.clone())
            .chain(self.args.iter().cloned())
            .collect()
    }
}

/// What each check may use up. None of it is zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// 100 is one core.
    pub cpu_percent: u64,
    /// Bytes.
    pub memory_bytes: u64,
    /// Processes and threads.
    pub processes: u64,
    /// Bytes on both streams together; `None` is no limit.
    pub output_bytes: Option<u64>,
}

/// The isolation a manifest or caller asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Contained where the host can.
    #[default]
    LocalSubscription,
    /// Direct, which only the caller can grant.
    UncontainedDevelopment,
}

/// What holds for the whole run.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// The tree under test: absolute, links resolved.
    pub root: PathBuf,
    /// Per check.
    pub limits: Limits,
    /// See [`Profile`].
    pub profile: Profile,
    /// Refuse every check that cannot be contained.
    pub require_containment: bool,
    /// The whole run's limit.
    pub timeout: Duration,
    /// From TERM to KILL.
    pub grace: Duration,
    /// Checks at once, at least 1.
    pub jobs: usize,
}
