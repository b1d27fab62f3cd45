//! `go.mod`: a module's own three commands.

use super::family::{Command, Family, has_file};

/// Where a binary is thrown away. Without it `go build` writes the one of a module with a single
/// `main` package into the tree.
const NOWHERE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

pub(super) const FAMILY: Family = Family {
    file: "go.mod",
    one_at_a_time: false,
    streams: None,
    look: |root| {
        Ok(has_file(root, "go.mod").then(|| {
            vec![
                Command::new("test", &["go", "test", "./..."]),
                Command::new("lint", &["go", "vet", "./..."]),
                Command::new("typecheck", &["go", "build", "-o", NOWHERE, "./..."]),
            ]
        }))
    },
};
