//! The numbers that the spec reporter ends with: `ℹ tests 11`, `ℹ fail 2`.

use super::super::location::count;
use super::super::parser::Tally;

/// The numbers of all summaries together.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    summaries: u64,
    tests: u64,
    failed: u64,
    skipped: u64,
    cancelled: u64,
}

impl Numbers {
    /// Reads the words of a line; true where a summary begins with it.
    pub(super) fn line(&mut self, rest: &[u8]) -> bool {
        let word = rest.split(|&b| b == b' ').next().unwrap_or_default();
        let Some((value, b"")) = rest.get(word.len() + 1..).and_then(count) else {
            return false;
        };
        match word {
            b"tests" => {
                self.summaries += 1;
                self.tests += value;
                return true;
            }
            b"fail" => self.failed += value,
            b"cancelled" => self.cancelled += value,
            b"skipped" => self.skipped += value,
            _ => {}
        }
        false
    }

    /// The whole, where `crosses` tests were shown to fail and `rows` went out.
    pub(super) fn tally(&self, crosses: u64, rows: u64) -> Tally {
        let bad = self.failed + self.cancelled;
        let told = self.summaries > 0;
        Tally {
            seen: true,
            ran: told.then(|| self.tests.saturating_sub(self.skipped)),
            failed: told.then_some(bad),
            skipped: told.then_some(self.skipped),
            // The runner counts a parent beside its children: they are accounted for by rows.
            claimed: Some(if bad > crosses.max(rows) {
                bad
            } else {
                rows.min(bad)
            }),
            nothing_ran: told.then_some(self.tests == 0),
            ..Tally::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    #[test]
    fn a_parent_is_counted_beside_its_children_and_claims_no_row() {
        let mut numbers = Numbers::default();
        assert!(numbers.tally(1, 1).ran.is_none(), "no summary came");
        assert!(numbers.line(b"tests 5"));
        for line in [
            "fail 2",
            "cancelled 1",
            "skipped 1",
            "duration_ms 3.5",
            "todo",
        ] {
            assert!(!numbers.line(line.as_bytes()), "{line}");
        }
        let tally = numbers.tally(3, 2);
        assert_eq!((tally.ran, tally.failed), (Some(4), Some(3)));
        assert_eq!(tally.claimed, Some(2));
        assert_eq!(numbers.tally(2, 2).claimed, Some(3), "one is not shown");
    }
}
