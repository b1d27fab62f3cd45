//! Every shape of child times every end, with cgroups and without: nothing of the run is alive
//! afterwards, and what is said of it is right.

use crate::containment::cell::{Cell, Moment};
use crate::containment::dice::Dice;
use crate::containment::ends::ENDS;
use crate::containment::pool::play_all;
use crate::containment::shapes::SHAPES;
use crate::containment::surroundings::Mechanism;
use crate::support::has_tool;

#[test]
fn nothing_outlives_its_check_however_it_lives_and_ends() {
    if !has_tool("cc") {
        return;
    }
    let mut cells = Vec::new();
    for mechanism in Mechanism::available() {
        for shape in SHAPES {
            cells.extend(ENDS.iter().map(|&end| Cell {
                shape,
                end,
                mechanism,
                moment: Moment::Ready,
            }));
        }
    }
    cells.retain(Cell::is_promised);
    expect_none_to_fail(cells);
}

#[test]
fn nothing_outlives_a_check_that_is_ended_at_any_moment() {
    if !has_tool("cc") {
        return;
    }
    let mechanisms = Mechanism::available();
    let cell = |round| Cell::at_random(&mut Dice::new(4, round), &mechanisms);
    expect_none_to_fail((0..100).map(cell).collect());
}

fn expect_none_to_fail(cells: Vec<Cell>) {
    let all = cells.len();
    let failed = play_all(cells, |cell| cell.play().map(drop));
    let said: Vec<_> = failed.iter().map(ToString::to_string).collect();
    assert!(
        failed.is_empty(),
        "{} of {all} cells failed:\n{}",
        failed.len(),
        said.join("\n")
    );
}
