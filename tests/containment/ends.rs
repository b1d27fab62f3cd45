//! The ways in which a check ends, and the verdict that each has to have.

use std::fmt;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::shapes::Shape;

/// One way to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// All of it ends by itself.
    Natural,
    /// The main process ends by itself, and all else lives.
    LeaderLeaves,
    /// Its own time is over.
    Timeout,
    /// The run's time is over.
    RunTimeout,
    /// `check` is told to end.
    Interrupt(Signal),
    /// `check` is told to end until it does. There is no end to the grace.
    Interrupts,
    /// It prints more than it may.
    OutputLimit,
    /// Another check fails, and `--fail-fast` was asked for.
    FailFast,
    /// `check` is killed.
    Killed,
    /// `check` is suspended and continued, and then all of it ends by itself.
    Suspended,
}

/// Every end.
pub const ENDS: &[End] = &[
    End::Natural,
    End::LeaderLeaves,
    End::Timeout,
    End::RunTimeout,
    End::Interrupt(Signal::SIGINT),
    End::Interrupt(Signal::SIGTERM),
    End::Interrupt(Signal::SIGHUP),
    End::Interrupt(Signal::SIGQUIT),
    End::Interrupts,
    End::OutputLimit,
    End::FailFast,
    End::Killed,
    End::Suspended,
];

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupt(signal) => write!(f, "{signal}"),
            Self::Natural
            | Self::LeaderLeaves
            | Self::Timeout
            | Self::RunTimeout
            | Self::Interrupts
            | Self::OutputLimit
            | Self::FailFast
            | Self::Killed
            | Self::Suspended => write!(f, "{self:?}"),
        }
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(Signal),
}

/// What has to be said of a check that came to its end.
#[derive(Debug, PartialEq)]
pub struct Expected {
    /// How `check` itself ends.
    pub exit: Exit,
    pub verdict: &'static str,
    pub reason: Value,
    pub status: &'static str,
    pub termination: &'static str,
    /// How the check's main process ended, where that is certain.
    pub check_exit: Option<Value>,
}

impl Expected {
    /// Where the end came before the check was started.
    pub fn unstarted(self) -> Self {
        let unstarted = Self {
            termination: "not_run",
            check_exit: None,
            ..self
        };
        if unstarted.status == "cancelled" {
            return unstarted;
        }
        Self {
            exit: Exit::Code(2),
            verdict: "none",
            status: "cancelled",
            ..unstarted
        }
    }
}

impl End {
    /// Whether something has to be ended that would have lived on.
    pub fn kills(self) -> bool {
        !matches!(self, Self::Natural | Self::Suspended)
    }

    /// `None` where nobody is left to say anything.
    pub fn expected(self, shape: &Shape) -> Option<Expected> {
        let failed = |termination| Expected {
            exit: Exit::Code(1),
            verdict: "failed",
            reason: Value::Null,
            status: "fail",
            termination,
            check_exit: None,
        };
        let interrupted = |signal: Signal| Expected {
            exit: Exit::Signal(signal),
            verdict: "none",
            reason: json!(format!("interrupted by {signal}")),
            status: "cancelled",
            termination: "interrupted",
            check_exit: None,
        };
        Some(match self {
            Self::Killed => return None,
            Self::Natural | Self::LeaderLeaves | Self::Suspended => match shape.dies_by {
                Some(signal) => Expected {
                    check_exit: Some(json!({ "signal": signal.as_str() })),
                    ..failed("signalled")
                },
                None => Expected {
                    exit: Exit::Code(0),
                    verdict: "passed",
                    status: "pass",
                    check_exit: Some(json!({ "code": 0 })),
                    ..failed("exited")
                },
            },
            Self::Timeout | Self::RunTimeout => failed("timed_out"),
            Self::OutputLimit => failed("output_limit"),
            Self::FailFast => Expected {
                status: "cancelled",
                ..failed("fail_fast")
            },
            Self::Interrupt(signal) => interrupted(signal),
            Self::Interrupts => interrupted(Signal::SIGINT),
        })
    }
}
