//! The end of a check, as a state machine with time as an argument.
//!
//! It knows no process and no clock: it is told what happened and when, and answers what to do.

use std::time::{Duration, Instant};

/// How long a process or an open pipe may outlive the main process before it is killed.
const SETTLE: Duration = Duration::from_millis(100);
/// How long killing is repeated before what is left is named as unkillable.
const GIVE_UP: Duration = Duration::from_secs(10);
/// Between two looks at what is still alive.
const FIRST_LOOK: Duration = Duration::from_millis(1);
/// As the looks go on they come further apart, up to this.
const LAST_LOOK: Duration = Duration::from_millis(25);

/// Why a check was made to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forced {
    /// Its own limit or the run's.
    Timeout,
    /// A signal to `check`.
    Interrupt,
    /// Another check's failure, where the first one is to end the run.
    FailFast,
    /// It printed more than it may.
    OutputLimit,
}

/// Where a check stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    /// The main process ended by itself; what is left has until then to go.
    Settling {
        until: Instant,
    },
    /// Asked to end.
    Terminating {
        kill_at: Instant,
    },
    /// Being killed.
    Killing {
        give_up_at: Instant,
    },
    Over,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The main process has ended.
    LeaderEnded,
    /// A pipe was closed by its last writer.
    Closed,
    /// No process of the check is alive and its pipes are closed.
    Cleared,
    /// As said by [`Ladder::wake_at`], or later.
    Time,
    /// Something outside wants the check to end.
    Force(Forced),
    /// A second interrupt: no more grace.
    Hurry,
}

/// What to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    Wait,
    /// See whether anything is alive or open, and say [`Event::Cleared`] if not.
    Look,
    /// Ask every process to end.
    Terminate,
    /// Name what is alive as leaked, then kill it.
    KillLeaks,
    /// Kill every process.
    Kill,
    /// All is over.
    Finish,
    /// Something cannot be killed: name it and be done.
    GiveUp,
}

/// One check's way to its end.
#[derive(Debug, Clone)]
pub struct Ladder {
    phase: Phase,
    deadline: Option<Instant>,
    grace: Duration,
    forced: Option<Forced>,
    leader_ended: bool,
    look_at: Option<Instant>,
    look_after: Duration,
}

impl Ladder {
    /// A check that has just started and may run until `deadline`.
    pub fn new(deadline: Option<Instant>, grace: Duration) -> Self {
        Self {
            phase: Phase::Running,
            deadline,
            grace,
            forced: None,
            leader_ended: false,
            look_at: None,
            look_after: FIRST_LOOK,
        }
    }

    /// Why the check was made to end; `None` where it ended by itself.
    pub fn forced(&self) -> Option<Forced> {
        self.forced
    }

    /// Whether killing has begun, after which nothing is worth waiting for but death.
    pub fn is_killing(&self) -> bool {
        matches!(self.phase, Phase::Killing { .. })
    }

    /// When [`Event::Time`] is due.
    pub fn wake_at(&self) -> Option<Instant> {
        let limit = match self.phase {
            Phase::Running => self.deadline,
            Phase::Settling { until } => Some(until),
            Phase::Terminating { kill_at } => Some(kill_at),
            Phase::Killing { give_up_at } => Some(give_up_at),
            Phase::Over => return None,
        };
        [limit, self.look_at].into_iter().flatten().min()
    }

    /// Takes what happened and says what to do.
    pub fn on(&mut self, event: Event, now: Instant) -> Action {
        match (self.phase, event) {
            (Phase::Over, _) => Action::Wait,
            (_, Event::LeaderEnded) => self.leader_has_ended(now),
            (_, Event::Closed) if self.leader_ended => Action::Look,
            (_, Event::Cleared) if self.leader_ended => {
                self.phase = Phase::Over;
                Action::Finish
            }
            (Phase::Running | Phase::Settling { .. }, Event::Force(why)) => self.force(why, now),
            (Phase::Running | Phase::Settling { .. }, Event::Hurry) => self.hurry(now),
            (Phase::Terminating { .. }, Event::Hurry) => self.kill(now),
            // Where it is being ended already, the first reason stands.
            (_, Event::Cleared | Event::Closed | Event::Force(_) | Event::Hurry) => Action::Wait,
            (_, Event::Time) => self.time(now),
        }
    }

