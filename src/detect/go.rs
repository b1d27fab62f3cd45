//! `go.mod`: a module's own three commands.

use super::family::{Command, Family, Found};
use super::file::has_file;

const FILE: &str = "go.mod";

/// Where a binary is thrown away. Without it `go build` writes the one of a module with a single
/// `main` package into the tree.
const NOWHERE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

pub(super) const FAMILY: Family = Family {
    looked_for: FILE,
    targets: &["test", "lint", "typecheck"],
    one_at_a_time: false,
    streams: None,
    look: |root| {
        let commands = || {
            vec![
                Command::new("test", &["go", "test", "./..."]),
                Command::new("lint", &["go", "vet", "./..."]),
                Command::new("typecheck", &["go", "build", "-o", NOWHERE, "./..."]),
            ]
        };
        Ok(has_file(root, FILE).then(|| Found::new(FILE, commands())))
    },
};
