//! How git is called: with nothing of the caller's `GIT_*`, and with nothing that would run.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The git program and the environment it gets.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    env: Vec<(OsString, OsString)>,
}

/// Settings of a repository or its user that would start a program, change what is printed, or
/// let a file that changed look as if it had not.
const SETTINGS: [&str; 9] = [
    "core.checkStat=default",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.trustctime=true",
    // A partial clone must not fetch what it lacks.
    "protocol.allow=never",
    "status.submoduleSummary=false",
    "status.relativePaths=false",
    "submodule.recurse=false",
];

/// Variables that do the same. History is what commits say, not what stands in for them here.
const VARIABLES: [(&str, &str); 7] = [
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_GRAFT_FILE", "/dev/null"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
];

impl Git {
    /// The first `git` on the `PATH` of `env`, which is the caller's environment. Entries that are
    /// not absolute do not count: a repository must not bring its own git.
    pub fn find(env: impl IntoIterator<Item = (OsString, OsString)>) -> Option<Self> {
        let env: Vec<(OsString, OsString)> = env.into_iter().collect();
        let path = env.iter().find(|(name, _)| is_named(name, "PATH"))?;
        let name = format!("git{}", std::env::consts::EXE_SUFFIX);
        let program = std::env::split_paths(&path.1)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(&name))
            .find(|program| program.is_file())?;
        Some(Self::new(program, env))
    }

    /// `program`, given what of `env` is not git's own.
    pub(super) fn new(
        program: PathBuf,
        env: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        let env = env.into_iter().filter(|(name, _)| !is_gits(name));
        Self {
            program,
            env: env.collect(),
        }
    }

    /// A command on the repository with this git folder and work tree. Naming both leaves nothing
    /// to be found, so neither `core.worktree` nor the owner of a folder changes what is read.
    pub(super) fn command(&self, git_dir: &Path, top: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .envs(VARIABLES)
            .current_dir(top)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .arg("--no-pager")
            .args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
        command.arg(option("--git-dir", git_dir));
        command.arg(option("--work-tree", top));
        command
    }
}

fn option(name: &str, value: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push("=");
    option.push(value);
    option
}

fn is_gits(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.get(..4).is_some_and(|start| same_name(start, "GIT_"))
}

fn is_named(name: &OsStr, wanted: &str) -> bool {
    name.to_str().is_some_and(|name| same_name(name, wanted))
}

/// Names of variables are one in any letter case on Windows.
fn same_name(one: &str, other: &str) -> bool {
    if cfg!(windows) {
        one.eq_ignore_ascii_case(other)
    } else {
        one == other
    }
}

/// Repositories for tests, made by a git that knows nothing of the caller.
#[cfg(test)]
pub(super) mod sandbox {
    use super::{Git, is_gits};
    use std::ffi::OsString;
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    pub(in crate::vcs) struct Sandbox {
        dir: tempfile::TempDir,
        path: PathBuf,
    }

    impl Sandbox {
        pub(in crate::vcs) fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().canonicalize().unwrap();
            fs::create_dir(path.join("none")).unwrap();
            Self { dir, path }
        }

        pub(in crate::vcs) fn path(&self) -> &Path {
            &self.path
        }

        /// The environment of a user who has set nothing up.
        pub(in crate::vcs) fn env(&self) -> Vec<(OsString, OsString)> {
            let home = self.dir.path().as_os_str().to_owned();
            let mut env: Vec<_> = std::env::vars_os()
                .filter(|(name, _)| !is_gits(name) && name != "HOME" && name != "XDG_CONFIG_HOME")
                .collect();
            env.push(("HOME".into(), home));
            env
        }

        pub(in crate::vcs) fn tool(&self) -> Git {
            Git::find(self.env()).expect("these tests need git on PATH")
        }

        pub(in crate::vcs) fn git(&self, cwd: &Path, args: &[&str]) -> String {
            let output = Command::new("git")
                .env_clear()
                .envs(self.env())
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
                .args(["-c", "commit.gpgSign=false", "-c", "core.autocrlf=false"])
                .args(args)
                .current_dir(cwd)
                .output()
                .unwrap();
            assert!(output.status.success(), "git {args:?}: {output:?}");
            String::from_utf8(output.stdout).unwrap()
        }

        pub(in crate::vcs) fn init(&self, name: &str) -> PathBuf {
            let top = self.path.join(name);
            fs::create_dir_all(&top).unwrap();
            self.git(&top, &["init", "-q"]);
            top
        }

        pub(in crate::vcs) fn commit(&self, top: &Path, name: &str, text: &str) {
            fs::write(top.join(name), text).unwrap();
            self.git(top, &["add", "-A"]);
            self.git(top, &["commit", "-q", "-m", name]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Git;
    use std::ffi::OsString;
    use std::fs;
    use std::path::Path;

    #[test]
    fn what_is_gits_own_stays_outside() {
        let env = [
            ("GIT_DIR", "/x"),
            ("GIT_CONFIG_COUNT", "1"),
            ("HOME", "/h"),
            ("GI", "1"),
        ];
        let git = Git::new("git".into(), env.map(|(n, v)| (n.into(), v.into())));
        let names: Vec<OsString> = git.env.iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(names, ["HOME", "GI"]);
        let command = git.command(Path::new("/r/.git"), Path::new("/r"));
        let given = |wanted: &str| {
            let mut envs = command.get_envs();
            envs.any(|(name, _)| name == wanted)
        };
        assert!(given("HOME") && !given("GIT_DIR") && !given("GIT_CONFIG_COUNT"));
    }

    #[test]
    fn a_git_that_the_working_directory_brings_is_not_found() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir
            .path()
            .join(format!("git{}", std::env::consts::EXE_SUFFIX));
        fs::write(&program, "").unwrap();
        let find = |path: OsString| Git::find([("PATH".into(), path)]);
        assert!(find("".into()).is_none());
        assert!(find("src/vcs:.".into()).is_none());
        let found = find(dir.path().as_os_str().to_owned()).unwrap();
        assert_eq!(found.program, program);
    }
}
