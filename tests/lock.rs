//! One run a root at a time: who is told what, who waits, and what becomes of those who cannot
//! lock, write or wait.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::libc;
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::support::{Project, Ran, can_unshare, check_of, has_tool, is_alive, wait_until};

/// Starts, and ends when a file `go` is there.
const SLOW: &str =
    "echo $$ > pid; touch started; while [ ! -e go ]; do sleep 0.01; done; rm started go";

/// A project whose one check waits to be let go.
fn slow() -> Project {
    let project = Project::new().direct();
    // A test that fails does not let it go.
    project.checks(&json!([
        { "id": "slow", "executable": "sh", "args": ["-c", SLOW], "timeout": "2m" },
    ]));
    project
}

fn wait_for_start(project: &Project) {
    wait_until("the check has started", || project.path("started").exists());
}

/// Lets the holder end; it has to have passed.
fn let_go(project: &Project, mut holder: Child) {
    project.write("go", "");
    assert_eq!(holder.wait().unwrap().code(), Some(0));
}

/// Starts `check` and waits until its check runs.
fn hold(project: &Project) -> Child {
    let holder = project.spawn([""; 0]);
    wait_for_start(project);
    holder
}

/// The id of a holder that was killed; nothing of it is left but what it wrote.
fn killed(project: &Project) -> u32 {
    let mut holder = hold(project);
    kill(&holder, Signal::SIGKILL);
    holder.wait().unwrap();
    let pid = project.read("pid").trim().parse().unwrap();
    wait_until("its check is dead too", || !is_alive(pid));
    fs::remove_file(project.path("started")).unwrap();
    holder.id()
}

fn kill(child: &Child, signal: Signal) {
    let pid = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(pid, signal).unwrap();
}

/// A line of the child's standard error, as soon as there is one.
fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    let stderr = child.stderr.as_mut().unwrap();
    let mut byte = [0];
    while !line.ends_with('\n') {
        assert_eq!(stderr.read(&mut byte).unwrap(), 1, "it ended with {line:?}");
        line.push(char::from(byte[0]));
    }
    line
}

/// What stands in brackets in `another check is running here (…)`.
#[track_caller]
fn told(ran: &Ran) -> &str {
    let told = ran
        .last_line()
        .strip_prefix("no verdict: another check is running here")
        .unwrap_or_else(|| panic!("{ran:?}"));
    assert_eq!(ran.code, 2);
    told.trim_start_matches(" (").trim_end_matches(')')
}

