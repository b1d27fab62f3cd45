//! `go.mod`: a module's own three commands.

use super::family::{Command, Family, has_file};

pub(super) const FAMILY: Family = Family {
    file: "go.mod",
    one_at_a_time: false,
    streams: None,
    look: |root| {
        Ok(has_file(root, "go.mod").then(|| {
            vec![
                Command::new("test", &["go", "test", "./..."]),
                Command::new("lint", &["go", "vet", "./..."]),
                Command::new("typecheck", &["go", "build", "./..."]),
            ]
        }))
    },
};
