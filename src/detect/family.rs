//! A kind of project, and the commands that one of it declares.

use std::path::Path;
use std::sync::Arc;

use super::DetectError;
use super::settings;
use crate::model::{CheckId, CheckIdError, CheckSpec, OutputSpec, Streams};

/// What a project calls everything that it is checked by; declared, it is the whole of it.
pub(super) const CHECK: &str = "check";

/// What is asked of a family: what of it is in a root, `None` where it is not there at all.
type Look = fn(&Path) -> Result<Option<Found>, DetectError>;

/// One row of the table of families.
pub(super) struct Family {
    /// What there would have to be, for people who have none of it.
    pub looked_for: &'static str,
    /// What one of it can declare, in the order of [`Found::commands`].
    pub targets: &'static [&'static str],
    /// Its checks share one folder that one of them locks, so they run one after another.
    pub one_at_a_time: bool,
    /// Its launcher spreads a fact over both streams, so they are read as one.
    pub streams: Option<Streams>,
    /// See [`Look`].
    pub look: Look,
}

/// What of a family is in a root.
pub(super) struct Found {
    /// The file that it was found by.
    pub file: String,
    /// What it declares, some of [`Family::targets`].
    pub commands: Vec<Command>,
    /// Why something that it declares cannot be run, each a sentence.
    pub notes: Vec<String>,
}

impl Found {
    /// `file` declares `commands`, and there is nothing to say about it.
    pub fn new(file: &str, commands: Vec<Command>) -> Self {
        Self {
            file: file.to_owned(),
            commands,
            notes: Vec::new(),
        }
    }

    pub fn targets(&self) -> Vec<String> {
        let ids = self.commands.iter().map(|command| command.id.to_owned());
        ids.collect()
    }

    /// What is run by default first.
    pub fn into_checks(self, family: &Family) -> Result<Vec<CheckSpec>, CheckIdError> {
        let whole = self.commands.iter().any(|command| command.id == CHECK);
        let (first, rest): (Vec<_>, Vec<_>) = self
            .commands
            .into_iter()
            .partition(|command| !whole || command.id == CHECK);
        let first = first.into_iter().map(|c| c.into_check(family, false));
        let rest = rest.into_iter().map(|c| c.into_check(family, true));
        first.chain(rest).collect()
    }
}

/// A command that a family declares.
pub(super) struct Command {
    /// `check`, `test`, `lint` or `typecheck`.
    pub id: &'static str,
    pub argv: Vec<String>,
}

impl Command {
    /// `argv`, program first, as the check `id`.
    pub fn new(id: &'static str, argv: &[&str]) -> Self {
        Self {
            id,
            argv: argv.iter().map(|&word| word.to_owned()).collect(),
        }
    }

    fn into_check(self, family: &Family, only_named: bool) -> Result<CheckSpec, CheckIdError> {
        let mut argv = self.argv.into_iter();
        let program = argv.next().unwrap_or_default();
        Ok(CheckSpec {
            output: OutputSpec {
                streams: family.streams,
                ..OutputSpec::default()
            },
            env: Arc::new(settings::env()),
            exclusive: family.one_at_a_time,
            detected: true,
            only_named,
            ..CheckSpec::new(CheckId::new(self.id)?, program, argv.collect())
        })
    }
}
