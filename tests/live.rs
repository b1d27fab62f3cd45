//! What stands on standard error while checks run: in a real terminal emulator, on a bare
//! pseudo-terminal, and where there is none.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Project, has_tool, neutralise, text, wait_until};

/// Checks that wait here go on one by one.
struct Gate {
    path: PathBuf,
    pipe: File,
}

impl Gate {
    fn beside(project: &Project) -> Self {
        let path = project.root().parent().unwrap().join("gate");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        // Open for both, so that neither side waits for the other.
        let pipe = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(nix::libc::O_CLOEXEC)
            .open(&path)
            .unwrap();
        Self { path, pipe }
    }

    /// A check that runs `script` and waits here.
    fn check(&self, id: &str, script: &str) -> Value {
        let script = format!("{script}\nread line < {}", self.path.display());
        json!({ "id": id, "executable": "sh", "args": ["-c", script] })
    }

    fn let_go(&self, checks: usize) {
        (&self.pipe)
            .write_all("\n".repeat(checks).as_bytes())
            .unwrap();
    }
}

/// A shell in a terminal emulator. The server that draws it is one of its own.
struct Tmux {
    socket: PathBuf,
}

impl Tmux {
    fn in_project(project: &Project, columns: u16, rows: u16) -> Self {
        let temp = project.root().parent().unwrap();
        let tmux = Self {
            socket: temp.join("tmux"),
        };
        // What is typed is `check`, whose checks see the host's processes.
        let named = temp.join("bin/check");
        let program = env!("CARGO_BIN_EXE_check");
        std::fs::create_dir_all(temp.join("bin")).unwrap();
        std::fs::write(
            &named,
            format!("#!/bin/sh\nexec '{program}' \"$@\" --uncontained\n"),
        )
        .unwrap();
        std::fs::set_permissions(&named, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut command = tmux.command();
        neutralise(&mut command);
        command
            .env_remove("TMUX")
            .env("LANG", "C.UTF-8")
            .env("TMPDIR", temp)
            .env("PATH", format!("{}:{path}", temp.join("bin").display()))
            .env("PS1", "$ ")
            .args(["-u", "-f", "/dev/null", "new-session", "-d", "-x"])
            .args([columns.to_string(), "-y".to_owned(), rows.to_string()])
            .args(["sh", "-i"])
            .current_dir(project.root());
        assert!(command.status().unwrap().success());
        wait_until("a prompt", || tmux.at_prompt());
        tmux
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket).stdin(Stdio::null());
        command
    }

