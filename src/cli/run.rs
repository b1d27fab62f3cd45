//! `check` and `check run`: run the checks and say the verdict.

use std::io;

use crate::launch::Caller;
use crate::model::Verdict;
use crate::report;

use super::args::{BaselineArgs, BaselineCommand, RunArgs};
use super::judging;
use super::printing::Printer;
use super::ready::{Asked, NoRun};
use super::state::State;
use super::{End, commands, recording, say};

/// The file in the state folder that holds the last verdict.
pub const LAST: &str = "last.json";

/// Runs, keeps the verdict for `check last`, and says it.
pub fn run(args: &RunArgs, caller: &Caller) -> End {
    if args.update_baseline {
        let record = BaselineArgs {
            place: args.place.clone(),
            select: args.select.clone(),
            how: args.how.clone(),
            color: args.print.color,
        };
        return recording::baseline(&BaselineCommand::Record(record), caller);
    }
    let printer = match Printer::open(&args.print, caller) {
        Ok(printer) => printer.at(&args.place),
        Err(end) => return end,
    };
    let commands = commands();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let asked = Asked {
        selectors: &args.selectors,
        place: &args.place,
        select: &args.select,
        how: &args.how,
        with_baseline: !args.no_baseline,
        recording: false,
        with_tree: printer.for_programs,
        commands: &commands,
        live: (!args.print.quiet).then_some(args.print.color),
    };
    let judged = match judging::judge(asked, caller) {
        Ok(judged) => judged,
        Err(NoRun {
            verdict,
            interrupted,
        }) => {
            let end = printer.print(*verdict, None);
            return interrupted.map_or(end, |signal| End::Raise(signal.number));
        }
    };
    if let Some(state) = &judged.state
        && let Err(error) = keep(state, &judged.verdict)
    {
        say(&format!(
            "check: the verdict could not be kept for `check last`: {error}"
        ));
    }
    let end = printer.print(judged.verdict.clone(), judged.detected.as_ref());
    judged
        .interrupted
        .map_or(end, |signal| End::Raise(signal.number))
}

/// Puts the verdict where `check last` finds it.
pub fn keep(state: &State, verdict: &Verdict) -> io::Result<()> {
    let mut document = Vec::new();
    report::json(verdict, &mut document)?;
    state.folder.replace(LAST, &document)
}
