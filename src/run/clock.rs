//! The run's own time, which stands still while the run is stopped.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Tells the time of a run. Every limit of it is a point in this time.
#[derive(Debug, Default)]
pub struct Clock {
    stood_still: Cell<Duration>,
}

impl Clock {
    /// Now, as far as the run is concerned.
    pub fn now(&self) -> Instant {
        self.at(Instant::now())
    }

    /// A moment of the world outside, which is not before the run.
    fn at(&self, outside: Instant) -> Instant {
        // No run stood still for longer than there is time.
        outside
            .checked_sub(self.stood_still.get())
            .unwrap_or(outside)
    }

    /// When it is `at` in the world outside, should the run not be stopped until then. Whoever
    /// waits for it looks at this clock again when it has come.
    pub fn outside(&self, at: Instant) -> Instant {
        at + self.stood_still.get()
    }

    /// The run was stopped for so long.
    pub fn stood_still(&self, time: Duration) {
        self.stood_still.set(self.stood_still.get() + time);
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
