//! `check baseline …`: runs the checks where that is needed, and hands what they came to to the
//! desk that records.

use std::io::{self, BufRead as _, IsTerminal as _, Write};
use std::time::SystemTime;

use crate::bar::ci_mark;
use crate::exit;
use crate::launch::Caller;
use crate::ratchet::Baselines;
use crate::report::{bad_manifest_verdict, usage_verdict};

use super::args::{BaselineArgs, BaselineCommand};
use super::baseline::{self, Desk, Run, Who};
use super::judging::{self, Judged};
use super::printing::Printer;
use super::ready::{self, Asked, NoRun, Unrun};
use super::select::{self, Wanted};
use super::state::State;
use super::{End, host, place, say};

/// Does what `command` says.
pub fn baseline(command: &BaselineCommand, caller: &Caller) -> End {
    let (BaselineCommand::Record(args)
    | BaselineCommand::Show(args)
    | BaselineCommand::Tighten(args)) = command;
    let done = whole_runs_only(args).and_then(|()| match command {
        BaselineCommand::Record(args) => record(args, caller),
        BaselineCommand::Show(args) => show(args, caller),
        BaselineCommand::Tighten(args) => tighten(args, caller),
    });
    match done {
        Ok(end) => end,
        Err(NotDone::NoRun(no)) => {
            let end = Printer::human(args.color, caller).print(*no.verdict, None);
            no.interrupted
                .map_or(end, |signal| End::Raise(signal.number))
        }
        // Whoever read it has seen enough.
        Err(NotDone::Unsaid(error)) if error.kind() == io::ErrorKind::BrokenPipe => End::Code(0),
        Err(NotDone::Unsaid(error)) => {
            say(&format!(
                "check: could not write to standard output: {error}"
            ));
            End::Code(exit::OPERATOR)
        }
    }
}

/// Why a command did not come to its end.
enum NotDone {
    /// Nothing could be run.
    NoRun(NoRun),
    /// What it had to say could not be written.
    Unsaid(io::Error),
}

impl From<NoRun> for NotDone {
    fn from(no: NoRun) -> Self {
        Self::NoRun(no)
    }
}

impl From<Unrun> for NotDone {
    fn from(verdict: Unrun) -> Self {
        Self::NoRun(verdict.into())
    }
}

impl From<io::Error> for NotDone {
    fn from(error: io::Error) -> Self {
        Self::Unsaid(error)
    }
}

/// A run that ends early leaves checks unjudged, of which nothing can be recorded.
fn whole_runs_only(args: &BaselineArgs) -> Result<(), NotDone> {
    if !args.how.fail_fast {
        return Ok(());
    }
    let reason = "--fail-fast leaves checks unjudged, and a baseline is made of judged ones";
    let verdict = usage_verdict(reason.to_owned(), Vec::new(), SystemTime::now());
    Err(NotDone::from(Box::new(verdict)))
}

fn record(args: &BaselineArgs, caller: &Caller) -> Result<End, NotDone> {
    let mut out = io::stdout().lock();
    let mut desk = Desk {
        who: who(args, caller),
        state: state(args, caller),
        at: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        command: command(args),
    };
    let Some(leave) = desk.open(&mut out)? else {
        return Ok(End::Code(exit::OPERATOR));
    };
    let judged = judging::judge(asked(args, true), caller)?;
    desk.state = judged
        .state
        .as_ref()
        .map(|state| state.folder.path().to_owned());
    let code = match &judged.moved {
        Some(moved) => desk.refuse_after(moved, &mut out)?,
        None => desk.record(&leave, run(&judged), &mut ask, &mut out)?,
    };
    Ok(end(code, &judged))
}

fn tighten(args: &BaselineArgs, caller: &Caller) -> Result<End, NotDone> {
    let judged = judging::judge(asked(args, false), caller)?;
    let mut out = io::stdout().lock();
    let code = match &judged.baselines {
        Some(baselines) => baseline::tighten(run(&judged), baselines, &mut out)?,
        None => exit::OPERATOR,
    };
    Ok(end(code, &judged))
}

fn show(args: &BaselineArgs, caller: &Caller) -> Result<End, NotDone> {
    let now = SystemTime::now();
    let host = host::facts(caller);
    let place = place::find(&args.place, caller, &host).map_err(|no| ready::no_place(no, now))?;
    let wanted = Wanted {
        selectors: &[],
        only: &args.select.only,
        skip: &args.select.skip,
    };
    let selection = select::select(place.checks, wanted, &[])
        .map_err(|word| Box::new(ready::unknown_word(&word, now)))?;
    let ids: Vec<_> = selection.chosen.into_iter().map(|check| check.id).collect();
    let baselines = Baselines::load(&place.root, &ids)
        .map_err(|problems| Box::new(bad_manifest_verdict(problems, now)))?;
    let code = baseline::show(&baselines, &ids, &mut io::stdout().lock())?;
    Ok(End::Code(code))
}

fn asked(args: &BaselineArgs, recording: bool) -> Asked<'_> {
    Asked {
        selectors: &[],
        place: &args.place,
        select: &args.select,
        how: &args.how,
        with_baseline: true,
        recording,
        with_tree: false,
        commands: &[],
        live: Some(args.color),
    }
}

fn run(judged: &Judged) -> Run<'_> {
    Run {
        root: &judged.root,
        checks: &judged.verdict.checks,
        accounts: &judged.accounts,
    }
}

fn end(code: u8, judged: &Judged) -> End {
    judged
        .interrupted
        .map_or(End::Code(code), |signal| End::Raise(signal.number))
}

fn who(args: &BaselineArgs, caller: &Caller) -> Who {
    let value = |name: &str| host::value(caller, name);
    Who {
        agent: ready::mark(&args.place, caller),
        ci: ci_mark(value),
        terminal: io::stdin().is_terminal() && io::stderr().is_terminal(),
    }
}

/// Where a refused attempt is logged, before anything is run.
fn state(args: &BaselineArgs, caller: &Caller) -> Option<std::path::PathBuf> {
    let (root, repository) = place::root(&args.place).ok()?;
    let state = State::open(&root, repository.as_ref(), caller)?;
    Some(state.folder.path().to_owned())
}

/// What a person would type for the same.
fn command(args: &BaselineArgs) -> String {
    let mut command = "check baseline record".to_owned();
    for (flag, ids) in [("--only", &args.select.only), ("--skip", &args.select.skip)] {
        if !ids.is_empty() {
            command.extend([" ", flag, " ", &ids.join(",")]);
        }
    }
    command
}

/// Asks on the terminal, where reports do not go.
fn ask(prompt: &str) -> io::Result<String> {
    write!(io::stderr().lock(), "{prompt}")?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line)
}
