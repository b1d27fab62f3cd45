//! `Cargo.toml`: a package's or workspace's own three commands.

use super::family::{Command, Family, has_file};

pub(super) const FAMILY: Family = Family {
    file: "Cargo.toml",
    one_at_a_time: true,
    streams: None,
    look: |root| {
        Ok(has_file(root, "Cargo.toml").then(|| {
            vec![
                Command::new("test", &["cargo", "test"]),
                Command::new("lint", &["cargo", "clippy", "--", "-D", "warnings"]),
                Command::new("typecheck", &["cargo", "check"]),
            ]
        }))
    },
};
