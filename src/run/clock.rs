//! The run's own time, which stands still while the run is stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Tells the time of a run. Every limit of it is a point in this time. A clone is the same clock.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// In nanoseconds, which are enough for 500 years.
    stood_still: Arc<AtomicU64>,
}

impl Clock {
    /// Now, as far as the run is concerned.
    pub fn now(&self) -> Instant {
        self.at(Instant::now())
    }

    /// A moment of the world outside, which is not before the run.
    fn at(&self, outside: Instant) -> Instant {
        // No run stood still for longer than there is time.
        outside.checked_sub(self.so_far()).unwrap_or(outside)
    }

    /// When it is `at` in the world outside, should the run not be stopped until then. Whoever
    /// waits for it looks at this clock again when it has come.
    pub fn outside(&self, at: Instant) -> Instant {
        at + self.so_far()
    }

    /// The run was stopped for so long.
    pub fn stood_still(&self, time: Duration) {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.stood_still.fetch_add(time, Ordering::Relaxed);
    }

    fn so_far(&self) -> Duration {
        Duration::from_nanos(self.stood_still.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Duration, Instant};

    #[test]
    fn a_limit_is_as_far_away_after_a_stop_as_before() {
        let clock = Clock::default();
        let begun = Instant::now();
        let limit = begun + Duration::from_mins(1);
        assert_eq!(clock.at(begun), begun);
        assert_eq!(clock.outside(limit), limit);
        let hour = Duration::from_hours(1);
        clock.stood_still(hour);
        clock.stood_still(hour);
        assert_eq!(clock.at(begun + hour * 2), begun);
        assert_eq!(clock.outside(limit), limit + hour * 2);
        assert_eq!(clock.at(clock.outside(limit)), limit);
    }
}
