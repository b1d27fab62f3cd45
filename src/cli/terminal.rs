//! What the reader's terminal can show.

use std::io::{self, IsTerminal as _};

use crate::launch::Caller;

use super::args::Color;

/// Facts of standard output.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Whether it is one.
    pub tty: bool,
    /// Its columns, where it is one and says so.
    pub width: Option<usize>,
    /// Whether it takes more than ASCII.
    pub unicode: bool,
}

impl Terminal {
    /// Asks standard output, and the caller's locale.
    pub fn of_stdout(caller: &Caller) -> Self {
        let is_terminal = io::stdout().is_terminal();
        Self {
            tty: is_terminal,
            width: if is_terminal { columns() } else { None },
            unicode: unicode(caller),
        }
    }

    /// `--color`, then `NO_COLOR`, then `CLICOLOR_FORCE`, then whether anybody would see it.
    pub fn colour(self, asked: Color, caller: &Caller) -> bool {
        match asked {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if caller.var("NO_COLOR").is_some() => false,
            Color::Auto
                if caller
                    .var("CLICOLOR_FORCE")
                    .is_some_and(|value| value != "0") =>
            {
                true
            }
            Color::Auto => self.tty && caller.var("TERM").is_none_or(|term| term != "dumb"),
        }
    }
}

/// The first of these that is set names the encoding; none of them set is taken for UTF-8, as
/// it is nearly everywhere, but for the C locale when it is named.
fn unicode(caller: &Caller) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| caller.var(name));
    locale.is_none_or(|locale| {
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

#[cfg(unix)]
fn columns() -> Option<usize> {
    use nix::libc;
    let mut size = std::mem::MaybeUninit::<libc::winsize>::uninit();
    // SAFETY: TIOCGWINSZ writes a winsize where it succeeds; see ioctl_tty(2).
    let asked = unsafe { libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, size.as_mut_ptr()) };
    if asked != 0 {
        return None;
    }
    // SAFETY: the call succeeded, so the size was written.
    let columns = usize::from(unsafe { size.assume_init() }.ws_col);
    (columns > 0).then_some(columns)
}

#[cfg(windows)]
fn columns() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::{Caller, Color, Terminal, unicode};
    use std::ffi::OsString;

    fn caller(vars: &[(&str, &str)]) -> Caller {
        let pairs = vars
            .iter()
            .map(|(k, v)| (OsString::from(k), OsString::from(v)));
        Caller::new(pairs.collect(), None, 0)
    }

    #[test]
    fn colour_is_for_those_who_see_it_and_those_who_ask() {
        let colour = |is_terminal, asked, vars: &[(&str, &str)]| {
            Terminal {
                tty: is_terminal,
                width: None,
                unicode: true,
            }
            .colour(asked, &caller(vars))
        };
        assert!(colour(true, Color::Auto, &[]));
        assert!(!colour(false, Color::Auto, &[]));
        assert!(!colour(true, Color::Auto, &[("NO_COLOR", "1")]));
        assert!(colour(true, Color::Auto, &[("NO_COLOR", "")]));
        assert!(colour(false, Color::Auto, &[("CLICOLOR_FORCE", "1")]));
        assert!(!colour(false, Color::Auto, &[("CLICOLOR_FORCE", "0")]));
        assert!(!colour(true, Color::Auto, &[("TERM", "dumb")]));
        assert!(colour(false, Color::Always, &[("NO_COLOR", "1")]));
        assert!(!colour(true, Color::Never, &[("CLICOLOR_FORCE", "1")]));
    }

    #[test]
    fn a_locale_that_is_not_utf_8_gets_ascii() {
        assert!(unicode(&caller(&[])));
        assert!(unicode(&caller(&[("LANG", "de_DE.UTF-8")])));
        assert!(!unicode(&caller(&[
            ("LANG", "de_DE.UTF-8"),
            ("LC_ALL", "C")
        ])));
        assert!(!unicode(&caller(&[("LANG", "de_DE.ISO-8859-1")])));
    }
}
