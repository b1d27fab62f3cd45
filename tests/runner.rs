//! What a check gets, and that nothing of it is left.

use std::fs;
use std::io::Read as _;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Project, Ran, check_of, fixture, has_tool, is_alive, wait_until};

#[test]
fn the_environment_is_six_keys_and_nothing_else() {
    let project = Project::new();
    project.checks(&json!([{ "id": "env", "executable": "env" }]));
    let home = tempfile::tempdir().unwrap();
    let environment = |with_npm: bool| {
        let mut command = project.command(["--report", "json"]);
        if with_npm {
            command.env("npm_config_cache", "/var/cache/npm");
        }
        command
            .env("HOME", home.path())
            .env("GIT_DIR", "/nonexistent")
            .env("GITHUB_TOKEN", "secret")
            .env("CLAUDECODE", "1")
            .env("NODE_TEST_CONTEXT", "child-v8")
            .env("SMITH_ANTHROPIC_API_KEY", "sk-real");
        let ran = Ran::of(&command.output().unwrap());
        assert_eq!(ran.code, 0, "{}", ran.stdout);
        let verdict: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let tail = check_of(&verdict, "env")["stdout_tail"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(tail.contains("SMITH_ANTHROPIC_API_KEY=dummy\n"), "{tail}");
        assert!(
            !tail.contains("secret") && !tail.contains("sk-real"),
            "{tail}"
        );
        let mut names: Vec<_> = tail
            .lines()
            .map(|line| line.split('=').next().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    let six = [
        "GOCACHE",
        "GOLANGCI_LINT_CACHE",
        "GOMODCACHE",
        "HOME",
        "PATH",
        "SMITH_ANTHROPIC_API_KEY",
    ];
    assert_eq!(environment(false), six);
    let mut seven = six.to_vec();
    seven.insert(4, "NPM_CONFIG_CACHE");
    assert_eq!(environment(true), seven);
}

#[test]
fn the_home_is_private_and_empty_before_and_after() {
    let project = Project::new().direct();
    project.check(
        "home",
        &[
            "sh",
            "-c",
            "pwd; echo $HOME; ls -A $HOME; stat -c %a $HOME; touch $HOME/left",
        ],
    );
    let real = tempfile::tempdir().unwrap();
    let run = || {
        let mut command = project.command(["--report", "json"]);
        command.env("HOME", real.path());
        // Each of these would link a toolchain into the home.
        for name in [
            "CARGO_HOME",
            "RUSTUP_HOME",
            "PYENV_ROOT",
            "NVM_DIR",
            "SDKMAN_DIR",
        ] {
            command.env_remove(name);
        }
        let ran = Ran::of(&command.output().unwrap());
        let verdict: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        check_of(&verdict, "home")["stdout_tail"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let first = run();
    let lines: Vec<_> = first.lines().collect();
    assert_eq!(lines[0], project.root().to_str().unwrap());
    let place = project.root().parent().unwrap().join("check-");
    assert!(lines[1].starts_with(place.to_str().unwrap()), "{first}");
    assert_eq!(lines[2..], [".gitconfig", "700"]);
    assert_eq!(fs::read_dir(lines[1]).unwrap().count(), 0);
    assert_eq!(
        run(),
        first,
        "the same home in every run, emptied in between"
    );
}

#[test]
fn added_variables_are_named_and_the_six_keys_stay() {
    let project = Project::new().direct();
    project.write(
        "harness.json",
        r#"{"checks_env": {"A": "all"}, "checks": [
            {"id": "env", "executable": "env", "env": {"B": "own"}, "pass_env": ["C", "ABSENT"]}]}"#,
    );
    let mut command = project.command(["--report", "json"]);
    command.env("C", "passed");
    let verdict: serde_json::Value =
        serde_json::from_str(&Ran::of(&command.output().unwrap()).stdout).unwrap();
    let check = check_of(&verdict, "env");
    assert_eq!(check["env"], json!(["A", "B", "C"]));
    let tail = check["stdout_tail"].as_str().unwrap();
    for line in ["A=all\n", "B=own\n", "C=passed\n"] {
        assert!(tail.contains(line), "{tail}");
    }
    assert!(check["notes"].to_string().contains("ABSENT"), "{check}");
}

#[test]
fn standard_input_is_empty_and_no_descriptor_is_inherited() {
    let project = Project::new().direct();
    project.check(
        "fds",
        &[
            "sh",
            "-c",
            "cat; ls /proc/self/fd; umask; cat /proc/self/status | grep -E 'Sig(Blk|Ign)'",
        ],
    );
    let mut command = project.command(["--report", "json"]);
    // A descriptor that is not close-on-exec, and an ignored signal, as a shell may hand them on.
    let inherited = fs::File::open("/dev/null").unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(&inherited);
    // SAFETY: only async-signal-safe calls between fork and exec.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(&mut command, move || {
            nix::libc::dup2(number, 9);
            nix::libc::signal(nix::libc::SIGUSR1, nix::libc::SIG_IGN);
            nix::libc::umask(0o077);
            Ok(())
        });
    }
    let verdict: serde_json::Value =
        serde_json::from_str(&Ran::of(&command.output().unwrap()).stdout).unwrap();
    let tail = check_of(&verdict, "fds")["stdout_tail"].as_str().unwrap();
    // ls itself opens the folder as 3.
    assert_eq!(
        tail,
        "0\n1\n2\n3\n0022\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"
    );
}

