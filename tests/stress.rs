//! Ends checks at random, over and over, and says how many processes survived: `kills N, survivors 0`.
//!
//! ```text
//! cargo bench --bench stress -- [SECONDS [KILLED_RUNS [SEED]]]
//! ```
//!
//! First kills so many whole runs with SIGKILL (200 where not said) and compares what the next run
//! says with a fresh clone; then plays cells of the matrix, chosen at random and ended at random
//! moments, for so many seconds (60). The seed is printed; it gives the same cells again.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test ends where it cannot go on, in what it calls too; this one is a program"
)]

mod containment;
#[expect(dead_code, reason = "the end-to-end tests need more of it")]
mod support;

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use containment::cell::Cell;
use containment::dice::Dice;
use containment::fault::Fault;
use containment::killed_runs::Victim;
use containment::pool::play_all;
use containment::surroundings::Mechanism;

/// Trees whose runs are killed at the same time.
const VICTIMS: u64 = 4;

fn main() -> ExitCode {
    // What `cargo bench` itself adds is no number.
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.parse::<u64>().ok());
    let seconds = numbers.next().unwrap_or(60);
    let killed_runs = numbers.next().unwrap_or(200);
    let seed = numbers.next().unwrap_or_else(seed_of_today);
    println!("seed {seed}: {killed_runs} killed runs, then {seconds} s of the matrix");

    let kills = AtomicU64::new(0);
    let mut faults = kill_runs(killed_runs, seed, &kills);
    println!(
        "killed runs: {}, faults {}",
        kills.load(Ordering::Relaxed),
        faults.len()
    );
    faults.extend(play_at_random(Duration::from_secs(seconds), seed, &kills));
    for fault in &faults {
        println!("{fault}");
    }
    let survivors = faults.iter().filter(|fault| fault.survived).count();
    if faults.len() > survivors {
        println!(
            "{} ended otherwise than they should",
            faults.len() - survivors
        );
    }
    println!(
        "kills {}, survivors {survivors}",
        kills.load(Ordering::Relaxed)
    );
    if faults.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn seed_of_today() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap().as_secs()
}

fn kill_runs(rounds: u64, seed: u64, kills: &AtomicU64) -> Vec<Fault> {
    let mechanisms = Mechanism::of_runs();
    let mechanism = |n: u64| mechanisms[usize::try_from(n).unwrap() % mechanisms.len()];
    let shares = (0..VICTIMS.min(rounds)).map(|n| (n, mechanism(n)));
    play_all(shares, |(first, mechanism)| {
        let victim = Victim::new(mechanism);
        // Some runs are over before their moment comes.
        let rounds_of_this = (first..).step_by(usize::try_from(VICTIMS).unwrap());
        for round in rounds_of_this.take_while(|_| kills.load(Ordering::Relaxed) < rounds) {
            if victim.round(&mut Dice::new(seed, round))? {
                kills.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    })
}

fn play_at_random(time: Duration, seed: u64, kills: &AtomicU64) -> Vec<Fault> {
    let mechanisms = Mechanism::available();
    let over = Instant::now() + time;
    let cells = (0..).map(|round| Cell::at_random(&mut Dice::new(!seed, round), &mechanisms));
    play_all(cells.take_while(|_| Instant::now() < over), |cell| {
        if cell.play()? {
            kills.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    })
}
