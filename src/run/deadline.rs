//! When a check's time is over.

use std::time::{Duration, Instant};

/// A point in time, and the limit that stands behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// From then on it is over.
    pub at: Instant,
    /// For people.
    pub limit: Duration,
}

impl Deadline {
    /// That of a check that begins `now` and may have a limit of its `own`, in a run that ends at
    /// the latest when `run` is over.
    pub fn new(own: Option<Duration>, now: Instant, run: Self) -> Self {
        match own {
            Some(limit) if now + limit <= run.at => Self {
                at: now + limit,
                limit,
            },
            _ => run,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Deadline, Duration, Instant};

    #[test]
    fn what_comes_first_counts() {
        let now = Instant::now();
        let limit = Duration::from_mins(30);
        let run = Deadline {
            at: now + Duration::from_secs(9),
            limit,
        };
        assert_eq!(Deadline::new(None, now, run), run);
        assert_eq!(Deadline::new(Some(Duration::from_secs(10)), now, run), run);
        let own = Duration::from_secs(9);
        let of_the_check = Deadline::new(Some(own), now, run);
        assert_eq!((of_the_check.at, of_the_check.limit), (run.at, own));
    }
}
