//! The closing line of a session.

use super::super::location::count;

/// What the closing line says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// Expected failures and unexpected passes among them.
    pub ran: u64,
    pub failed: u64,
    pub errors: u64,
    pub skipped: u64,
}

/// `1 failed, 3 passed in 0.12s`, `no tests ran in 0.01s`, `2 passed in 90.10s (0:01:30)`.
pub(super) fn counts(line: &[u8]) -> Option<Counts> {
    let at = memchr::memmem::rfind(line, b" in ")?;
    let time = &line[at + 4..];
    let time = time.split(|&b| b == b' ').next()?;
    let seconds = time.strip_suffix(b"s")?;
    if seconds.is_empty() || !seconds.iter().all(|b| b.is_ascii_digit() || *b == b'.') {
        return None;
    }
    let mut counts = Counts::default();
    let mut known = &line[..at] == b"no tests ran";
    if known {
        return Some(counts);
    }
    for item in line[..at].split(|&b| b == b',') {
        let (number, what) = count(item.trim_ascii_start())?;
        // What a text claims must not run over when it is added up.
        let number = number.min(u64::from(u32::MAX));
        match what.strip_prefix(b" ")? {
            b"passed" | b"xfailed" | b"xpassed" => counts.ran += number,
            b"failed" => {
                counts.ran += number;
                counts.failed += number;
            }
            b"error" | b"errors" => counts.errors += number,
            b"skipped" => counts.skipped += number,
            b"deselected" | b"warning" | b"warnings" => {}
            // Plugins count things of their own.
            other if other.iter().all(|b| b.is_ascii_alphabetic() || *b == b' ') => continue,
            _ => return None,
        }
        known = true;
    }
    known.then_some(counts)
}

pub(super) fn sum(a: Option<Counts>, b: Option<Counts>) -> Option<Counts> {
    let (Some(a), Some(b)) = (a, b) else {
        return a.or(b);
    };
    Some(Counts {
        ran: a.ran + b.ran,
        failed: a.failed + b.failed,
        errors: a.errors + b.errors,
        skipped: a.skipped + b.skipped,
    })
}

#[cfg(test)]
mod tests {
    use super::counts;

    fn numbers(line: &str) -> Option<[u64; 4]> {
        counts(line.as_bytes()).map(|c| [c.ran, c.failed, c.errors, c.skipped])
    }

    #[test]
    fn a_closing_line_has_counts_and_a_time() {
        for (line, expected) in [
            ("3 passed in 0.12s", [3, 0, 0, 0]),
            ("no tests ran in 0.00s", [0; 4]),
            ("13 deselected in 0.01s", [0; 4]),
            ("1 error in 0.28s", [0, 0, 1, 0]),
            (
                "10 failed, 1 passed, 2 skipped, 1 xfailed, 1 xpassed, 2 errors, 1 subtests passed in 0.16s",
                [13, 10, 2, 2],
            ),
            ("2 passed, 1 warning in 90.10s (0:01:30)", [2, 0, 0, 0]),
            ("1 passed, 3 rerun in 1s", [1, 0, 0, 0]),
        ] {
            assert_eq!(numbers(line), Some(expected), "{line}");
        }
        for none in [
            "13 tests collected in 0.01s",
            "built 3 in 2s",
            "3 passed in time",
            "3 passed",
            "1 failed, x passed in 1s",
            "3 widgets in 1.0s",
        ] {
            assert_eq!(numbers(none), None, "{none}");
        }
    }
}
