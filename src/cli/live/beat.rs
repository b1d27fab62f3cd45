//! When something is said: first after a while, then again and again.

use std::time::{Duration, Instant};

/// Tells when something is to be said next.
#[derive(Debug, Clone, Copy)]
pub struct Beat {
    first: Duration,
    every: Duration,
    next: Option<Instant>,
}

impl Beat {
    /// `first` after the beginning, then `every` so long.
    pub fn new(first: Duration, every: Duration) -> Self {
        Self {
            first,
            every,
            next: None,
        }
    }

    /// The run begins.
    pub fn begin(&mut self, now: Instant) {
        self.next = Some(now + self.first);
    }

    /// When it is to be said next; `None` before the run.
    pub fn next(&self) -> Option<Instant> {
        self.next
    }

    /// It was said.
    pub fn ticked(&mut self, now: Instant) {
        self.next = Some(now + self.every);
    }
}

#[cfg(test)]
mod tests {
    use super::{Beat, Duration, Instant};

    #[test]
    fn it_is_first_said_late_and_then_at_intervals() {
        let seconds = Duration::from_secs;
        let begun = Instant::now();
        let mut beat = Beat::new(seconds(30), seconds(60));
        assert_eq!(beat.next(), None, "nothing has begun");
        beat.begin(begun);
        assert_eq!(beat.next(), Some(begun + seconds(30)));
        beat.ticked(begun + seconds(31));
        assert_eq!(beat.next(), Some(begun + seconds(91)));
    }
}