    fn leader_has_ended(&mut self, now: Instant) -> Action {
        self.leader_ended = true;
        if self.phase == Phase::Running {
            self.phase = Phase::Settling {
                until: now + SETTLE,
            };
        }
        self.look_soon(now);
        Action::Look
    }

    fn force(&mut self, why: Forced, now: Instant) -> Action {
        if self.leader_ended && why != Forced::OutputLimit {
            // It ended by itself before anybody wanted it to: only its leftovers are hurried.
            self.phase = Phase::Killing {
                give_up_at: now + GIVE_UP,
            };
            self.look_soon(now);
            return Action::KillLeaks;
        }
        self.forced = Some(why);
        self.phase = Phase::Terminating {
            kill_at: now + self.grace,
        };
        self.look_soon(now);
        Action::Terminate
    }

    /// Of two interrupts in a moment the second may be the only one that is heard.
    fn hurry(&mut self, now: Instant) -> Action {
        let action = self.force(Forced::Interrupt, now);
        if action == Action::Terminate {
            return self.kill(now);
        }
        action
    }

    fn kill(&mut self, now: Instant) -> Action {
        self.phase = Phase::Killing {
            give_up_at: now + GIVE_UP,
        };
        self.look_soon(now);
        Action::Kill
    }

    fn time(&mut self, now: Instant) -> Action {
        let look = self.look_is_due(now);
        match self.phase {
            Phase::Running if self.deadline.is_some_and(|at| now >= at) => {
                self.force(Forced::Timeout, now)
            }
            Phase::Settling { until } if now >= until => {
                self.phase = Phase::Killing {
                    give_up_at: now + GIVE_UP,
                };
                self.look_soon(now);
                Action::KillLeaks
            }
            Phase::Terminating { kill_at } if now >= kill_at => self.kill(now),
            Phase::Killing { give_up_at } if now >= give_up_at => {
                self.phase = Phase::Over;
                Action::GiveUp
            }
            // A process that was born while its siblings died is killed by the next round.
            Phase::Killing { .. } if look => Action::Kill,
            Phase::Settling { .. } | Phase::Terminating { .. } if look => Action::Look,
            Phase::Running
            | Phase::Settling { .. }
            | Phase::Terminating { .. }
            | Phase::Killing { .. }
            | Phase::Over => Action::Wait,
        }
    }

    fn look_soon(&mut self, now: Instant) {
        self.look_after = FIRST_LOOK;
        self.look_at = Some(now + self.look_after);
    }

    fn look_is_due(&mut self, now: Instant) -> bool {
        if self.look_at.is_none_or(|at| now < at) {
            return false;
        }
        self.look_after = (self.look_after * 2).min(LAST_LOOK);
        self.look_at = Some(now + self.look_after);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, Duration, Event, Forced, GIVE_UP, Instant, Ladder, SETTLE};

    const GRACE: Duration = Duration::from_secs(2);
    const LIMIT: Duration = Duration::from_mins(1);

    fn started() -> (Ladder, Instant) {
        let now = Instant::now();
        (Ladder::new(Some(now + LIMIT), GRACE), now)
    }

    #[test]
    fn a_check_that_ends_and_leaves_nothing_is_over_at_once() {
        let (mut ladder, now) = started();
        assert_eq!(ladder.wake_at(), Some(now + LIMIT));
        assert_eq!(ladder.on(Event::LeaderEnded, now), Action::Look);
        assert_eq!(ladder.on(Event::Cleared, now), Action::Finish);
        assert_eq!(ladder.forced(), None);
        assert_eq!(ladder.wake_at(), None);
    }

