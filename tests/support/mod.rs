//! What every end-to-end test is made with: a project in a folder of its own, and the real binary
//! run in it with nothing of the caller's session but its toolchains.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use harness_check::bar::{AGENT_MARKS, CI_MARKS};
use serde_json::Value;
use tempfile::TempDir;

/// Variables beside the marks of agents and CI that change what `check` or git does.
const NEUTRALISED: &[&str] = &[
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "RUST_BACKTRACE",
    "TMPDIR",
    "XDG_STATE_HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
];

/// Commands that know nothing of containment.
const LAUNCH_NOTHING: [&str; 7] = [
    "last", "list", "parse", "validate", "schema", "init", "--help",
];

/// A folder with a project in it; removed when dropped.
pub struct Project {
    dir: TempDir,
    root: PathBuf,
    /// Its checks run as `check` itself does.
    direct: bool,
}

impl Project {
    /// An empty git repository.
    pub fn new() -> Self {
        let project = Self::without_git();
        project.git(&["init", "-q", "-b", "main"]);
        project
    }

    /// An empty folder, outside any repository.
    pub fn without_git() -> Self {
        Self::without_git_in(&std::env::temp_dir())
    }

    /// As [`Project::without_git`], in another place than the temp folder.
    pub fn without_git_in(place: &Path) -> Self {
        let dir = TempDir::with_prefix_in("check-test-", place).unwrap();
        let root = dir.path().canonicalize().unwrap().join("tree");
        fs::create_dir(&root).unwrap();
        Self {
            dir,
            root,
            direct: false,
        }
    }

    /// Its checks run as `check` itself does: they see the host's process ids, and files beside
    /// the tree.
    pub fn direct(self) -> Self {
        Self {
            direct: true,
            ..self
        }
    }

    /// As [`Project::new`], holding a copy of a folder below `fixtures/`.
    pub fn from_fixture(path: &str) -> Self {
        let project = Self::new();
        copy_folder(&fixture(path), &project.root);
        project
    }

    /// Its folder: absolute, links resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A word that is in the path of this project and of no other.
    pub fn mark(&self) -> String {
        self.dir
            .path()
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    }

