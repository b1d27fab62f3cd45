//! The report for people.

use std::io::{self, Write};

use super::block::Blocks;
use super::header::header;
use super::last_line::last_line;
use super::notes;
use super::page::Page;
use super::row::rows;
use super::style::{Style, Verbosity};
use super::unrun;
use crate::model::{Verdict, VerdictWord};
use crate::text::SourceTree;

/// Header, a row a check, a block for each that needs one, notes, the last line.
pub fn human(
    verdict: &Verdict,
    source: &mut SourceTree,
    style: &Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut page = Page::new(out, *style);
    if verdict.checks.is_empty() && verdict.verdict == VerdictWord::None {
        unrun::page(&mut page, verdict)?;
    } else {
        ran(&mut page, verdict, source)?;
    }
    page.verdict_line(&last_line(verdict, style.palette))
}

fn ran(page: &mut Page, verdict: &Verdict, source: &mut SourceTree) -> io::Result<()> {
    let quiet = page.style.verbosity == Verbosity::Quiet;
    if !quiet {
        header(page, verdict)?;
        page.section();
    }
    rows(page, &verdict.checks)?;
    let mut blocks = Blocks::new(source);
    for check in &verdict.checks {
        blocks.block(page, check)?;
    }
    page.section();
    if quiet {
        return Ok(());
    }
    notes::tail(page, verdict)
}
