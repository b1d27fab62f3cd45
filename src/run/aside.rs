//! Work of a run that is no process: done on a thread beside it, for as long as it is wanted.
//!
//! A thread cannot be ended. Whoever does such work asks its [`Leash`] again and again; one that
//! hangs where nothing can be asked is left behind, and goes when `check` does.

use std::any::Any;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use tokio::sync::{oneshot, watch};

use crate::model::{CheckResult, CheckSpec, Judge, Status, Termination};

use super::clock::Clock;
use super::deadline::Deadline;
use super::plan::Plan;
use super::process::Cancel;

/// After so long nobody waits for what is no longer wanted.
const GIVE_UP: Duration = Duration::from_secs(10);

/// A check without a process: it looks at files.
pub type Look = Arc<dyn Fn(&Leash) -> CheckResult + Send + Sync>;

/// What is done before the first check starts.
pub type Errand = Arc<dyn Fn(&Leash) + Send + Sync>;

/// Tells whoever works whether that is still wanted.
#[derive(Debug)]
pub struct Leash {
    clock: Clock,
    deadline: Deadline,
    called_off: OnceLock<Termination>,
}

impl Leash {
    fn new(clock: Clock, deadline: Deadline) -> Self {
        Self {
            clock,
            deadline,
            called_off: OnceLock::new(),
        }
    }

    /// One that lasts for an hour.
    #[cfg(test)]
    pub fn long() -> Self {
        let clock = Clock::default();
        let limit = Duration::from_hours(1);
        let at = clock.now() + limit;
        Self::new(clock, Deadline { at, limit })
    }

    /// Whether nobody waits any more.
    pub fn is_over(&self) -> bool {
        self.called_off.get().is_some() || self.clock.now() >= self.deadline.at
    }

    /// Why not, and the limit that ran out where one did.
    pub fn end(&self) -> (Termination, Option<Duration>) {
        match self.called_off.get() {
            Some(why) => (*why, None),
            None => (Termination::TimedOut, Some(self.deadline.limit)),
        }
    }

    fn call_off(&self, why: Termination) {
        // What came first is why.
        let _ = self.called_off.set(why);
    }
}

/// Looks at files for `check`, and judges what is seen.
pub async fn look(
    plan: &Plan<'_>,
    check: &CheckSpec,
    look: &Look,
    judge: &dyn Judge,
    deadline: Deadline,
    cancel: watch::Receiver<Cancel>,
) -> CheckResult {
    let begun = plan.clock.now();
    let work = Arc::clone(look);
    let broken = |reason| judge.not_run(check, Status::Broken, reason);
    let mut result = match Aside::start(&plan.clock, deadline, move |leash| work(leash)) {
        Ok(aside) => {
            let result = aside.finish(cancel).await;
            result.unwrap_or_else(|| broken("its look at files could not be ended".to_owned()))
        }
        Err(error) => broken(format!("no thread could be started: {error}")),
    };
    let time = plan.clock.now() - begun;
    result.duration_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    result
}

/// Does what has to be done first. Nothing hangs on it.
pub async fn errand(
    plan: &Plan<'_>,
    errand: &Errand,
    deadline: Deadline,
    cancel: watch::Receiver<Cancel>,
) {
    let work = Arc::clone(errand);
    if let Ok(aside) = Aside::start(&plan.clock, deadline, move |leash| work(leash)) {
        aside.finish(cancel).await;
    }
}

/// Work that goes on.
struct Aside<T> {
    leash: Arc<Leash>,
    done: oneshot::Receiver<Result<T, Box<dyn Any + Send>>>,
}