#[test]
fn a_daemon_that_left_the_session_and_ignores_term_is_named_and_gone_at_once() {
    if !has_tool("python3") {
        return;
    }
    for clean in [false, true] {
        let project = Project::new().direct();
        let script = fixture("children/daemon.py");
        let pid_file = project.path("daemon.pid");
        let mut argv = vec![
            "python3",
            script.to_str().unwrap(),
            pid_file.to_str().unwrap(),
        ];
        if clean {
            argv.push("clean");
        }
        project.check("test", &argv);
        let (code, verdict) = project.json(&[]);
        let pid: i32 = fs::read_to_string(&pid_file).unwrap().parse().unwrap();
        assert!(!is_alive(pid), "the daemon outlived the verdict");
        let check = check_of(&verdict, "test");
        assert_eq!((code, &check["status"]), (0, &json!("pass")));
        assert_eq!(check["leaks"][0]["pid"], pid);
        let human = project.run(["-v"]);
        let named = if clean { "sleep 600" } else { "daemon.py" };
        assert!(human.stdout.contains(named), "{}", human.stdout);
    }
}

#[test]
fn two_checks_at_once_are_each_told_their_own_daemon() {
    if !has_tool("python3") {
        return;
    }
    let project = Project::new().direct();
    let script = fixture("children/daemon.py");
    let check = |id: &str, other: &str| {
        let command = format!(
            "python3 {} {id}.pid; while [ ! -e {other}.pid ]; do sleep 0.01; done",
            script.display()
        );
        json!({ "id": id, "executable": "sh", "args": ["-c", command] })
    };
    project.checks(&json!([check("a", "b"), check("b", "a")]));
    let (code, verdict) = project.json(&["--jobs", "2"]);
    assert_eq!(code, 0);
    for id in ["a", "b"] {
        let pid: i32 = project.read(&format!("{id}.pid")).parse().unwrap();
        let leaks = check_of(&verdict, id)["leaks"].as_array().unwrap();
        assert_eq!((leaks.len(), &leaks[0]["pid"]), (1, &json!(pid)), "{id}");
        assert!(!is_alive(pid));
    }
}

#[test]
fn what_a_stranger_leaves_behind_is_not_touched() {
    let project = Project::new().direct();
    project.check(
        "test",
        &[
            "sh",
            "-c",
            "touch started; while [ ! -s pid ]; do sleep 0.01; done; sleep 600 &",
        ],
    );
    // A child from before the run, whose own child becomes an orphan, and ours, during it.
    let stranger = "while [ ! -e started ]; do sleep 0.01; done; \
                    setsid sleep 601 >/dev/null 2>&1 & echo $! > pid.part; mv pid.part pid";
    let script = format!("({stranger}) & exec \"$0\" --report json --uncontained");
    let mut shell = std::process::Command::new("sh");
    crate::support::neutralise(&mut shell);
    shell
        .args(["-c", &script, env!("CARGO_BIN_EXE_check")])
        .current_dir(project.root());
    let ran = Ran::of(&shell.output().unwrap());
    let verdict: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let orphan: i32 = project.read("pid").trim().parse().unwrap();
    assert!(is_alive(orphan), "{}", ran.stdout);
    kill(orphan, "KILL");
    let leaks = &check_of(&verdict, "test")["leaks"];
    assert_eq!(leaks.as_array().map(Vec::len), Some(1), "{leaks}");
    assert_eq!(leaks[0]["command"], "sleep 600");
}

