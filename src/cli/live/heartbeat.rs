//! A sign of life in a log: one line that names what runs.

use std::time::Instant;

use crate::text::{Printable, Span, cut};

use super::standing::{Running, Standing};

/// Checks that are named.
const NAMED: usize = 3;
/// Columns of what each of them printed last.
const WORDS: usize = 60;

/// `check: 2 of 5 done; test 2m10s: ok  tern/internal/wire  12.1s; lint 48s`, those first that run
/// the longest; `None` where nothing runs.
pub fn heartbeat(standing: &Standing, unicode: bool, now: Instant) -> Option<String> {
    if standing.running.is_empty() {
        return None;
    }
    let mark = if unicode { "…" } else { "..." };
    let running = &standing.running;
    let mut facts = vec![standing.count()];
    facts.extend(running.iter().take(NAMED).map(|check| of(check, mark, now)));
    if let more @ 1.. = running.len().saturating_sub(NAMED) {
        facts.push(format!("and {more} more"));
    }
    Some(format!("check: {}", facts.join("; ")))
}

/// `test 2m10s: ok  tern/internal/wire  12.1s`
fn of(check: &Running, mark: &str, now: Instant) -> String {
    let id = Printable::new(check.id.as_str());
    let time = Span(check.elapsed(now));
    match check.words.line(mark) {
        Some(words) => format!("{id} {time}: {}", cut(&words, WORDS, mark)),
        None => format!("{id} {time}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{WORDS, heartbeat};
    use crate::cli::live::standing::Run;
    use crate::model::Status;
    use crate::text::display_width;

    fn said(run: &Run, unicode: bool, seconds: f64) -> Option<String> {
        heartbeat(&run.standing, unicode, run.at(seconds))
    }

    #[test]
    fn one_line_names_what_runs_and_what_it_printed_last() {
        let run = Run::of(&["a", "b", "test", "c", "d"])
            .end("a", Status::Pass)
            .end("b", Status::Known)
            .start("test", 0.0)
            .print("test", "ok  \ttern/internal/wire\t12.1s\n");
        assert_eq!(
            said(&run, true, 130.0).unwrap(),
            "check: 2 of 5 done; test 2m10s: ok  tern/internal/wire  12.1s"
        );
    }

    #[test]
    fn those_that_run_the_longest_are_named_and_the_others_counted() {
        let run = Run::of(&["a", "b", "c", "d", "e", "f"])
            .start("f", 0.0)
            .start("b", 1.0)
            .start("a", 2.0)
            .start("c", 3.0)
            .start("d", 4.0)
            .print("b", "half a line")
            .print("d", "never shown\n");
        assert_eq!(
            said(&run, true, 62.0).unwrap(),
            "check: 0 of 6 done; f 1m02s; b 1m01s: half a line; a 1m00s; and 2 more"
        );
        let run = run.end("f", Status::Fail).end("a", Status::Pass);
        assert_eq!(
            said(&run, true, 62.0).unwrap(),
            "check: 2 of 6 done, 1 failed; b 1m01s: half a line; c 59s; d 58s: never shown"
        );
    }

    #[test]
    fn it_is_bounded_whatever_is_printed_and_silent_where_nothing_runs() {
        assert_eq!(said(&Run::of(&["a"]), true, 30.0), None);
        let flood = "検".repeat(10_000);
        let run = Run::of(&["a"]).start("a", 0.0).print("a", &flood);
        let line = said(&run, true, 30.0).unwrap();
        assert!(line.starts_with("check: 0 of 1 done; a 30s: …検") && line.ends_with("検…"));
        assert!(display_width(&line) <= "check: 0 of 1 done; a 30s: ".len() + WORDS);
        assert!(said(&run, false, 30.0).unwrap().ends_with("検..."));
    }
}
