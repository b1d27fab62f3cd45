//! The command line: the only place that knows everything.
//!
//! One file a command, and what they share: `ready` is all that comes before the first check,
//! `judging` runs and judges, `printing` says what came of it.

mod admission;
mod args;
mod assemble;
mod baseline;
mod clock;
mod doctor;
mod event_loop;
mod freshness;
mod holder;
mod host;
mod init;
mod judge;
mod judging;
mod last;
mod list;
mod live;
mod parse;
mod place;
mod printing;
mod ready;
mod recording;
mod remembered;
mod run;
mod schema;
mod select;
mod state;
mod terminal;
mod tree;
mod validate;

use std::io::{self, Write as _};
use std::panic;
use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::exit;
use crate::launch::Caller;

use self::args::{Cli, Command};

/// How a command ends this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// With a code.
    Code(u8),
    /// By the signal that interrupted it.
    Raise(i32),
}

/// Reads the arguments, does what they say, and gives the exit code.
pub fn main() -> ExitCode {
    exit::outlive_long_files();
    exit::hear_of_children();
    // A panic has unwound through everything that ends processes; it must not look like a
    // failure of the tree.
    match panic::catch_unwind(dispatch) {
        Ok(End::Code(code)) => ExitCode::from(code),
        Ok(End::Raise(signal)) => exit::reraise(signal),
        Err(_) => ExitCode::from(exit::OPERATOR),
    }
}

fn dispatch() -> End {
    let caller = Caller::current();
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => return printing::usage_error(&error, &caller),
    };
    match cli.command {
        None => run::run(&cli.run, &caller),
        Some(Command::Run(args)) => run::run(&args, &caller),
        Some(Command::Last(args)) => last::last(&args, &caller),
        Some(Command::List(args)) => list::list(&args, &caller),
        Some(Command::Init(args)) => init::init(&args, &caller),
        Some(Command::Validate(args)) => validate::validate(&args, &caller),
        Some(Command::Schema(args)) => schema::schema(&args),
        Some(Command::Baseline(command)) => recording::baseline(&command, &caller),
        Some(Command::Parse(args)) => parse_output(&args),
        Some(Command::Host(args)) => doctor::doctor(&args, &caller),
        Some(Command::Attempts(args)) => doctor::attempts::attempts(&args),
    }
}

fn parse_output(args: &parse::ParseArgs) -> End {
    match parse::run(args, io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => End::Code(0),
        // Whoever read it has seen enough.
        Err(error) if is_broken_pipe(&error) => End::Code(0),
        Err(error) => {
            say(&format!("check parse: {error:#}"));
            End::Code(exit::OPERATOR)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let cause = error.root_cause().downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The names of all commands, which a bare word may have been meant as.
fn commands() -> Vec<String> {
    Cli::command()
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(|command| command.get_name().to_owned())
        .collect()
}

/// An answer on standard output, and this code. Whoever stopped reading has seen enough; any
/// other failure is told.
fn answer(code: u8, write: impl FnOnce(&mut Answer<'_>) -> io::Result<()>) -> End {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say(&format!("check: cannot write the answer: {error}"));
            End::Code(exit::OPERATOR)
        }
        _ => End::Code(code),
    }
}

/// Where an answer goes.
type Answer<'o> = io::BufWriter<io::StdoutLock<'o>>;

/// A line on standard error. Nobody may be listening, which changes nothing.
fn say(line: &str) {
    live::vanish();
    let _ = writeln!(io::stderr().lock(), "{line}");
}