#[test]
fn a_run_is_not_held_by_one_who_floods_a_pipe_that_is_not_his() {
    if !has_tool("python3") {
        return;
    }
    // The flooder drops its environment beside another check, so it is nobody's until the end.
    let project = Project::new().direct();
    let flood = "import os; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); \
                 open('flooding', 'w').close(); os.execve('/usr/bin/yes', ['yes'], {})";
    let leave = "python3 -c \"$0\"; while [ ! -e flooding ]; do sleep 0.01; done; touch left";
    project.checks(&json!([
        { "id": "floods", "executable": "sh", "args": ["-c", leave, flood] },
        { "id": "stays", "executable": "sh",
          "args": ["-c", "while [ ! -e left ]; do sleep 0.01; done; sleep 1"] },
    ]));
    let (code, verdict) = project.json(&["--jobs", "2", "--timeout", "1m"]);
    assert_eq!(code, 0, "{verdict}");
    let check = check_of(&verdict, "floods");
    if check["isolation"]["mechanism"] == "cgroup" {
        assert_eq!(check["leaks"][0]["command"], "yes", "{check}");
        return;
    }
    // The flood itself ends by SIGPIPE when nobody reads it any more, or with the run.
    let notes = check["notes"].to_string();
    assert!(notes.contains("holds its output open"), "{notes}");
}

#[test]
fn a_leak_fails_the_check_that_says_so() {
    let project = Project::new().direct();
    project.checks(&json!([{
        "id": "test", "executable": "sh", "args": ["-c", "sleep 600 &"], "leaks": "fail"
    }]));
    project
        .run([""; 0])
        .expect(1, "blocked: 1 of 1 check failed");
}

#[test]
fn a_run_is_not_held_by_what_its_check_left_behind() {
    if !has_tool("python3") {
        return;
    }
    let project = Project::new().direct();
    let script = fixture("children/daemon.py");
    let pid_file = project.path("daemon.pid");
    project.check(
        "test",
        &[
            "python3",
            script.to_str().unwrap(),
            pid_file.to_str().unwrap(),
        ],
    );
    let (_, verdict) = project.json(&[]);
    // The interpreter's own time is in it; a run that waited for the pipes would take 600 s, one
    // that asked with TERM first would take the two seconds of grace.
    let took = check_of(&verdict, "test")["duration_ms"].as_u64().unwrap();
    assert!(took < 1500, "{took} ms");
}

#[test]
fn a_check_that_runs_out_of_time_has_failed_and_says_what_it_printed() {
    let project = Project::new().direct();
    project.checks(&json!([{
        "id": "test", "executable": "sh", "timeout": "300ms",
        "args": ["-c", "echo 'Are you sure?'; trap '' TERM; sleep 600 & sleep 600"]
    }]));
    project.edit(
        "harness.json",
        "\"checks\"",
        "\"checks_grace\": \"200ms\", \"checks\"",
    );
    let ran = project.run([""; 0]);
    ran.expect(1, "blocked: 1 of 1 check failed");
    assert!(
        ran.stdout.contains("timed out after 300ms"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("Are you sure?"), "{}", ran.stdout);
    let (_, verdict) = project.json(&[]);
    let check = check_of(&verdict, "test");
    assert_eq!(check["termination"], "timed_out");
    assert_eq!(check["exit"], json!({ "signal": "SIGKILL" }));
}

#[test]
fn a_flood_does_not_stop_the_clock() {
    let project = Project::new().direct();
    // It ignores TERM too, and goes on until it is killed.
    project.write(
        "harness.json",
        r#"{"checks_grace": "100ms", "checks": [{"id": "yes", "executable": "sh",
            "timeout": "300ms", "args": ["-c", "trap '' TERM; exec yes"]}]}"#,
    );
    let (code, verdict) = project.json(&[]);
    let check = check_of(&verdict, "yes");
    assert_eq!((code, &check["termination"]), (1, &json!("timed_out")));
    assert_eq!(check["exit"], json!({ "signal": "SIGKILL" }));
}

