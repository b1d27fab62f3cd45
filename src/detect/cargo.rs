//! `Cargo.toml`: a package's or workspace's own three commands.

use super::family::{Command, Family, Found};
use super::file::has_file;

const FILE: &str = "Cargo.toml";

pub(super) const FAMILY: Family = Family {
    looked_for: FILE,
    targets: &["test", "lint", "typecheck"],
    one_at_a_time: true,
    streams: None,
    look: |root| {
        let commands = || {
            vec![
                Command::new("test", &["cargo", "test"]),
                Command::new("lint", &["cargo", "clippy", "--", "-D", "warnings"]),
                Command::new("typecheck", &["cargo", "check"]),
            ]
        };
        Ok(has_file(root, FILE).then(|| Found::new(FILE, commands())))
    },
};
