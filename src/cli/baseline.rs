//! `check baseline record|show|tighten`: who may, what is written, and what is said of it.
//!
//! Forgiving failures lowers the bar, so a person does it: never CI, never an agent, and where a
//! mark says that an agent may be asking, only who types the number of failures at a terminal.
//! Every attempt is logged outside the tree.

mod caps;
mod leave;
mod plan;
mod refusal;
mod show;
mod tally;
mod tighten;

use std::io::{self, Write};
use std::path::PathBuf;

use self::plan::Plan;
use self::refusal::Refusal;
use super::judge::Account;
use crate::bar::{Attempt, log_attempt};
use crate::model::CheckResult;
use crate::text::{Printable, plural};

pub use self::leave::{Leave, Who};
pub use self::show::show;
pub use self::tighten::tighten;

/// Done.
const DONE: u8 = 0;
/// Refused, or not possible.
const NOT_DONE: u8 = 2;

/// Where somebody asks to record.
#[derive(Debug, Clone)]
pub struct Desk {
    /// Who asks.
    pub who: Who,
    /// The state folder, outside the tree; `None` where there is none to write to.
    pub state: Option<PathBuf>,
    /// Now: RFC 3339, UTC.
    pub at: String,
    /// What a person would type, for example `check baseline record --only lint`.
    pub command: String,
}

/// A run whose rows are to be recorded.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The tree under test.
    pub root: &'a std::path::Path,
    /// In manifest order.
    pub checks: &'a [CheckResult],
    /// Of a judge whose bench was recording.
    pub accounts: &'a [Account],
}

impl Desk {
    /// Before anything runs: whether this caller may record at all. `None`: refused, and said;
    /// the exit code is then 2.
    pub fn open(&self, out: &mut dyn Write) -> io::Result<Option<Leave>> {
        match self.who.may_record(&self.command) {
            Ok(leave) => Ok(Some(leave)),
            Err(refusal) => {
                self.refuse(&refusal, out)?;
                Ok(None)
            }
        }
    }

    /// Writes what `run` found; the exit code. `ask` shows a prompt on the terminal and gives
    /// the line that was typed.
    pub fn record(
        &self,
        leave: &Leave,
        run: Run<'_>,
        ask: &mut dyn FnMut(&str) -> io::Result<String>,
        out: &mut dyn Write,
    ) -> io::Result<u8> {
        let plan = match Plan::new(run.checks, run.accounts) {
            Ok(plan) => plan,
            Err(refusal) => return self.refuse(&refusal, out),
        };
        if let Err(refusal) = leave.confirm(plan.failures(), ask)? {
            return self.refuse(&refusal, out);
        }
        if let Err(error) = plan.write(run.root) {
            let refusal =
                Refusal::new("the baseline could not be written", vec![error.to_string()]);
            return self.refuse(&refusal, out);
        }
        plan.print(out)?;
        for note in caps::notes(run.checks, run.accounts) {
            writeln!(out, "{note}")?;
        }
        let recorded = plan.last_line();
        self.log(true, &recorded, out)?;
        if plan.failures() > 0 {
            writeln!(
                out,
                "commit it:  git add .check/baseline && git commit -m \"Record the check baseline\""
            )?;
        }
        writeln!(out, "{recorded}")?;
        Ok(DONE)
    }

    /// Refuses what a run came to in which the bar `moved`: nobody can say what it was held to.
    pub fn refuse_after(&self, moved: &str, out: &mut dyn Write) -> io::Result<u8> {
        let reason = format!("{moved}; nothing was recorded");
        self.refuse(&Refusal::new(reason, Vec::new()), out)
    }

    fn refuse(&self, refusal: &Refusal, out: &mut dyn Write) -> io::Result<u8> {
        self.log(false, &refusal.reason, out)?;
        refusal.print(out)?;
        Ok(NOT_DONE)
    }

    fn log(&self, done: bool, outcome: &str, out: &mut dyn Write) -> io::Result<()> {
        let attempt = Attempt {
            at: &self.at,
            act: "baseline record",
            mark: self.who.agent.as_deref().or(self.who.ci.as_deref()),
            done,
            outcome,
        };
        match self
            .state
            .as_deref()
            .map(|state| log_attempt(state, &attempt))
        {
            Some(Err(error)) => writeln!(out, "note: this attempt could not be logged: {error}"),
            Some(Ok(())) | None => Ok(()),
        }
    }
}

/// `1,388 failures in 214 files`; the files are left out where no row names one.
fn failures_in_files(failures: u64, files: u64) -> String {
    match files {
        0 => plural(failures, "failure"),
        files => format!(
            "{} in {}",
            plural(failures, "failure"),
            plural(files, "file")
        ),
    }
}

/// Ids in a column of their own, like the rows of a report.
fn id_column<'a>(ids: impl Iterator<Item = &'a str>) -> impl Fn(&str) -> String {
    let shown = |id: &str| Printable::new(id).to_string();
    let width = ids
        .map(|id| shown(id).chars().count())
        .max()
        .unwrap_or(0)
        .min(24);
    move |id| format!("{:width$}", Printable::new(id).to_string())
}

#[cfg(test)]
mod tests;
