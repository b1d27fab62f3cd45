//! Work of a run that is no process: done on a thread beside it, for as long as it is wanted.
//!
//! A thread cannot be ended. Whoever does such work asks its [`Leash`] again and again; one that
//! hangs where nothing can be asked is left behind, and goes when `check` does.

use std::any::Any;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};
use tokio::time::sleep_until;

use crate::model::{CheckResult, CheckSpec, Judge, Status, Termination};

use super::clock::Clock;
use super::deadline::Deadline;
use super::plan::Plan;
use super::process::Cancel;

/// What asks its leash at all has asked it by then.
const GIVE_UP: Duration = Duration::from_secs(10);

/// A check without a process: it looks at files.
pub type Look = Arc<dyn Fn(&Leash) -> CheckResult + Send + Sync>;

/// What is done before the first check starts.
pub type Errand = Arc<dyn Fn(&Leash) + Send + Sync>;

/// Tells whoever works whether that is still wanted.
#[derive(Debug, Default)]
pub struct Leash(OnceLock<(Termination, Option<Duration>)>);

impl Leash {
    /// Why nobody waits any more, and the limit that ran out where one did; `None` while somebody
    /// does.
    pub fn end(&self) -> Option<(Termination, Option<Duration>)> {
        self.0.get().copied()
    }

    /// Whether nobody waits any more.
    pub fn is_over(&self) -> bool {
        self.0.get().is_some()
    }

    fn call_off(&self, why: Termination, limit: Option<Duration>) {
        // What came first is why.
        let _ = self.0.set((why, limit));
    }
}

/// Looks at files for `check`, and judges what is seen.
pub async fn look(
    plan: &Plan<'_>,
    check: &CheckSpec,
    look: &Look,
    judge: &dyn Judge,
    cancel: watch::Receiver<Cancel>,
    run_ends_at: Instant,
) -> CheckResult {
    let begun = plan.clock.now();
    let deadline = Deadline::new(check.timeout, begun, run_ends_at, plan.settings.timeout);
    let work = Arc::clone(look);
    let broken = |reason| judge.not_run(check, Status::Broken, reason);
    let mut result = match Aside::start(move |leash| work(leash)) {
        Ok(aside) => {
            let result = aside.finish(&plan.clock, deadline, cancel).await;
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
    cancel: watch::Receiver<Cancel>,
    run_ends_at: Instant,
) {
    let work = Arc::clone(errand);
    let deadline = Deadline {
        at: run_ends_at,
        limit: plan.settings.timeout,
    };
    if let Ok(aside) = Aside::start(move |leash| work(leash)) {
        aside.finish(&plan.clock, deadline, cancel).await;
    }
}

/// Work that goes on.
struct Aside<T> {
    leash: Arc<Leash>,
    /// After so long nobody waits for what is no longer wanted.
    give_up_after: Duration,
    done: oneshot::Receiver<Result<T, Box<dyn Any + Send>>>,
}

impl<T: Send + 'static> Aside<T> {
    fn start(work: impl FnOnce(&Leash) -> T + Send + 'static) -> io::Result<Self> {
        let leash = Arc::new(Leash::default());
        let (tell, done) = oneshot::channel();
        let theirs = Arc::clone(&leash);
        thread::Builder::new()
            .name("aside".to_owned())
            .spawn(move || {
                let done = panic::catch_unwind(AssertUnwindSafe(|| work(&theirs)));
                // Whoever gave up on it does not listen.
                let _ = tell.send(done);
            })?;
        Ok(Self {
            leash,
            give_up_after: GIVE_UP,
            done,
        })
    }

    /// What came of it; `None` where it could not be ended. A panic goes on here.
    async fn finish(
        mut self,
        clock: &Clock,
        deadline: Deadline,
        mut cancel: watch::Receiver<Cancel>,
    ) -> Option<T> {
        let mut told = Cancel::No;
        let mut wake_at = deadline.at;
        loop {
            let over = self.leash.is_over();
            let end = tokio::select! {
                done = &mut self.done => return match done.ok()? {
                    Ok(done) => Some(done),
                    Err(panicked) => panic::resume_unwind(panicked),
                },
                () = sleep_until(clock.outside(wake_at).into()) => {
                    if clock.now() < wake_at {
                        continue;
                    }
                    if over {
                        return None;
                    }
                    (Termination::TimedOut, Some(deadline.limit))
                }
                changed = cancel.changed(), if told != Cancel::Hurry => {
                    told = if changed.is_ok() { *cancel.borrow_and_update() } else { Cancel::Hurry };
                    match told {
                        Cancel::No => continue,
                        Cancel::Interrupt | Cancel::Hurry => (Termination::Interrupted, None),
                    }
                }
            };
            if !over {
                self.leash.call_off(end.0, end.1);
                wake_at = clock.now() + self.give_up_after;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::{Aside, Cancel, Clock, Deadline, Duration, Leash, Termination, thread, watch};

    fn ended<T: Send + 'static>(
        work: impl FnOnce(&Leash) -> T + Send + 'static,
        limit: Duration,
        cancel: Cancel,
    ) -> Option<T> {
        ended_in(Aside::start(work).unwrap(), limit, cancel)
    }

    fn ended_in<T: Send + 'static>(aside: Aside<T>, limit: Duration, cancel: Cancel) -> Option<T> {
        let clock = Clock::default();
        let (told, cancelled) = watch::channel(Cancel::No);
        let deadline = Deadline {
            at: clock.now() + limit,
            limit,
        };
        told.send(cancel).unwrap();
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(aside.finish(&clock, deadline, cancelled))
    }

    /// Works until it is no longer wanted, and says why that is.
    fn tireless(leash: &Leash) -> (Termination, Option<Duration>) {
        loop {
            if let Some(end) = leash.end() {
                return end;
            }
            thread::yield_now();
        }
    }

    const HOUR: Duration = Duration::from_hours(1);

    #[test]
    fn what_is_called_off_or_out_of_time_ends_and_knows_why() {
        let limit = Duration::from_millis(1);
        let timed_out = (Termination::TimedOut, Some(limit));
        assert_eq!(ended(tireless, limit, Cancel::No), Some(timed_out));
        let interrupted = Some((Termination::Interrupted, None));
        assert_eq!(ended(tireless, HOUR, Cancel::Interrupt), interrupted);
        assert_eq!(ended(tireless, HOUR, Cancel::Hurry), interrupted);
        assert_eq!(ended(Leash::end, HOUR, Cancel::No), Some(None));
    }

    #[test]
    fn what_cannot_be_ended_is_left_behind() {
        let (end, never) = mpsc::channel::<()>();
        let aside = Aside {
            give_up_after: Duration::ZERO,
            ..Aside::start(move |_| never.recv()).unwrap()
        };
        assert!(ended_in(aside, Duration::ZERO, Cancel::No).is_none());
        drop(end);
    }

    #[test]
    fn a_panic_goes_on_where_it_is_waited_for() {
        let panics = |_: &Leash| std::panic::resume_unwind(Box::new("planned"));
        let caught = std::panic::catch_unwind(|| ended::<()>(panics, HOUR, Cancel::No));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"planned"));
    }
}
