//! The environment of a check: six keys, one more for an npm cache, and what the manifest names.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::go_dirs::GoDirs;
use super::{Caller, SearchPath};

/// The names that every check gets and no manifest may set.
pub const SIX_KEYS: [&str; 6] = [
    "PATH",
    "HOME",
    "GOCACHE",
    "GOLANGCI_LINT_CACHE",
    "GOMODCACHE",
    "SMITH_ANTHROPIC_API_KEY",
];

/// Programs that take their own source or output for ASCII where no locale says otherwise: Ruby,
/// the JVM, Erlang, Haskell, R.
const NEED_A_LOCALE: [&str; 38] = [
    "ruby",
    "rspec",
    "rake",
    "bundle",
    "bundler",
    "rails",
    "rubocop",
    "cucumber",
    "java",
    "javac",
    "javadoc",
    "mvn",
    "mvnw",
    "gradle",
    "gradlew",
    "ant",
    "sbt",
    "lein",
    "groovy",
    "kotlin",
    "kotlinc",
    "scala",
    "scalac",
    "scala-cli",
    "elixir",
    "elixirc",
    "mix",
    "iex",
    "erl",
    "rebar3",
    "ghc",
    "runghc",
    "cabal",
    "stack",
    "R",
    "Rscript",
    "clojure",
    "clj",
];

/// A check's environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// In order of name.
    pub vars: Vec<(OsString, OsString)>,
    /// Names of what was added to the six keys and the npm cache, or stands in place of one of
    /// them, in order.
    pub added: Vec<String>,
    /// Names in `pass_env` that the caller does not have.
    pub absent: Vec<String>,
}

/// What a check needs to say about its environment.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// As the manifest has it.
    pub executable: &'a str,
    /// Values to add.
    pub env: &'a BTreeMap<String, String>,
    /// Names to hand on.
    pub pass_env: &'a [String],
}

/// All of a check's environment that is the same for every check of a run, found once.
#[derive(Debug)]
pub struct Surroundings<'a> {
    caller: &'a Caller,
    path: SearchPath,
    /// What every check gets, but HOME and what is in [`Self::in_home`].
    same: BTreeMap<OsString, OsString>,
    /// Names of caches that are in the fresh home, for want of a real one.
    in_home: Vec<&'static str>,
    /// Where temporary files can be made, where a check would not find that out.
    temp: Option<OsString>,
}

impl<'a> Surroundings<'a> {
    /// What the checks of a run get of `caller`.
    pub fn new(caller: &'a Caller) -> Self {
        let path = SearchPath::new(caller.var("PATH").unwrap_or_default());
        let mut same: BTreeMap<OsString, OsString> = BTreeMap::new();
        let mut in_home = Vec::new();
        same.insert("PATH".into(), path.value().to_owned());
        let go = GoDirs::of(caller);
        for (name, dir) in [
            ("GOCACHE", go.build),
            ("GOLANGCI_LINT_CACHE", go.lint),
            ("GOMODCACHE", go.modules),
        ] {
            match dir {
                Some(dir) => _ = same.insert(name.into(), dir.into_os_string()),
                None => in_home.push(name),
            }
        }
        // Tools that look for a key find one that opens nothing.
        same.insert("SMITH_ANTHROPIC_API_KEY".into(), "dummy".into());
        if let Some(cache) = npm_cache(caller) {
            same.insert("NPM_CONFIG_CACHE".into(), cache);
        }
        Self {
            caller,
            path,
            same,
            in_home,
            temp: caller.needed_temp().map(PathBuf::into_os_string),
        }
    }

    /// The caller's PATH, cleaned.
    pub fn path(&self) -> &SearchPath {
        &self.path
    }

    /// The environment of one check, whose home is `home`.
    pub fn environment(&self, home: &Path, wanted: Wanted<'_>) -> Environment {
        let mut vars = self.same.clone();
        vars.insert("HOME".into(), home.as_os_str().to_owned());
        for &name in &self.in_home {
            // The tool's own place.
            let dir = home.join(".cache").join(name.to_ascii_lowercase());
            vars.insert(name.into(), dir.into_os_string());
        }
        let (added, absent) = self.added(wanted);
        let names = added.keys().map(|name| name.to_string_lossy().into_owned());
        let names = names.collect();
        vars.extend(added);
        Environment {
            vars: vars.into_iter().collect(),
            added: names,
            absent,
        }
    }

