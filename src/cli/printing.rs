//! Where reports go and how they look, from flags and terminal.

use std::ffi::OsString;
use std::io;
use std::time::SystemTime;

use clap::error::ErrorKind;

use crate::exit;
use crate::launch::Caller;
use crate::model::Verdict;
use crate::report::{Detected, Format, SinkSpec, Sinks, Style, Verbosity, usage_verdict};
use crate::text::Palette;

use super::args::{Color, PlaceArgs, PrintArgs};
use super::terminal::Terminal;
use super::{End, say};

/// The reports that were asked for, open.
pub struct Printer<'a> {
    caller: &'a Caller,
    terminal: Terminal,
    colour: bool,
    verbosity: Verbosity,
    sinks: Sinks,
    /// Whether a program will read one of them.
    pub for_programs: bool,
    /// See [`Style::place`].
    place: Vec<String>,
}

impl<'a> Printer<'a> {
    /// Opens every sink. The error is a verdict already said.
    pub fn open(args: &PrintArgs, caller: &'a Caller) -> Result<Self, End> {
        let verbosity = match (args.verbose, args.quiet) {
            (true, _) => Verbosity::Verbose,
            (_, true) => Verbosity::Quiet,
            _ => Verbosity::Normal,
        };
        let asked = |sinks| Self::with(sinks, args.color, verbosity, caller);
        let json = args.json.then(|| "json".to_owned());
        let specs: Result<Vec<SinkSpec>, _> = args
            .report
            .iter()
            .cloned()
            .chain(json)
            .map(|value| value.parse())
            .collect();
        // However wrong the rest is, who asked for a document gets one.
        let for_json = args.json || args.report.iter().any(|value| value == Format::Json.name());
        let refused = |message: String| {
            let plain = Sinks::on_stdout(if for_json {
                Format::Json
            } else {
                Format::Human
            });
            let verdict = usage_verdict(message, Vec::new(), SystemTime::now());
            Err(asked(plain).print(verdict, None))
        };
        let specs = match specs {
            Ok(specs) => specs,
            Err(error) => return refused(error.to_string()),
        };
        let for_programs = specs.iter().any(|spec| spec.format == Format::Json);
        match Sinks::open(&specs, Format::Human) {
            Ok(sinks) => Ok(Self {
                for_programs,
                ..asked(sinks)
            }),
            Err(error) => refused(error.to_string()),
        }
    }

    /// A person's report on standard output.
    pub fn human(colour: Color, caller: &'a Caller) -> Self {
        Self::with(
            Sinks::on_stdout(Format::Human),
            colour,
            Verbosity::Normal,
            caller,
        )
    }

    fn with(sinks: Sinks, colour: Color, verbosity: Verbosity, caller: &'a Caller) -> Self {
        let terminal = Terminal::of_stdout(caller);
        let colour = terminal.colour(colour, caller);
        Self {
            caller,
            terminal,
            colour,
            verbosity,
            sinks,
            for_programs: false,
            place: Vec::new(),
        }
    }

    /// The same, for a tree and manifest that were found by these words.
    pub fn at(self, place: &PlaceArgs) -> Self {
        Self {
            place: place.words(),
            ..self
        }
    }

    /// Writes every report; gives the exit code that the verdict then has.
    pub fn print(self, verdict: Verdict, detected: Option<&Detected>) -> End {
        let style = Style {
            palette: Palette::new(self.colour),
            unicode: self.terminal.unicode,
            width: self.terminal.width,
            verbosity: self.verbosity,
            home: self.caller.home(),
            detected,
            place: &self.place,
        };
        let finished = self.sinks.finish(verdict, &style, &mut io::stdout().lock());
        for error in &finished.errors {
            say(&format!("check: {error}"));
        }
        End::Code(finished.verdict.exit_code)
    }
}

/// How an answer that is no verdict looks on standard output.
pub fn style(colour: Color, caller: &Caller) -> Style<'_> {
    let terminal = Terminal::of_stdout(caller);
    Style {
        palette: Palette::new(terminal.colour(colour, caller)),
        unicode: terminal.unicode,
        width: terminal.width,
        verbosity: Verbosity::Normal,
        home: caller.home(),
        detected: None,
        place: &[],
    }
}

/// What clap has to say: help and version are answers, anything else is a verdict of none. It is
/// a whole document where JSON was asked for, however wrong the rest is.
pub fn usage_error(error: &clap::Error, caller: &Caller) -> End {
    if !error.use_stderr() {
        // Nobody may be listening, which changes nothing.
        let _ = error.print();
        return End::Code(0);
    }
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim);
    let (message, mut hints) =
        if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            let words = lines
                .skip_while(|&line| line != "Commands:")
                .skip(1)
                .take_while(|line| !line.is_empty());
            let message = "this command takes another word".to_owned();
            (message, words.map(str::to_owned).collect::<Vec<_>>())
        } else {
            let first = lines.next().unwrap_or("bad usage");
            let message = first.strip_prefix("error: ").unwrap_or(first).to_owned();
            // Of the rest only what helps: clap's guess at what was meant, and what may stand there.
            let helps = |line: &&str| line.starts_with("tip: ") || line.starts_with('[');
            (message, lines.filter(helps).map(str::to_owned).collect())
        };
    hints.push("see what there is:  check --help".to_owned());
    let json = wants_json(std::env::args_os().skip(1));
    let sinks = Sinks::on_stdout(if json { Format::Json } else { Format::Human });
    let printer = Printer::with(sinks, Color::Auto, Verbosity::Normal, caller);
    let _ = printer.print(usage_verdict(message, hints, SystemTime::now()), None);
    End::Code(exit::OPERATOR)
}

/// Whether standard output was to have a JSON document.
fn wants_json(args: impl Iterator<Item = OsString>) -> bool {
    let args: Vec<_> = args.map(|arg| arg.to_string_lossy().into_owned()).collect();
    args.iter()
        .any(|arg| arg == "--json" || arg == "--report=json")
        || args
            .windows(2)
            .any(|pair| pair[0] == "--report" && pair[1] == "json")
}
