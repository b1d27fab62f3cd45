//! Failures of the machine rather than of the tree, in the words of launchers and package
//! managers. They count only at the end of the output, and only where no parser found a row.

use memchr::memmem;

use crate::model::EnvironmentFailure;

use super::location::text;

/// How many other lines may follow such words.
const NEAR: u64 = 12;

/// Watches every line for them; almost all are dismissed by their first byte.
#[derive(Debug, Default)]
pub(super) struct Environment {
    lines: u64,
    /// What a shell said it did not find, and when.
    missing: Option<(String, u64)>,
    /// A launcher's own words, and when.
    relayed: Option<(EnvironmentFailure, u64)>,
    /// What could not be fetched: it counts wherever it stands.
    fetch: Option<EnvironmentFailure>,
    /// A crate that cargo could not get, until the reason shows whether the network was it.
    crate_name: Option<String>,
    /// The npm error code being explained.
    npm_code: Option<Npm>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Npm {
    NotCached,
    Network,
}

/// Folders that make says it enters and leaves.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Folder {
    Enter(String),
    Leave,
}

impl Environment {
    /// Reads one line.
    pub(super) fn line(&mut self, line: &[u8]) -> Option<Folder> {
        let first = *line.first()?;
        self.lines += 1;
        match first {
            b'm' | b'g' | b'n' if is_make(line) => return self.make(line),
            b'n' if line.starts_with(b"npm ") => self.npm(line),
            b'e' if line.starts_with(b"error: ") => self.cargo(&line[7..]),
            b' ' | b'C' if self.crate_name.is_some() => self.cargo_reason(line),
            b'g' if line.starts_with(b"go: ") => self.go(&line[4..]),
            // `x.go:3:8: module@version: Get "https://…": dial tcp: …`
            _ if first.is_ascii_alphanumeric()
                && (line.ends_with(b"GOPROXY=off") || memchr::memchr(b'@', line).is_some())
                && super::go::is_fetch_error(line) =>
            {
                self.go(line);
            }
            b's' | b'/' | b'b' | b'd' | b'z' => self.shell(line),
            _ => {}
        }
        None
    }

    /// `make: *** [Makefile:7: lint] Error 127`, `make[1]: Entering directory '/x'`.
    fn make(&mut self, line: &[u8]) -> Option<Folder> {
        let words = &line[memchr::memchr(b':', line)? + 1..];
        let words = words.trim_ascii();
        if let Some(folder) = words.strip_prefix(b"Entering directory ") {
            return Some(Folder::Enter(
                text(folder).trim_matches(['\'', '`', '"']).to_owned(),
            ));
        }
        if words.starts_with(b"Leaving directory ") {
            return Some(Folder::Leave);
        }
        let relays = words.starts_with(b"*** ")
            && (words.ends_with(b" Error 127") || words.ends_with(b" Error 126"));
        if relays {
            let code = if words.ends_with(b"7") { 127 } else { 126 };
            self.relay(&text(line), code);
        }
        None
    }

    fn relay(&mut self, words: &str, code: u32) {
        let missing = self
            .missing
            .take()
            .filter(|(_, at)| self.lines - at <= NEAR);
        let reason = match (missing, code) {
            (Some((program, _)), 127) => format!("{program} was not found ({words})"),
            (Some((program, _)), _) => format!("{program} cannot be executed ({words})"),
            (None, 127) => format!("a program was not found ({words})"),
            (None, _) => format!("a program cannot be executed ({words})"),
        };
        self.relayed = Some((EnvironmentFailure { reason, hint: None }, self.lines));
    }

    /// `sh: 1: eslint: not found`, `/bin/sh: line 1: x: command not found`, `bash: x: command not found`.
    fn shell(&mut self, line: &[u8]) {
        let Some(colon) = memchr::memchr(b':', line) else {
            return;
        };
        let shell = &line[..colon];
        let name = shell.rsplit(|&b| b == b'/').next().unwrap_or_default();
        if !matches!(name, b"sh" | b"bash" | b"dash" | b"zsh") {
            return;
        }
        let rest = text(line[colon + 1..].trim_ascii());
        let (body, found) = if let Some(body) = rest
            .strip_suffix(": not found")
            .or_else(|| rest.strip_suffix(": command not found"))
        {
            (body, true)
        } else if let Some(body) = rest.strip_suffix(": Permission denied") {
            (body, false)
        } else {
            return;
        };
        let program = body.rsplit(": ").next().unwrap_or(body).to_owned();
        let reason = if found {
            format!("{program} was not found")
        } else {
            format!("{program} cannot be executed")
        };
        let failure = EnvironmentFailure {
            reason: format!("{reason} ({})", text(line)),
            hint: None,
        };
        self.missing = Some((program, self.lines));
        self.relayed = Some((failure, self.lines));
    }

