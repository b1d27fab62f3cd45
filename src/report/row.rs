//! One row a check, in manifest order.

use std::io;
use std::time::Duration;

use super::command::command_line;
use super::page::Page;
use super::seen::seen;
use super::style::Verbosity;
use crate::model::{CheckResult, Status};
use crate::text::{Printable, Span, display_width};

/// Longer ids and commands push their row to the right.
const ID_COLUMNS: usize = 24;
const COMMAND_COLUMNS: usize = 32;
/// The column that times end at, where the terminal has it.
const EDGE: usize = 80;
/// Narrower terminals have no column of times.
const NARROW: usize = 50;

/// The rows of `checks`; those that need nobody's eye are left out where quiet was asked for.
pub(super) fn rows(page: &mut Page, checks: &[CheckResult]) -> io::Result<()> {
    let quiet = page.style.verbosity == Verbosity::Quiet;
    let cells: Vec<Cells> = checks
        .iter()
        .filter(|check| !quiet || needs_an_eye(check.status))
        .map(Cells::of)
        .collect();
    let widest = |text: fn(&Cells) -> &str, most: usize| {
        let widths = cells.iter().map(|cells| display_width(text(cells)));
        widths.max().unwrap_or(0).min(most)
    };
    let id_columns = widest(|cells| &cells.id, ID_COLUMNS);
    let command_columns = widest(|cells| &cells.command, COMMAND_COLUMNS);
    for cells in &cells {
        let (glyph, colour) = page.style.glyph(cells.status);
        let mut text = padded(&cells.id, id_columns);
        if command_columns > 0 {
            text.push_str("  ");
            text.push_str(&padded(&cells.command, command_columns));
        }
        text.push_str("  ");
        text.push_str(&cells.seen);
        let left = display_width(glyph) + 4 + display_width(&text);
        let gap = gap(page.style.width, left, &cells.time);
        let glyph = page.style.palette.paint(colour, glyph);
        page.line(&format!("  {glyph}  {text}{:gap$}{}", "", cells.time))?;
    }
    Ok(())
}

struct Cells {
    status: Status,
    id: String,
    command: String,
    seen: String,
    time: String,
}

impl Cells {
    fn of(check: &CheckResult) -> Self {
        Self {
            status: check.status,
            id: Printable::new(&check.id).to_string(),
            command: if check.detected {
                command_line(&check.argv)
            } else {
                String::new()
            },
            seen: seen(check),
            time: time(check),
        }
    }
}

fn needs_an_eye(status: Status) -> bool {
    matches!(status, Status::Fail | Status::Broken | Status::Refused)
}

/// `-` where nothing was launched.
fn time(check: &CheckResult) -> String {
    if check.was_launched() {
        Span(Duration::from_millis(check.duration_ms)).to_string()
    } else {
        "-".to_owned()
    }
}

fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(display_width(text));
    format!("{text}{:missing$}", "")
}

/// Spaces before the time; two at least.
fn gap(terminal: Option<usize>, left: usize, time: &str) -> usize {
    let edge = match terminal {
        Some(columns) if columns < NARROW => 0,
        Some(columns) => columns.min(EDGE),
        None => EDGE,
    };
    edge.saturating_sub(left + display_width(time)).max(2)
}

#[cfg(test)]
mod tests {
    use super::gap;

    #[test]
    fn times_end_at_column_80_or_the_edge_or_follow_the_text() {
        assert_eq!(gap(None, 20, "3.1s"), 56);
        assert_eq!(gap(Some(200), 20, "3.1s"), 56);
        assert_eq!(gap(Some(60), 20, "3.1s"), 36);
        assert_eq!(gap(Some(49), 20, "3.1s"), 2);
        assert_eq!(gap(None, 90, "3.1s"), 2);
    }
}
