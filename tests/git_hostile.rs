//! Repositories that would have git run something, hide something, or wait for ever.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};
use serde_json::{Value, json};

use crate::sensors::with_sensor;
use crate::support::{Project, Ran, check_of, is_alive, neutralise, wait_until};

/// A repository whose artefact is as new as its input.
fn fresh() -> Project {
    let project = Project::new();
    project.write("api/a.proto", "1").write("gen/a.go", "1");
    with_sensor(&project, &looks_fresh());
    project.commit();
    project
}

fn looks_fresh() -> Value {
    json!({ "source": { "files": ["gen/*.go"], "inputs": ["api/**"] } })
}

/// Runs git as a person would, who believes the repository; however it ends.
fn plain_git(project: &Project, args: &[&str]) -> String {
    let mut command = Command::new("git");
    neutralise(&mut command);
    let output = command.args(args).current_dir(project.root()).output();
    String::from_utf8_lossy(&output.unwrap().stdout).into_owned()
}

/// Sets everything that git can be told to run to a script that leaves a trace; gives the trace.
fn set_traps(project: &Project) -> PathBuf {
    let trace = project.root().parent().unwrap().join("trace");
    let trap = project.root().parent().unwrap().join("trap");
    let body = format!(
        "#!/bin/sh\necho \"$0 $*\" >> '{}'\nexit 1\n",
        trace.display()
    );
    project.script("trap", &body);
    fs::rename(project.path("trap"), &trap).unwrap();
    let trap_text = trap.to_str().unwrap();
    let command = format!("!{trap_text}");
    for (setting, value) in [
        ("core.fsmonitor", trap_text),
        ("core.sshCommand", trap_text),
        ("core.gitProxy", trap_text),
        ("core.pager", trap_text),
        ("core.editor", trap_text),
        ("core.askPass", trap_text),
        ("core.alternateRefsCommand", trap_text),
        ("core.worktree", "/"),
        ("credential.helper", &command),
        ("diff.external", trap_text),
        ("diff.x.textconv", trap_text),
        ("diff.x.command", trap_text),
        ("filter.x.clean", trap_text),
        ("filter.x.smudge", trap_text),
        ("filter.x.process", trap_text),
        ("filter.x.required", "true"),
        ("gpg.program", trap_text),
        ("log.showSignature", "true"),
        ("merge.x.driver", trap_text),
        ("pager.status", trap_text),
        ("status.submoduleSummary", "true"),
        ("submodule.m.update", &command),
        ("alias.status", &command),
        ("alias.config", &command),
        ("alias.ls-files", &command),
        ("alias.rev-list", &command),
        ("alias.diff-tree", &command),
        ("uploadpack.packObjectsHook", trap_text),
        ("include.path", "more"),
    ] {
        project.git(&["config", setting, value]);
    }
    let more = format!("[filter \"y.z\"]\n\tclean = {trap_text}\n\trequired\n");
    project.write(".git/more", more);
    project.write(
        ".git/info/attributes",
        "* filter=x diff=x merge=x\n*.go filter=y.z\n",
    );
    let hooks = [
        "fsmonitor-watchman",
        "post-checkout",
        "post-index-change",
        "pre-auto-gc",
        "query-watchman",
        "reference-transaction",
    ];
    for hook in hooks {
        fs::copy(&trap, project.path(".git/hooks").join(hook)).unwrap();
    }
    trace
}

#[test]
fn nothing_runs_that_a_repository_sets_up() {
    let project = fresh();
    // As long as before, so that the content has to be looked at.
    project.write("api/a.proto", "2");
    let (code, before) = project.json(&[]);
    assert_eq!(code, 1, "{before}");
    let trace = set_traps(&project);
    plain_git(&project, &["--work-tree=.", "status"]);
    let told = fs::read_to_string(&trace).expect("the traps work");
    assert!(told.lines().count() > 1, "{told}");
    fs::remove_file(&trace).unwrap();
    // What git wrote down of its look must not save it another.
    project.write("api/a.proto", "3").write("api/a.proto", "2");

    let (code, after) = project.json(&[]);
    assert_eq!(fs::read_to_string(&trace).unwrap_or_default(), "");
    assert_eq!((code, &after["tree"]), (1, &before["tree"]));
    let rows = |verdict: &Value| check_of(verdict, "s")["failures"].clone();
    assert_eq!(rows(&after), rows(&before));
    project.write("api/a.proto", "1");
    project.run([""; 0]).expect(0, "ok: 1 passed");
    assert_eq!(fs::read_to_string(&trace).unwrap_or_default(), "");
}

