//! From a check to a process that can be started: its program, environment and home.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use tokio::sync::oneshot;

use crate::contain::{Launch, StartError};
use crate::launch::{
    Environment, Glance, Home, LookupError, Remains, Temp, Wanted, find_program, install_hint,
};
use crate::model::{Broken, CheckSpec, Confinement, Streams};
use crate::parse;
use crate::text::sha256_hex;

use super::plan::Plan;

/// Ready to be started.
pub struct Prepared {
    /// See [`Launch`].
    pub launch: Launch,
    /// To be emptied afterwards.
    pub rooms: Rooms,
    /// Names of the variables beyond the six keys.
    pub env: Vec<String>,
    /// Sentences worth a reader's time.
    pub notes: Vec<String>,
}

/// The folders that a launch has for itself.
pub struct Rooms {
    home: Home,
    /// For temporary files, where it has its own.
    temp: Option<Temp>,
}

/// Finds the program of `check` and lays out what it gets.
pub fn prepare(plan: &Plan<'_>, check: &CheckSpec) -> Result<Prepared, Broken> {
    let program =
        program(plan, check, check.executable()).map_err(|error| not_found(plan, check, &error))?;
    lay_out(
        plan,
        check,
        program,
        &check.argv(),
        &check.id.file_name(),
        streams(check),
    )
}

/// Where `executable` is for `check`.
pub fn program(
    plan: &Plan<'_>,
    check: &CheckSpec,
    executable: &str,
) -> Result<PathBuf, LookupError> {
    let cwd = plan.settings.root.join(&check.cwd);
    find_program(executable, &cwd, &check.cwd, plan.surroundings.path())
}

/// What `program`, run as `argv`, gets as `check` or beside it. `home`: a name for its home that
/// no other process has.
pub fn lay_out(
    plan: &Plan<'_>,
    check: &CheckSpec,
    program: PathBuf,
    argv: &[String],
    home: &str,
    streams: Streams,
) -> Result<Prepared, Broken> {
    let home = plan.homes.make(home).map_err(|error| Broken {
        reason: format!("no private home could be made: {error}"),
        details: vec![format!("make {} writable", plan.caller.temp().display())],
    })?;
    let environment = environment_of(plan, check, argv, home.path());
    let absent = environment
        .absent
        .iter()
        .map(|name| format!("{name} is in pass_env, but your shell does not have it"));
    let notes = home.note.iter().cloned().chain(absent).collect();
    let temp = plan.sights.map(|_| plan.homes.make_temp(&home)).transpose();
    let temp = temp.map_err(|error| Broken {
        reason: format!("no private folder for temporary files could be made: {error}"),
        details: vec![format!("make {} writable", plan.caller.temp().display())],
    })?;
    let confinement = plan.sights.zip(temp.as_ref()).map(|(sights, temp)| {
        let glance = Glance {
            program: &program,
            executable: argv.first().map_or("", String::as_str),
            env: &environment.vars,
            home: home.path(),
            temp: temp.path(),
            network: check.network,
        };
        Confinement {
            view: sights.view(&glance),
            network: check.network,
            limits: plan.settings.limits.clone(),
            required: plan.settings.require_containment,
        }
    });
    let launch = Launch {
        program,
        argv: argv.iter().map(OsString::from).collect(),
        env: environment.vars,
        cwd: plan.settings.root.join(&check.cwd),
        streams,
        mark: home.path().as_os_str().to_owned(),
        confinement,
    };
    Ok(Prepared {
        launch,
        rooms: Rooms { home, temp },
        env: environment.added,
        notes,
    })
}

/// Takes back the folders of what has ended, and waits until they are empty, which may be long: on a
/// thread of its own, so that nobody else waits. A sentence where something of it stays.
pub async fn vacate(plan: &Plan<'_>, rooms: Rooms) -> Option<String> {
    let temp = rooms.temp.and_then(|temp| plan.homes.take_back_temp(temp));
    let home = plan.homes.take_back(rooms.home);
    let remains: Vec<Remains> = home.into_iter().chain(temp).collect();
    if remains.is_empty() {
        return None;
    }
    let remains = Arc::new(remains);
    let (tell, told) = oneshot::channel();
    let others = Arc::clone(&remains);
    let thread = thread::Builder::new().name("homes".to_owned());
    // Whoever listened is gone with the run.
    let begun = thread.spawn(move || _ = tell.send(remove(&others)));
    let removed = match begun {
        Ok(_) => told.await.unwrap_or(Ok(())),
        // No thread is to be had.
        Err(_) => remove(&remains),
    };
    removed.err().map(|error| error.to_string())
}

/// All of them, also where one cannot be.
fn remove(remains: &[Remains]) -> io::Result<()> {
    let removed: Vec<io::Result<()>> = remains.iter().map(Remains::remove).collect();
    removed.into_iter().collect()
}

/// What `argv`, run as `check` or beside it, gets in this home.
fn environment_of(plan: &Plan<'_>, check: &CheckSpec, argv: &[String], home: &Path) -> Environment {
    let wanted = Wanted {
        executable: argv.first().map_or("", String::as_str),
        env: &check.env,
        pass_env: &check.pass_env,
    };
    plan.surroundings.environment(home, wanted)
}

/// A digest over all that `argv`, run beside `check`, gets, whatever its home is called.
pub fn environment_digest(plan: &Plan<'_>, check: &CheckSpec, argv: &[String]) -> String {
    let environment = environment_of(plan, check, argv, Path::new("/"));
    let mut bytes = Vec::new();
    for (name, value) in &environment.vars {
        for text in [name, value] {
            bytes.extend_from_slice(text.as_encoded_bytes());
            // Neither can hold one.
            bytes.push(0);
        }
    }
    sha256_hex(&bytes)
}

/// Whether its two streams are one pipe.
pub fn streams(check: &CheckSpec) -> Streams {
    parse::streams(&check.argv(), &check.output)
}

fn not_found(plan: &Plan<'_>, check: &CheckSpec, error: &LookupError) -> Broken {
    let declared = check.declared_at.as_ref();
    let place = declared.map_or_else(String::new, |at| format!(" ({}:{})", at.path, at.line));
    let install = install_hint(check.executable());
    let out = match declared {
        Some(at) => format!("{install}, or take the check out of {}", at.path),
        None => install,
    };
    let details = match error {
        LookupError::NotOnPath { .. } => {
            let mut folders: Vec<String> = Vec::new();
            for folder in plan.surroundings.path().entries() {
                let folder = folder.display().to_string();
                // A PATH that names a folder twice has been looked in once.
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
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

/// Why `id` is not started where it is to be contained or not to run. `note`: what is missing.
pub fn not_contained(id: &str, note: &str) -> String {
    format!(
        "command check \"{id}\" containment: the host can't contain checks ({note}) and \
         checks_require_containment is set"
    )
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
        | StartError::Enclose { .. }
        | StartError::NotContained(_)
        | StartError::NotInCgroup
        | StartError::Unsupported(_) => Vec::new(),
    };
    Broken {
        reason: error.to_string(),
        details,
    }
}
