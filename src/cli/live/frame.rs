//! The picture of a run: a line a running check, and how many are over.

use std::time::Instant;

use crate::text::{Colour, Palette, Printable, Span, cut, display_width};

use super::standing::{Running, Standing};

/// Longer ids are cut.
const ID_COLUMNS: usize = 24;
/// Before the id: two spaces, the wheel, two spaces.
const INDENT: usize = 5;
/// A time takes as many: `1h02m`.
const TIME_COLUMNS: usize = 5;
/// Between an id, a time and words.
const GAP: usize = 2;
/// Fewer columns of what a check prints tell nothing.
const FEWEST_WORDS: usize = 8;
/// A wheel turns once in ten of these.
const TURN_MS: u128 = 100;

/// What a terminal has room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Characters side by side.
    pub columns: usize,
    /// Lines.
    pub rows: usize,
}

/// How a picture looks.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Colour or none.
    pub palette: Palette,
    /// Whether the terminal takes more than ASCII.
    pub unicode: bool,
}

impl Look {
    fn wheel(self) -> &'static [&'static str] {
        if self.unicode {
            &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
        } else {
            &["|", "/", "-", "\\"]
        }
    }

    /// What stands for text left out.
    fn mark(self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }

    /// A terminal that takes ASCII only shows anything else as who knows how many columns.
    fn harmless(self, text: &str) -> String {
        let text = Printable::new(text).to_string();
        if self.unicode || text.is_ascii() {
            return text;
        }
        let ascii = |c: char| if c.is_ascii() { c } else { '?' };
        text.chars().map(ascii).collect()
    }
}

/// The lines of the picture, each narrower than the terminal by one column: some go to the next
/// line at the last one. All of them together are lower by two lines: an empty one stands above
/// them, and above that something of what was there before.
pub fn frame(standing: &Standing, size: Size, look: Look, now: Instant) -> Vec<String> {
    let columns = size.columns.saturating_sub(1);
    let rows = size.rows.saturating_sub(2).max(1);
    let running = &standing.running;
    let shown = if running.len() < rows {
        running.len()
    } else {
        // Two lines are taken: of those left out, and of those that are over.
        rows.saturating_sub(2)
    };
    let wheel = turned(standing, look, now);
    let mut lines: Vec<String> = running[..shown]
        .iter()
        .map(|check| row(check, standing.id_columns, columns, wheel, look, now))
        .collect();
    let left_out = running.len() - shown;
    if left_out > 0 && rows > 1 {
        let more = format!("{:INDENT$}{} and {left_out} more", "", look.mark());
        lines.push(dim(&more, columns, look));
    }
    lines.push(closing(standing, columns, look));
    lines
}

/// `  ⠹  test       2m10s  ok  tern/internal/wire  12.1s`
fn row(
    check: &Running,
    id_columns: usize,
    columns: usize,
    wheel: &str,
    look: Look,
    now: Instant,
) -> String {
    if columns <= INDENT {
        return cut(&format!("  {wheel}"), columns, "").into_owned();
    }
    let room = columns.saturating_sub(INDENT + GAP + TIME_COLUMNS);
    let id_columns = id_columns.min(ID_COLUMNS).min(room);
    let id = look.harmless(check.id.as_str());
    let id = cut(&id, id_columns, look.mark());
    let time = Span(check.elapsed(now));
    let padding = id_columns - display_width(&id);
    let head = format!("{id}{:padding$}{:GAP$}{time:>TIME_COLUMNS$}", "", "");
    let room = columns.saturating_sub(INDENT);
    let head = cut(&head, room, "");
    let room = room.saturating_sub(display_width(&head) + GAP);
    let wheel = look.palette.paint(Colour::Yellow, wheel);
    let mut line = format!("  {wheel}  {head}");
    if room >= FEWEST_WORDS
        && let Some(words) = check.words.line(look.mark())
    {
        let words = look.harmless(&words);
        let words = cut(&words, room, look.mark());
        line.extend(["  ", &look.palette.paint(Colour::Dim, words).to_string()]);
    }
    line
}

/// `     1 of 3 done`
fn closing(standing: &Standing, columns: usize, look: Look) -> String {
    let count = format!("{:INDENT$}{}", "", standing.count());
    if standing.failed == 0 {
        return dim(&count, columns, look);
    }
    let count = cut(&count, columns, look.mark());
    look.palette.paint(Colour::Red, count).to_string()
}

fn dim(text: &str, columns: usize, look: Look) -> String {
    let text = cut(text, columns, look.mark());
    look.palette.paint(Colour::Dim, text).to_string()
}

/// The wheel as far as it has turned.
fn turned(standing: &Standing, look: Look, now: Instant) -> &'static str {
    let begun = standing.begun.unwrap_or(now);
    let turns = now.saturating_duration_since(begun).as_millis() / TURN_MS;
    let wheel = look.wheel();
    let at = usize::try_from(turns % wheel.len() as u128).unwrap_or_default();
    wheel[at]
}

#[cfg(test)]
mod tests;