/// A partial clone lacks objects, and git would have its remote send them.
#[test]
fn what_a_clone_lacks_is_not_fetched() {
    let project = fresh();
    let tree = project.git(&["rev-parse", "HEAD:api"]);
    let (folder, file) = tree.trim().split_at(2);
    let trace = project.root().parent().unwrap().join("trace");
    let url = format!("ext::sh -c touch% {}", trace.display());
    for (setting, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", &url),
        ("remote.origin.partialclonefilter", "tree:0"),
        ("protocol.ext.allow", "always"),
    ] {
        project.git(&["config", setting, value]);
    }
    fs::remove_file(project.path(".git/objects").join(folder).join(file)).unwrap();
    plain_git(&project, &["ls-tree", "-r", "HEAD"]);
    assert!(trace.exists(), "the trap works");
    fs::remove_file(&trace).unwrap();
    let (code, verdict) = project.json(&[]);
    let check = check_of(&verdict, "s");
    let reason = "git does not tell the state and history of the files";
    assert_eq!((code, &check["reason"]), (2, &json!(reason)));
    assert!(!trace.exists());
}

#[test]
fn history_is_what_commits_say_and_not_what_stands_in_for_them() {
    let project = fresh();
    project.write("api/a.proto", "2").commit();
    let (_, verdict) = project.json(&[]);
    assert_eq!(check_of(&verdict, "s")["status"], "fail");
    let head = project.git(&["rev-parse", "HEAD"]);
    let last =
        |project: &Project| plain_git(project, &["log", "-1", "--format=%H", "--", "gen/a.go"]);
    assert_ne!(last(&project), head);
    // HEAD seems to have no parent, and so to have made every file.
    project.write(".git/info/grafts", &head);
    assert_eq!(last(&project), head, "git believes it");
    let (_, grafted) = project.json(&[]);
    let rows = |verdict: &Value| check_of(verdict, "s")["failures"].clone();
    assert_eq!(rows(&grafted), rows(&verdict));
    fs::remove_file(project.path(".git/info/grafts")).unwrap();
    project.git(&["replace", "--graft", "HEAD"]);
    assert_eq!(last(&project), head, "git believes it");
    let (_, replaced) = project.json(&[]);
    assert_eq!(rows(&replaced), rows(&verdict));
}

#[test]
fn a_change_is_seen_though_size_and_time_are_as_they_were() {
    let project = fresh();
    let past = SystemTime::now() - Duration::from_hours(1);
    let write = |text: &str| {
        project.write("new", text);
        let file = File::options().write(true).open(project.path("new"));
        file.unwrap().set_modified(past).unwrap();
        fs::rename(project.path("new"), project.path("api/a.proto")).unwrap();
    };
    write("1");
    project.git(&["update-index", "--refresh"]);
    project.git(&["config", "core.checkStat", "minimal"]);
    project.git(&["config", "core.trustctime", "false"]);
    write("2");
    assert_eq!(
        plain_git(&project, &["status", "--porcelain"]),
        "",
        "git is deceived"
    );
    let (code, verdict) = project.json(&[]);
    let row = &check_of(&verdict, "s")["failures"][0];
    assert_eq!((code, &row["path"]), (1, &json!("api/a.proto")));
    assert_eq!(row["message"], "has changes that are not committed");
    assert_eq!(verdict["tree"]["dirty"], true);
}

/// Replaces what git reads by something that waits for a writer that never comes.
fn block(project: &Project, file: &str) {
    let path = project.path(file);
    let _ = fs::remove_file(&path);
    mkfifo(&path, Mode::S_IRWXU).unwrap();
}

