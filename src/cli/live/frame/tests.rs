use super::{Look, Size, frame};
use crate::cli::live::standing::Run;
use crate::model::Status;
use crate::text::{Palette, display_width};

const PLAIN: Look = Look {
    palette: Palette::new(false),
    unicode: true,
};
const ASCII: Look = Look {
    unicode: false,
    ..PLAIN
};

fn size(columns: usize, rows: usize) -> Size {
    Size { columns, rows }
}

fn shown(run: &Run, size: Size, look: Look, seconds: f64) -> Vec<String> {
    frame(&run.standing, size, look, run.at(seconds))
}

/// As in the middle of a run of three.
fn three() -> Run {
    Run::of(&["test", "lint", "typecheck"])
        .start("test", 0.0)
        .start("typecheck", 0.0)
        .end("typecheck", Status::Pass)
        .start("lint", 82.0)
        .print("test", "=== RUN\nok  \ttern/internal/wire\t12.1s\n")
}

#[test]
fn a_line_a_running_check_and_how_many_are_over() {
    let picture = shown(&three(), size(80, 24), PLAIN, 130.2);
    assert_eq!(
        picture,
        [
            "  ⠹  test       2m10s  ok  tern/internal/wire  12.1s",
            "  ⠹  lint         48s",
            "     1 of 3 done",
        ]
    );
}

#[test]
fn a_terminal_that_takes_ascii_only_gets_nothing_else() {
    let run = three().print("lint", "prüfe 検査\n");
    let picture = shown(&run, size(40, 24), ASCII, 130.2);
    assert_eq!(
        picture,
        [
            "  -  test       2m10s  ok  tern/inte...",
            "  -  lint         48s  pr?fe ??",
            "     1 of 3 done",
        ]
    );
}

#[test]
fn the_wheel_turns_with_time() {
    let run = three();
    let wheel = |look, seconds| shown(&run, size(80, 24), look, seconds)[0].clone();
    assert!(wheel(PLAIN, 83.0).starts_with("  ⠋"));
    assert!(wheel(PLAIN, 83.15).starts_with("  ⠙"));
    assert!(wheel(PLAIN, 83.95).starts_with("  ⠏"));
    assert!(
        wheel(ASCII, 83.3).starts_with("  /"),
        "{}",
        wheel(ASCII, 83.3)
    );
}

#[test]
fn a_narrow_terminal_loses_words_then_ids_and_no_line_reaches_its_edge() {
    let long = "a".repeat(60);
    let ids = ["test", "検査検査検査検査検査検査検査", &long];
    let mut run = Run::of(&ids);
    for id in ids {
        run = run.start(id, 0.0).print(id, "検査 of e\u{301}verything\n");
    }
    for columns in 1..140 {
        for look in [PLAIN, ASCII] {
            for line in shown(&run, size(columns, 24), look, 3725.0) {
                let width = display_width(&line);
                assert!(width < columns, "{columns} columns, {width}: {line:?}");
            }
        }
    }
    let at = |columns| shown(&run, size(columns, 24), PLAIN, 3725.0);
    assert_eq!(
        at(80)[1],
        "  ⠋  検査検査検査検査検査検…   1h02m  検査 of e\u{301}verything"
    );
    assert_eq!(
        at(20),
        [
            "  ⠋  test     1h02m",
            "  ⠋  検査検…  1h02m",
            "  ⠋  aaaaaa…  1h02m",
            "     0 of 3 done",
        ]
    );
    assert_eq!(at(16)[2], "  ⠋  aa…  1h02m");
    assert_eq!(at(10)[2], "  ⠋    1h");
}

#[test]
fn more_checks_than_rows_are_counted() {
    let ids: Vec<String> = (1..=30).map(|n| format!("c{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut run = Run::of(&ids);
    for id in &ids {
        run = run.start(id, 0.0);
    }
    let picture = shown(&run, size(80, 10), PLAIN, 48.0);
    assert_eq!(picture.len(), 8);
    assert_eq!(picture[5], "  ⠋  c6     48s");
    assert_eq!(picture[6], "     … and 24 more");
    assert_eq!(picture[7], "     0 of 30 done");
    for rows in 1..40 {
        let picture = shown(&run, size(80, rows), PLAIN, 48.0);
        assert!(
            picture.len() <= rows.saturating_sub(2).max(1),
            "{rows} rows"
        );
        assert_eq!(picture.last().unwrap(), "     0 of 30 done");
    }
    assert_eq!(shown(&run, size(80, 33), PLAIN, 48.0).len(), 31, "all fit");
    assert_eq!(shown(&run, size(80, 3), PLAIN, 48.0).len(), 1);
    assert_eq!(
        shown(&run, size(80, 4), ASCII, 48.0)[0],
        "     ... and 30 more"
    );
}

#[test]
fn nothing_that_a_check_prints_drives_the_terminal() {
    let run = three().print("lint", "\x1b[2Jok: 3 passed\x07\u{9b}31m\n");
    let picture = shown(&run, size(80, 24), PLAIN, 130.2);
    assert_eq!(picture[1], "  ⠹  lint         48s  ok: 3 passed\\x9B31m");
}

#[test]
fn colour_is_there_only_where_it_is_wanted_and_takes_no_room() {
    let colour = Look {
        palette: Palette::new(true),
        ..PLAIN
    };
    let run = three().end("lint", Status::Fail);
    let painted = shown(&run, size(40, 24), colour, 130.2);
    assert_eq!(
        painted,
        [
            "  \x1b[33m⠹\x1b[0m  test       2m10s  \x1b[2mok  tern/intern…\x1b[0m",
            "\x1b[31m     2 of 3 done, 1 failed\x1b[0m",
        ]
    );
    let plain = shown(&run, size(40, 24), PLAIN, 130.2);
    assert_eq!(plain[1], "     2 of 3 done, 1 failed");
    assert!(!plain.concat().contains('\x1b'));
}
