//! Package managers that could not get a package: those of Python, of JavaScript beside npm, and of the
//! JVM. Some say all of it in one line; of the others, what they wanted and why they did not get it
//! stand on different lines.

use memchr::memmem;

use crate::model::EnvironmentFailure;

use super::super::location::text;
use super::network::is_refused;
use super::sign::Sign;

/// Of pnpm to version 10, with a thin space: `ERR_PNPM_META_FETCH_FAIL  GET https://…: request to …`.
const PNPM: &[u8] = "\u{2009}ERR_PNPM_".as_bytes();
/// How many lines the reason of something may take.
const REASON: u8 = 12;

/// What they are saying, over several lines.
#[derive(Debug, Default)]
pub(super) struct Fetch {
    wanted: Option<Wanted>,
    /// pip was refused a connection, and tries again.
    pip_was_refused: bool,
}

/// What could not be had, until the reason shows whether the network was it.
#[derive(Debug)]
struct Wanted {
    package: String,
    step: &'static str,
    /// Lines in which the reason may stand.
    left: u8,
}

/// Whether a line that begins with neither a letter of lower case nor white space may say something.
pub(super) fn begins(line: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 9] = [
        b"ERROR: No matching ",
        b"Error: ERR_PNPM_",
        b"Exception in thread ",
        b"WARNING: Retrying ",
        b"All attempts to ",
        b"[ERROR] ",
        b"> Could not resolve ",
        "➤ YN0001: ".as_bytes(),
        PNPM,
    ];
    matches!(line.first(), Some(b'E' | b'W' | b'A' | b'[' | b'>' | 0xe2))
        && BEGINNINGS.iter().any(|start| line.starts_with(start))
}

impl Fetch {
    /// A reason may follow.
    pub(super) fn is_explaining(&self) -> bool {
        self.wanted.is_some()
    }

    /// A line for which [`begins`].
    pub(super) fn line(&mut self, line: &[u8]) -> Option<Sign> {
        match line[0] {
            b'W' => {
                self.pip_was_refused |= memmem::find(line, b"after connection broken by").is_some();
                None
            }
            b'E' if line.starts_with(b"ERROR: ") => self.pip(line),
            b'E' if line.starts_with(b"Error: ") => {
                self.want(String::new(), "pnpm install");
                None
            }
            // Gradle's wrapper gets Gradle itself.
            b'E' => memmem::find(line, b"UnknownHostException: services.gradle.org")
                .map(|_| unfetched("Gradle", "./gradlew --version")),
            b'A' => {
                // What follows is Poetry's own; others too may have tried all they could.
                self.want(String::new(), "poetry install");
                None
            }
            b'[' => maven(line),
            b'>' => {
                self.gradle(line);
                None
            }
            _ if line.starts_with(PNPM) => {
                is_refused(line).then(|| unfetched(&package_of(&text(line)), "pnpm install"))
            }
            _ => is_refused(line).then(|| unfetched("", "yarn install")),
        }
    }

    /// What stands after `error: `: of uv, bun and deno.
    pub(super) fn error(&mut self, words: &[u8]) -> Option<Sign> {
        let told = text(words);
        if told.starts_with("Request failed after ") || told.starts_with("Failed to fetch: ") {
            self.want(package_of(&told), "uv sync");
            return None;
        }
        if let Some((why, package)) = told.split_once(" downloading ")
            && why.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && let Some(package) = package
                .strip_prefix("tarball ")
                .or_else(|| package.strip_prefix("package manifest "))
        {
            return Some(unfetched(package, "bun install"));
        }
        if let Some(package) = told.strip_prefix("JSR package manifest for '")
            && let Some((package, rest)) = package.split_once('\'')
        {
            let load = rest.starts_with(" failed to load");
            return load.then(|| unfetched(package, "deno install"));
        }
        let imported = told.strip_prefix("Failed loading ");
        if let Some(url) = imported.or_else(|| told.strip_prefix("Import '")) {
            let url = url.split([' ', '\'']).next().unwrap_or_default();
            self.want(package_of(url), "deno install");
        }
        None
    }