    #[test]
    fn what_outlives_the_main_process_is_named_and_killed_after_a_tenth_of_a_second() {
        let (mut ladder, now) = started();
        ladder.on(Event::LeaderEnded, now);
        assert_eq!(ladder.on(Event::Time, now + SETTLE / 2), Action::Look);
        assert_eq!(ladder.on(Event::Time, now + SETTLE), Action::KillLeaks);
        let later = now + SETTLE + Duration::from_millis(50);
        assert_eq!(
            ladder.on(Event::Time, later),
            Action::Kill,
            "killing is repeated"
        );
        assert_eq!(ladder.on(Event::Cleared, later), Action::Finish);
        assert_eq!(ladder.forced(), None);
    }

    #[test]
    fn a_timeout_asks_first_then_kills() {
        let (mut ladder, now) = started();
        let over = now + LIMIT;
        assert_eq!(ladder.on(Event::Time, over), Action::Terminate);
        assert_eq!(
            ladder.on(Event::Cleared, over),
            Action::Wait,
            "the main process lives"
        );
        assert_eq!(ladder.on(Event::Time, over + GRACE), Action::Kill);
        assert_eq!(ladder.on(Event::LeaderEnded, over + GRACE), Action::Look);
        assert_eq!(ladder.on(Event::Cleared, over + GRACE), Action::Finish);
        assert_eq!(ladder.forced(), Some(Forced::Timeout));
    }

    #[test]
    fn a_main_process_that_obeys_leaves_its_children_the_whole_grace() {
        let (mut ladder, now) = started();
        ladder.on(Event::Force(Forced::Interrupt), now);
        assert_eq!(ladder.on(Event::LeaderEnded, now), Action::Look);
        assert_eq!(ladder.on(Event::Time, now + SETTLE * 2), Action::Look);
        assert_eq!(ladder.on(Event::Time, now + GRACE), Action::Kill);
    }

    #[test]
    fn a_second_interrupt_skips_the_grace_and_the_first_reason_stands() {
        let (mut ladder, now) = started();
        assert_eq!(
            ladder.on(Event::Force(Forced::Interrupt), now),
            Action::Terminate
        );
        assert_eq!(
            ladder.on(Event::Force(Forced::OutputLimit), now),
            Action::Wait
        );
        assert_eq!(ladder.on(Event::Hurry, now), Action::Kill);
        assert_eq!(ladder.forced(), Some(Forced::Interrupt));
    }

    #[test]
    fn an_interrupt_after_fail_fast_keeps_the_grace_and_a_second_one_skips_it() {
        let (mut ladder, now) = started();
        let fail_fast = ladder.on(Event::Force(Forced::FailFast), now);
        assert_eq!(fail_fast, Action::Terminate);
        let interrupt = ladder.on(Event::Force(Forced::Interrupt), now + GRACE / 2);
        assert_eq!(interrupt, Action::Wait);
        assert_eq!(ladder.on(Event::Hurry, now + GRACE / 2), Action::Kill);
        assert_eq!(ladder.forced(), Some(Forced::FailFast));
    }

    #[test]
    fn a_second_interrupt_that_is_heard_alone_interrupts_too() {
        let (mut ladder, now) = started();
        assert_eq!(ladder.on(Event::Hurry, now), Action::Kill);
        assert_eq!(ladder.forced(), Some(Forced::Interrupt));
        let (mut ladder, now) = started();
        ladder.on(Event::LeaderEnded, now);
        assert_eq!(ladder.on(Event::Hurry, now), Action::KillLeaks);
        assert_eq!(ladder.forced(), None);
    }

    #[test]
    fn an_interrupt_after_the_natural_end_changes_nothing_but_the_hurry() {
        let (mut ladder, now) = started();
        ladder.on(Event::LeaderEnded, now);
        assert_eq!(
            ladder.on(Event::Force(Forced::Interrupt), now),
            Action::KillLeaks
        );
        assert_eq!(ladder.forced(), None);
    }

    #[test]
    fn what_cannot_be_killed_does_not_hold_the_run() {
        let (mut ladder, now) = started();
        ladder.on(Event::Force(Forced::Timeout), now);
        let killed = now + GRACE;
        ladder.on(Event::Time, killed);
        assert_eq!(ladder.on(Event::Time, killed + GIVE_UP), Action::GiveUp);
        assert_eq!(ladder.wake_at(), None);
    }
}
