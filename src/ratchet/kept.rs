//! The rows that are shown: at most 200 a check, new ones first. What gates is decided from the
//! tallies; no cap here changes it.

use super::compare::{Compared, Met, Standing};
use super::fingerprint::Fingerprint;
use crate::model::{Failure, JudgedFailure, Level, RowState};

/// At most this many rows of a check are shown.
pub const MAX_KEPT: usize = 200;

/// Rows of one check, by level and standing.
#[derive(Debug, Default)]
pub struct Kept {
    errors: Shelf,
    warnings: Shelf,
}

#[derive(Debug, Default)]
struct Shelf {
    new: Vec<Row>,
    moved: Vec<Row>,
    known: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    fingerprint: Fingerprint,
    /// Of a row presumed to have moved.
    shape: Option<Fingerprint>,
    shown: JudgedFailure,
}

impl Kept {
    /// Keeps `row` where there is room; `source` is read only then. A row that is equal in all
    /// that is shown to one kept before counts as one more of it.
    pub fn row(&mut self, row: Failure, met: Met, source: impl FnOnce() -> Option<String>) {
        let rows = match row.level {
            Level::Error => &mut self.errors,
            Level::Warning => &mut self.warnings,
        };
        let (held, state, shape) = match met.standing {
            Standing::New => (&mut rows.new, RowState::New, None),
            Standing::Moved(shape) => (&mut rows.moved, RowState::Known, Some(shape)),
            Standing::Known => (&mut rows.known, RowState::Known, None),
        };
        let same = |one: &&mut Row| one.fingerprint == met.fingerprint && one.looks_like(&row);
        if met.again
            && shape.is_none()
            && let Some(one) = held.iter_mut().find(same)
        {
            one.shown.count += 1;
            return;
        }
        if held.len() < MAX_KEPT {
            let source = source();
            let shown = shown(row, state, met.fingerprint, source);
            held.push(Row {
                fingerprint: met.fingerprint,
                shape,
                shown,
            });
        }
    }

    /// The rows of `level` to show, new ones first; of both levels where none gates.
    pub fn finish(mut self, level: Option<Level>, compared: &Compared) -> Vec<JudgedFailure> {
        let mut chosen = Shelf::default();
        for (each, mut from) in [
            (Level::Error, self.errors.take()),
            (Level::Warning, self.warnings.take()),
        ] {
            if level.is_none_or(|level| level == each) {
                from.settle(each, compared);
                chosen.new.append(&mut from.new);
                chosen.known.append(&mut from.known);
            }
        }
        let rows = chosen.new.into_iter().chain(chosen.known);
        rows.map(|row| row.shown).take(MAX_KEPT).collect()
    }
}

impl Shelf {
    fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Puts each row that was presumed to have moved where it turned out to belong.
    fn settle(&mut self, level: Level, compared: &Compared) {
        let mut fallen = compared.fallen.clone();
        for mut row in self.moved.drain(..).rev() {
            let left = row.shape.and_then(|shape| fallen.get_mut(&(shape, level)));
            match left {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    row.shown.state = RowState::New;
                    self.new.push(row);
                }
                Some(_) | None => self.known.push(row),
            }
        }
    }
}

impl Row {
    /// Whether `row`, which has the same identity, would look the same.
    fn looks_like(&self, row: &Failure) -> bool {
        let held = &self.shown;
        (held.line, held.column) == (row.line, row.column) && held.message == row.message
    }
}