    /// A path inside it.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Writes a file, making the folders above it.
    pub fn write(&self, relative: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Writes an executable script.
    pub fn script(&self, relative: &str, text: &str) -> &Self {
        use std::os::unix::fs::PermissionsExt as _;
        self.write(relative, text);
        fs::set_permissions(self.path(relative), fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Replaces text in a file; it has to be there.
    pub fn edit(&self, relative: &str, from: &str, to: &str) -> &Self {
        let text = self.read(relative);
        assert!(text.contains(from), "{relative} does not hold {from:?}");
        self.write(relative, text.replace(from, to))
    }

    /// A file's text.
    pub fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).unwrap()
    }

    /// Writes a `harness.json` with these checks, each a JSON object without its braces' white
    /// space mattering.
    pub fn checks(&self, checks: &Value) -> &Self {
        let manifest = serde_json::json!({ "checks": checks });
        self.write(
            "harness.json",
            serde_json::to_string_pretty(&manifest).unwrap(),
        )
    }

    /// One check: `id` runs `argv`.
    pub fn check(&self, id: &str, argv: &[&str]) -> &Self {
        self.checks(&serde_json::json!([{ "id": id, "executable": argv[0], "args": &argv[1..] }]))
    }

    /// Inserts lines above everything else in a file.
    pub fn insert_above(&self, relative: &str, lines: &str) -> &Self {
        let text = self.read(relative);
        self.write(relative, format!("{lines}{text}"))
    }

    /// The files of the baseline with their text, in order of name.
    pub fn baseline(&self) -> Vec<(String, String)> {
        let Ok(entries) = fs::read_dir(self.path(".check/baseline")) else {
            return Vec::new();
        };
        let mut files: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .map(|name| (name.clone(), self.read(&format!(".check/baseline/{name}"))))
            .collect();
        files.sort();
        files
    }

    /// Runs git; it has to succeed.
    pub fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        neutralise(&mut command);
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .args([
                "-c",
                "user.name=test",
                "-c",
                "user.email=test@example.invalid",
            ])
            .args(args)
            .current_dir(&self.root);
        let output = command.output().expect("git has to be installed");
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            text(&output.stderr)
        );
        text(&output.stdout)
    }

    /// Commits everything.
    pub fn commit(&self) -> &Self {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "state"]);
        self
    }

    /// What `git status` shows, ignored files too.
    pub fn status(&self) -> String {
        self.git(&["status", "--porcelain", "--ignored"])
    }

    /// Runs `check` in the root.
    pub fn run<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, args: I) -> Ran {
        Ran::of(&self.command(args).output().unwrap())
    }

    /// Runs `check --report json`, and reads what it prints.
    pub fn json(&self, args: &[&str]) -> (i32, Value) {
        let ran = self.run(["--report", "json"].iter().chain(args));
        let value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| {
            panic!("{error}\nstdout: {}\nstderr: {}", ran.stdout, ran.stderr)
        });
        (ran.code, value)
    }

    /// The command that [`Project::run`] runs, to be changed first.
    pub fn command<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, args: I) -> Command {
        self.command_by(env!("CARGO_BIN_EXE_check"), args)
    }

    /// As [`Project::command`], of another program, which may be one that becomes `check`.
    pub fn command_by<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        args: I,
    ) -> Command {
        let mut command = Command::new(program);
        neutralise(&mut command);
        // Homes are made here, and go when the project does.
        command.env("TMPDIR", self.dir.path());
        let args: Vec<OsString> = args
            .into_iter()
            .map(|arg| arg.as_ref().to_owned())
            .collect();
        command.args(&args);
        let first = args
            .iter()
            .find(|arg| !arg.to_string_lossy().starts_with('-'));
        let launches = |word: &OsString| !LAUNCH_NOTHING.iter().any(|other| word == *other);
        if self.direct && first.is_none_or(launches) {
            command.arg("--uncontained");
        }
        command.current_dir(&self.root).stdin(Stdio::null());
        command
    }

    /// Starts `check` and goes on.
    pub fn spawn<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, args: I) -> Child {
        self.command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

/// What one run printed and returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The exit code; 128 + n where signal n ended it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    /// From what the standard library collected.
    pub fn of(output: &Output) -> Self {
        use std::os::unix::process::ExitStatusExt as _;
        let signal = || 128 + output.status.signal().unwrap();
        Self {
            code: output.status.code().unwrap_or_else(signal),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// The last line of standard output, which is the verdict.
    pub fn last_line(&self) -> &str {
        self.stdout.lines().last().unwrap_or_default()
    }

    /// Asserts the exit code and the verdict line.
    #[track_caller]
    pub fn expect(&self, code: i32, last_line: &str) -> &Self {
        assert!(
            self.code == code && self.last_line() == last_line,
            "wanted exit {code} and {last_line:?}\ngot exit {}\nstdout:\n{}\nstderr:\n{}",
            self.code,
            self.stdout,
            self.stderr
        );
        self
    }

    /// Asserts that standard output has a line that is `line` but for white space at its ends.
    #[track_caller]
    pub fn has(&self, line: &str) -> &Self {
        let found = self.stdout.lines().any(|l| l.trim() == line);
        assert!(found, "no line {line:?} in\n{}", self.stdout);
        self
    }

    /// Asserts that standard output does not hold `text`.
    #[track_caller]
    pub fn lacks(&self, text: &str) -> &Self {
        assert!(
            !self.stdout.contains(text),
            "{text:?} is in\n{}",
            self.stdout
        );
        self
    }
}

/// A path below `fixtures/`.
pub fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(path)
}

/// Whether a program is on PATH. Where it is not, whoever reads the tests' output is told; CI, which
/// installs what tests need, fails.
pub fn has_tool(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    assert!(
        found || std::env::var_os("CI").is_none(),
        "{name} is needed and is not on PATH"
    );
    if !found {
        not_tested(&format!("{name} is not on PATH"));
    }
    found
}

/// Whether `unshare` may be called with these flags, which make what it runs root in namespaces of
/// its own. As for [`has_tool`], CI has to have it.
pub fn can_unshare(flags: &[&str]) -> bool {
    if !has_tool("unshare") {
        return false;
    }
    let output = Command::new("unshare").args(flags).arg("true").output();
    let output = output.unwrap();
    let can = output.status.success();
    let why = format!("unshare {flags:?}: {}", text(&output.stderr));
    assert!(can || std::env::var_os("CI").is_none(), "{why}");
    if !can {
        not_tested(&why);
    }
    can
}

/// Whether the tests run as root.
pub fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// Says that something was left out, and why. Not by a macro, whose text a passing test keeps to
/// itself.
pub fn not_tested(why: &str) {
    let _ = writeln!(std::io::stderr(), "NOT TESTED: {why}");
}

/// Takes away what would let the caller's session change the outcome.
pub fn neutralise(command: &mut Command) {
    let marks = AGENT_MARKS.iter().chain(&CI_MARKS);
    for name in NEUTRALISED.iter().chain(marks) {
        command.env_remove(name);
    }
    for (name, _) in std::env::vars_os() {
        let shown = name.to_string_lossy();
        if shown.starts_with("GIT_") || shown.starts_with("CARGO") && shown != "CARGO_HOME" {
            command.env_remove(&name);
        }
    }
    // A shell that starts something in the background has it ignore Ctrl-C, and who is started so
    // hands that on.
    // SAFETY: only async-signal-safe calls between fork and exec.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(command, || {
            for signal in [
                nix::libc::SIGHUP,
                nix::libc::SIGINT,
                nix::libc::SIGQUIT,
                nix::libc::SIGTERM,
                nix::libc::SIGTSTP,
            ] {
                nix::libc::signal(signal, nix::libc::SIG_DFL);
            }
            Ok(())
        });
    }
}

/// Waits until `ready` holds; fails loudly after a generous while.
#[track_caller]
pub fn wait_until(what: &str, mut ready: impl FnMut() -> bool) {
    let give_up = Instant::now() + Duration::from_mins(1);
    while !ready() {
        assert!(Instant::now() < give_up, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether a process with this id exists and has not ended.
pub fn is_alive(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        let state = stat[stat.rfind(')').unwrap() + 1..]
            .split_whitespace()
            .next();
        !matches!(state, Some("Z" | "X"))
    })
}

/// The failures of the check `id` in a JSON verdict, as `path:line: test: message's first line`.
pub fn rows(verdict: &Value, id: &str) -> Vec<String> {
    let check = check_of(verdict, id);
    let failures = check["failures"].as_array().unwrap();
    failures
        .iter()
        .map(|row| {
            format!(
                "{}:{} {}",
                shown(&row["path"]),
                shown(&row["line"]),
                shown(&row["test"])
            )
        })
        .collect()
}

/// The entry of the check `id` in a JSON verdict.
pub fn check_of<'a>(verdict: &'a Value, id: &str) -> &'a Value {
    let checks = verdict["checks"].as_array().unwrap();
    checks
        .iter()
        .find(|check| check["id"] == id)
        .unwrap_or_else(|| panic!("no check {id}: {verdict}"))
}

fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Bytes as text, whatever they are.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Copies a folder and all that is in it but `target`.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_name() == "target" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