    fn ask<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, args: I) -> String {
        let output = self.command().args(args).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Types a line.
    fn enter(&self, line: &str) {
        self.ask(["send-keys", "-l", line]);
        self.ask(["send-keys", "Enter"]);
    }

    fn resize(&self, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.ask(["resize-window", "-x", &columns, "-y", &rows]);
    }

    /// What can be seen, without lines that are empty and what depends on the host.
    fn screen(&self) -> Vec<String> {
        let seen = self.ask(["capture-pane", "-p"]);
        let lines = seen.lines().map(str::trim_end);
        lines
            .filter(|line| !line.is_empty() && !line.contains("will run uncontained"))
            .map(str::to_owned)
            .collect()
    }

    /// Waits for a picture.
    #[track_caller]
    fn shows(&self, drawn: &[&str]) {
        let give_up = Instant::now() + Duration::from_mins(1);
        while pictures(&self.screen()) != drawn {
            let late = Instant::now() > give_up;
            assert!(!late, "wanted {drawn:#?}\ngot {:#?}", self.screen());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until `check` is over.
    fn ends(&self) {
        wait_until("the prompt", || self.at_prompt());
    }

    fn at_prompt(&self) -> bool {
        // What was typed while `check` ran is read now, each line after a prompt of its own.
        let is_prompt = |line: &String| line.split(' ').all(|word| word == "$");
        self.screen().last().is_some_and(is_prompt)
    }

    /// Asserts that a person may go on typing, and sees nothing but reports.
    #[track_caller]
    fn is_whole(&self) {
        let screen = self.screen();
        assert!(pictures(&screen).is_empty(), "{screen:#?}");
        // The cursor shows, and long lines wrap.
        let state = self.ask(["display", "-p", "#{cursor_flag} #{wrap_flag}"]);
        assert_eq!(state.trim(), "1 1");
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command().arg("kill-server").output();
    }
}

/// The lines of pictures, of those that are there.
fn pictures(lines: &[String]) -> Vec<String> {
    let drawn = |line: &&String| {
        let wheel = |c: char| ('\u{2800}'..='\u{28ff}').contains(&c);
        line.contains(wheel) || line.contains(" done") || line.contains("… and ")
    };
    lines.iter().filter(drawn).map(|line| told(line)).collect()
}

/// A line of a picture without its wheel and its time: `test ok  tern/internal/wire  12.1s`.
fn told(line: &str) -> String {
    let Some(rest) = line
        .strip_prefix("  ")
        .filter(|rest| !rest.starts_with(' '))
    else {
        return line.trim().to_owned();
    };
    let words: Vec<&str> = rest.split_whitespace().skip(1).collect();
    let is_time = |word: &&&str| word.starts_with(char::is_numeric) && word.ends_with('s');
    let time = words.iter().position(|word| is_time(&word)).unwrap();
    [&words[..time], &words[time + 1..]].concat().join(" ")
}

/// Three checks, two of which wait at the gate.
fn three(gate: &Gate) -> Value {
    json!([
        gate.check("test", r"printf 'ok  \ttern/internal/wire\t12.1s\n'"),
        gate.check("lint", ""),
        { "id": "typecheck", "executable": "true" },
    ])
}

const THREE: [&str; 3] = ["test ok tern/internal/wire 12.1s", "lint", "1 of 3 done"];

#[test]
fn a_terminal_shows_what_runs_and_afterwards_the_report_alone() {
    if !has_tool("tmux") {
        return;
    }
    let project = Project::new().direct();
    let gate = Gate::beside(&project);
    project.checks(&three(&gate));
    let tmux = Tmux::in_project(&project, 80, 24);
    tmux.enter("check -j3");
    tmux.shows(&THREE);
    let screen = tmux.screen();
    assert_eq!(screen[0], "$ check -j3");
    assert_eq!(screen.len(), 4, "nothing else: {screen:#?}");
    gate.let_go(2);
    tmux.ends();
    tmux.is_whole();
    let screen = tmux.screen();
    assert_eq!(
        screen[1],
        format!("{}  harness.json", project.root().display()),
        "the report begins where the picture stood: {screen:#?}"
    );
    assert_eq!(screen[screen.len() - 2], "ok: 3 passed");
}

#[test]
fn a_terminal_may_be_resized_and_typed_in() {
    if !has_tool("tmux") {
        return;
    }
    let project = Project::new().direct();
    let gate = Gate::beside(&project);
    project.checks(&three(&gate));
    let tmux = Tmux::in_project(&project, 80, 24);
    tmux.enter("check -j3");
    tmux.shows(&THREE);
    for (columns, rows, drawn) in [
        (
            40,
            24,
            ["test ok tern/intern…", "lint", "1 of 3 done"].as_slice(),
        ),
        (24, 12, &["test", "lint", "1 of 3 done"]),
        (24, 4, &["… and 2 more", "1 of 3 done"]),
        (24, 2, &["1 of 3 done"]),
        (120, 30, &THREE),
    ] {
        tmux.resize(columns, rows);
        tmux.shows(drawn);
    }
    // A person who wonders whether it hangs.
    let cursor = || -> u16 {
        let row = tmux.ask(["display", "-p", "#{cursor_y}"]);
        row.trim().parse().unwrap()
    };
    let above = cursor();
    tmux.enter("");
    wait_until("the line end", || cursor() > above);
    let before = tmux.screen();
    wait_until("the wheel", || tmux.screen() != before);
    tmux.shows(&THREE);
    gate.let_go(2);
    tmux.ends();
    tmux.is_whole();
}

#[test]
fn more_checks_than_rows_are_counted_and_one_that_failed_is_told_early() {
    if !has_tool("tmux") {
        return;
    }
    let project = Project::new().direct();
    let gate = Gate::beside(&project);
    let mut checks: Vec<Value> = (1..=12).map(|n| gate.check(&format!("c{n}"), "")).collect();
    checks.push(json!({ "id": "bad", "executable": "false" }));
    project.checks(&Value::Array(checks));
    let tmux = Tmux::in_project(&project, 24, 8);
    tmux.enter("check -j13");
    let drawn = ["c1", "c2", "c3", "c4", "… and 8 more", "1 of 13 done, 1 f…"];
    tmux.shows(&drawn);
    gate.let_go(12);
    tmux.ends();
    tmux.is_whole();
}

#[test]
fn an_interrupt_leaves_the_terminal_whole() {
    if !has_tool("tmux") {
        return;
    }
    let project = Project::new().direct();
    let gate = Gate::beside(&project);
    project.checks(&three(&gate));
    let tmux = Tmux::in_project(&project, 80, 24);
    tmux.enter("check -j3");
    tmux.shows(&THREE);
    tmux.ask(["send-keys", "C-c"]);
    tmux.ends();
    tmux.is_whole();
    let screen = tmux.screen();
    let verdict = "no verdict: interrupted by SIGINT".to_owned();
    assert!(screen.contains(&verdict), "{screen:#?}");
}

#[test]
fn a_stopped_run_leaves_the_terminal_to_the_shell_and_draws_again_in_front() {
    if !has_tool("tmux") {
        return;
    }
    let project = Project::new().direct();
    let gate = Gate::beside(&project);
    project.checks(&three(&gate));
    let tmux = Tmux::in_project(&project, 80, 24);
    tmux.enter("check -j3");
    tmux.shows(&THREE);
    tmux.ask(["send-keys", "C-z"]);
    tmux.ends();
    tmux.is_whole();
    tmux.enter("echo typed");
    wait_until("the echo", || tmux.screen().contains(&"typed".to_owned()));
    tmux.enter("fg");
    tmux.shows(&THREE);
    assert!(tmux.screen().contains(&"typed".to_owned()), "drawn over");
    gate.let_go(2);
    tmux.ends();
    tmux.is_whole();
    assert!(tmux.screen().contains(&"ok: 3 passed".to_owned()));
}

#[test]
fn a_run_in_the_background_draws_over_nobody() {
    if !has_tool("tmux") {
        return;
    }
    let project = Project::new().direct();
    let gate = Gate::beside(&project);
    // Longer than a picture is put off, and told by a file.
    let seen = project.root().parent().unwrap().join("seen");
    let slow = format!("sleep 0.5; : > {}", seen.display());
    project.checks(&json!([gate.check("slow", &slow)]));
    let tmux = Tmux::in_project(&project, 80, 24);
    tmux.enter("check &");
    wait_until("the check", || seen.exists());
    let screen = tmux.screen();
    assert!(pictures(&screen).is_empty(), "{screen:#?}");
    tmux.enter("fg");
    let drawn = ["slow", "0 of 1 done"];
    tmux.shows(&drawn);
    gate.let_go(1);
    tmux.ends();
    tmux.is_whole();
}

/// What one of `check`'s streams showed on a pseudo-terminal, and the other to whom it was piped.
struct OnTerminal {
    terminal: String,
    piped: String,
}

/// Runs `command` with standard error on a terminal, and standard output piped.
fn stderr_on_terminal(command: &mut Command) -> OnTerminal {
    let pty = nix::pty::openpty(None, None).unwrap();
    command.stderr(pty.slave).stdout(Stdio::piped());
    on_terminal(command, pty.master.into())
}

fn on_terminal(command: &mut Command, mut master: File) -> OnTerminal {
    let mut child = command.spawn().unwrap();
    // The command holds the other end open as long as it lives.
    command.stderr(Stdio::null()).stdout(Stdio::null());
    let mut terminal = Vec::new();
    // Linux says EIO where the last writer is gone.
    let _ = master.read_to_end(&mut terminal);
    let mut piped = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_string(&mut piped).unwrap();
    }
    if let Some(mut stderr) = child.stderr.take() {
        stderr.read_to_string(&mut piped).unwrap();
    }
    child.wait().unwrap();
    OnTerminal {
        terminal: text(&terminal),
        piped,
    }
}

/// Longer than a picture is put off.
fn slow() -> Project {
    let project = Project::new().direct();
    project.check("slow", &["sh", "-c", "echo ünder way; sleep 0.5"]);
    project
}

fn terminal_command(project: &Project, args: &[&str]) -> Command {
    let mut command = project.command(args);
    command.env("TERM", "xterm").env("LANG", "C.UTF-8");
    command
}

#[test]
fn the_picture_is_for_whoever_sees_it_and_did_not_ask_for_quiet() {
    let project = slow();
    let run = |args: &[&str], name: &str, value: &str| {
        stderr_on_terminal(terminal_command(&project, args).env(name, value)).terminal
    };
    let drawn = "0 of 1 done";
    let seen = run(&[], "A", "b");
    assert!(
        seen.contains(drawn) && seen.contains("ünder way"),
        "{seen:?}"
    );
    assert!(seen.contains("\x1b[33m"), "in colour: {seen:?}");
    for (args, name, value) in [
        (["--color", "auto"], "NO_COLOR", "1"),
        (["--color", "never"], "CLICOLOR_FORCE", "1"),
        (["--color", "auto"], "CLICOLOR", "0"),
    ] {
        let seen = run(&args, name, value);
        assert!(seen.contains(drawn), "{seen:?}");
        let coloured = ["\x1b[3", "\x1b[2m", "\x1b[0m"]
            .iter()
            .any(|code| seen.contains(code));
        assert!(!coloured, "{name}: {seen:?}");
    }
    let ascii = run(&[], "LC_ALL", "C");
    assert!(ascii.is_ascii() && ascii.contains("?nder way"), "{ascii:?}");
    for seen in [run(&["-q"], "A", "b"), run(&[], "TERM", "dumb")] {
        assert!(!seen.contains(drawn) && !seen.contains('\x1b'), "{seen:?}");
    }
}

#[test]
fn a_document_on_standard_output_and_a_picture_on_standard_error_do_not_meet() {
    let project = slow();
    let ran = stderr_on_terminal(&mut terminal_command(&project, &["--json"]));
    assert!(ran.terminal.contains("0 of 1 done"));
    let verdict: Value = serde_json::from_str(&ran.piped).unwrap();
    assert_eq!(verdict["verdict"], "passed");

    let pty = nix::pty::openpty(None, None).unwrap();
    let mut command = terminal_command(&project, &["--color", "never"]);
    command.stdout(pty.slave).stderr(Stdio::piped());
    let ran = on_terminal(&mut command, pty.master.into());
    assert!(ran.terminal.contains("ok: 1 passed"));
    assert!(!ran.terminal.contains("0 of 1 done"), "{:?}", ran.terminal);
    assert!(
        !ran.piped.contains("0 of 1 done") && !ran.piped.contains('\x1b'),
        "{}",
        ran.piped
    );
}

#[test]
fn a_run_that_is_over_at_once_draws_nothing() {
    let project = Project::new().direct();
    project.check("quick", &["true"]);
    let seen = stderr_on_terminal(&mut terminal_command(&project, &[])).terminal;
    let others = seen
        .lines()
        .filter(|line| !line.contains("will run uncontained"));
    assert_eq!(others.count(), 0, "{seen:?}");
}

#[test]
fn recording_shows_what_runs_too() {
    let project = slow();
    let mut command = terminal_command(&project, &["baseline", "record"]);
    let ran = stderr_on_terminal(&mut command);
    assert!(ran.terminal.contains("0 of 1 done"), "{:?}", ran.terminal);
    assert!(ran.terminal.ends_with("\r\x1b[0J"), "{:?}", ran.terminal);
    assert!(
        ran.piped.starts_with("  slow  nothing to record"),
        "{}",
        ran.piped
    );
}
