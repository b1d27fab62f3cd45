//! A picture at the foot of the terminal, drawn over again and again.
//!
//! The cursor waits in an empty line above it. What is below is ours, whatever the terminal made
//! of it when it was resized, so clearing it takes no counting of lines. What is typed meanwhile
//! is echoed in the empty line, and what others write goes over the picture and stays. The cursor
//! is never hidden, so that a `check` that is killed leaves nothing to be put right.

use std::io::{self, IsTerminal as _, Write as _};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};

use super::frame::Size;
use super::tty::Tty;

/// Whether a picture stands on standard error.
static ON_STDERR: AtomicBool = AtomicBool::new(false);
/// A line that turns out wider than it was thought to be ends at the edge, and the picture keeps
/// its height: fonts and terminals do not agree on every character. See DECAWM in xterm's
/// control sequences.
const NO_WRAP: &str = "\x1b[?7l";
const WRAP: &str = "\x1b[?7h";

/// Takes away a picture that stands on standard error, so that something can be said there.
pub fn vanish() {
    if ON_STDERR.swap(false, Ordering::Relaxed) {
        // The library may hold a lock when a panic comes through here.
        let _ = write!(io::stderr().lock(), "{WRAP}\r\x1b[J");
    }
}

/// Where a picture is drawn; cleared when dropped.
pub struct Screen {
    tty: Tty,
    stands: &'static AtomicBool,
}

impl Screen {
    /// `None` where it cannot be drawn on. What a panic says from now on finds no picture.
    pub fn on_stderr() -> Option<Self> {
        let tty = Tty::on_stderr()?;
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            vanish();
            before(info);
        }));
        Some(Self {
            tty,
            stands: &ON_STDERR,
        })
    }

    /// What there is room for now.
    pub fn size(&self) -> Size {
        let (rows, columns) = self.tty.term().size();
        Size {
            columns: usize::from(columns),
            rows: usize::from(rows),
        }
    }

    /// Draws `lines` in place of what stands there. Nothing is drawn where somebody else is at
    /// the terminal, nor where it still has to take what was drawn before.
    pub fn draw(&mut self, lines: &[String]) {
        if !self.tty.is_ours() || !self.tty.send() {
            return;
        }
        self.stands.store(true, Ordering::Relaxed);
        // A terminal that went away is told of by a signal.
        let _ = self.put(lines);
        self.tty.send();
    }

    fn put(&self, lines: &[String]) -> io::Result<()> {
        let mut term = self.tty.term();
        term.clear_to_end_of_screen()?;
        write!(term, "{NO_WRAP}\r\n{}\r{WRAP}", lines.join("\r\n"))?;
        term.move_cursor_up(lines.len())
    }

    /// Leaves the terminal as if nothing had ever been drawn, but for what was scrolled away.
    pub fn clear(&mut self) {
        if !self.stands.load(Ordering::Relaxed) {
            return;
        }
        if !self.tty.is_ours() {
            // The line that the cursor is in is another's now.
            self.stands.store(false, Ordering::Relaxed);
            return;
        }
        let mut term = self.tty.term();
        let cleared = write!(term, "{WRAP}").and_then(|()| term.clear_to_end_of_screen());
        // Where it is not taken now, it still stands for whoever says something next.
        if cleared.is_err() || self.tty.send() {
            self.stands.store(false, Ordering::Relaxed);
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.clear();
        // Where the terminal is stopped, what is said on it next waits for it too.
        if io::stdout().is_terminal() {
            vanish();
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::{AtomicBool, Ordering, Screen, Tty, panic};
    use std::fs::File;
    use std::io::Read as _;

    const CLEARED: &str = "\x1b[?7h\r\x1b[0J";

    /// A screen, and what is sent to it.
    fn screen(stands: &'static AtomicBool) -> (Screen, File) {
        let pty = nix::pty::openpty(None, None).unwrap();
        let tty = Tty::new(File::from(pty.slave));
        (Screen { tty, stands }, File::from(pty.master))
    }

    /// All that was sent to a screen that is gone.
    fn sent(mut terminal: File) -> String {
        let mut bytes = Vec::new();
        // Linux says EIO where the last writer is gone.
        let _ = terminal.read_to_end(&mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_picture_is_drawn_over_and_goes_without_a_trace() {
        static STANDS: AtomicBool = AtomicBool::new(false);
        let (mut screen, terminal) = screen(&STANDS);
        screen.clear();
        screen.draw(&["one".to_owned(), "two".to_owned()]);
        screen.draw(&["three".to_owned()]);
        assert!(STANDS.load(Ordering::Relaxed));
        screen.clear();
        screen.clear();
        drop(screen);
        assert!(!STANDS.load(Ordering::Relaxed));
        let two = "\r\x1b[0J\x1b[?7l\r\none\r\ntwo\r\x1b[?7h\x1b[2A";
        let one = "\r\x1b[0J\x1b[?7l\r\nthree\r\x1b[?7h\x1b[1A";
        // The terminal makes each line feed a return and a line feed.
        let expected = format!("{two}{one}").replace('\n', "\r\n");
        assert_eq!(sent(terminal), format!("{expected}{CLEARED}"));
    }

    #[test]
    fn a_panic_leaves_no_picture() {
        static STANDS: AtomicBool = AtomicBool::new(false);
        let (mut screen, terminal) = screen(&STANDS);
        let caught = panic::catch_unwind(panic::AssertUnwindSafe(move || {
            screen.draw(&["one".to_owned()]);
            panic::resume_unwind(Box::new(()));
        }));
        assert!(caught.is_err() && !STANDS.load(Ordering::Relaxed));
        assert!(sent(terminal).ends_with(CLEARED));
    }

    #[test]
    fn a_terminal_that_went_away_is_no_error() {
        static STANDS: AtomicBool = AtomicBool::new(false);
        let (mut screen, terminal) = screen(&STANDS);
        drop(terminal);
        screen.draw(&["one".to_owned()]);
        screen.draw(&["two".to_owned()]);
        screen.clear();
        assert!(!STANDS.load(Ordering::Relaxed));
    }
}