    fn npm(&mut self, line: &[u8]) {
        let Some(rest) = line
            .strip_prefix(b"npm error ")
            .or_else(|| line.strip_prefix(b"npm ERR! "))
        else {
            return;
        };
        if let Some(code) = rest.strip_prefix(b"code ") {
            match code {
                b"127" | b"126" => self.relay(&text(line), if code == b"127" { 127 } else { 126 }),
                b"ENOTCACHED" => self.npm_code = Some(Npm::NotCached),
                b"ENOTFOUND" | b"EAI_AGAIN" | b"ECONNREFUSED" | b"ETIMEDOUT" | b"ECONNRESET"
                | b"ENETUNREACH" => {
                    self.npm_code = Some(Npm::Network);
                }
                _ => self.npm_code = None,
            }
            if self.npm_code == Some(Npm::Network) {
                let reason = format!("the npm registry could not be reached ({})", text(code));
                let failure = EnvironmentFailure {
                    reason,
                    hint: Some("npm ci".to_owned()),
                };
                self.relayed = Some((failure, self.lines));
            }
        } else if self.npm_code == Some(Npm::NotCached) {
            let Some(at) = memmem::find(rest, b"request to ") else {
                return;
            };
            let url = text(
                rest[at + 11..]
                    .split(|&b| b == b' ')
                    .next()
                    .unwrap_or_default(),
            );
            let package = package_of(&url);
            let failure = EnvironmentFailure {
                reason: format!(
                    "{package} is not in the npm cache; add it on the host and relaunch"
                ),
                hint: None,
            };
            self.relayed = Some((failure, self.lines));
            self.npm_code = None;
        }
    }

    fn cargo(&mut self, words: &[u8]) {
        let words = text(words);
        let quoted = words
            .split(['`', '\''])
            .nth(1)
            .unwrap_or_default()
            .to_owned();
        if words.starts_with("no such command: ")
            || (words.contains("is not installed") && quoted.starts_with("cargo-"))
        {
            let name = quoted.strip_prefix("cargo-").unwrap_or(&quoted);
            let hint = match name {
                "clippy" => Some("rustup component add clippy".to_owned()),
                "fmt" => Some("rustup component add rustfmt".to_owned()),
                _ => None,
            };
            let failure = EnvironmentFailure {
                reason: format!("cargo {name} is not installed"),
                hint,
            };
            self.relayed = Some((failure, self.lines));
        } else if words.starts_with("failed to get `") || words.starts_with("failed to download `")
        {
            self.crate_name = quoted.split(' ').next().map(str::to_owned);
        } else if words.starts_with("failed to download from ")
            || words.starts_with("failed to load source")
        {
            self.crate_name = Some(String::new());
        }
        self.cargo_reason(words.as_bytes());
    }

    /// A crate is missing for want of the network where the reason says so.
    fn cargo_reason(&mut self, line: &[u8]) {
        const WORDS: [&[u8]; 8] = [
            b"--offline",
            b"resolve host",
            b"resolving timed out",
            b"Could not connect",
            b"Failed to connect",
            b"network failure",
            b"Couldn't connect",
            b"failed to download from `http",
        ];
        let network = WORDS.iter().any(|word| memmem::find(line, word).is_some());
        if let Some(name) = self.crate_name.take_if(|_| network) {
            let reason = if name.is_empty() {
                "the crates of this tree are not downloaded".to_owned()
            } else {
                format!("crate {name} is not downloaded")
            };
            self.fetch.get_or_insert(EnvironmentFailure {
                reason,
                hint: Some("cargo fetch".to_owned()),
            });
        }
    }

    fn go(&mut self, words: &[u8]) {
        if !super::go::is_fetch_error(words) {
            return;
        }
        let words = text(words);
        let module = words
            .split([' ', '\t'])
            .map(|word| word.trim_end_matches(':'))
            .find(|word| word.contains('@') && !word.contains("://"))
            .and_then(|word| word.split('@').next());
        let package = words
            .split_once("cannot find module providing package ")
            .map(|(_, rest)| rest);
        let package = package.and_then(|rest| rest.split([':', ' ']).next());
        let reason = match module.or(package).filter(|name| !name.is_empty()) {
            Some(name) => format!("module {name} is not downloaded"),
            None => "a module is not downloaded".to_owned(),
        };
        self.fetch.get_or_insert(EnvironmentFailure {
            reason,
            hint: Some("go mod download".to_owned()),
        });
    }

