//! What there is to say of one check below the rows: its failures with their source lines, or why
//! it could not be judged, and how to see more.

use std::collections::BTreeSet;
use std::io;

use super::also::{Place, place};
use super::command::{again, command_line};
use super::excerpt::Excerpt;
use super::failure_row::{characters_before, failure_row, further_lines};
use super::header::shown_path;
use super::notes;
use super::page::Page;
use super::seen::{gist, is_fallback, new_rows, uncounted_rows};
use super::style::Verbosity;
use crate::model::{CheckResult, JudgedFailure, RowState, Status, Tolerance};
use crate::text::{Printable, SourceTree, plural, thousands};

/// Rows listed a check; with `-v` all that were kept.
const LISTED: usize = 10;
/// Lines of a message after its first.
const FURTHER_LINES: usize = 10;
/// Lines of output where no parser found a failure in it.
const LAST_LINES: usize = 5;

/// Writes the blocks of a verdict, one after another.
pub(super) struct Blocks<'s> {
    source: &'s mut SourceTree,
    listed: BTreeSet<Place>,
}

impl<'s> Blocks<'s> {
    /// `source`: where excerpts are read.
    pub(super) fn new(source: &'s mut SourceTree) -> Self {
        Self {
            source,
            listed: BTreeSet::new(),
        }
    }

    /// The block of `check`; nothing where its row says all there is.
    pub(super) fn block(&mut self, page: &mut Page, check: &CheckResult) -> io::Result<()> {
        let verbose = page.style.verbosity == Verbosity::Verbose;
        page.section();
        match check.status {
            // Its rows are counted, not listed.
            Status::Fail if check.tolerance == Tolerance::Report && !verbose => Ok(()),
            Status::Fail => self.failed(page, check),
            Status::Broken | Status::Refused => not_judged(page, check),
            Status::Pass | Status::Known | Status::Skipped | Status::Cancelled => {
                if verbose && check.was_launched() {
                    quietly_judged(page, check)?;
                }
                Ok(())
            }
        }
    }

    fn failed(&mut self, page: &mut Page, check: &CheckResult) -> io::Result<()> {
        let quiet = page.style.verbosity == Verbosity::Quiet;
        page.line(&heading(check, &gist(check)))?;
        if page.style.verbosity == Verbosity::Verbose {
            facts(page, check)?;
        }
        self.new_rows(page, check)?;
        if quiet {
            return Ok(());
        }
        if new_rows(check).next().is_none() {
            last_output(page, check)?;
        }
        detail_lines(page, check)?;
        if page.style.verbosity == Verbosity::Verbose {
            other_rows(page, check)?;
        }
        notes::of_check(page, check, "note")?;
        pointers(page, check)
    }

    /// New rows with their excerpts; a finding that another check's block has is left to it.
    fn new_rows(&mut self, page: &mut Page, check: &CheckResult) -> io::Result<()> {
        let most = match page.style.verbosity {
            Verbosity::Verbose => usize::MAX,
            Verbosity::Normal | Verbosity::Quiet => LISTED,
        };
        let mut accounted = 0;
        let mut elsewhere = 0;
        let mut shown = 0;
        for row in new_rows(check) {
            let here = place(row);
            if !row.also.is_empty() && here.as_ref().is_some_and(|here| self.listed.contains(here))
            {
                elsewhere += row.count;
                accounted += row.count;
                continue;
            }
            if shown == most {
                break;
            }
            shown += 1;
            accounted += row.count;
            self.row(page, row)?;
            self.listed.extend(here);
        }
        if elsewhere > 0 {
            page.line(&format!("  {} listed above", thousands(elsewhere)))?;
        }
        let more = check.new.saturating_sub(accounted);
        if more > 0 && new_rows(check).next().is_some() {
            let hint = if most == LISTED {
                format!(" ({})", command_line(&["check", "last", "-v", &check.id]))
            } else {
                String::new()
            };
            let ellipsis = page.style.ellipsis();
            page.line(&format!("{ellipsis} and {} more{hint}", thousands(more)))?;
        }
        Ok(())
    }

    fn row(&mut self, page: &mut Page, row: &JudgedFailure) -> io::Result<()> {
        page.line(&failure_row(row))?;
        let mut lines = further_lines(row);
        for line in lines.by_ref().take(FURTHER_LINES) {
            page.line(&format!("    {line}"))?;
        }
        let left = lines.count();
        if left > 0 {
            let ellipsis = page.style.ellipsis();
            page.line(&format!(
                "    {ellipsis} and {}",
                plural(left as u64, "more line")
            ))?;
        }
        if page.style.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        self.excerpt(page, row)
    }

