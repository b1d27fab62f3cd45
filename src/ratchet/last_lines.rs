//! The last words of a check.

use crate::model::Outcome;
use crate::text::{readable, strip_escapes};

/// How many of them say enough.
const LINES: usize = 5;

/// The last lines that are not blank, without colours, in their order: of standard error, or of
/// standard output where that is silent or the two are one.
pub fn last_lines(outcome: &Outcome) -> Vec<String> {
    [&outcome.stderr, &outcome.stdout]
        .into_iter()
        .map(|tail| of(&tail.bytes))
        .find(|lines| !lines.is_empty())
        .unwrap_or_default()
}

fn of(bytes: &[u8]) -> Vec<String> {
    let mut buffer = Vec::new();
    let mut last: Vec<String> = bytes
        .rsplit(|byte| matches!(byte, b'\n' | b'\r'))
        .map(|line| readable(strip_escapes(line, &mut buffer)))
        .filter(|line| !line.trim().is_empty())
        .take(LINES)
        .collect();
    last.reverse();
    last
}

#[cfg(test)]
mod tests {
    use super::last_lines;
    use crate::model::{Exit, Outcome};

    #[test]
    fn stderr_speaks_and_stdout_where_it_is_silent() {
        let mut outcome = Outcome::of(Exit::Code(3));
        assert_eq!(last_lines(&outcome), [""; 0]);
        outcome.stdout.bytes = b"1\n2\n\n3\r\n4\n 5\n6\xff".to_vec();
        outcome.stderr.bytes = b"\x1b[0m\n \n".to_vec();
        assert_eq!(last_lines(&outcome), ["2", "3", "4", " 5", "6\\xFF"]);
        outcome.stderr.bytes = b"10%\r20%\n\x1b[31merror\x1b[0m: no config\n".to_vec();
        assert_eq!(last_lines(&outcome), ["10%", "20%", "error: no config"]);
    }
}
