//! What a check did: facts only. What they mean is decided once, from these.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How a process ended. A signal is never folded into an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It returned this code, 0 to 255.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

/// Why a check's processes are no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Termination {
    /// By itself: with an exit code or, where there is no process, with its answer.
    Exited,
    /// Its own limit ran out.
    TimedOut,
    /// By itself, by a signal.
    Signalled,
    /// The memory limit.
    KilledForMemory,
    /// It printed more than it may.
    OutputLimit,
    /// The run was interrupted, or the run's own limit ran out.
    Interrupted,
    /// Another check had failed.
    FailFast,
    /// It could not be launched.
    SpawnFailed,
    /// It was not allowed to be launched.
    Refused,
    /// It was not launched.
    NotRun,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, frozen in the JSON"
)]
/// What was enforced around a check; a property is true only where this launch verified it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Isolation {
    /// `process_group`, `cgroup`, …; `none` where nothing was launched.
    pub mechanism: String,
    /// All four below hold.
    pub contained: bool,
    /// Memory, process and CPU limits for the whole check.
    pub limits: bool,
    /// No network but loopback.
    pub network: bool,
    /// The real home is hidden.
    pub home: bool,
    /// The system is read-only.
    pub read_only: bool,
    /// What is missing and why.
    pub note: Option<String>,
    /// The one step that would change it.
    #[serde(default)]
    pub step: Option<String>,
    /// The transient unit, where there is one.
    #[serde(default)]
    pub unit: Option<String>,
}

/// A process that outlived its check and was ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leak {
    /// Its id, now dead.
    pub pid: i32,
    /// Its command line or, where that is empty, its name.
    pub command: String,
}

/// What the tool itself says it did. `None` is unknown, which is not zero.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// Tests that ran, failed ones included.
    pub ran: Option<u64>,
    /// Tests or findings that failed.
    pub failed: Option<u64>,
    /// Tests that were skipped.
    pub skipped: Option<u64>,
    /// Failures in the closing summary; `None` where the tool closed with no claim.
    pub claimed: Option<u64>,
    /// The tool says that it did not look at everything.
    pub stopped_early: bool,
}

/// The tool could not do its work for want of something outside the tree: never a failure to repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentFailure {
    /// For example `module golang.org/x/text is not downloaded`.
    pub reason: String,
    /// What to do about it, a sentence or a command.
    pub hint: Option<String>,
    /// It was to come over the network.
    pub network: bool,
}

/// What a parser found beside rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Findings {
    /// `None` where the format gives no evidence at all.
    pub evidence: Option<Evidence>,
    /// Rows of level error and warning that left the parser.
    pub errors: u64,
    /// See `errors`.
    pub warnings: u64,
    /// All the tool's own counts are zero: no test ran. The text says how it was seen.
    pub nothing_ran: Option<String>,
    /// See [`EnvironmentFailure`].
    pub environment: Option<EnvironmentFailure>,
    /// Folders (from the root, `.` for the root) whose build or load failed: nothing recorded
    /// beneath one was looked at.
    pub not_built: Vec<String>,
    /// The registry names of the parsers that read this output.
    pub formats: Vec<&'static str>,
    /// Sentences worth a reader's time.
    pub notes: Vec<String>,
}

/// The last bytes of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tail {
    /// At most 16 KiB.
    pub bytes: Vec<u8>,
    /// More was printed than is here.
    pub truncated: bool,
}

/// Why a check could not run or could not be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Completes `could not run: …`.
    pub reason: String,
    /// Where it was looked for and what to do, a line each.
    pub details: Vec<String>,
}

/// Everything that is known of one launch, or of the attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// `None` where no process ran to an end of its own or ours.
    pub exit: Option<Exit>,
    /// See [`Termination`].
    pub termination: Termination,
    /// From launch to the end of the last process.
    pub duration: Duration,
    /// The limit that ran out, with [`Termination::TimedOut`].
    pub limit: Option<Duration>,
    /// See [`Findings`].
    pub findings: Findings,
    /// Set where the check could not be launched, or its processes could not be ended.
    pub broken: Option<Broken>,
    /// See [`Leak`].
    pub leaks: Vec<Leak>,
    /// See [`Isolation`].
    pub isolation: Isolation,
    /// `split` or `joined`; with the latter `stderr` stays empty.
    pub streams: super::Streams,
    /// See [`Tail`].
    pub stdout: Tail,
    /// See [`Tail`].
    pub stderr: Tail,
    /// The names of the variables beyond the six keys.
    pub env: Vec<String>,
    /// Sentences worth a reader's time.
    pub notes: Vec<String>,
}

impl Outcome {
    /// An end of this kind, of which nothing else is known yet.
    pub fn new(termination: Termination, exit: Option<Exit>) -> Self {
        Self {
            exit,
            termination,
            duration: Duration::ZERO,
            limit: None,
            findings: Findings::default(),
            broken: None,
            leaks: Vec::new(),
            isolation: Isolation::default(),
            streams: super::Streams::Split,
            stdout: Tail::default(),
            stderr: Tail::default(),
            env: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// A main process that ended by itself.
    pub fn of(exit: Exit) -> Self {
        let termination = match exit {
            Exit::Code(_) => Termination::Exited,
            Exit::Signal(_) => Termination::Signalled,
        };
        Self::new(termination, Some(exit))
    }
}