    fn excerpt(&mut self, page: &mut Page, row: &JudgedFailure) -> io::Result<()> {
        let (Some(path), Some(number), false) = (&row.path, row.line, row.outside) else {
            return Ok(());
        };
        let Some(source) = self.source.line(path, number) else {
            return Ok(());
        };
        let excerpt = Excerpt {
            indent: 4,
            number,
            source,
            mark: characters_before(row, source).map(|before| (before, 1)),
        };
        excerpt.write(page)
    }
}

/// What a check that needs nobody did: for who asked to see everything.
fn quietly_judged(page: &mut Page, check: &CheckResult) -> io::Result<()> {
    page.line(&heading(check, &gist(check)))?;
    facts(page, check)?;
    other_rows(page, check)?;
    if let Some(log) = &check.log {
        page.line(&format!("log: {}", shown_path(log, page.style.home)))?;
    }
    Ok(())
}

/// Known rows, and those that do not count: for who asked to see everything.
fn other_rows(page: &mut Page, check: &CheckResult) -> io::Result<()> {
    let known = check
        .failures
        .iter()
        .filter(|row| row.state == RowState::Known);
    let known: Vec<&JudgedFailure> = known.collect();
    if !known.is_empty() {
        page.line(&heading(
            check,
            &format!("{} known", thousands(check.known)),
        ))?;
    }
    for row in known {
        page.line(&failure_row(row))?;
    }
    let uncounted: Vec<&JudgedFailure> = uncounted_rows(check).collect();
    if !uncounted.is_empty() {
        page.line(&heading(check, "not counted"))?;
    }
    for row in uncounted {
        page.line(&failure_row(row))?;
    }
    Ok(())
}

fn heading(check: &CheckResult, text: &str) -> String {
    format!("{}: {text}", Printable::new(&check.id))
}

fn not_judged(page: &mut Page, check: &CheckResult) -> io::Result<()> {
    if page.style.verbosity == Verbosity::Quiet
        || (check.details.is_empty() && !check.was_launched() && check.notes.is_empty())
    {
        return Ok(());
    }
    let what = if check.status == Status::Refused {
        "refused"
    } else if gist(check).starts_with("nothing ran") {
        "nothing ran"
    } else {
        "could not run"
    };
    page.line(&heading(check, what))?;
    detail_lines(page, check)?;
    if check.details.is_empty() {
        output_lines(page, check, "last output:")?;
    }
    notes::of_check(page, check, "note")?;
    if check.was_launched() {
        pointers(page, check)?;
    }
    Ok(())
}

fn detail_lines(page: &mut Page, check: &CheckResult) -> io::Result<()> {
    for detail in &check.details {
        page.line(&format!("  {}", Printable::new(detail)))?;
    }
    Ok(())
}

/// What a check that failed without a row printed last.
fn last_output(page: &mut Page, check: &CheckResult) -> io::Result<()> {
    output_lines(page, check, "no parsed failure; last output:")
}

/// Up to five lines: what the row that stands for the failure kept of it, else the tail of the
/// stream where tools complain, else of the other.
fn output_lines(page: &mut Page, check: &CheckResult, title: &str) -> io::Result<()> {
    let kept = check.failures.iter().find(|row| is_fallback(row));
    let kept: Vec<String> = kept.into_iter().flat_map(further_lines).collect();
    let streams = [
        kept.join("\n"),
        check.stderr_tail.clone(),
        check.stdout_tail.clone(),
    ];
    let Some(text) = streams.iter().find(|text| !text.trim().is_empty()) else {
        return page.line("  it printed nothing");
    };
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    page.line(&format!("  {title}"))?;
    for line in &lines[lines.len().saturating_sub(LAST_LINES)..] {
        page.line(&format!("    {}", Printable::new(line)))?;
    }
    Ok(())
}

/// What was launched, for who asked to see everything.
fn facts(page: &mut Page, check: &CheckResult) -> io::Result<()> {
    let place = match check.cwd.as_str() {
        "" | "." => String::new(),
        cwd => format!(" (in {})", Printable::new(cwd)),
    };
    page.line(&format!("  ran: {}{place}", command_line(&check.argv)))?;
    if !check.env.is_empty() {
        let names = check.env.join(" ");
        page.line(&format!("  with: {}", Printable::new(&names)))?;
    }
    if let Some(version) = &check.version {
        page.line(&format!("  version: {}", Printable::new(version)))?;
    }
    Ok(())
}

fn pointers(page: &mut Page, check: &CheckResult) -> io::Result<()> {
    let again = again(page.style.place, &check.id);
    match &check.log {
        Some(log) => page.line(&format!(
            "log: {}    again: {again}",
            shown_path(log, page.style.home)
        )),
        None => page.line(&format!("again: {again}")),
    }
}
