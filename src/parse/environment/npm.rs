//! npm without its registry, or with a cache that lacks a package.

use memchr::memmem;

use crate::model::EnvironmentFailure;

use super::super::location::text;
use super::sign::Sign;

/// What npm is saying, over several lines.
#[derive(Debug, Default)]
pub(super) struct Npm {
    /// It said ENOTCACHED: the package follows.
    not_cached: bool,
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
        if !self.not_cached {
            return None;
        }
        let at = memmem::find(rest, b"request to ")?;
        let url = rest[at + 11..].split(|&b| b == b' ').next();
        let package = package_of(&text(url.unwrap_or_default()));
        self.not_cached = false;
        Some(Sign::Lacks(EnvironmentFailure {
            reason: format!("{package} is not in the npm cache; add it on the host and relaunch"),
            hint: None,
        }))
    }

    fn code(&mut self, code: &[u8], line: &[u8]) -> Option<Sign> {
        let relays = |code| Sign::Relays {
            words: text(line),
            code,
        };
        match code {
            b"127" => return Some(relays(127)),
            b"126" => return Some(relays(126)),
            _ => self.not_cached = code == b"ENOTCACHED",
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
            Sign::Lacks(EnvironmentFailure {
                reason: format!("the npm registry could not be reached ({})", text(code)),
                hint: Some("npm ci".to_owned()),
            })
        })
    }
}

/// The package of a registry's address: `https://registry.npmjs.org/@a%2fb` is `@a/b`.
fn package_of(url: &str) -> String {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.split_once('/').map_or(path, |(_, path)| path);
    let path = path.split("/-/").next().unwrap_or(path);
    path.replace("%2f", "/").replace("%2F", "/")
}