/// The git that the process `check` has started and that runs now.
fn git_of(check: u32) -> Option<i32> {
    let processes = fs::read_dir("/proc").unwrap();
    let pids = processes.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    let mut gits = pids.filter(|pid: &i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.contains(" (git) ") && stat.contains(&format!(") S {check} "))
    });
    gits.next()
}

/// Starts `check`, waits until a git of its has nothing to do but wait, and ends `check` by
/// `signal`; nothing of it is left.
fn ended_while_git_waits(project: &Project, args: &[&str], signal: Signal) -> Ran {
    let child = project.spawn(args);
    let pid = child.id();
    let opened = project.path(".gitignore");
    let mut git = 0;
    wait_until("git waits", || {
        git = git_of(pid).unwrap_or(0);
        git != 0 && is_opening_a_fifo(git)
    });
    assert!(opened.exists());
    kill(Pid::from_raw(pid.cast_signed()), signal).unwrap();
    let ran = Ran::of(&child.wait_with_output().unwrap());
    wait_until("git is gone", || !is_alive(git));
    ran
}

/// Whether a process sleeps in `open` for another to open a FIFO too.
fn is_opening_a_fifo(pid: i32) -> bool {
    let call = fs::read_to_string(format!("/proc/{pid}/wchan")).unwrap_or_default();
    let stat = fs::read_to_string(format!("/proc/{pid}/syscall")).unwrap_or_default();
    call.contains("fifo") || is_open(stat.split(' ').next())
}

/// By the number of the system call, where the kernel says that.
fn is_open(call: Option<&str>) -> bool {
    let numbers = if cfg!(target_arch = "x86_64") {
        ["2", "257"]
    } else {
        ["56", "56"]
    };
    call.is_some_and(|call| numbers.contains(&call))
}

fn interrupted(ran: &Ran) -> Value {
    let verdict: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&verdict["verdict"], &verdict["reason"]),
        (&json!("none"), &json!("interrupted by SIGTERM"))
    );
    verdict
}

#[test]
fn a_signal_ends_the_question_which_tree_this_is() {
    let project = fresh();
    block(&project, ".gitignore");
    let report = project.root().parent().unwrap().join("report.json");
    let file = format!("json={}", report.display());
    let args = ["--report", "json", "--report", &file];
    let ran = ended_while_git_waits(&project, &args, Signal::SIGTERM);
    assert_eq!(ran.code, 128 + Signal::SIGTERM as i32);
    let verdict = interrupted(&ran);
    assert_eq!(fs::read_to_string(&report).unwrap(), ran.stdout);
    assert_eq!(
        verdict["tree"],
        json!({"commit": null, "dirty": null, "digest": null})
    );
    let check = check_of(&verdict, "s");
    assert_eq!(
        (&check["status"], &check["reason"]),
        (&json!("cancelled"), &json!("not run: interrupted"))
    );
}

#[test]
fn a_signal_ends_a_look_at_files() {
    let project = fresh();
    block(&project, ".gitignore");
    let ran = ended_while_git_waits(&project, &[], Signal::SIGTERM);
    assert_eq!(
        (ran.code, ran.last_line()),
        (
            128 + Signal::SIGTERM as i32,
            "no verdict: interrupted by SIGTERM"
        )
    );
    assert!(ran.stdout.contains("interrupted"), "{}", ran.stdout);
}

#[test]
fn git_does_not_outlive_a_check_that_is_killed() {
    let project = fresh();
    block(&project, ".gitignore");
    let ran = ended_while_git_waits(&project, &[], Signal::SIGKILL);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (128 + Signal::SIGKILL as i32, "")
    );
}