/// As [`Project::command`], with this put before it.
fn inside(project: &Project, before: &[&str], args: &[&str]) -> Command {
    let own = project.command(args);
    let mut command = Command::new(before[0]);
    command
        .args(&before[1..])
        .arg(own.get_program())
        .args(own.get_args())
        .current_dir(project.root())
        .stdin(Stdio::null());
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

fn is_root() -> bool {
    nix::unistd::getuid().is_root()
}

/// The command as a user to whom permissions apply, who has a copy of the program.
fn as_anybody(project: &Project, args: &[&str]) -> Command {
    let own = project.command(args);
    if !is_root() {
        return own;
    }
    let place = project.root().parent().unwrap().to_owned();
    fs::set_permissions(&place, Permissions::from_mode(0o777)).unwrap();
    let program = place.join("check-of-nobody");
    if !program.exists() {
        fs::copy(own.get_program(), &program).unwrap();
    }
    let mut command = Command::new(program);
    command
        .args(own.get_args())
        .current_dir(project.root())
        .stdin(Stdio::null())
        .uid(65534)
        .gid(65534);
    for (name, value) in own.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

#[test]
fn a_second_run_is_refused_at_once_and_told_who_holds_the_root() {
    let project = slow();
    let holder = hold(&project);
    let second = project.run([""; 0]);
    let facts = told(&second);
    assert!(
        facts.starts_with(&format!("pid {}, for ", holder.id())),
        "{facts}"
    );
    assert!(facts.ends_with(", now in slow"), "{facts}");
    second.has("wait for it: check --wait    last verdict: check last");
    assert_eq!(second.stderr, "");
    let (code, verdict) = project.json(&[]);
    assert_eq!(
        (
            code,
            &verdict["reason"],
            &verdict["route"],
            &verdict["verdict"]
        ),
        (2, &json!("busy"), &json!("wait"), &json!("none"))
    );
    let limited = project.run(["--wait=50ms"]);
    assert!(told(&limited).starts_with("pid "));
    let_go(&project, holder);
    project.write("go", "");
    project.run([""; 0]).expect(0, "ok: 1 passed");
}

#[test]
fn who_waits_is_told_once_for_whom_and_then_runs() {
    let project = slow();
    let holder = hold(&project);
    let mut waiting = project.spawn(["--wait", "--json"]);
    let line = first_line(&mut waiting);
    let begins = format!(
        "check: waiting: another check is running here (pid {}, for ",
        holder.id()
    );
    assert!(
        line.starts_with(&begins) && line.ends_with(", now in slow)\n"),
        "{line}"
    );
    let_go(&project, holder);
    wait_for_start(&project);
    project.write("go", "");
    let waited = Ran::of(&waiting.wait_with_output().unwrap());
    let verdict: Value = serde_json::from_str(&waited.stdout).unwrap();
    assert_eq!((waited.code, &verdict["verdict"]), (0, &json!("passed")));
    assert!(!waited.stderr.contains("waiting"), "{}", waited.stderr);
}

#[test]
fn who_waited_judges_by_what_the_tree_says_then() {
    let project = slow();
    let holder = hold(&project);
    let mut waiting = project.spawn(["--wait"]);
    first_line(&mut waiting);
    project.write("go", "");
    // The holder's own manifest was changed under it.
    let renamed = project.read("harness.json").replace("slow", "renamed");
    project.write("harness.json", renamed);
    let held = holder.wait_with_output().unwrap();
    assert_eq!(Ran::of(&held).code, 2);
    wait_for_start(&project);
    project.write("go", "");
    let waited = Ran::of(&waiting.wait_with_output().unwrap());
    waited.expect(0, "ok: 1 passed");
    assert!(waited.stdout.contains("renamed"), "{}", waited.stdout);
}

#[test]
fn a_wait_can_be_interrupted_and_every_report_is_whole() {
    let project = slow();
    let holder = hold(&project);
    for signal in [
        Signal::SIGINT,
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGQUIT,
    ] {
        let args = ["--wait", "--json", "--report", "human=report.txt"];
        let mut waiting = project.spawn(args);
        first_line(&mut waiting);
        kill(&waiting, signal);
        let output = waiting.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(signal as i32), "{output:?}");
        let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
        let reason = format!("interrupted by {signal}");
        assert_eq!(
            (&verdict["verdict"], &verdict["reason"], &verdict["checks"]),
            (&json!("none"), &json!(reason), &json!([]))
        );
        assert_eq!(verdict["root"], json!(project.root()));
        assert_eq!(
            project.read("report.txt"),
            format!("no verdict: {reason}\n")
        );
    }
    // Recording says it in its own way and ends in the same.
    let mut recording = project
        .command(["baseline", "tighten", "--wait"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    first_line(&mut recording);
    kill(&recording, Signal::SIGTERM);
    let output = recording.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(Signal::SIGTERM as i32));
    let_go(&project, holder);
}

#[test]
fn a_signal_that_comes_after_the_wait_ends_the_run() {
    let project = slow();
    let holder = hold(&project);
    let mut waiting = project.spawn(["--wait", "--json"]);
    first_line(&mut waiting);
    let_go(&project, holder);
    wait_for_start(&project);
    kill(&waiting, Signal::SIGTERM);
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(Signal::SIGTERM as i32));
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(verdict["reason"], "interrupted by SIGTERM");
    assert_eq!(check_of(&verdict, "slow")["status"], "cancelled");
}

#[test]
fn the_lock_of_a_dead_run_is_gone_and_its_name_with_it() {
    let project = slow();
    let dead = killed(&project);
    let record = project.read(".git/check/run.json");
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(
        (&record["pid"], &record["check"]),
        (&json!(dead), &json!("slow"))
    );
    assert!(
        record["start_time"].as_u64().is_some_and(|ticks| ticks > 0),
        "{record}"
    );
    let holder = hold(&project);
    let facts = project.run([""; 0]);
    assert!(
        told(&facts).starts_with(&format!("pid {}, ", holder.id())),
        "{facts:?}"
    );
    let_go(&project, holder);
    assert_eq!(
        project.read(".git/check/run.json"),
        "",
        "it ended as it should"
    );
}

#[test]
fn a_holder_that_keeps_its_state_elsewhere_is_not_taken_for_a_dead_one() {
    if !can_unshare(&["-rm"]) {
        return;
    }
    let project = slow();
    killed(&project);
    assert_ne!(project.read(".git/check/run.json"), "");
    // The folder of state is read-only for the holder alone: it has a mount namespace of its own.
    let mount = "mount --bind .git/check .git/check && mount -o remount,ro,bind .git/check && \
                 exec \"$@\"";
    let state = tempfile::tempdir().unwrap();
    let holder = inside(&project, &["unshare", "-rm", "sh", "-c", mount, "sh"], &[])
        .env("XDG_STATE_HOME", state.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_start(&project);
    let second = project.run([""; 0]);
    assert_eq!(told(&second), format!("pid {}", holder.id()));
    let_go(&project, holder);
}

#[test]
fn a_holder_in_another_pid_namespace_is_named_without_a_pid() {
    if !can_unshare(&["-rpf", "--mount-proc"]) {
        return;
    }
    let apart = ["unshare", "-rpf", "--mount-proc", "--kill-child"];
    let project = slow();
    let holder = inside(&project, &apart, &[])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_start(&project);
    let outside = project.run([""; 0]);
    let facts = told(&outside);
    assert!(
        facts.starts_with("in another PID namespace, for "),
        "{facts}"
    );
    assert!(facts.ends_with(", now in slow"), "{facts}");
    let_go(&project, holder);

    let holder = hold(&project);
    let second = Ran::of(&inside(&project, &apart, &[]).output().unwrap());
    let facts = told(&second);
    assert!(
        facts.starts_with("in another PID namespace, for "),
        "{facts}"
    );
    let_go(&project, holder);
}

#[test]
fn a_holder_whose_state_cannot_be_read_is_named_by_the_kernel() {
    let project = slow();
    let holder = hold(&project);
    let state = project.path(".git/check");
    fs::set_permissions(&state, Permissions::from_mode(0o000)).unwrap();
    let home = tempfile::tempdir().unwrap();
    fs::set_permissions(home.path(), Permissions::from_mode(0o777)).unwrap();
    let mut second = as_anybody(&project, &[]);
    let second = Ran::of(&second.env("HOME", home.path()).output().unwrap());
    assert_eq!(told(&second), format!("pid {}", holder.id()));
    fs::set_permissions(&state, Permissions::from_mode(0o700)).unwrap();
    let_go(&project, holder);
}

#[test]
fn a_holder_that_has_not_said_anything_yet_is_named_by_the_kernel() {
    if !has_tool("flock") {
        return;
    }
    let project = Project::new().direct();
    project.check("quick", &["true"]);
    let mut holder = Command::new("flock")
        .args([".", "sh", "-c", SLOW])
        .current_dir(project.root())
        .spawn()
        .unwrap();
    wait_for_start(&project);
    let pid = format!("pid {}", holder.id());
    assert_eq!(told(&project.run([""; 0])), pid);
    // Half of what a holder writes is as good as nothing.
    project.write(".git/check/run.json", "{\"pid\":4121,");
    assert_eq!(told(&project.run([""; 0])), pid);
    project.write("go", "");
    holder.wait().unwrap();
    project.run([""; 0]).expect(0, "ok: 1 passed");
}

#[test]
fn a_root_that_is_moved_is_waited_for_and_one_that_is_removed_is_not() {
    let project = slow();
    let mut holder = hold(&project);
    let mut waiting = project.spawn(["--wait"]);
    first_line(&mut waiting);
    let away = project.root().with_file_name("away");
    fs::rename(project.root(), &away).unwrap();
    let told_again = first_line(&mut waiting);
    assert!(told_again.starts_with("check: waiting: "), "{told_again}");
    fs::remove_dir_all(&away).unwrap();
    let waited = Ran::of(&waiting.wait_with_output().unwrap());
    assert_eq!(waited.code, 2, "{waited:?}");
    let last = waited.last_line();
    assert!(last.starts_with("no verdict: cannot work in "), "{last}");
    kill(&holder, Signal::SIGTERM);
    holder.wait().unwrap();
}

/// A check that runs `check` with `args` on the folder `root`, by way of `how`, and keeps what it
/// says in `nested.json`.
fn nesting(root: &Path, how: &str, args: &str) -> Value {
    let program = env!("CARGO_BIN_EXE_check");
    let root = root.display();
    let script = format!("{how} '{program}' -C '{root}' --json {args} > nested.json; touch done");
    json!([{ "id": "outer", "executable": "sh", "args": ["-c", script], "timeout": "60s" }])
}

#[test]
fn a_check_that_checks_its_own_root_is_told_and_never_waits() {
    let project = Project::new().direct();
    let by_descent = "env -i PATH=\"$PATH\"";
    let orphaned = "setsid sh -c 'env -i PATH=\"$PATH\" \"$@\" & ' sh";
    for (how, args) in [
        ("", ""),
        ("", "--wait"),
        (by_descent, "--wait"),
        ("HOME=/nonexistent", "--wait=1h"),
        (orphaned, "--wait"),
    ] {
        let mut checks = nesting(project.root(), how, args);
        if how == orphaned {
            // It has left, and is still waited for.
            let script = checks[0]["args"][1].as_str().unwrap().to_owned();
            checks[0]["args"][1] = json!(format!(
                "{script}; while [ ! -s nested.json ]; do sleep 0.01; done"
            ));
        }
        project.checks(&checks);
        let _ = fs::remove_file(project.path("nested.json"));
        let outer = project.spawn([""; 0]);
        let pid = outer.id();
        let outer = Ran::of(&outer.wait_with_output().unwrap());
        assert_eq!(outer.code, 0, "{how} {args}: {outer:?}");
        let nested: Value = serde_json::from_str(&project.read("nested.json")).unwrap();
        let reason = format!("this root is being checked by an outer run (pid {pid})");
        assert_eq!(
            (&nested["reason"], &nested["exit_code"], &nested["checks"]),
            (&json!(reason), &json!(2), &json!([])),
            "{how} {args}"
        );
    }
}

#[test]
fn a_nested_run_in_a_pid_namespace_of_its_own_is_told_without_a_pid() {
    if !can_unshare(&["-rpf", "--mount-proc"]) {
        return;
    }
    let project = Project::new().direct();
    project.checks(&nesting(
        project.root(),
        "unshare -rpf --mount-proc",
        "--wait",
    ));
    assert_eq!(project.run([""; 0]).code, 0);
    let nested: Value = serde_json::from_str(&project.read("nested.json")).unwrap();
    assert_eq!(
        nested["reason"],
        "this root is being checked by an outer run"
    );
}

#[test]
fn a_nested_run_in_another_root_goes_on() {
    let project = Project::new().direct();
    let inner = Project::new().direct();
    inner.check("inner", &["true"]);
    project.checks(&nesting(inner.root(), "", ""));
    project.run([""; 0]).expect(0, "ok: 1 passed");
    let nested: Value = serde_json::from_str(&project.read("nested.json")).unwrap();
    assert_eq!(nested["verdict"], "passed", "{nested}");
    // Part of the tree is another root too.
    project.write(
        "part/harness.json",
        r#"{"checks": [{"id": "part", "executable": "true"}]}"#,
    );
    project.checks(&nesting(&project.path("part"), "", ""));
    project.run([""; 0]).expect(0, "ok: 1 passed");
    let nested: Value = serde_json::from_str(&project.read("nested.json")).unwrap();
    assert_eq!(nested["verdict"], "passed", "{nested}");
}

/// Makes flock(2) fail as it does on a file system or in a sandbox that knows no locks.
fn without_locks(command: &mut Command, errno: i32) {
    let statement = |code: u32, k: u32, jt: u8| libc::sock_filter {
        code: u16::try_from(code).unwrap(),
        jt,
        jf: 0,
        k,
    };
    let flock = u32::try_from(libc::SYS_flock).unwrap();
    let refuse = libc::SECCOMP_RET_ERRNO | errno.cast_unsigned();
    let filter = [
        // The number of the call is the first word of what a filter sees.
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        libc::sock_filter {
            jf: 1,
            ..statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, flock, 0)
        },
        statement(libc::BPF_RET | libc::BPF_K, refuse, 0),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0),
    ];
    // SAFETY: prctl(2) is async-signal-safe, and the filter lives in the closure.
    unsafe {
        command.pre_exec(move || {
            let program = libc::sock_fprog {
                len: 4,
                filter: filter.as_ptr().cast_mut(),
            };
            let set = libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && libc::prctl(
                    libc::PR_SET_SECCOMP,
                    libc::SECCOMP_MODE_FILTER,
                    &raw const program,
                ) == 0;
            set.then_some(()).ok_or_else(std::io::Error::last_os_error)
        });
    }
}