#[test]
fn a_check_has_its_grace_to_clean_up() {
    let project = Project::new().direct();
    project.checks(&json!([{
        "id": "test", "executable": "sh", "timeout": "200ms",
        "args": ["-c", "trap 'echo cleaned > cleaned; exit 0' TERM; sleep 600 & wait"]
    }]));
    let ran = project.run([""; 0]);
    // It obeyed and returned 0, and still it had not finished in time.
    ran.expect(1, "blocked: 1 of 1 check failed");
    assert_eq!(project.read("cleaned"), "cleaned\n");
}

#[test]
fn an_interrupt_ends_the_checks_and_is_raised_again() {
    for (signal, name) in [
        ("INT", "SIGINT"),
        ("TERM", "SIGTERM"),
        ("HUP", "SIGHUP"),
        ("QUIT", "SIGQUIT"),
    ] {
        let project = Project::new().direct();
        project.checks(&json!([
            { "id": "fails", "executable": "false" },
            { "id": "hangs", "executable": "sh", "args": ["-c", "sleep 600 & echo $! > pid; wait"] },
        ]));
        let mut child = project.spawn(["--report", "json", "--report", "human=report.txt"]);
        wait_until("the check has started", || {
            fs::read_to_string(project.path("pid")).is_ok_and(|t| t.ends_with('\n'))
        });
        kill(child.id().cast_signed(), signal);
        let mut out = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut out)
            .unwrap();
        let status = child.wait().unwrap();
        let raised = std::os::unix::process::ExitStatusExt::signal(&status).unwrap();
        assert_eq!(
            nix::sys::signal::Signal::try_from(raised).unwrap().as_str(),
            name
        );
        let verdict: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(verdict["verdict"], "none");
        assert_eq!(verdict["reason"], format!("interrupted by {name}"));
        assert_eq!(check_of(&verdict, "hangs")["status"], "cancelled");
        assert!(!is_alive(project.read("pid").trim().parse().unwrap()));
        let report = project.read("report.txt");
        let last = report.lines().last().unwrap();
        assert!(
            last.starts_with(&format!("no verdict: interrupted by {name}")),
            "{report}"
        );
    }
}

#[test]
fn a_second_interrupt_skips_the_grace() {
    let project = Project::new().direct();
    project.write(
        "harness.json",
        r#"{"checks_grace": "10m", "checks": [{"id": "hangs", "executable": "sh",
            "args": ["-c", "trap 'touch asked' TERM; echo $$ > pid; while :; do sleep 0.01; done"]}]}"#,
    );
    let mut child = project.spawn([""; 0]);
    wait_until("the check has started", || {
        fs::read_to_string(project.path("pid")).is_ok_and(|t| t.ends_with('\n'))
    });
    let begun = Instant::now();
    kill(child.id().cast_signed(), "INT");
    wait_until("the check was asked", || project.path("asked").exists());
    assert!(child.try_wait().unwrap().is_none(), "the grace is kept");
    kill(child.id().cast_signed(), "INT");
    child.wait().unwrap();
    assert!(begun.elapsed() < Duration::from_mins(1));
    assert!(!is_alive(project.read("pid").trim().parse().unwrap()));
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let project = Project::new().direct();
    project.check(
        "waits",
        &[
            "sh",
            "-c",
            "touch started; while [ ! -e go ]; do sleep 0.01; done",
        ],
    );
    let mut command = project.command([""; 0]);
    // SAFETY: only an async-signal-safe call between fork and exec.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(&mut command, || {
            nix::libc::signal(nix::libc::SIGHUP, nix::libc::SIG_IGN);
            Ok(())
        });
    }
    let mut child = command
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("the check has started", || project.path("started").exists());
    kill(child.id().cast_signed(), "HUP");
    project.write("go", "");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn checks_run_at_once_and_are_reported_in_the_order_of_the_manifest() {
    let project = Project::new().direct();
    // Each waits for the other: run one after another, neither would end.
    let meet = |own: &str, other: &str| {
        json!({ "id": own, "executable": "sh", "timeout": "60s",
            "args": ["-c", format!("touch {own}; while [ ! -e {other} ]; do sleep 0.01; done")] })
    };
    project.checks(&json!([meet("b", "a"), meet("a", "b")]));
    let ran = project.run(["--jobs", "2"]);
    ran.expect(0, "ok: 2 passed");
    let order: Vec<_> = ran
        .stdout
        .lines()
        .filter(|l| l.starts_with("  ✓"))
        .map(|l| l.split_whitespace().nth(1).unwrap())
        .collect();
    assert_eq!(order, ["b", "a"], "{}", ran.stdout);
}

