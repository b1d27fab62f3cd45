//! One shape of child, brought to one end under one mechanism.

use std::fmt;
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::Signal;

use super::dice::Dice;
use super::ends::{ENDS, End};
use super::fault::Fault;
use super::processes;
use super::running::{HANG, Running, names, until};
use super::scene::Scene;
use super::shapes::{SHAPES, Shape};
use super::surroundings::Mechanism;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    pub shape: &'static Shape,
    pub end: End,
    pub mechanism: Mechanism,
    pub moment: Moment,
}

/// Of a run's life, in which a child is born and grows, and may be ended at any moment.
const YOUTH: Duration = Duration::from_millis(120);

/// How long what was stopped may take to stand, however busy the machine is.
const STANDSTILL: Duration = Duration::from_secs(15);

/// When the end comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// When the child has said that it is ready.
    Ready,
    /// So long after `check` was started, whatever it has come to by then.
    After(Duration),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, end, mechanism) = (self.shape, self.end, self.mechanism);
        write!(f, "[{shape} | {end} | {mechanism}]")?;
        match self.moment {
            Moment::Ready => Ok(()),
            Moment::After(delay) => write!(f, " after {delay:?}"),
        }
    }
}

/// What one attempt came to.
enum Attempt {
    Played,
    /// The limit was over before the child was ready: that is another cell than the one meant.
    TooEarly,
}

impl Cell {
    /// Any cell, at any moment.
    pub fn at_random(dice: &mut Dice, mechanisms: &[Mechanism]) -> Self {
        loop {
            let cell = Self {
                shape: dice.one_of(SHAPES),
                end: *dice.one_of(ENDS),
                mechanism: *dice.one_of(mechanisms),
                moment: match dice.below(3) {
                    0 => Moment::Ready,
                    _ => Moment::After(dice.delay(YOUTH)),
                },
            };
            if cell.is_promised() {
                return cell;
            }
        }
    }

    /// Whether so much is promised. Nothing tells whose a process is that has left its session,
    /// dropped its environment and lost its parents once `check`, to whom it would have come, is
    /// dead, but its cgroup.
    pub fn is_promised(&self) -> bool {
        let unmarked = self.shape.program == "sheds_environment" && self.shape.word == "away";
        let untold = self.end.kills_check() && self.mechanism == Mechanism::ProcessGroup;
        !(unmarked && untold)
    }

    /// Plays it once. True where something was ended that would have lived on. What is wrong is
    /// said with the cell's name.
    pub fn play(&self) -> Result<bool, Fault> {
        let limits: &[u64] = match (self.end, self.moment) {
            (End::Timeout | End::RunTimeout, Moment::Ready) => &[300, 1500, 8000, 60_000],
            _ => &[1],
        };
        for &limit in limits {
            let attempt = self.attempt(Duration::from_millis(limit));
            if let Attempt::Played = attempt.map_err(|fault| fault.at(self))? {
                return Ok(self.end.kills());
            }
        }
        Err(Fault::new("the child is never ready").at(self))
    }

    fn attempt(&self, limit: Duration) -> Result<Attempt, Fault> {
        let limit = match self.moment {
            Moment::Ready => limit,
            Moment::After(delay) => delay.max(limit),
        };
        let mut scene = Scene::new(self, limit);
        let mut check = scene.start(self, limit);
        self.bring_about(&mut scene, &mut check)?;
        let exit = check.wait()?;
        // At once: whatever is alive now was alive when the verdict was said.
        let survivors = check.children();
        check.wait_for_silence()?;
        if self.end.kills_check() {
            return Ok(Attempt::Played);
        }
        if !survivors.is_empty() {
            let alive = format!("alive after the verdict: {}", names(&survivors));
            return Err(Fault::survivors(alive));
        }
        if self.moment == Moment::Ready && !scene.was_ready() {
            return Ok(Attempt::TooEarly);
        }
        let wrong = scene.compare(self, exit);
        if wrong.is_empty() {
            Ok(Attempt::Played)
        } else {
            Err(Fault::new(wrong.join("; ")))
        }
    }

    /// Lets the end come, at its moment.
    fn bring_about(&self, scene: &mut Scene, check: &mut Running) -> Result<(), Fault> {
        match self.moment {
            Moment::After(delay) => sleep(delay),
            Moment::Ready if matches!(self.end, End::Timeout | End::RunTimeout) => {}
            Moment::Ready => scene.wait_until_ready(self, check)?,
        }
        match self.end {
            End::Timeout | End::RunTimeout | End::OutputLimit => {}
            End::Interrupt(signal) => check.signal(signal),
            End::FailFast => scene.let_the_other_fail(),
            End::Killed => check.signal(Signal::SIGKILL),
            End::Interrupts => until("check hangs", HANG, || {
                check.signal(Signal::SIGINT);
                check.poll().is_some()
            })?,
            End::Natural => self.release(scene, check, true)?,
            End::LeaderLeaves => self.release(scene, check, false)?,
            End::KilledWhileSuspended => {
                suspend(check)?;
                check.signal(Signal::SIGKILL);
            }
            End::InterruptedWhileSuspended => {
                suspend(check)?;
                check.signal(Signal::SIGTERM);
                check.signal(Signal::SIGCONT);
            }
            End::Suspended => {
                suspend(check)?;
                check.signal(Signal::SIGCONT);
                self.release(scene, check, true)?;
            }
        }
        Ok(())
    }

    /// Lets the main process end by itself. One that stops itself has to have done so, or it would
    /// do so later, and nobody would be there to continue it.
    fn release(&self, scene: &mut Scene, check: &mut Running, together: bool) -> Result<(), Fault> {
        if self.shape.stops_itself() {
            scene.wait_until_ready(self, check)?;
        }
        scene.release(self, together);
        Ok(())
    }
}

/// Stops `check`, which has to stop all else before itself.
pub fn suspend(check: &Running) -> Result<(), Fault> {
    // Until it hears signals, one that no shell watches over is not stopped by this one.
    until("it does not hear SIGTSTP", HANG, || {
        processes::catches(check.pid(), Signal::SIGTSTP)
    })?;
    check.signal(Signal::SIGTSTP);
    let stopped = |pid| processes::state(pid) == Some('T');
    until("it does not stop", HANG, || stopped(check.pid()))?;
    let mut running = Vec::new();
    until("", STANDSTILL, || {
        running = check.children();
        running.retain(|process| !process.stands_still());
        running.is_empty()
    })
    .map_err(|_| Fault::new(format!("runs while check is stopped: {}", names(&running))))
}