#[test]
fn where_nothing_can_be_locked_the_tree_is_judged_all_the_same_and_that_is_said() {
    let project = Project::new().direct();
    project.check("home", &["sh", "-c", "echo \"$HOME\""]);
    for errno in [libc::ENOLCK, libc::ENOSYS, libc::EOPNOTSUPP, libc::EACCES] {
        let mut command = project.command(["--json"]);
        without_locks(&mut command, errno);
        let ran = Ran::of(&command.output().unwrap());
        let verdict: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(
            (ran.code, &verdict["verdict"]),
            (0, &json!("passed")),
            "{ran:?}"
        );
        let notes = verdict["notes"].to_string();
        let said = std::io::Error::from_raw_os_error(errno);
        let note = format!("the root cannot be locked here ({said}), so another run may be in it");
        assert!(notes.contains(&note), "{notes}");
        let home = check_of(&verdict, "home")["stdout_tail"].as_str().unwrap();
        assert!(home.contains("/check-home-"), "{home}");
        assert!(!Path::new(home.trim()).exists());
    }
}

#[test]
fn where_nothing_can_be_locked_two_runs_go_on_and_a_nested_one_does_not() {
    let project = slow();
    let start = |args: &[&str]| {
        let mut command = project.command(args);
        without_locks(&mut command, libc::ENOLCK);
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let first = start(&[]);
    wait_for_start(&project);
    fs::remove_file(project.path("started")).unwrap();
    let second = start(&["--wait"]);
    wait_for_start(&project);
    project.check("quick", &["true"]);
    let third = start(&[]).wait_with_output().unwrap();
    assert_eq!(third.status.code(), Some(0));
    for mut run in [first, second] {
        kill(&run, Signal::SIGTERM);
        run.wait().unwrap();
    }
    // Each would start the next, for ever.
    project.checks(&nesting(project.root(), "", ""));
    let outer = start(&[]).wait_with_output().unwrap();
    assert_eq!(outer.status.code(), Some(0));
    let nested: Value = serde_json::from_str(&project.read("nested.json")).unwrap();
    assert_eq!(
        nested["reason"],
        "this root is being checked by an outer run"
    );
}

/// A project whose root is read-only for what [`read_only`] makes, and folders around it.
struct Fixed {
    project: Project,
    around: tempfile::TempDir,
}

impl Fixed {
    fn new() -> Self {
        let project = Project::new().direct();
        project.check(
            "tree",
            &["sh", "-c", "if touch new; then exit 3; fi; echo read-only"],
        );
        Self {
            project,
            around: tempfile::tempdir().unwrap(),
        }
    }

    fn around(&self, name: &str) -> PathBuf {
        self.around.path().join(name)
    }

    /// `check` in a mount namespace in which the root may not be written.
    fn run(&self, args: &[&str], vars: &[(&str, &OsStr)]) -> Ran {
        let mount = "mount --bind . . && mount -o remount,ro,bind . && cd \"$PWD\" && exec \"$@\"";
        let mut command = inside(
            &self.project,
            &["unshare", "-rm", "sh", "-c", mount, "sh"],
            args,
        );
        command.envs(vars.iter().copied());
        Ran::of(&command.output().unwrap())
    }
}

#[test]
fn a_root_on_a_read_only_file_system_is_judged_and_its_state_goes_elsewhere() {
    if !can_unshare(&["-rm"]) {
        return;
    }
    let fixed = Fixed::new();
    // What a run left in the git folder when that could be written, and is no state of now.
    let written = fixed.project.run([""; 0]);
    written.expect(1, "blocked: 1 of 1 check failed");
    let named = fixed.around("named");
    let home = fixed.around("home");
    let vars: [(&str, &OsStr); 2] = [
        ("XDG_STATE_HOME", named.as_os_str()),
        ("HOME", home.as_os_str()),
    ];
    let ran = fixed.run(&[], &vars);
    ran.expect(0, "ok: 1 passed");
    assert_eq!(ran.stderr, "");
    assert_eq!(fs::read_dir(named.join("check/roots")).unwrap().count(), 1);
    let last = fixed.run(&["last"], &vars);
    last.expect(0, "ok: 1 passed");
    let ran = fixed.run(&[], &vars[1..]);
    ran.expect(0, "ok: 1 passed").lacks("state");
    assert_eq!(
        fs::read_dir(home.join(".local/state/check/roots"))
            .unwrap()
            .count(),
        1
    );
}

#[test]
fn where_state_can_only_be_kept_in_the_temp_folder_or_nowhere_that_is_said() {
    if !can_unshare(&["-rm"]) {
        return;
    }
    let fixed = Fixed::new();
    let temp = fixed.around("temp");
    fs::create_dir(&temp).unwrap();
    // Nobody, root neither, makes a folder there.
    let vars: [(&str, &OsStr); 2] = [
        ("HOME", OsStr::new("/proc/none")),
        ("TMPDIR", temp.as_os_str()),
    ];
    let ran = fixed.run(&[], &vars);
    ran.expect(0, "ok: 1 passed");
    let kept = format!("state is kept in {}/check-", temp.display());
    assert!(ran.stdout.contains(&kept), "{}", ran.stdout);
    fixed.run(&["last"], &vars).expect(0, "ok: 1 passed");

    let own = fs::read_dir(&temp).unwrap().next().unwrap().unwrap().path();
    fs::set_permissions(&own, Permissions::from_mode(0o755)).unwrap();
    let ran = fixed.run(&[], &vars);
    ran.expect(0, "ok: 1 passed");
    let said = "no folder for state can be written: nothing of this run is kept";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    let last = fixed.run(&["last"], &vars);
    last.expect(2, "no verdict: no verdict is kept of this tree yet");
}

#[test]
fn a_root_that_this_user_may_not_write_is_judged() {
    let project = Project::new().direct();
    project.check("tree", &["sh", "-c", "if touch new; then exit 3; fi"]);
    for closed in [".git", "."] {
        fs::set_permissions(project.path(closed), Permissions::from_mode(0o555)).unwrap();
    }
    let home = tempfile::tempdir().unwrap();
    fs::set_permissions(home.path(), Permissions::from_mode(0o777)).unwrap();
    let run = |args: &[&str]| {
        let mut command = as_anybody(&project, args);
        Ran::of(&command.env("HOME", home.path()).output().unwrap())
    };
    let ran = run(&[]);
    let last = run(&["last"]);
    for closed in [".", ".git"] {
        fs::set_permissions(project.path(closed), Permissions::from_mode(0o755)).unwrap();
    }
    ran.expect(0, "ok: 1 passed").lacks("state is kept");
    last.expect(0, "ok: 1 passed");
    assert!(home.path().join(".local/state/check/roots").exists());
}