fn shown(
    row: Failure,
    state: RowState,
    fingerprint: Fingerprint,
    source: Option<String>,
) -> JudgedFailure {
    JudgedFailure {
        path: row.path,
        line: row.line,
        column: row.column,
        test: row.test,
        rule: row.rule,
        level: row.level,
        message: row.message,
        tool: row.tool.to_owned(),
        outside: row.outside,
        source,
        state,
        fingerprint: fingerprint.to_string(),
        count: 1,
        also: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Kept, MAX_KEPT};
    use crate::model::{CheckId, Failure, Level, RowState};
    use crate::ratchet::{Baseline, Comparison, Identity, Looked, Places, Record, baseline_bytes};

    const WHOLE: Looked<'static> = Looked {
        whole: true,
        not_built: &[],
    };

    struct Pair(Comparison, Kept);

    fn lint() -> CheckId {
        CheckId::new("lint").unwrap()
    }

    fn failure(path: &str, line: u32, level: Level) -> Failure {
        let mut row = Failure::new("t", "m");
        (row.path, row.line, row.level) = (Some(path.to_owned()), Some(line), level);
        row
    }

    fn base(records: &[(&str, u64)]) -> Baseline {
        let records = records.iter().map(|(path, count)| {
            let row = failure(path, 1, Level::Error);
            let places = Places::new(Path::new("/r"));
            Record::new(&lint(), &Identity::new(&row, None, &places), None, *count)
        });
        Baseline::parse(
            &lint(),
            baseline_bytes(&lint(), records.collect()).unwrap(),
            "x",
        )
        .unwrap()
    }

    impl Pair {
        fn feed(&mut self, row: Failure) {
            let places = Places::new(Path::new("/r"));
            let met = self.0.row(&Identity::new(&row, None, &places), row.level);
            self.1.row(row, met, || None);
        }
    }

    #[test]
    fn a_new_row_behind_thousands_of_known_ones_is_shown_first() {
        let base = base(&[("a", 2000)]);
        let mut pair = Pair(
            Comparison::new(&lint(), Some(&base), |_| false),
            Kept::default(),
        );
        for line in 0..2000 {
            pair.feed(failure("a", line, Level::Error));
        }
        pair.feed(failure("b", 1, Level::Error));
        let rows = pair
            .1
            .finish(Some(Level::Error), &pair.0.finish(Some(&base), WHOLE));
        assert_eq!(rows.len(), MAX_KEPT);
        assert_eq!(
            (rows[0].path.as_deref(), rows[0].state),
            (Some("b"), RowState::New)
        );
        assert!(rows[1..].iter().all(|row| row.state == RowState::Known));
    }

    #[test]
    fn thousands_of_moved_rows_do_not_hide_a_new_one() {
        let base = base(&[("old", 2000)]);
        let mut pair = Pair(
            Comparison::new(&lint(), Some(&base), |_| true),
            Kept::default(),
        );
        for line in 0..2001 {
            pair.feed(failure("new", line, Level::Error));
        }
        let rows = pair
            .1
            .finish(Some(Level::Error), &pair.0.finish(Some(&base), WHOLE));
        let new: Vec<_> = rows
            .iter()
            .filter(|row| row.state == RowState::New)
            .collect();
        assert_eq!((new.len(), new[0].line), (1, Some(2000)));
    }

    #[test]
    fn equal_rows_stand_apart_unless_nothing_tells_them_apart() {
        let mut pair = Pair(Comparison::new(&lint(), None, |_| false), Kept::default());
        for line in [1, 2, 2] {
            pair.feed(failure("a", line, Level::Error));
        }
        let rows = pair
            .1
            .finish(Some(Level::Error), &pair.0.finish(None, WHOLE));
        let seen: Vec<_> = rows.iter().map(|row| (row.line, row.count)).collect();
        assert_eq!(seen, [(Some(1), 1), (Some(2), 2)]);
    }

    #[test]
    fn only_the_level_that_gates_is_shown_and_both_where_none_does() {
        let shown = |level| {
            let mut pair = Pair(Comparison::new(&lint(), None, |_| false), Kept::default());
            pair.feed(failure("w", 1, Level::Warning));
            pair.feed(failure("e", 1, Level::Error));
            let rows = pair.1.finish(level, &pair.0.finish(None, WHOLE));
            rows.into_iter()
                .filter_map(|row| row.path)
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(Some(Level::Error)), ["e"]);
        assert_eq!(shown(Some(Level::Warning)), ["w"]);
        assert_eq!(shown(None), ["e", "w"]);
    }

    #[test]
    fn a_presumed_move_that_fell_is_shown_as_new() {
        let base = base(&[("x", 1)]);
        let mut pair = Pair(
            Comparison::new(&lint(), Some(&base), |_| true),
            Kept::default(),
        );
        pair.feed(failure("y", 1, Level::Error));
        pair.feed(failure("x", 1, Level::Error));
        let rows = pair
            .1
            .finish(Some(Level::Error), &pair.0.finish(Some(&base), WHOLE));
        let seen: Vec<_> = rows
            .iter()
            .map(|row| (row.path.as_deref(), row.state))
            .collect();
        assert_eq!(
            seen,
            [(Some("y"), RowState::New), (Some("x"), RowState::Known)]
        );
    }
}
