//! `check` in places that are not made for it: a clear error or the right verdict, never a hang,
//! never a pass that is none, and nothing left alive.

mod places;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use nix::sys::resource::Resource;
use serde_json::{Value, json};

use crate::containment::ends::Exit;
use crate::containment::fault::Fault;
use crate::containment::hold::Hold;
use crate::containment::pool::play_all;
use crate::containment::running::{HANG, Running, names, until};
use crate::containment::shapes::SHAPES;
use crate::containment::surroundings::{Mechanism, cgroup_folder};
use crate::support::{Project, Ran, has_tool};

use places::{Place, RIGHT, place, places};

/// A tree with a check that leaves a daemon behind, and one that passes or fails.
struct Tree {
    project: Project,
    is_good: bool,
    program: PathBuf,
    /// Lets main processes end, and not what they leave behind.
    _hold: Hold,
}

impl Tree {
    fn new(is_good: bool, place: &Place) -> Self {
        let project = Project::new().direct();
        let mut hold = Hold::new(project.root().with_file_name("hold"));
        hold.release_leader();
        let daemon = SHAPES.iter().find(|s| s.program == "daemon").unwrap();
        let mut argv = daemon.argv(hold.folder(), false);
        let mut program = PathBuf::from(env!("CARGO_BIN_EXE_check"));
        if place.is_users {
            // The originals may lie where another user may not look.
            program = copy(&program, &project);
            let daemon = copy(Path::new(&argv[0]), &project);
            argv[0] = daemon.into_os_string().into_string().unwrap();
        }
        let script = if is_good {
            "yes | head -c 200000; exit 0"
        } else {
            "yes | head -c 200000; echo 'a.txt:1:1: wrong'; exit 1"
        };
        project.checks(&json!([
            { "id": "leaves", "executable": argv[0], "args": argv[1..] },
            { "id": "judges", "executable": "sh", "args": ["-c", script, project.root()] },
        ]));
        project.write("a.txt", "one\n");
        Self {
            project,
            is_good,
            program,
            _hold: hold,
        }
    }

    fn play(&self, place: &Place, mechanism: Mechanism) -> Result<(), Fault> {
        let file = |name| self.project.root().with_file_name(name);
        let mut words: Vec<&OsStr> = place.through.iter().map(OsStr::new).collect();
        words.extend([
            self.program.as_os_str(),
            "-C".as_ref(),
            self.project.root().as_ref(),
        ]);
        let mut command = self.project.command_by(words[0], &words[1..]);
        command
            .stdout(File::create(file("stdout")).unwrap())
            .stderr(File::create(file("stderr")).unwrap());
        if place.is_users {
            give_to_another_user(&mut command, self.project.root().parent().unwrap());
        } else {
            mechanism.surround(&mut command);
        }
        (place.make)(&mut command, &self.project);
        let mut run = Running::start(&mut command, &self.project.mark());
        let exit = run.wait()?;
        let survivors = run.children();
        run.wait_for_silence()?;
        if !survivors.is_empty() {
            return Err(Fault::survivors(format!("alive: {}", names(&survivors))));
        }
        let said = |name| fs::read_to_string(file(name)).unwrap();
        self.compare(place, exit, &said("stdout"), &said("stderr"))
            .map_err(|what| Fault::new(format!("{what}\n{}{}", said("stdout"), said("stderr"))))
    }

    fn compare(&self, place: &Place, exit: Exit, stdout: &str, stderr: &str) -> Result<(), String> {
        let allowed = if self.is_good { place.good } else { place.bad };
        let Exit::Code(code) = exit else {
            return Err(format!("ended by {exit:?}"));
        };
        if !allowed.contains(&code) {
            return Err(format!("exit {code}, not one of {allowed:?}"));
        }
        if !place.is_heard {
            return Ok(());
        }
        let last = stdout.lines().chain(stderr.lines()).any(|line| {
            let said = ["ok: ", "blocked: ", "no verdict: "].map(|word| line.starts_with(word));
            said == [code == 0, code == 1, code == 2]
        });
        if last {
            Ok(())
        } else {
            Err(format!("exit {code} without the line that says so"))
        }
    }
}

