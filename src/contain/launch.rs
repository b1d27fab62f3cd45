//! What a mechanism needs to know to start one process.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use crate::model::{Confinement, Streams};

/// One process to be started, everything decided.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Absolute.
    pub program: PathBuf,
    /// The whole argument vector; the first is the program's name as the manifest has it.
    pub argv: Vec<OsString>,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Absolute.
    pub cwd: PathBuf,
    /// Two pipes or one.
    pub streams: Streams,
    /// The value of HOME, which marks the check's processes.
    pub mark: OsString,
    /// What it may see, reach and use up; `None` where it is to run as `check` itself does.
    pub confinement: Option<Confinement>,
}

/// Why a process could not be started. The texts complete `could not run: …`.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The kernel does not know the file's format; a shell would guess, which is never done.
    #[error("{0} is no program: it has no `#!` line and no known format")]
    NoInterpreter(String),
    /// The `#!` line or the program's loader names something that is not there.
    #[error("the interpreter that {0} names does not exist")]
    MissingInterpreter(String),
    /// The file may not be executed.
    #[error("{0} may not be executed: permission denied")]
    Denied(String),
    /// An argument, variable or path holds a NUL byte.
    #[error("{0} holds a NUL byte")]
    Nul(&'static str),
    /// Arguments and environment together are more than the system takes.
    #[error("the arguments are longer than the system takes")]
    TooLong,
    /// The system had no process or descriptor left, or the like.
    #[error("{what}: {source}")]
    System {
        /// What was being done.
        what: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// What was to be made for it alone could not be made.
    #[error("could not {doing}: {source}")]
    Enclose {
        /// Completes `could not …`.
        doing: String,
        /// The system's answer.
        source: io::Error,
    },
    /// It was to be contained or not to be started. What was missing.
    #[error("{0}")]
    NotContained(String),
    /// It could not be put in the cgroup that was made for it. Only between mechanisms: a start
    /// without one follows.
    #[error("it could not be put in its cgroup")]
    NotInCgroup,
    /// This system has no mechanism that could end what it starts.
    #[error("this version cannot run checks on {0}")]
    Unsupported(&'static str),
}
