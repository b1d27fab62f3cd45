//! What `check` itself was given, read once at the start.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The caller's environment and place, as they were when `check` started.
#[derive(Debug, Clone)]
pub struct Caller {
    vars: BTreeMap<OsString, OsString>,
    home: Option<PathBuf>,
    temp: PathBuf,
    uid: u32,
}

impl Caller {
    /// Reads this process's own environment and user.
    pub fn current() -> Self {
        Self::new(std::env::vars_os().collect(), user_home(), own_uid())
    }

    /// A caller with these variables. `account_home` is what the user database says, used where
    /// HOME says nothing.
    pub fn new(
        vars: BTreeMap<OsString, OsString>,
        account_home: Option<PathBuf>,
        uid: u32,
    ) -> Self {
        let absolute = |name: &str| {
            vars.get(OsStr::new(name))
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = absolute("HOME").or(account_home);
        let temp = absolute("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp"));
        Self {
            vars,
            home,
            temp,
            uid,
        }
    }

    /// A variable, where it is set and not empty.
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        self.vars
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    /// A variable as it is to be handed on: an empty value is one too.
    pub fn given(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The names of all variables that are text and say something, in order.
    pub fn names(&self) -> Vec<String> {
        let set = self.vars.iter().filter(|(_, value)| !value.is_empty());
        set.filter_map(|(name, _)| name.to_str().map(str::to_owned))
            .collect()
    }

    /// A variable that holds an absolute path.
    pub fn path_var(&self, name: &str) -> Option<PathBuf> {
        self.var(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    }

    /// The real home.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Where temporary files go: an absolute `$TMPDIR`, else `/tmp`.
    pub fn temp(&self) -> &Path {
        &self.temp
    }

    /// TMPDIR, where the caller has it and temporary files cannot be made without it.
    pub fn needed_temp(&self) -> Option<PathBuf> {
        self.path_var("TMPDIR").filter(|_| !temp_is_writable())
    }

    /// The user's number; 0 on Windows.
    pub fn uid(&self) -> u32 {
        self.uid
    }
}

#[cfg(unix)]
fn user_home() -> Option<PathBuf> {
    if std::env::var_os("HOME").is_some_and(|home| Path::new(&home).is_absolute()) {
        // The user database may be slow to ask (it may be on the network).
        return None;
    }
    super::account::home_of(own_uid())
}

#[cfg(unix)]
fn own_uid() -> u32 {
    nix::unistd::getuid().as_raw()
}

#[cfg(unix)]
fn temp_is_writable() -> bool {
    use nix::unistd::{AccessFlags, access};
    access("/tmp", AccessFlags::W_OK | AccessFlags::X_OK).is_ok()
}

#[cfg(windows)]
fn temp_is_writable() -> bool {
    true
}

#[cfg(windows)]
fn user_home() -> Option<PathBuf> {
    std::env::var_os("USERPROFILE").map(PathBuf::from)
}

#[cfg(windows)]
fn own_uid() -> u32 {
    0
}
