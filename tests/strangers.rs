//! Whose process is it: what was there before the run is never touched, and of two checks each is
//! told its own.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::containment::ends::Exit;
use crate::containment::hold::Hold;
use crate::containment::processes::marked;
use crate::containment::running::{HANG, Running, until};
use crate::containment::shapes::{SHAPES, Shape, programs};
use crate::containment::surroundings::Mechanism;
use crate::support::{Project, check_of, has_tool, is_root, not_tested};

/// A run beside a server that was there before it, both made of the shapes of `fixtures/children/`.
struct Scene {
    tree: Project,
    hold: Hold,
    /// Where the server is held; its folder is the server's mark.
    elsewhere: Project,
    server: Hold,
}

impl Scene {
    fn new(check: &Shape) -> Self {
        let tree = Project::new().direct();
        let hold = Hold::new(tree.root().with_file_name("hold"));
        let argv = check.argv(hold.folder(), false);
        tree.write(
            "harness.json",
            json!({ "checks_grace": "100ms", "checks": [
                { "id": "child", "executable": argv[0], "args": argv[1..] },
                { "id": "last", "executable": "sh", "exclusive": true, "args": ["-c", WAIT] },
            ]})
            .to_string(),
        );
        let elsewhere = Project::without_git().direct();
        Self {
            server: Hold::new(elsewhere.path("hold")),
            tree,
            hold,
            elsewhere,
        }
    }

    /// `sh -c 'server & exec check'`, or whatever `before` makes of it.
    fn start(&self, server: &Shape, before: &[&str], mechanism: Mechanism) -> Running {
        let beside = r#"server=$1; folder=$2; shift 2; "$server" "$folder" quiet & exec "$@""#;
        let server = server.argv(self.server.folder(), false);
        let mut words: Vec<OsString> = before.iter().map(OsString::from).collect();
        words.extend(["sh", "-c", beside, "sh", &server[0], &server[1]].map(OsString::from));
        words.push(env!("CARGO_BIN_EXE_check").into());
        words.extend(["-C".into(), self.tree.root().into(), "--json".into()]);
        let mut command: Command = self.tree.command_by(&words[0], &words[1..]);
        let stdout = File::create(self.tree.root().with_file_name("stdout")).unwrap();
        command.stdout(stdout);
        mechanism.surround(&mut command);
        Running::start(&mut command, &self.tree.mark())
    }

    fn wait_until_both_are_ready(&self) {
        until("both are ready", HANG, || {
            self.hold.ready().is_some() && self.server.ready().is_some()
        })
        .unwrap();
    }

    /// Waits until the first check is over, and what it left is gone.
    fn wait_until_the_first_is_over(&self) {
        until("the second check runs", HANG, || {
            self.tree.path("running").exists()
        })
        .unwrap();
    }

    fn said(&self) -> String {
        fs::read_to_string(self.tree.root().with_file_name("stdout")).unwrap()
    }

    fn verdict(&self) -> Value {
        serde_json::from_str(&self.said()).unwrap()
    }

    #[track_caller]
    fn expect_server(&self, processes: usize) {
        let mut alive = marked(&self.elsewhere.mark());
        // What became `check` was told of the server, but is none.
        alive.retain(|process| Path::new(&process.words[0]).starts_with(programs()));
        assert_eq!(alive.len(), processes, "{alive:?}");
    }
}

/// Runs until it is told to go on.
const WAIT: &str = "touch running; while [ ! -e go ]; do sleep 0.01; done";

fn shape(program: &str, word: &str) -> &'static Shape {
    let mut shapes = SHAPES.iter();
    shapes
        .find(|s| s.program == program && s.word == word)
        .unwrap()
}

#[test]
fn a_server_that_was_there_before_survives_whatever_the_run_comes_to() {
    if !has_tool("cc") {
        return;
    }
    let daemon = shape("daemon", "");
    for mechanism in Mechanism::available() {
        for end in [None, Some(Signal::SIGTERM), Some(Signal::SIGKILL)] {
            let mut scene = Scene::new(daemon);
            let mut run = scene.start(shape("plain", ""), &[], mechanism);
            scene.wait_until_both_are_ready();
            scene.expect_server(1);
            if let Some(signal) = end {
                run.signal(signal);
            }
            scene.hold.release_leader();
            scene.tree.write("go", "");
            let exit = run.wait().unwrap();
            run.wait_for_silence().unwrap();
            let wanted = end.map_or(Exit::Code(0), Exit::Signal);
            assert_eq!(exit, wanted, "{mechanism}: {}", scene.said());
            scene.expect_server(1);
            if end.is_none() {
                expect_one_leak(&scene.verdict(), "daemon");
            }
        }
    }
}