    /// What a check gets beyond that, each winning over the one before, and the names that it
    /// asked for in vain.
    fn added(&self, wanted: Wanted<'_>) -> (BTreeMap<OsString, OsString>, Vec<String>) {
        let mut added: BTreeMap<OsString, OsString> = BTreeMap::new();
        let mut absent = Vec::new();
        if let Some(temp) = &self.temp {
            added.insert("TMPDIR".into(), temp.clone());
        }
        if needs_locale(wanted.executable) {
            added.insert("LANG".into(), "C.UTF-8".into());
        }
        for name in wanted.pass_env {
            match self.caller.given(name) {
                Some(value) => {
                    added.insert(name.into(), value.to_owned());
                }
                None => absent.push(name.clone()),
            }
        }
        for (name, value) in wanted.env {
            added.insert(name.into(), value.into());
        }
        (added, absent)
    }
}

fn npm_cache(caller: &Caller) -> Option<OsString> {
    let set = ["NPM_CONFIG_CACHE", "npm_config_cache"]
        .into_iter()
        .find_map(|n| caller.var(n));
    set.map(OsStr::to_owned).or_else(|| {
        let default = caller.home()?.join(".npm");
        default.is_dir().then(|| default.into_os_string())
    })
}

fn needs_locale(executable: &str) -> bool {
    let name = Path::new(executable).file_name().unwrap_or_default();
    NEED_A_LOCALE.iter().any(|known| name == *known)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{Caller, Environment, Surroundings, Wanted};
    use std::collections::BTreeMap;
    use std::ffi::OsString;
    use std::path::Path;

    fn made(vars: &[(&str, &str)], executable: &str, pass: &[&str]) -> Environment {
        let pairs = [("PATH", "/bin")].iter().chain(vars);
        let pairs = pairs.map(|(k, v)| (OsString::from(k), OsString::from(v)));
        let caller = Caller::new(pairs.collect(), Some("/nonexistent/real".into()), 1000);
        let pass_env: Vec<String> = pass.iter().map(|&name| name.to_owned()).collect();
        let env = BTreeMap::from([("MODE".to_owned(), "x".to_owned())]);
        let env = if pass.is_empty() {
            BTreeMap::new()
        } else {
            env
        };
        let wanted = Wanted {
            executable,
            env: &env,
            pass_env: &pass_env,
        };
        Surroundings::new(&caller).environment(Path::new("/tmp/h"), wanted)
    }

    fn names(environment: &Environment) -> Vec<&str> {
        environment
            .vars
            .iter()
            .map(|(name, _)| name.to_str().unwrap())
            .collect()
    }

    #[test]
    fn six_keys_whatever_the_caller_has() {
        let dirty = [
            ("GIT_DIR", "/x"),
            ("TOKEN", "s"),
            ("CLAUDECODE", "1"),
            ("GOFLAGS", "-x"),
        ];
        let environment = made(&dirty, "go", &[]);
        assert_eq!(
            names(&environment),
            [
                "GOCACHE",
                "GOLANGCI_LINT_CACHE",
                "GOMODCACHE",
                "HOME",
                "PATH",
                "SMITH_ANTHROPIC_API_KEY"
            ]
        );
        assert_eq!(environment.vars[5].1, "dummy");
        assert_eq!(environment.vars[0].1, "/nonexistent/real/.cache/go-build");
        assert!(environment.added.is_empty());
    }

    #[test]
    fn a_seventh_only_with_an_npm_cache() {
        let environment = made(&[("npm_config_cache", "/n")], "npm", &[]);
        assert!(
            environment
                .vars
                .contains(&("NPM_CONFIG_CACHE".into(), "/n".into()))
        );
        assert!(environment.added.is_empty());
    }

    #[test]
    fn what_stands_in_place_of_a_key_is_named_too_and_an_empty_value_is_one() {
        let environment = made(
            &[("GOCACHE", "/own"), ("EMPTY", "")],
            "go",
            &["GOCACHE", "EMPTY"],
        );
        assert_eq!(environment.added, ["EMPTY", "GOCACHE", "MODE"]);
        assert!(environment.absent.is_empty());
        assert!(environment.vars.contains(&("EMPTY".into(), "".into())));
        assert!(
            environment
                .vars
                .contains(&("GOCACHE".into(), "/own".into()))
        );
    }

    #[test]
    fn what_the_manifest_adds_is_named() {
        let environment = made(&[("TOKEN", "s")], "go", &["TOKEN", "MISSING"]);
        assert_eq!(environment.added, ["MODE", "TOKEN"]);
        assert_eq!(environment.absent, ["MISSING"]);
        assert_eq!(made(&[], "/usr/bin/ruby", &[]).added, ["LANG"]);
    }
}
