//! What a recording would write, decided before anything is.

use std::io::{self, Write};
use std::path::Path;

use super::refusal::Refusal;
use super::{failures_in_files, id_column, tally};
use crate::cli::judge::Account;
use crate::model::{CheckId, CheckResult};
use crate::ratchet::{FOLDER, Record, Recordable, WriteError, file_name, write};
use crate::text::{Printable, plural, thousands};

/// The baselines that a run makes.
#[derive(Debug)]
pub(super) struct Plan {
    checks: Vec<Planned>,
}

/// One check of a plan.
#[derive(Debug)]
struct Planned {
    id: CheckId,
    /// `None` where the file stays as it is, and why.
    records: Result<Vec<Record>, String>,
    /// Recorded before, not seen this time, kept.
    unseen: u64,
}

impl Plan {
    /// Today's rows of every check, beside what was recorded and not seen. Refused as a whole
    /// where one check cannot be recorded.
    pub(super) fn new(checks: &[CheckResult], accounts: &[Account]) -> Result<Self, Refusal> {
        let mut planned = Vec::new();
        let mut refused = Vec::new();
        let mut others = Vec::new();
        // A shot is taken or not; there is nothing in it to be forgiven.
        for check in checks.iter().filter(|check| !check.optional) {
            let account = accounts
                .iter()
                .find(|account| account.check.as_str() == check.id);
            let Some(account) = account else {
                refused.push(format!("{}: was not judged", check.id));
                continue;
            };
            if let Recordable::No(why) = &account.recordable {
                refused.push(format!("{}: {why}", check.id));
            } else {
                others.push(check.id.as_str());
                planned.push(Planned::new(check, account));
            }
        }
        if refused.is_empty() && !planned.is_empty() {
            return Ok(Self { checks: planned });
        }
        if refused.is_empty() {
            return Err(Refusal::new("there is no check to record", Vec::new()));
        }
        let reason = format!(
            "{} of {} cannot be recorded; nothing was written",
            thousands(refused.len() as u64),
            plural(checks.len() as u64, "check")
        );
        if !others.is_empty() {
            refused.push(format!(
                "record the others:  check baseline record --only {}",
                others.join(",")
            ));
        }
        Err(Refusal::new(reason, refused))
    }

    /// Failures that would be forgiven.
    pub(super) fn failures(&self) -> u64 {
        tally::failures(self.checks.iter().flat_map(Planned::records))
    }

    /// Writes the files, one after another.
    pub(super) fn write(&self, root: &Path) -> Result<(), WriteError> {
        for check in &self.checks {
            if let Ok(records) = &check.records {
                write(root, &check.id, records.clone())?;
            }
        }
        Ok(())
    }

    /// A row a check.
    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let id = id_column(self.checks.iter().map(|check| check.id.as_str()));
        let counts: Vec<Option<(String, String)>> =
            self.checks.iter().map(Planned::count).collect();
        let wide = |part: fn(&(String, String)) -> &String| {
            counts
                .iter()
                .flatten()
                .map(|pair| part(pair).len())
                .max()
                .unwrap_or(0)
        };
        let (numbers, words) = (wide(|pair| &pair.0), wide(|pair| &pair.1));
        for (check, count) in self.checks.iter().zip(&counts) {
            let id = id(check.id.as_str());
            match (count, &check.records) {
                (Some((number, text)), _) => {
                    let file = format!("{FOLDER}/{}", file_name(&check.id));
                    writeln!(out, "  {id}  {number:>numbers$} {text:words$}   {file}")?;
                }
                (None, Ok(_)) => writeln!(out, "  {id}  nothing to record: it passed")?,
                (None, Err(why)) => {
                    writeln!(out, "  {id}  nothing to record: {}", Printable::new(why))?;
                }
            }
            if check.unseen > 0 {
                writeln!(
                    out,
                    "  {id}  {} of these not seen this time, kept",
                    thousands(check.unseen)
                )?;
            }
        }
        Ok(())
    }

    pub(super) fn last_line(&self) -> String {
        let failures = self.failures();
        if failures == 0 {
            return "recorded: no failures; from now on every failure blocks".to_owned();
        }
        let checks = self
            .checks
            .iter()
            .filter(|check| !check.records().is_empty())
            .count();
        format!(
            "recorded: {} in {}; from now on only new ones block",
            plural(failures, "failure"),
            plural(checks as u64, "check")
        )
    }
}

impl Planned {
    fn new(check: &CheckResult, account: &Account) -> Self {
        if let Recordable::Nothing(why) = &account.recordable {
            return Self {
                id: account.check.clone(),
                records: Err(why.clone()),
                unseen: 0,
            };
        }
        let mut records = account.today.clone();
        for record in &mut records {
            record.tool.clone_from(&check.version);
        }
        let unseen: Vec<Record> = account
            .unmet
            .iter()
            .filter(|unmet| !unmet.fixed)
            .map(|unmet| unmet.record.clone())
            .collect();
        let kept = tally::failures(&unseen);
        records.extend(unseen);
        Self {
            id: account.check.clone(),
            records: Ok(records),
            unseen: kept,
        }
    }

    fn records(&self) -> &[Record] {
        self.records.as_deref().unwrap_or_default()
    }

    /// The number of failures, and the words behind it.
    fn count(&self) -> Option<(String, String)> {
        let failures = tally::failures(self.records());
        let text = failures_in_files(failures, tally::files(self.records()));
        let (number, words) = text.split_once(' ')?;
        (failures > 0).then(|| (number.to_owned(), words.to_owned()))
    }
}