    /// `error Error: getaddrinfo EAI_AGAIN registry.yarnpkg.com`, of yarn 1.
    pub(super) fn yarn(line: &[u8]) -> Option<Sign> {
        let its_own = memmem::find(line, b"registry").is_some();
        (its_own && is_refused(line)).then(|| unfetched(&package_of(&text(line)), "yarn install"))
    }

    /// `ERROR: No matching distribution found for six==1.16.0`; without a refusal before it, that
    /// package does not exist.
    fn pip(&mut self, line: &[u8]) -> Option<Sign> {
        let told = text(line);
        let package = told.strip_prefix("ERROR: No matching distribution found for ")?;
        let package = package.split(' ').next().unwrap_or(package);
        std::mem::take(&mut self.pip_was_refused).then(|| {
            let step = format!("pip install '{package}'");
            Sign::Unfetched(EnvironmentFailure {
                reason: reason(package),
                hint: Some(step),
                network: true,
            })
        })
    }

    /// `> Could not resolve junit:junit:4.13.2.`
    fn gradle(&mut self, line: &[u8]) {
        let told = text(line);
        let package = told.trim_start_matches("> Could not resolve ");
        if !package.starts_with("all ") {
            self.want(package.trim_end_matches('.').to_owned(), "gradle test");
        }
    }

    fn want(&mut self, package: String, step: &'static str) {
        self.wanted = Some(Wanted {
            package,
            step,
            left: REASON,
        });
    }

    /// A line after one that wanted something.
    pub(super) fn reason(&mut self, line: &[u8]) -> Option<Sign> {
        let wanted = self.wanted.as_mut()?;
        wanted.left -= 1;
        if wanted.package.is_empty() {
            wanted.package = package_of(&text(line));
        }
        let said = |words: &[u8]| memmem::find(line, words).is_some();
        let offline =
            said(b"available for offline mode") || said(b"cannot be resolved by your DNS");
        if offline || is_refused(line) {
            let sign = unfetched(&wanted.package, wanted.step);
            self.wanted = None;
            return Some(sign);
        }
        if wanted.left == 0 {
            self.wanted = None;
        }
        None
    }
}

/// `[ERROR] … Could not transfer artifact G:A:pom:V from/to central (…): Unknown host …`, or that it
/// was not there in offline mode.
fn maven(line: &[u8]) -> Option<Sign> {
    let told = text(line);
    let wanted = told.split_once("Could not transfer artifact ");
    let wanted = wanted.filter(|_| is_refused(line)).or_else(|| {
        told.split_once("in offline mode and the artifact ")
            .filter(|(_, rest)| rest.contains("has not been downloaded"))
    });
    let artifact = wanted?.1.split(' ').next()?;
    // Group, name, kind and version.
    let parts: Vec<&str> = artifact.split(':').collect();
    let named = match parts[..] {
        [group, name, _, version] => format!("{group}:{name}:{version}"),
        _ => artifact.to_owned(),
    };
    Some(unfetched(&named, "mvn test"))
}

fn unfetched(package: &str, step: &str) -> Sign {
    Sign::Unfetched(EnvironmentFailure {
        reason: reason(package),
        hint: Some(step.to_owned()),
        network: true,
    })
}

fn reason(package: &str) -> String {
    if package.is_empty() {
        "a package is not downloaded".to_owned()
    } else {
        format!("{package} is not downloaded")
    }
}

/// The package that the first address in `told` is about; empty where there is none.
/// `https://registry.npmjs.org/@a%2fb/-/b-1.tgz` is `@a/b`, `https://pypi.org/simple/six/` is `six`.
pub(super) fn package_of(told: &str) -> String {
    let Some((_, rest)) = told.split_once("https://") else {
        return String::new();
    };
    let end = rest.find([' ', '`', '\'', '"', ')']).unwrap_or(rest.len());
    let path = rest[..end].trim_end_matches([':', ',', '.', '/']);
    let Some((_, path)) = path.split_once('/') else {
        return String::new();
    };
    let path = path.strip_prefix("simple/").unwrap_or(path);
    let path = path.split("/-/").next().unwrap_or(path);
    path.replace("%2f", "/").replace("%2F", "/")
}
