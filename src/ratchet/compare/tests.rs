use std::path::Path;

use super::{Comparison, Looked, MAX_ROWS, Standing, Tally};
use crate::model::{CheckId, Failure, Level};
use crate::ratchet::{Baseline, Identity, Places, Record, baseline_bytes};

const WHOLE: Looked<'static> = Looked {
    whole: true,
    not_built: &[],
};

fn lint() -> CheckId {
    CheckId::new("lint").unwrap()
}

fn failure(path: &str, message: &str) -> Failure {
    let mut row = Failure::new("t", message);
    row.path = Some(path.to_owned());
    row
}

fn baseline(records: &[(&str, &str, u64)]) -> Baseline {
    let places = Places::new(Path::new("/r"));
    let records = records.iter().map(|(path, message, count)| {
        let row = failure(path, message);
        Record::new(&lint(), &Identity::new(&row, None, &places), None, *count)
    });
    let bytes = baseline_bytes(&lint(), records.collect()).unwrap();
    Baseline::parse(&lint(), bytes, "x").unwrap()
}

fn feed(comparison: &mut Comparison, path: &str, message: &str, level: Level) -> Standing {
    let row = failure(path, message);
    let places = Places::new(Path::new("/r"));
    comparison
        .row(&Identity::new(&row, None, &places), level)
        .standing
}

fn there(_: &str) -> bool {
    false
}

#[test]
fn a_third_equal_finding_beside_two_recorded_is_new() {
    let base = baseline(&[("a.go", "m", 2)]);
    let mut seen = Comparison::new(&lint(), Some(&base), there);
    assert_eq!(feed(&mut seen, "a.go", "m", Level::Error), Standing::Known);
    assert_eq!(feed(&mut seen, "a.go", "m", Level::Error), Standing::Known);
    assert_eq!(feed(&mut seen, "a.go", "m", Level::Error), Standing::New);
    let end = seen.finish(Some(&base), WHOLE);
    assert_eq!(end.errors, Tally { new: 1, known: 2 });
    assert_eq!((end.fixed, end.unseen), (0, 0));
    assert_eq!(end.new_fingerprints(Level::Error).len(), 1);
}

#[test]
fn without_a_baseline_everything_is_new() {
    let mut seen = Comparison::new(&lint(), None, there);
    assert_eq!(feed(&mut seen, "a.go", "m", Level::Error), Standing::New);
    assert_eq!(seen.finish(None, WHOLE).errors, Tally { new: 1, known: 0 });
}

#[test]
fn one_fixed_and_another_of_its_kind_added_is_one_of_each() {
    let base = baseline(&[("a.go", "alpha", 1), ("a.go", "beta", 1)]);
    let mut seen = Comparison::new(&lint(), Some(&base), there);
    feed(&mut seen, "a.go", "beta", Level::Error);
    feed(&mut seen, "a.go", "gamma", Level::Error);
    let end = seen.finish(Some(&base), WHOLE);
    assert_eq!((end.errors, end.fixed), (Tally { new: 1, known: 1 }, 1));
    assert_eq!(end.unmet[0].record.message.as_deref(), Some("alpha"));
}

#[test]
fn what_was_not_looked_at_is_not_fixed() {
    let base = baseline(&[("a/x.go", "m", 2), ("ab/x.go", "m", 1), ("b/x.go", "m", 1)]);
    let fixed = |whole: bool, not_built: &[&str]| {
        let mut seen = Comparison::new(&lint(), Some(&base), there);
        feed(&mut seen, "a/x.go", "m", Level::Error);
        let not_built: Vec<String> = not_built.iter().map(|&folder| folder.to_owned()).collect();
        let end = seen.finish(
            Some(&base),
            Looked {
                whole,
                not_built: &not_built,
            },
        );
        (end.fixed, end.unseen)
    };
    assert_eq!(fixed(true, &[]), (3, 0));
    assert_eq!(fixed(false, &[]), (0, 3));
    assert_eq!(fixed(true, &["a"]), (2, 1), "ab is not beneath a");
    assert_eq!(fixed(true, &["b/x.go", "a/"]), (1, 2));
    assert_eq!(fixed(true, &["."]), (0, 3));
}

#[test]
fn a_record_whose_file_is_gone_follows_it_one_to_one() {
    let base = baseline(&[("old.go", "m", 1), ("stays.go", "n", 1)]);
    let mut seen = Comparison::new(&lint(), Some(&base), |path| path == "old.go");
    assert!(matches!(
        feed(&mut seen, "new.go", "m", Level::Error),
        Standing::Moved(_)
    ));
    assert_eq!(
        feed(&mut seen, "copy.go", "m", Level::Error),
        Standing::New,
        "one record, one row"
    );
    assert_eq!(
        feed(&mut seen, "new.go", "n", Level::Error),
        Standing::New,
        "its file is still there"
    );
    let end = seen.finish(Some(&base), WHOLE);
    assert_eq!(end.errors, Tally { new: 2, known: 1 });
    assert_eq!(end.fixed, 1, "only the finding of stays.go");
    assert_eq!(end.new_fingerprints(Level::Error).len(), 2);
}

#[test]
fn a_presumed_move_falls_when_the_record_is_met_after_all() {
    let base = baseline(&[("x.go", "m", 1)]);
    let mut seen = Comparison::new(&lint(), Some(&base), |_| true);
    assert!(matches!(
        feed(&mut seen, "y.go", "m", Level::Error),
        Standing::Moved(_)
    ));
    assert_eq!(feed(&mut seen, "x.go", "m", Level::Error), Standing::Known);
    let end = seen.finish(Some(&base), WHOLE);
    assert_eq!(end.errors, Tally { new: 1, known: 1 });
    assert_eq!(
        (end.fixed, end.new_fingerprints(Level::Error).len()),
        (0, 1)
    );
}

#[test]
fn errors_and_warnings_are_measured_apart_and_both_count_as_seen() {
    let base = baseline(&[("a.go", "m", 1), ("old.go", "n", 1)]);
    let mut seen = Comparison::new(&lint(), Some(&base), |path| path == "old.go");
    feed(&mut seen, "a.go", "m", Level::Warning);
    feed(&mut seen, "a.go", "m", Level::Error);
    feed(&mut seen, "new.go", "n", Level::Warning);
    feed(&mut seen, "new.go", "n", Level::Error);
    let end = seen.finish(Some(&base), WHOLE);
    assert_eq!(end.errors, Tally { new: 0, known: 2 });
    assert_eq!(end.warnings, Tally { new: 0, known: 2 });
    assert_eq!((end.fixed, end.unseen), (0, 0));
}

#[test]
fn too_many_rows_are_counted_and_not_kept() {
    let mut seen = Comparison::new(&lint(), None, there);
    seen.tallies[0].new = MAX_ROWS;
    assert!(!seen.too_many());
    feed(&mut seen, "a.go", "m", Level::Error);
    assert!(seen.too_many());
    feed(&mut seen, "b.go", "m", Level::Error);
    assert_eq!(
        (seen.rows(Level::Error), seen.slots.len()),
        (MAX_ROWS + 2, 1)
    );
}