#[test]
fn a_green_run_leaves_the_tree_as_it_was() {
    let project = Project::new().direct();
    project
        .write("a.txt", "x")
        .write(".gitignore", "ignored\n")
        .write("ignored", "y");
    project.check("ok", &["true"]).commit();
    let before = project.status();
    project.run([""; 0]).expect(0, "ok: 1 passed");
    assert_eq!(project.status(), before);
}

#[test]
fn a_program_that_is_not_there_is_no_verdict_and_says_where_it_was_looked_for() {
    let project = Project::new().direct();
    project.checks(&json!([
        { "id": "fine", "executable": "true" },
        { "id": "lint", "executable": "no-such-linter" },
    ]));
    let mut command = project.command([""; 0]);
    command.env("PATH", ".:/usr/bin::/bin");
    let ran = Ran::of(&command.output().unwrap());
    ran.expect(
        2,
        "no verdict: 1 of 2 checks could not be judged; nothing failed",
    );
    ran.has("looked in /usr/bin, /bin (harness.json:9)");
    ran.has("install no-such-linter, or take the check out of harness.json");
    assert!(
        ran.stdout
            .contains("could not run: no-such-linter is not on PATH"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("PATH") && ran.stdout.contains("\".\""),
        "the dropped entries are named: {}",
        ran.stdout
    );
}

#[test]
fn a_script_without_a_first_line_is_never_given_to_a_shell() {
    let project = Project::new().direct();
    project
        .script("bare", "touch ran\n")
        .script("lost", "#!/no/such/interpreter\n");
    project.checks(&json!([
        { "id": "bare", "executable": "./bare" },
        { "id": "lost", "executable": "./lost" },
    ]));
    let ran = project.run([""; 0]);
    ran.expect(
        2,
        "no verdict: 2 of 2 checks could not be judged; nothing failed",
    );
    assert!(ran.stdout.contains("it has no `#!` line"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("the interpreter that"),
        "{}",
        ran.stdout
    );
    assert!(!project.path("ran").exists());
}

#[test]
fn a_check_killed_by_a_signal_has_failed_and_the_signal_is_named() {
    let project = Project::new().direct();
    project.check("crash", &["sh", "-c", "kill -SEGV $$"]);
    let (code, verdict) = project.json(&[]);
    let check = check_of(&verdict, "crash");
    assert_eq!(code, 1);
    assert_eq!(check["exit"], json!({ "signal": "SIGSEGV" }));
    assert_eq!(check["termination"], "signalled");
}

#[test]
fn required_containment_refuses_every_check_and_starts_none() {
    let project = Project::new();
    project.check("touches", &["touch", "ran"]);
    let ran = project.run(["--require-containment"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.last_line()
            .starts_with("no verdict: 1 of 1 check refused: the host can't contain checks"),
        "{}",
        ran.stdout
    );
    let (_, verdict) = project.json(&["--require-containment"]);
    let reason = check_of(&verdict, "touches")["reason"].as_str().unwrap();
    assert!(
        reason
            .starts_with("command check \"touches\" containment: the host can't contain checks ("),
        "{reason}"
    );
    assert!(
        reason.ends_with(") and checks_require_containment is set"),
        "{reason}"
    );
    assert!(!project.path("ran").exists());
}

fn kill(pid: i32, signal: &str) {
    let signal: nix::sys::signal::Signal = format!("SIG{signal}").parse().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), signal).unwrap();
}
