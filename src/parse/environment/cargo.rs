//! cargo without one of its commands, or without a crate that only the network has.

use memchr::memmem;

use crate::model::EnvironmentFailure;

use super::super::location::text;
use super::network::is_refused;
use super::sign::Sign;

/// Words of a reason that make it the network's, beside those of everybody.
const OFFLINE: [&[u8]; 2] = [b"--offline", b"failed to download from `http"];

/// What cargo is saying, over several lines.
#[derive(Debug, Default)]
pub(super) struct Cargo {
    /// A crate that it could not get, until the reason shows whether the network was it; empty
    /// where that may be any.
    wanted: Option<String>,
}

impl Cargo {
    /// A reason may follow.
    pub(super) fn is_explaining(&self) -> bool {
        self.wanted.is_some()
    }

    /// What stands after `error: `.
    pub(super) fn error(&mut self, words: &[u8]) -> [Option<Sign>; 2] {
        let told = text(words);
        let quoted = told.split(['`', '\'']).nth(1).unwrap_or_default();
        let mut missing = None;
        if told.starts_with("no such command: ")
            || (told.contains("is not installed") && quoted.starts_with("cargo-"))
        {
            missing = Some(without_command(
                quoted.strip_prefix("cargo-").unwrap_or(quoted),
            ));
        } else if told.starts_with("no matching package named `")
            || told.starts_with("failed to get `")
            || told.starts_with("failed to download `")
        {
            self.wanted = quoted.split(' ').next().map(str::to_owned);
        } else if told.starts_with("failed to download from ")
            || told.starts_with("failed to load source")
        {
            self.wanted = Some(String::new());
        }
        [missing, self.reason(words)]
    }

    /// A crate is missing for want of the network where the reason says so.
    pub(super) fn reason(&mut self, line: &[u8]) -> Option<Sign> {
        let network = || {
            is_refused(line)
                || OFFLINE
                    .iter()
                    .any(|word| memmem::find(line, word).is_some())
        };
        let name = self.wanted.take_if(|_| network())?;
        let reason = if name.is_empty() {
            "the crates of this tree are not downloaded".to_owned()
        } else {
            format!("crate {name} is not downloaded")
        };
        Some(Sign::Unfetched(EnvironmentFailure {
            reason,
            hint: Some("cargo fetch".to_owned()),
            network: true,
        }))
    }
}

fn without_command(name: &str) -> Sign {
    let hint = match name {
        "clippy" => Some("rustup component add clippy".to_owned()),
        "fmt" => Some("rustup component add rustfmt".to_owned()),
        _ => None,
    };
    Sign::Lacks(EnvironmentFailure {
        reason: format!("cargo {name} is not installed"),
        hint,
        network: false,
    })
}
