//! What is to be run: the resolved form of a manifest, in which nothing is left to be defaulted.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{CheckId, Pattern};

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

impl Category {
    /// As a manifest writes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Maintainability => "maintainability",
            Self::Architecture => "architecture",
            Self::Behaviour => "behaviour",
        }
    }
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
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

/// Which stream of a check is parsed; the other one is only kept for logs and tails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// Both.
    #[default]
    Both,
}

/// How a check's output is read.
#[derive(Debug, Clone)]
pub struct OutputSpec {
    /// A registry name, `auto`, `text` or `none`.
    pub format: &'static str,
    /// Only lines (of `text`) or rows that match are kept.
    pub pattern: Option<Pattern>,
    /// Decided by the manifest, else by the registry.
    pub streams: Option<Streams>,
    /// See [`Claims`].
    pub claims: Claims,
    /// See [`Channel`].
    pub channel: Channel,
    /// A glob, relative to `cwd`: the report files that the check writes.
    pub path: Option<String>,
}

impl Default for OutputSpec {
    fn default() -> Self {
        Self {
            format: "auto",
            pattern: None,
            streams: None,
            claims: Claims::Fail,
            channel: Channel::Both,
            path: None,
        }
    }
}

/// Files that must not be older than what they are made from. Globs are relative to the root,
/// with `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freshness {
    /// The artefacts; each glob must match at least one file.
    pub files: Vec<String>,
    /// What they are made from.
    pub inputs: Vec<String>,
}

/// Where a check's answer comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A program is run.
    Command {
        /// A program name to be looked up, or a path with a slash relative to `cwd`.
        executable: String,
        /// The arguments, literally.
        args: Vec<String>,
    },
    /// Nothing is run: the history of files is asked.
    Files(Freshness),
}

/// Where the manifest declares something, for messages: `harness.json:14`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredAt {
    /// As shown to people; shared by all that one file declares.
    pub path: Arc<str>,
    /// 1-based.
    pub line: u32,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a field of a manifest that stands for itself"
)]
/// One check, resolved: every default applied, every rule held.
#[derive(Debug, Clone)]
pub struct CheckSpec {
    /// Its name.
    pub id: CheckId,
    /// See [`Source`].
    pub source: Source,
    /// Declared as a sensor: exit codes above 1 without a row that `match` keeps are its own way
    /// to say that it cannot judge.
    pub sensor: bool,
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
    /// With `--changed` the check runs only when a changed file matches one of these globs
    /// (relative to the root, with `/`); empty is always.
    pub paths: Vec<String>,
    /// Optional, and judged by the picture of this name that it writes: never by its exit.
    pub shot: Option<String>,
    /// The command that prints the tool's version, program first; empty where none is asked for.
    pub version: Vec<String>,
    /// See [`OutputSpec`].
    pub output: OutputSpec,
    /// Values added to the six keys (`checks_env` and `env`, the latter winning); shared by checks
    /// that have nothing of their own.
    pub env: Arc<BTreeMap<String, String>>,
    /// Names of the caller's variables that are handed on.
    pub pass_env: Vec<String>,
    /// See [`Network`].
    pub network: Network,
    /// See [`Ratchet`].
    pub ratchet: Ratchet,
    /// See [`CountOn`].
    pub count_on: CountOn,
    /// Fewer tests, or more skipped, than recorded is a failure.
    pub floor: bool,
    /// Parts to split its tests into; 0 is not at all.
    pub shards: u64,
    /// Zero tests may pass.
    pub allow_empty: bool,
    /// See [`Leaks`].
    pub leaks: Leaks,
    /// Runs alone.
    pub exclusive: bool,
    /// Found by detection, not declared: finding no tests is then no fault of a declaration.
    pub detected: bool,
    /// Runs only when it is named, and is not missed otherwise: a detected target that another
    /// one stands for.
    pub only_named: bool,
    /// Where `executable` stands in the manifest; `None` for a detected check.
    pub declared_at: Option<DeclaredAt>,
}

impl CheckSpec {
    /// The check that a manifest declares by these three fields alone.
    pub fn new(id: CheckId, executable: impl Into<String>, args: Vec<String>) -> Self {
        Self {
            id,
            source: Source::Command {
                executable: executable.into(),
                args,
            },
            sensor: false,
            cwd: ".".to_owned(),
            timeout: None,
            tolerance: Tolerance::Blocking,
            category: None,
            role: Role::Regular,
            area: None,
            paths: Vec::new(),
            shot: None,
            version: Vec::new(),
            output: OutputSpec::default(),
            env: Arc::default(),
            pass_env: Vec::new(),
            network: Network::None,
            ratchet: Ratchet::Fingerprint,
            count_on: CountOn::Failure,
            floor: false,
            shards: 0,
            allow_empty: false,
            leaks: Leaks::Note,
            exclusive: false,
            detected: false,
            only_named: false,
            declared_at: None,
        }
    }

    /// The whole argument vector, program first; empty where nothing is run.
    pub fn argv(&self) -> Vec<String> {
        match &self.source {
            Source::Command { executable, args } => std::iter::once(executable.clone())
                .chain(args.iter().cloned())
                .collect(),
            Source::Files(_) => Vec::new(),
        }
    }

    /// Whether the verdict hangs on it: a check that takes a shot is optional, whatever its
    /// tolerance says.
    pub fn gates(&self) -> bool {
        self.tolerance == Tolerance::Blocking && self.shot.is_none()
    }

    /// The program as it was declared; empty where nothing is run.
    pub fn executable(&self) -> &str {
        match &self.source {
            Source::Command { executable, .. } => executable,
            Source::Files(_) => "",
        }
    }
}

/// What each check may use up. None of it is zero.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
