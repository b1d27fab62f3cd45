//! npm without its registry, or with a cache that lacks a package.

use memchr::memmem;

use crate::model::EnvironmentFailure;

use super::super::location::text;
use super::fetch::package_of;
use super::sign::Sign;

/// Why npm has not got a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// It asked nobody but its cache.
    NotCached,
    /// It reached nobody.
    Network,
}

/// What npm is saying, over several lines.
#[derive(Debug, Default)]
pub(super) struct Npm {
    /// It said why a package could not be had: which one follows.
    why: Option<Why>,
}

impl Npm {
    /// `npm error code ENOTCACHED`, `npm error request to https://… failed: …`.
    pub(super) fn line(&mut self, line: &[u8]) -> Option<Sign> {
        let rest = line
            .strip_prefix(b"npm error ")
            .or_else(|| line.strip_prefix(b"npm ERR! "))?;
        if let Some(code) = rest.strip_prefix(b"code ") {
            return self.code(code, line);
        }
        let why = self.why?;
        let at = memmem::find(rest, b"request to ")?;
        let package = package_of(&text(&rest[at..]));
        self.why = None;
        let failure = match why {
            Why::NotCached => EnvironmentFailure {
                reason: format!(
                    "{package} is not in the npm cache; add it on the host and relaunch"
                ),
                hint: None,
                network: true,
            },
            Why::Network => EnvironmentFailure {
                reason: format!("{package} is not downloaded"),
                hint: Some("npm ci".to_owned()),
                network: true,
            },
        };
        Some(Sign::Lacks(failure))
    }

    fn code(&mut self, code: &[u8], line: &[u8]) -> Option<Sign> {
        let relays = |code| Sign::Relays {
            words: text(line),
            code,
        };
        match code {
            b"127" => return Some(relays(127)),
            b"126" => return Some(relays(126)),
            b"ENOTCACHED" => self.why = Some(Why::NotCached),
            _ => self.why = None,
        }
        let network = matches!(
            code,
            b"ENOTFOUND"
                | b"EAI_AGAIN"
                | b"ECONNREFUSED"
                | b"ETIMEDOUT"
                | b"ECONNRESET"
                | b"ENETUNREACH"
        );
        network.then(|| {
            self.why = Some(Why::Network);
            Sign::Lacks(EnvironmentFailure {
                reason: format!("the npm registry could not be reached ({})", text(code)),
                hint: Some("npm ci".to_owned()),
                network: true,
            })
        })
    }
}
