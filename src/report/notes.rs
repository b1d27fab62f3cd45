//! Sentences that belong to no row: what was found odd, what was left running, what got better.

use std::io;

use super::header::shown_path;
use super::page::Page;
use crate::model::{CheckResult, Status, Tolerance, Verdict};
use crate::text::{Printable, plural};

/// The notes of one check, each after `opening` and a colon.
pub(super) fn of_check(page: &mut Page, check: &CheckResult, opening: &str) -> io::Result<()> {
    for note in &check.notes {
        page.line(&format!("{opening}: {}", Printable::new(note)))?;
    }
    Ok(())
}

/// Everything between the blocks and the last line.
pub(super) fn tail(page: &mut Page, verdict: &Verdict) -> io::Result<()> {
    for check in &verdict.checks {
        if has_no_block(check) {
            let opening = format!("note: {}", Printable::new(&check.id));
            of_check(page, check, &opening)?;
        }
    }
    for note in &verdict.notes {
        page.line(&format!("note: {}", Printable::new(note)))?;
    }
    if verdict.baseline.fixed > 0 {
        let (are, them) = if verdict.baseline.fixed == 1 {
            ("is", "it")
        } else {
            ("are", "them")
        };
        let fixed = plural(verdict.baseline.fixed, "recorded failure");
        page.line(&format!(
            "baseline: {fixed} {are} now fixed (drop {them}: check baseline tighten)"
        ))?;
    }
    also_here(page)
}

/// Checks whose notes no block shows.
fn has_no_block(check: &CheckResult) -> bool {
    match check.status {
        Status::Fail => check.tolerance == Tolerance::Report,
        Status::Broken | Status::Refused => false,
        Status::Pass | Status::Known | Status::Skipped | Status::Cancelled => true,
    }
}

/// Families that detection found and left alone.
fn also_here(page: &mut Page) -> io::Result<()> {
    let Some(detected) = page.style.detected.filter(|found| !found.also.is_empty()) else {
        return Ok(());
    };
    let families: Vec<String> = detected
        .also
        .iter()
        .map(|(file, checks)| {
            let file = shown_path(file, page.style.home);
            if checks.is_empty() {
                return file;
            }
            format!("{file} ({})", Printable::new(&checks.join(", ")))
        })
        .collect();
    let families = families.join(", ");
    page.line(&format!(
        "also here, not run: {families}. To choose: check init"
    ))
}