    /// What was seen, at the end of an output that has no row.
    pub(super) fn take(&mut self) -> Option<EnvironmentFailure> {
        let near = self
            .relayed
            .take()
            .filter(|(_, at)| self.lines - at <= NEAR);
        self.fetch.take().or(near.map(|(failure, _)| failure))
    }
}

/// `make:`, `make[1]:`, `gmake:`, `ninja:`.
fn is_make(line: &[u8]) -> bool {
    let name = line.iter().take_while(|b| b.is_ascii_lowercase()).count();
    matches!(&line[..name], b"make" | b"gmake" | b"ninja")
        && matches!(line.get(name), Some(b':' | b'['))
}

/// The package of a registry's address: `https://registry.npmjs.org/@a%2fb` is `@a/b`.
fn package_of(url: &str) -> String {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.split_once('/').map_or(path, |(_, path)| path);
    let path = path.split("/-/").next().unwrap_or(path);
    path.replace("%2f", "/").replace("%2F", "/")
}

#[cfg(test)]
mod tests {
    use super::{Environment, Folder};

    fn reason(lines: &[&str]) -> Option<String> {
        let mut environment = Environment::default();
        for line in lines {
            environment.line(line.as_bytes());
        }
        environment.take().map(|failure| failure.reason)
    }

    #[test]
    fn a_launchers_last_lines_are_believed() {
        assert_eq!(
            reason(&[
                "go vet ./...",
                "sh: 1: eslint: not found",
                "make: *** [Makefile:3: lint] Error 127"
            ]),
            Some("eslint was not found (make: *** [Makefile:3: lint] Error 127)".to_owned())
        );
        assert_eq!(
            reason(&[
                "npm error code ENOTCACHED",
                "npm error request to https://registry.npmjs.org/@a%2fb failed: cache mode is 'only-if-cached' but no cached response is available."
            ]),
            Some("@a/b is not in the npm cache; add it on the host and relaunch".to_owned())
        );
        assert_eq!(
            reason(&["error: 'cargo-clippy' is not installed for the toolchain 'stable'."]),
            Some("cargo clippy is not installed".to_owned())
        );
        assert_eq!(
            reason(&["error: no such command: `nextest`"]),
            Some("cargo nextest is not installed".to_owned())
        );
    }

    #[test]
    fn the_same_words_earlier_or_of_others_change_nothing() {
        let mut early = vec!["sh: 1: eslint: not found"];
        early.extend(["more"; 13]);
        assert_eq!(reason(&early), None);
        assert_eq!(reason(&["make: *** [Makefile:3: lint] Error 2"]), None);
        assert_eq!(reason(&["api: users: not found"]), None);
        assert_eq!(
            reason(&["server: dial tcp 127.0.0.1:1: connection refused"]),
            None
        );
    }

    #[test]
    fn what_could_not_be_fetched_is_named() {
        assert_eq!(
            reason(&[
                "go: golang.org/x/text@v0.3.0: Get \"https://proxy.golang.org/x\": dial tcp: lookup proxy.golang.org: no such host"
            ]),
            Some("module golang.org/x/text is not downloaded".to_owned())
        );
        assert_eq!(
            reason(&[
                "main.go:3:8: golang.org/x/text@v0.3.0: Get \"https://proxy.golang.org/x\": dial tcp 1.2.3.4:443: connect: network is unreachable"
            ]),
            Some("module golang.org/x/text is not downloaded".to_owned())
        );
        assert_eq!(
            reason(&[
                "error: failed to get `serde` as a dependency of package `x v0.1.0 (/x)`",
                "",
                "Caused by:",
                "  download of config.json failed",
                "  [6] Could not resolve hostname (Could not resolve host: index.crates.io)"
            ]),
            Some("crate serde is not downloaded".to_owned())
        );
        assert_eq!(
            reason(&[
                "error: failed to get `serde` as a dependency of package `x`",
                "  no such folder"
            ]),
            None
        );
    }

    #[test]
    fn folders_are_followed() {
        let mut environment = Environment::default();
        assert_eq!(
            environment.line(b"make[1]: Entering directory '/srv/app/lib'"),
            Some(Folder::Enter("/srv/app/lib".to_owned()))
        );
        assert_eq!(
            environment.line(b"make[1]: Leaving directory '/srv/app/lib'"),
            Some(Folder::Leave)
        );
        assert_eq!(environment.line(b"makefile: x"), None);
    }
}