/// Whatever git waits for, a look at files has failed when its time or the run's is over.
#[test]
fn a_look_that_takes_too_long_has_failed() {
    for file in [
        ".gitignore",
        ".git/info/exclude",
        ".git/shallow",
        ".git/index",
    ] {
        let project = fresh();
        block(&project, file);
        let ran = project.run(["--timeout", "500ms"]);
        ran.expect(1, "blocked: 1 of 1 check failed");
        assert!(
            ran.stdout.contains("timed out after 500ms"),
            "{file}: {}",
            ran.stdout
        );
    }
    let project = fresh();
    let mut fields = looks_fresh();
    fields["timeout"] = json!("300ms");
    with_sensor(&project, &fields);
    project.commit();
    block(&project, ".git/info/exclude");
    let ran = project.run([""; 0]);
    ran.expect(1, "blocked: 1 of 1 check failed");
    assert!(
        ran.stdout.contains("timed out after 300ms"),
        "{}",
        ran.stdout
    );
}

#[test]
fn where_git_says_nothing_of_the_tree_that_is_told() {
    let project = fresh();
    block(&project, ".gitignore");
    let (code, verdict) = project.json(&["--timeout", "500ms"]);
    assert_eq!(code, 2);
    assert_eq!(verdict["tree"]["digest"], Value::Null);
    let notes = verdict["notes"].to_string();
    let wanted = "which tree this is is not known: asking git took longer than 500ms (see what it \
                  waits for: git status)";
    assert!(notes.contains(wanted), "{notes}");
    assert_eq!(
        check_of(&verdict, "s")["reason"],
        "not run: the run's 500ms were over"
    );
}

#[test]
fn a_look_waits_for_its_turn() {
    let project = fresh();
    project.write(
        "harness.json",
        json!({ "sensors": {
            "s": {
                "role": "convergence-verifier",
                "source": { "files": ["gen/*.go"], "inputs": ["api/**"] },
            },
            "lint": { "source": { "command": "exit 1" } },
        }})
        .to_string(),
    );
    project.commit();
    block(&project, ".gitignore");
    let ran = project.run([""; 0]);
    ran.expect(1, "blocked: 1 of 2 checks failed");
    assert!(
        ran.stdout.contains("not run: lint failed"),
        "{}",
        ran.stdout
    );
    fs::remove_file(project.path(".gitignore")).unwrap();
    let sensors = project.read("harness.json").replace("exit 1", "exit 0");
    project.write("harness.json", sensors).commit();
    project.run([""; 0]).expect(0, "ok: 2 passed");
}

/// What a check makes is there before a verifier looks at it.
#[test]
fn a_look_sees_what_the_checks_before_it_did() {
    let project = fresh();
    project.write(
        "harness.json",
        json!({ "sensors": {
            "s": {
                "role": "convergence-verifier",
                "source": { "files": ["gen/*.go"], "inputs": ["api/**"] },
            },
            "make": { "source": { "command": "echo 2 > gen/a.go" } },
        }})
        .to_string(),
    );
    project.commit();
    let (code, verdict) = project.json(&[]);
    assert_eq!(code, 1);
    let row = &check_of(&verdict, "s")["failures"][0];
    assert_eq!(row["message"], "has changes that are not committed");
    assert_eq!(
        verdict["tree"]["dirty"], false,
        "the tree is that before the first check"
    );
}

/// A wrapper for git stands on many a PATH, and what it starts is ended with it.
#[test]
fn what_a_git_starts_is_ended_with_it() {
    let project = fresh();
    let bin = project.root().parent().unwrap().join("bin");
    fs::create_dir(&bin).unwrap();
    let said = bin.join("said");
    block(&project, ".git/never");
    let script = format!(
        "#!/bin/sh\ncat '{}' &\necho $! > '{}.new'\nmv '{}.new' '{}'\nwait\n",
        project.path(".git/never").display(),
        said.display(),
        said.display(),
        said.display()
    );
    project.script("git", &script);
    fs::rename(project.path("git"), bin.join("git")).unwrap();
    let path = std::env::join_paths(
        std::iter::once(bin.clone())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut command = project.command(["--report", "json"]);
    command.env("PATH", path.unwrap());
    let child = command
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("git has started another", || said.exists());
    let another: i32 = read_number(&said);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM).unwrap();
    let ran = Ran::of(&child.wait_with_output().unwrap());
    interrupted(&ran);
    wait_until("it is gone", || !is_alive(another));
}

fn read_number(file: &Path) -> i32 {
    fs::read_to_string(file).unwrap().trim().parse().unwrap()
}