#[test]
fn wherever_it_is_it_says_what_is_true_or_that_it_cannot() {
    if !has_tool("cc") {
        return;
    }
    let mut cells = Vec::new();
    for mechanism in Mechanism::available() {
        for place in places() {
            if place.is_users && mechanism == Mechanism::Cgroup {
                // Such a user can make none.
                continue;
            }
            cells.extend([true, false].map(|is_good| (place.clone(), mechanism, is_good)));
        }
    }
    let failed = play_all(cells, |(place, mechanism, is_good)| {
        let played = Tree::new(is_good, &place).play(&place, mechanism);
        let word = if is_good { "good" } else { "bad" };
        played.map_err(|fault| fault.at(&format!("[{} | {word} | {mechanism}]", place.name)))
    });
    let said: Vec<_> = failed.iter().map(ToString::to_string).collect();
    assert!(failed.is_empty(), "{}", said.join("\n"));
}

/// By another process: a file that any process has open for writing cannot be run.
fn copy(program: &Path, project: &Project) -> PathBuf {
    let folder = project.root().with_file_name("programs");
    fs::create_dir_all(&folder).unwrap();
    let status = Command::new("cp").args([program, &folder]).status();
    assert!(status.unwrap().success());
    folder.join(program.file_name().unwrap())
}

/// Another one for each run, so that no run counts as another's processes.
fn give_to_another_user(command: &mut Command, folder: &Path) {
    static NEXT: AtomicU32 = AtomicU32::new(61_000);
    let user = NEXT.fetch_add(1, Ordering::Relaxed);
    let owner = format!("{user}:{user}");
    let chown = Command::new("chown")
        .args(["-R", &owner])
        .arg(folder)
        .status();
    assert!(chown.unwrap().success());
    command.uid(user).gid(user);
}

#[test]
fn in_a_cgroup_that_was_killed_before_it_is_right() {
    if !Mechanism::available().contains(&Mechanism::Cgroup) || !has_tool("cc") {
        return;
    }
    let folder = cgroup_folder("killed").unwrap();
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("cgroup.kill"), "1").unwrap();
    for is_good in [true, false] {
        let place = place("a cgroup that was killed", RIGHT)
            .through(&[
                "sh",
                "-c",
                "echo 0 > $FOLDER/cgroup.procs; exec \"$@\"",
                "sh",
            ])
            .made(|command, _| {
                command.env("FOLDER", cgroup_folder("killed").unwrap());
            });
        let tree = Tree::new(is_good, &place);
        tree.play(&place, Mechanism::Cgroup).unwrap();
    }
    until("it is empty", HANG, || fs::remove_dir(&folder).is_ok()).unwrap();
}

#[test]
fn more_checks_and_probes_at_once_than_descriptors_is_no_pass_that_is_none() {
    let checks = |bad: bool| {
        let check = |n: usize| {
            let script = if bad && n == 39 {
                "echo 'a.txt:1:1: wrong'; exit 1"
            } else {
                "sleep 0.1"
            };
            json!({ "id": format!("c{n}"), "executable": "sh", "args": ["-c", script],
                "version": ["sh", "-c", format!("sleep 0.1; echo {n}")] })
        };
        (0..40).map(check).collect::<Vec<_>>()
    };
    for bad in [false, true] {
        let project = Project::new().direct();
        project.checks(&json!(checks(bad)));
        let mut command = project.command(["--json", "--jobs", "40"]);
        places::limit(&mut command, Resource::RLIMIT_NOFILE, 64);
        let ran = Ran::of(&command.output().unwrap());
        let verdict: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        let checks = verdict["checks"].as_array().unwrap();
        let of = |status: &str| checks.iter().filter(|c| c["status"] == status).count();
        assert_eq!(of("pass") + of("fail") + of("broken"), 40, "{verdict}");
        assert!(of("pass") > 0, "{verdict}");
        let failed = bad && checks[39]["status"] == "fail";
        let right = if failed {
            1
        } else if of("broken") > 0 {
            2
        } else {
            0
        };
        assert_eq!(ran.code, right, "{verdict}");
        for check in checks.iter().filter(|check| check["status"] == "broken") {
            let reason = check["reason"].as_str().unwrap();
            assert!(reason.contains("Too many open files"), "{reason}");
        }
    }
}
