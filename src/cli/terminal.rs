//! What the reader's terminals can show.

use std::io::{self, IsTerminal as _};

use console::Term;

use crate::launch::Caller;

use super::args::Color;

/// Facts of one of the two standard streams that people read.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Whether it is a terminal.
    pub tty: bool,
    /// Its columns, where it is one and says so.
    pub width: Option<usize>,
    /// Whether it takes more than ASCII.
    pub unicode: bool,
}

impl Terminal {
    /// Asks standard output, and the caller's locale.
    pub fn of_stdout(caller: &Caller) -> Self {
        Self::of(io::stdout().is_terminal(), Term::stdout, caller)
    }

    /// Asks standard error, and the caller's locale.
    pub fn of_stderr(caller: &Caller) -> Self {
        Self::of(io::stderr().is_terminal(), Term::stderr, caller)
    }

    fn of(is_terminal: bool, term: fn() -> Term, caller: &Caller) -> Self {
        let size = is_terminal.then(term).and_then(|term| term.size_checked());
        Self {
            tty: is_terminal,
            width: size.map(|(_, columns)| usize::from(columns)),
            unicode: unicode(caller),
        }
    }

    /// `--color`, then `NO_COLOR`, `CLICOLOR_FORCE` and `CLICOLOR`, then whether anybody would see
    /// it. See <https://no-color.org> and <https://bixense.com/clicolors>.
    pub fn colour(self, asked: Color, caller: &Caller) -> bool {
        let says = |name: &str| caller.var(name).map(|value| value != "0");
        match asked {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if caller.var("NO_COLOR").is_some() => false,
            Color::Auto if says("CLICOLOR_FORCE") == Some(true) => true,
            Color::Auto if says("CLICOLOR") == Some(false) => false,
            Color::Auto => self.tty && caller.var("TERM").is_none_or(|term| term != "dumb"),
        }
    }

    /// Whether it is one whose cursor can be moved. A terminal that Unix says nothing of is not
    /// known to have one.
    pub fn can_be_drawn_on(self, caller: &Caller) -> bool {
        let term = caller.var("TERM");
        self.tty && term.map_or(cfg!(windows), |term| term != "dumb")
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
        assert!(colour(true, Color::Auto, &[("CLICOLOR_FORCE", "0")]));
        assert!(!colour(true, Color::Auto, &[("CLICOLOR", "0")]));
        assert!(colour(true, Color::Auto, &[("CLICOLOR", "1")]));
        assert!(!colour(false, Color::Auto, &[("CLICOLOR", "1")]));
        let forced = [("CLICOLOR", "0"), ("CLICOLOR_FORCE", "1")];
        assert!(colour(false, Color::Auto, &forced));
        let both = [("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")];
        assert!(!colour(true, Color::Auto, &both));
        assert!(!colour(true, Color::Auto, &[("TERM", "dumb")]));
        let forced = [("TERM", "dumb"), ("CLICOLOR_FORCE", "1")];
        assert!(colour(true, Color::Auto, &forced));
        assert!(colour(false, Color::Always, &[("NO_COLOR", "1")]));
        assert!(!colour(true, Color::Never, &[("CLICOLOR_FORCE", "1")]));
    }

    #[test]
    fn a_picture_needs_a_terminal_with_a_cursor() {
        let drawn = |tty, vars: &[(&str, &str)]| {
            Terminal {
                tty,
                width: None,
                unicode: true,
            }
            .can_be_drawn_on(&caller(vars))
        };
        assert!(drawn(true, &[("TERM", "xterm")]));
        assert!(!drawn(false, &[("TERM", "xterm")]));
        assert!(!drawn(true, &[("TERM", "dumb")]));
        assert_eq!(drawn(true, &[]), cfg!(windows));
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
