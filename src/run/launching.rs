//! From a check to a process that can be started: its program, environment and home.

use std::ffi::OsString;

use crate::contain::{Launch, StartError};
use crate::launch::{Home, LookupError, Wanted, environment, find_program};
use crate::model::{Broken, CheckSpec, Streams};
use crate::parse;

use super::plan::Plan;

/// Ready to be started.
pub struct Prepared {
    /// See [`Launch`].
    pub launch: Launch,
    /// To be emptied afterwards.
    pub home: Home,
    /// Names of the variables beyond the six keys.
    pub env: Vec<String>,
    /// Sentences worth a reader's time.
    pub notes: Vec<String>,
}

/// Finds the program and lays out what it gets.
pub fn prepare(plan: &Plan<'_>, check: &CheckSpec) -> Result<Prepared, Broken> {
    let cwd = plan.settings.root.join(&check.cwd);
    let program = find_program(check.executable(), &cwd, &check.cwd, plan.path)
        .map_err(|error| not_found(plan, check, &error))?;
    let home = plan
        .homes
        .make(&check.id.file_name())
        .map_err(|error| Broken {
            reason: format!("no private home could be made: {error}"),
            details: vec![format!("make {} writable", plan.caller.temp().display())],
        })?;
    let wanted = Wanted {
        executable: check.executable(),
        env: &check.env,
        pass_env: &check.pass_env,
    };
    let environment = environment(plan.caller, plan.path, home.path(), wanted);
    let notes = environment
        .absent
        .iter()
        .map(|name| format!("{name} is in pass_env, but your shell does not have it"))
        .collect();
    let launch = Launch {
        program,
        argv: check.argv().into_iter().map(OsString::from).collect(),
        env: environment.vars,
        cwd,
        streams: streams(check),
        mark: home.path().as_os_str().to_owned(),
    };
    Ok(Prepared {
        launch,
        home,
        env: environment.added,
        notes,
    })
}

/// Whether its two streams are one pipe.
pub fn streams(check: &CheckSpec) -> Streams {
    parse::streams(&check.argv(), &check.output)
}

fn not_found(plan: &Plan<'_>, check: &CheckSpec, error: &LookupError) -> Broken {
    let declared = check.declared_at.as_ref();
    let place = declared.map_or_else(String::new, |at| format!(" ({}:{})", at.path, at.line));
    let out = declared.map_or_else(
        || format!("install {}", check.executable()),
        |at| {
            format!(
                "install {}, or take the check out of {}",
                check.executable(),
                at.path
            )
        },
    );
    let details = match error {
        LookupError::NotOnPath { .. } => {
            let folders: Vec<_> = plan
                .path
                .entries()
                .iter()
                .map(|dir| dir.display().to_string())
                .collect();
            let looked = if folders.is_empty() {
                format!("PATH names no folder{place}")
            } else {
                format!("looked in {}{place}", folders.join(", "))
            };
            vec![looked, out]
        }
        LookupError::NoSuchFile { .. } => {
            vec![format!(
                "a name with a slash is a path from the check's cwd{place}"
            )]
        }
        LookupError::NotExecutable { name } => vec![format!("chmod +x {name}{place}")],
    };
    Broken {
        reason: error.to_string(),
        details,
    }
}

/// In words, with what to do about it.
pub fn not_started(error: &StartError) -> Broken {
    let details = match error {
        StartError::NoInterpreter(_) => {
            vec![
                "begin the script with a line such as `#!/bin/sh`; no shell is ever guessed"
                    .to_owned(),
            ]
        }
        StartError::MissingInterpreter(_) => {
            vec!["install what its `#!` line names, or correct the line".to_owned()]
        }
        StartError::Denied(_)
        | StartError::Nul(_)
        | StartError::TooLong
        | StartError::System { .. }
        | StartError::Unsupported(_) => Vec::new(),
    };
    Broken {
        reason: error.to_string(),
        details,
    }
}
