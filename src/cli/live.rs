//! What is said on standard error while checks run: on a terminal a picture of what runs, which
//! is gone before anything else is said; elsewhere a line after half a minute and then one a
//! minute. Where a run is over before that, nothing.
//!
//! `standing` keeps what is known of the run, `frame` and `heartbeat` put it into words, `beat`
//! says when: all without a clock or a terminal. `screen` and `tty` write.

mod beat;
mod frame;
mod heartbeat;
mod last_words;
mod screen;
mod standing;
mod tty;

use std::cell::RefCell;
use std::time::{Duration, Instant};

use crate::launch::Caller;
use crate::model::{CheckResult, CheckSpec};
use crate::run::{Entry, Progress};
use crate::text::Palette;

use self::beat::Beat;
use self::frame::{Look, frame};
use self::heartbeat::heartbeat;
use self::screen::Screen;
use self::standing::Standing;

use super::args::Color;
use super::say;
use super::terminal::Terminal;

pub use self::screen::vanish;

/// A run that is over by then is not shown: what only flashes up tells nobody anything.
const FIRST_FRAME: Duration = Duration::from_millis(200);
/// Often enough for a wheel that turns.
const FRAME: Duration = Duration::from_millis(100);
/// When whoever reads a log begins to wonder.
const FIRST_HEARTBEAT: Duration = Duration::from_secs(30);
/// More often than anything that takes silence for a hang.
const HEARTBEAT: Duration = Duration::from_mins(1);

/// Tells of a run on standard error. A picture is cleared when this is dropped.
pub struct Live {
    standing: RefCell<Standing>,
    beat: RefCell<Beat>,
    outlet: Outlet,
    look: Look,
}

enum Outlet {
    Screen(RefCell<Screen>),
    Lines(Box<dyn Fn(&str)>),
}

impl Live {
    /// As standard error and the caller's settings would have it.
    pub fn on_stderr(color: Color, caller: &Caller) -> Self {
        let terminal = Terminal::of_stderr(caller);
        let screen = terminal
            .can_be_drawn_on(caller)
            .then(Screen::on_stderr)
            .flatten();
        let (beat, outlet) = match screen {
            Some(screen) => (
                Beat::new(FIRST_FRAME, FRAME),
                Outlet::Screen(RefCell::new(screen)),
            ),
            None => (
                Beat::new(FIRST_HEARTBEAT, HEARTBEAT),
                Outlet::Lines(Box::new(say_if_heard)),
            ),
        };
        Self {
            standing: RefCell::default(),
            beat: RefCell::new(beat),
            outlet,
            look: Look {
                palette: Palette::new(terminal.colour(color, caller)),
                unicode: terminal.unicode,
            },
        }
    }
}

impl Progress for Live {
    fn began(&self, entries: &[Entry], now: Instant) {
        self.standing.borrow_mut().begin(entries, now);
        self.beat.borrow_mut().begin(now);
    }

    fn started(&self, check: &CheckSpec, now: Instant) {
        self.standing.borrow_mut().start(&check.id, now);
    }

    fn printed(&self, check: &CheckSpec, bytes: &[u8]) {
        self.standing.borrow_mut().hear(&check.id, bytes);
    }

    fn ended(&self, check: &CheckSpec, result: &CheckResult) {
        self.standing.borrow_mut().end(&check.id, result);
    }

    fn suspended(&self) {
        if let Outlet::Screen(screen) = &self.outlet {
            screen.borrow_mut().clear();
        }
    }

    fn next_tick(&self) -> Option<Instant> {
        self.beat.borrow().next()
    }

    fn tick(&self, now: Instant) {
        let standing = self.standing.borrow();
        match &self.outlet {
            Outlet::Screen(screen) => {
                let mut screen = screen.borrow_mut();
                let size = screen.size();
                screen.draw(&frame(&standing, size, self.look, now));
            }
            Outlet::Lines(say) => {
                if let Some(line) = heartbeat(&standing, self.look.unicode, now) {
                    say(&line);
                }
            }
        }
        self.beat.borrow_mut().ticked(now);
    }
}

/// Whoever does not read loses a line, and no check has to wait for that.
fn say_if_heard(line: &str) {
    if tty::stderr_takes_a_line() {
        say(line);
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Beat, Duration, Entry, FIRST_HEARTBEAT, HEARTBEAT, Instant, Live, Look, Outlet, Palette,
        Progress, RefCell,
    };
    use crate::model::{CheckId, CheckResult, CheckSpec, Status};
    use std::rc::Rc;

    /// A heart, and what it said.
    fn heart() -> (Live, Rc<RefCell<Vec<String>>>) {
        let said = Rc::new(RefCell::new(Vec::new()));
        let lines = Rc::clone(&said);
        let live = Live {
            standing: RefCell::default(),
            beat: RefCell::new(Beat::new(FIRST_HEARTBEAT, HEARTBEAT)),
            outlet: Outlet::Lines(Box::new(move |line| {
                lines.borrow_mut().push(line.to_owned());
            })),
            look: Look {
                palette: Palette::new(false),
                unicode: true,
            },
        };
        (live, said)
    }

    fn entry(id: &str) -> Entry {
        Entry {
            check: CheckSpec::new(CheckId::new(id).unwrap(), "true", Vec::new()),
            decided: None,
            look: None,
        }
    }

    /// As the session does: each tick when it is due, up to `seconds`.
    fn pass(live: &dyn Progress, begun: Instant, seconds: u64) {
        let until = begun + Duration::from_secs(seconds);
        while let Some(due) = live.next_tick().filter(|&due| due <= until) {
            live.tick(due);
        }
    }

    #[test]
    fn a_log_hears_of_a_run_after_half_a_minute_and_then_once_a_minute() {
        let entries = [entry("test"), entry("lint")];
        let (test, lint) = (&entries[0].check, &entries[1].check);
        let begun = Instant::now();
        let (live, said) = heart();
        let others: Vec<&dyn Progress> = vec![&live];
        assert_eq!(others.next_tick(), None, "nothing has begun");
        others.began(&entries, begun);
        others.started(test, begun);
        others.started(lint, begun);
        others.printed(test, b"ok  \ta\t1.0s\nok  \tb\t2.0s\n");
        pass(&others, begun, 29);
        assert!(said.borrow().is_empty());
        pass(&others, begun, 80);
        others.ended(lint, &CheckResult::new(lint, Status::Pass));
        pass(&others, begun, 100);
        others.suspended();
        pass(&others, begun, 155);
        others.ended(test, &CheckResult::new(test, Status::Fail));
        pass(&others, begun, 2000);
        assert_eq!(
            *said.borrow(),
            [
                "check: 0 of 2 done; test 30s: ok  b  2.0s; lint 30s",
                "check: 1 of 2 done; test 1m30s: ok  b  2.0s",
                "check: 1 of 2 done; test 2m30s: ok  b  2.0s",
            ]
        );
    }
}
