//! A kind of project, and the commands that one of it declares.

use std::path::Path;
use std::sync::Arc;

use super::DetectError;
use super::settings;
use crate::model::{CheckId, CheckIdError, CheckSpec, OutputSpec, Streams};

/// What is asked of a family: the commands that it declares in a root, `None` where it is not
/// there at all.
type Look = fn(&Path) -> Result<Option<Vec<Command>>, DetectError>;

/// One row of the table of families.
pub(super) struct Family {
    /// The file that it is known by.
    pub file: &'static str,
    /// Its checks share one folder that one of them locks, so they run one after another.
    pub one_at_a_time: bool,
    /// Its launcher spreads a fact over both streams, so they are read as one.
    pub streams: Option<Streams>,
    /// See [`Look`].
    pub look: Look,
}

/// A command that a family declares.
pub(super) struct Command {
    /// `test`, `lint`, `typecheck` or `check`.
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

    pub fn into_check(self, family: &Family) -> Result<CheckSpec, CheckIdError> {
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
            ..CheckSpec::new(CheckId::new(self.id)?, program, argv.collect())
        })
    }
}

/// Whether `root` has the file `name`; a link to one is one.
pub(super) fn has_file(root: &Path, name: &str) -> bool {
    root.join(name).is_file()
}
