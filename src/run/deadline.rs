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
    /// That of a check that has begun and may have a limit of its `own`, in a run that ends then.
    pub fn new(
        own: Option<Duration>,
        begun: Instant,
        run_ends_at: Instant,
        run_limit: Duration,
    ) -> Self {
        match own {
            Some(limit) if begun + limit <= run_ends_at => Self {
                at: begun + limit,
                limit,
            },
            _ => Self {
                at: run_ends_at,
                limit: run_limit,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Deadline, Duration, Instant};

    #[test]
    fn what_comes_first_counts() {
        let begun = Instant::now();
        let left = Duration::from_secs(9);
        let run_limit = Duration::from_mins(30);
        let limit = |own| {
            let deadline = Deadline::new(own, begun, begun + left, run_limit);
            assert_eq!(deadline.at, begun + left.min(deadline.limit));
            deadline.limit
        };
        assert_eq!(limit(None), run_limit);
        assert_eq!(limit(Some(Duration::from_secs(10))), run_limit);
        assert_eq!(limit(Some(left)), left);
        assert_eq!(limit(Some(Duration::from_secs(1))), Duration::from_secs(1));
    }
}
