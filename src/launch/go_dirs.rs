//! Where Go and golangci-lint would keep their caches under the real home, so that a check with a
//! home of its own still finds them warm.

use std::fs;
use std::path::PathBuf;

use super::Caller;

/// The three cache folders, each the caller's own or the tool's default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GoDirs {
    /// `GOCACHE`.
    pub build: Option<PathBuf>,
    /// `GOMODCACHE`.
    pub modules: Option<PathBuf>,
    /// `GOLANGCI_LINT_CACHE`.
    pub lint: Option<PathBuf>,
}

impl GoDirs {
    /// As `go env` would say for this caller: the variable, else the file that `go env -w`
    /// writes, else the default. See `go help environment`.
    pub fn of(caller: &Caller) -> Self {
        let cache = user_cache(caller);
        let written = WrittenByGo::read(caller);
        let set = |name: &str| caller.path_var(name).or_else(|| written.get(name));
        let go_path = || {
            // Only the first entry of GOPATH holds the module cache.
            let first = |list: PathBuf| std::env::split_paths(&list).next();
            set("GOPATH")
                .and_then(first)
                .or_else(|| caller.home().map(|home| home.join("go")))
        };
        Self {
            build: set("GOCACHE").or_else(|| cache.as_ref().map(|dir| dir.join("go-build"))),
            modules: set("GOMODCACHE")
                .or_else(|| go_path().map(|path| path.join("pkg").join("mod"))),
            lint: caller
                .path_var("GOLANGCI_LINT_CACHE")
                .or_else(|| cache.as_ref().map(|dir| dir.join("golangci-lint"))),
        }
    }
}

/// As Go's `os.UserCacheDir`.
fn user_cache(caller: &Caller) -> Option<PathBuf> {
    if cfg!(windows) {
        return caller.path_var("LocalAppData");
    }
    caller
        .path_var("XDG_CACHE_HOME")
        .or_else(|| caller.home().map(|home| home.join(".cache")))
}

/// The file that `go env -w` writes: lines of `NAME=value`.
struct WrittenByGo(String);

impl WrittenByGo {
    fn read(caller: &Caller) -> Self {
        let folder = if cfg!(windows) {
            caller.path_var("AppData")
        } else {
            caller
                .path_var("XDG_CONFIG_HOME")
                .or_else(|| caller.home().map(|home| home.join(".config")))
        };
        let file = caller
            .path_var("GOENV")
            .or_else(|| folder.map(|dir| dir.join("go").join("env")));
        Self(
            file.and_then(|file| fs::read_to_string(file).ok())
                .unwrap_or_default(),
        )
    }

    fn get(&self, name: &str) -> Option<PathBuf> {
        self.0
            .lines()
            .filter_map(|line| line.strip_prefix(name)?.strip_prefix('='))
            .map(PathBuf::from)
            .find(|path| path.is_absolute())
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{Caller, GoDirs};
    use std::ffi::OsString;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn dirs(home: &Path, vars: &[(&str, &str)]) -> GoDirs {
        let pairs = vars
            .iter()
            .map(|(k, v)| (OsString::from(k), OsString::from(v)));
        GoDirs::of(&Caller::new(pairs.collect(), Some(home.to_owned()), 1000))
    }

    #[test]
    fn variables_win_over_the_written_file_and_that_over_the_defaults() {
        let home = tempfile::tempdir().unwrap();
        let plain = dirs(home.path(), &[]);
        assert_eq!(plain.build, Some(home.path().join(".cache/go-build")));
        assert_eq!(plain.modules, Some(home.path().join("go/pkg/mod")));
        assert_eq!(plain.lint, Some(home.path().join(".cache/golangci-lint")));

        fs::create_dir_all(home.path().join(".config/go")).unwrap();
        fs::write(
            home.path().join(".config/go/env"),
            "GOFLAGS=-x\nGOCACHE=/w/cache\nGOPATH=/w/go\n",
        )
        .unwrap();
        let written = dirs(
            home.path(),
            &[("GOPATH", "/a:/b"), ("XDG_CACHE_HOME", "relative")],
        );
        assert_eq!(written.build, Some(PathBuf::from("/w/cache")));
        assert_eq!(written.modules, Some(PathBuf::from("/a/pkg/mod")));

        let set = dirs(home.path(), &[("GOMODCACHE", "/m"), ("GOCACHE", "/c")]);
        assert_eq!(
            (set.build, set.modules),
            (Some("/c".into()), Some("/m".into()))
        );
    }
}
