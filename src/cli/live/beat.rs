//! When something is said: first after a while, then again and again.

use std::time::{Duration, Instant};

/// A clock that stands still while `check` does.
#[derive(Debug, Clone, Copy)]
pub struct Beat {
    first: Duration,
    every: Duration,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// The run has not begun.
    Before,
    /// It is to be said then.
    Next(Instant),
    /// That long after `check` goes on.
    Suspended(Duration),
}

impl Beat {
    /// `first` after the beginning, then `every` so long.
    pub fn new(first: Duration, every: Duration) -> Self {
        Self {
            first,
            every,
            state: State::Before,
        }
    }

    /// The run begins.
    pub fn begin(&mut self, now: Instant) {
        self.state = State::Next(now + self.first);
    }

    /// When it is to be said next, where that is known.
    pub fn next(&self) -> Option<Instant> {
        match self.state {
            State::Next(at) => Some(at),
            State::Before | State::Suspended(_) => None,
        }
    }

    /// It was said.
    pub fn ticked(&mut self, now: Instant) {
        self.state = State::Next(now + self.every);
    }

    /// Time stands still.
    pub fn suspend(&mut self, now: Instant) {
        if let State::Next(at) = self.state {
            self.state = State::Suspended(at.saturating_duration_since(now));
        }
    }

    /// It goes on.
    pub fn resume(&mut self, now: Instant) {
        if let State::Suspended(left) = self.state {
            self.state = State::Next(now + left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Beat, Duration, Instant};

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn it_is_first_said_late_and_then_at_intervals() {
        let begun = Instant::now();
        let mut beat = Beat::new(seconds(30), seconds(60));
        assert_eq!(beat.next(), None, "nothing has begun");
        beat.begin(begun);
        assert_eq!(beat.next(), Some(begun + seconds(30)));
        beat.ticked(begun + seconds(31));
        assert_eq!(beat.next(), Some(begun + seconds(91)));
    }

    #[test]
    fn time_in_which_everything_stood_still_is_no_time() {
        let begun = Instant::now();
        let mut beat = Beat::new(seconds(30), seconds(60));
        beat.begin(begun);
        beat.suspend(begun + seconds(10));
        assert_eq!(beat.next(), None);
        beat.resume(begun + seconds(500));
        assert_eq!(beat.next(), Some(begun + seconds(520)));
        beat.resume(begun + seconds(505));
        assert_eq!(
            beat.next(),
            Some(begun + seconds(520)),
            "it went on already"
        );
        beat.suspend(begun + seconds(600));
        beat.resume(begun + seconds(700));
        assert_eq!(beat.next(), Some(begun + seconds(700)), "it was due");
    }
}