impl<T: Send + 'static> Aside<T> {
    fn start(
        clock: &Clock,
        deadline: Deadline,
        work: impl FnOnce(&Leash) -> T + Send + 'static,
    ) -> io::Result<Self> {
        let leash = Arc::new(Leash::new(clock.clone(), deadline));
        let (tell, done) = oneshot::channel();
        let theirs = Arc::clone(&leash);
        thread::Builder::new()
            .name("look".to_owned())
            .spawn(move || {
                let done = panic::catch_unwind(AssertUnwindSafe(|| work(&theirs)));
                // Whoever gave up on it does not listen.
                let _ = tell.send(done);
            })?;
        Ok(Self { leash, done })
    }

    /// What came of it; `None` where it could not be ended. A panic goes on here.
    async fn finish(mut self, mut cancel: watch::Receiver<Cancel>) -> Option<T> {
        let clock = &self.leash.clock.clone();
        let mut give_up_at = self.leash.deadline.at + GIVE_UP;
        let mut told = Cancel::No;
        loop {
            tokio::select! {
                done = &mut self.done => return match done.ok()? {
                    Ok(done) => Some(done),
                    Err(panicked) => panic::resume_unwind(panicked),
                },
                () = tokio::time::sleep_until(clock.outside(give_up_at).into()) => {
                    if clock.now() >= give_up_at {
                        return None;
                    }
                }
                changed = cancel.changed(), if told != Cancel::Hurry => {
                    told = if changed.is_ok() { *cancel.borrow_and_update() } else { Cancel::Hurry };
                    match told {
                        Cancel::No => {}
                        Cancel::FailFast => {
                            self.leash.call_off(Termination::FailFast);
                            give_up_at = give_up_at.min(clock.now() + GIVE_UP);
                        }
                        Cancel::Interrupt | Cancel::Hurry => {
                            self.leash.call_off(Termination::Interrupted);
                            give_up_at = give_up_at.min(clock.now() + GIVE_UP);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Instant;

    use super::{Aside, Cancel, Clock, Deadline, Duration, Termination, thread, watch};

    fn within(limit: Duration) -> Deadline {
        Deadline {
            at: Instant::now() + limit,
            limit,
        }
    }

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(work)
    }

    /// Works until it is no longer wanted, and says why that is.
    fn tireless() -> impl FnOnce(&super::Leash) -> (Termination, Option<Duration>) {
        |leash| {
            while !leash.is_over() {
                thread::yield_now();
            }
            leash.end()
        }
    }

    #[test]
    fn what_is_called_off_or_out_of_time_ends_and_knows_why() {
        let (cancel, cancelled) = watch::channel(Cancel::No);
        let limit = Duration::from_millis(1);
        let aside = Aside::start(&Clock::default(), within(limit), tireless()).unwrap();
        let ended = run(aside.finish(cancelled.clone()));
        assert_eq!(ended, Some((Termination::TimedOut, Some(limit))));
        let aside = Aside::start(
            &Clock::default(),
            within(Duration::from_hours(1)),
            tireless(),
        )
        .unwrap();
        cancel.send(Cancel::Interrupt).unwrap();
        let ended = run(aside.finish(cancelled));
        assert_eq!(ended, Some((Termination::Interrupted, None)));
    }

    #[test]
    fn what_cannot_be_ended_is_left_behind() {
        let (_cancel, cancelled) = watch::channel(Cancel::No);
        let (end, never) = mpsc::channel::<()>();
        let past = Deadline {
            at: Instant::now().checked_sub(super::GIVE_UP).unwrap(),
            limit: Duration::ZERO,
        };
        let aside = Aside::start(&Clock::default(), past, move |_| never.recv()).unwrap();
        assert!(run(aside.finish(cancelled)).is_none());
        drop(end);
    }

    #[test]
    fn a_panic_goes_on_where_it_is_waited_for() {
        let (_cancel, cancelled) = watch::channel(Cancel::No);
        let aside = Aside::start(&Clock::default(), within(Duration::from_hours(1)), |_| {
            std::panic::resume_unwind(Box::new("planned"))
        });
        let aside: Aside<()> = aside.unwrap();
        let caught =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(
                || run(aside.finish(cancelled)),
            ));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"planned"));
    }
}
