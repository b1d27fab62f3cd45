//! The hidden command that `check host` launches: tries, says what came of it, and ends.

use std::io::Write as _;

use crate::cli::args::AttemptsArgs;
use crate::cli::{End, answer};
use crate::contain::{Attempts, Targets};
use crate::exit;

/// Prints the attempts as a document.
pub fn attempts(args: &AttemptsArgs) -> End {
    let targets: Targets = match serde_json::from_str(&args.targets) {
        Ok(targets) => targets,
        Err(error) => {
            crate::cli::say(&format!("check {}: {error}", super::probe::COMMAND));
            return End::Code(exit::OPERATOR);
        }
    };
    let attempts = Attempts::make(&targets);
    answer(0, |out| {
        serde_json::to_writer(&mut *out, &attempts)?;
        writeln!(out)
    })
}
