//! Many at once, but not all.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

use super::fault::Fault;

/// Cells wait far more than they work.
const CELLS_PER_CORE: usize = 8;

/// Plays `cells`, several at once, and says which failed and why.
pub fn play_all<C, F>(cells: impl IntoIterator<Item = C, IntoIter: Send>, play: F) -> Vec<Fault>
where
    F: Fn(C) -> Result<(), Fault> + Sync,
{
    let cores = thread::available_parallelism().map_or(2, NonZero::get);
    let cells = Mutex::new(cells.into_iter());
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..cores * CELLS_PER_CORE {
            scope.spawn(|| {
                loop {
                    let Some(cell) = cells.lock().unwrap().next() else {
                        break;
                    };
                    if let Err(why) = play(cell) {
                        failed.lock().unwrap().push(why);
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap();
    failed.sort_by(|a, b| a.what.cmp(&b.what));
    failed
}