#[test]
fn orphans_of_strangers_come_to_a_process_1_and_are_not_touched() {
    if !has_tool("cc") || !has_tool("unshare") {
        return;
    }
    if !is_root() {
        return not_tested("check as process 1: that needs root");
    }
    let process_1 = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
    for mechanism in Mechanism::available() {
        for end in [None, Some(Signal::SIGTERM)] {
            let mut scene = Scene::new(shape("daemon", ""));
            let mut run = scene.start(shape("reparents", ""), &process_1, mechanism);
            scene.wait_until_both_are_ready();
            scene.hold.release_leader();
            scene.wait_until_the_first_is_over();
            // The server and its orphan, which was adopted by `check` before the check's daemon.
            scene.expect_server(2);
            let own = run.children();
            assert!(
                own.iter().all(|p| !p.words[0].ends_with("daemon")),
                "{own:?}"
            );
            match end {
                Some(signal) => {
                    let all = marked(&scene.tree.mark());
                    let check = all.into_iter().find(|p| p.words[0].ends_with("/check"));
                    check.unwrap().signal(signal);
                }
                None => {
                    scene.tree.write("go", "");
                }
            }
            let exit = run.wait().unwrap();
            // A process 1 cannot end by a signal that it sends to itself.
            let wanted = end.map_or(0, |signal| 128 + signal as i32);
            assert_eq!(exit, Exit::Code(wanted), "{mechanism}: {}", scene.said());
            run.wait_for_silence().unwrap();
            expect_one_leak(&scene.verdict(), "daemon");
        }
    }
}

#[track_caller]
fn expect_one_leak(verdict: &Value, program: &str) {
    let leaks = check_of(verdict, "child")["leaks"].as_array().unwrap();
    assert_eq!(leaks.len(), 1, "{leaks:?}");
    let command = leaks[0]["command"].as_str().unwrap();
    assert!(command.contains(&format!("/{program} ")), "{command}");
}

#[test]
fn of_two_checks_at_once_each_is_told_its_own_daemon() {
    if !has_tool("cc") {
        return;
    }
    for mechanism in Mechanism::available() {
        for (program, word) in [
            ("daemon", ""),
            ("changes_group", "session"),
            ("sheds_environment", "away"),
        ] {
            // Without a cgroup nothing tells whose an orphan is that has nothing of the check's.
            let told = mechanism == Mechanism::Cgroup || program != "sheds_environment";
            tell_apart(shape(program, word), mechanism, told);
        }
    }
}

fn tell_apart(shape: &Shape, mechanism: Mechanism, told: bool) {
    let project = Project::new().direct();
    let mut holds = ["a", "b"].map(|id| Hold::new(project.root().with_file_name(id)));
    let check = |hold: &Hold| {
        let argv = shape.argv(hold.folder(), false);
        json!({ "id": hold.folder().file_name().unwrap().to_str(),
            "executable": argv[0], "args": argv[1..] })
    };
    project.checks(&json!([check(&holds[0]), check(&holds[1])]));
    let root = project.root().to_str().unwrap();
    let mut command = project.command(["-C", root, "--json", "--jobs", "2"]);
    let stdout = project.root().with_file_name("stdout");
    command.stdout(File::create(&stdout).unwrap());
    mechanism.surround(&mut command);
    let mut run = Running::start(&mut command, &project.mark());
    until("both are ready", HANG, || {
        holds.iter().all(|hold| hold.ready().is_some())
    })
    .unwrap();
    for hold in &mut holds {
        hold.release_leader();
    }
    assert_eq!(run.wait().unwrap(), Exit::Code(0), "{mechanism}");
    let survivors = run.children();
    assert!(survivors.is_empty(), "{mechanism}: {survivors:?}");
    let verdict: Value = serde_json::from_slice(&fs::read(stdout).unwrap()).unwrap();
    if !told {
        let notes = verdict["notes"].to_string();
        let leaks = ["a", "b"]
            .map(|id| check_of(&verdict, id)["leaks"].to_string())
            .concat();
        for hold in &holds {
            let folder = hold.folder().to_str().unwrap();
            assert!(
                notes.contains(folder) || leaks.contains(folder),
                "{verdict}"
            );
        }
        return;
    }
    for hold in &holds {
        let id = hold.folder().file_name().unwrap().to_str().unwrap();
        let leaks = check_of(&verdict, id)["leaks"].as_array().unwrap();
        assert_eq!(leaks.len(), 1, "{mechanism} {shape} {id}: {leaks:?}");
        let command = leaks[0]["command"].as_str().unwrap();
        assert!(
            command.contains(hold.folder().to_str().unwrap()),
            "{command}"
        );
    }
}
