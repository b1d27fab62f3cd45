//! `check` killed with SIGKILL at any moment of its life. The stress program does more of it.

use crate::containment::dice::Dice;
use crate::containment::killed_runs::Victim;
use crate::containment::pool::play_all;
use crate::containment::surroundings::Mechanism;
use crate::support::has_tool;

#[test]
fn a_killed_run_leaves_nothing_alive_and_the_next_one_judges_as_a_fresh_clone() {
    if !has_tool("cc") {
        return;
    }
    let rounds =
        |victim: Victim| (0..12).try_for_each(|n| victim.round(&mut Dice::new(9, n)).map(drop));
    let victims = Mechanism::of_runs().into_iter().map(Victim::new);
    let failed = play_all(victims, rounds);
    assert!(failed.is_empty(), "{failed:#?}");
}
