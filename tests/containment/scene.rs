//! A tree with one check in it, what holds the check's program, and what was said of it.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use super::cell::{Cell, Moment};
use super::ends::{End, Exit, Expected};
use super::fault::Fault;
use super::hold::Hold;
use super::processes;
use super::running::{HANG, Running, until};
use super::shapes::Company;
use crate::support::Project;

/// See the module.
pub struct Scene {
    project: Project,
    hold: Hold,
    mark: String,
}

impl Scene {
    /// For `cell`; `limit` is what its time limit is, where that is its end.
    pub fn new(cell: &Cell, limit: Duration) -> Self {
        let project = Project::without_git().direct();
        let mark = project.mark();
        let hold = Hold::new(project.root().with_file_name("hold"));
        let loud = cell.end == End::OutputLimit;
        let argv = cell.shape.argv(hold.folder(), loud);
        let mut check = json!({ "id": "child", "executable": argv[0], "args": argv[1..] });
        if cell.end == End::Timeout {
            check["timeout"] = json!(duration(limit));
        }
        let endless = cell.end == End::Interrupts;
        let grace = if endless { "10m" } else { "100ms" };
        let mut checks = vec![check];
        if cell.end == End::FailFast {
            let script = format!("while [ ! -e $0/{FAIL} ]; do sleep 0.01; done; exit 1");
            let words = ["-c", &script, hold.folder().to_str().unwrap()];
            checks.push(json!({ "id": "other", "executable": "sh", "args": words }));
        }
        let mut manifest = json!({ "checks_grace": grace, "checks": checks });
        if loud {
            manifest["checks_max_output_bytes"] = json!(32 * 1024);
        }
        project.write("harness.json", manifest.to_string());
        Self {
            project,
            hold,
            mark,
        }
    }

    fn beside_the_tree(&self, name: &str) -> PathBuf {
        self.project.root().with_file_name(name)
    }

    /// Starts `check`.
    pub fn start(&self, cell: &Cell, limit: Duration) -> Running {
        let root = self.project.root().to_str().unwrap();
        let mut args = vec!["-C".to_owned(), root.to_owned(), "--json".to_owned()];
        if cell.end == End::FailFast {
            args.extend(["--fail-fast", "--jobs=2"].map(str::to_owned));
        }
        if cell.end == End::RunTimeout {
            args.push(format!("--timeout={}", duration(limit)));
        }
        let mut command = self.project.command(args);
        let file = |name| File::create(self.beside_the_tree(name)).unwrap();
        command
            .env("XDG_STATE_HOME", self.beside_the_tree("state"))
            .stdout(file("stdout"))
            .stderr(file("stderr"));
        cell.mechanism.surround(&mut command);
        Running::start(&mut command, &self.mark)
    }

    /// Whether the child has ever said that it is ready.
    pub fn was_ready(&self) -> bool {
        self.hold.ready().is_some()
    }

    /// Waits until everything is as the child wants it, or nothing will be.
    pub fn wait_until_ready(&self, cell: &Cell, check: &mut Running) -> Result<(), Fault> {
        until("the child is never ready", HANG, || {
            let stops = cell.shape.stops_itself();
            let settled = |pid| !stops || processes::state(pid) == Some('T');
            self.hold.ready().is_some_and(settled) || check.poll().is_some()
        })
    }

    /// Lets the main process end by itself, and all else too where they go `together`.
    pub fn release(&mut self, cell: &Cell, together: bool) {
        if together {
            self.hold.release_company();
        }
        self.hold.release_leader();
        if let (true, Some(pid)) = (cell.shape.stops_itself(), self.hold.ready()) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGCONT);
        }
    }

    /// The check beside the child fails.
    pub fn let_the_other_fail(&self) {
        fs::write(self.hold.folder().join(FAIL), "").unwrap();
    }

    /// Holds what `check` said against what it has to say.
    pub fn compare(&self, cell: &Cell, exit: Exit) -> Vec<String> {
        let Some(mut expected) = cell.end.expected(cell.shape) else {
            return Vec::new();
        };
        let at_ready = cell.moment == Moment::Ready;
        let text = |name| fs::read_to_string(self.beside_the_tree(name)).unwrap();
        let verdict = match serde_json::from_str::<Value>(&text("stdout")) {
            Ok(verdict) => verdict,
            // Before it can hear one, a signal ends `check` as it ends every program.
            Err(_) if !at_ready && exit == expected.exit => return Vec::new(),
            Err(error) => return vec![format!("no verdict ({error}): {}", text("stderr"))],
        };
        let check = &verdict["checks"][0];
        let unstarted = check["termination"] == "not_run";
        if unstarted && !at_ready {
            expected = expected.unstarted();
        }
        let mut wrong = Vec::new();
        if exit != expected.exit {
            wrong.push(format!("exit {exit:?}, not {:?}", expected.exit));
        }
        for (name, got, wanted) in facts(&verdict, expected) {
            if *got != wanted {
                wrong.push(format!("{name} {got}, not {wanted}"));
            }
        }
        let mechanism = &check["isolation"]["mechanism"];
        if !unstarted && *mechanism != cell.mechanism.to_string() {
            wrong.push(format!("mechanism {mechanism}, not {}", cell.mechanism));
        }
        let leaks = check["leaks"].as_array().map_or(0, Vec::len);
        let leaves = cell.end == End::LeaderLeaves && cell.shape.company == Company::Lasts;
        if at_ready && leaves && leaks == 0 {
            wrong.push("what outlived the main process is not named".to_owned());
        }
        if !wrong.is_empty() {
            wrong.push(format!("reason {}", check["reason"]));
        }
        wrong
    }
}

fn facts(verdict: &Value, expected: Expected) -> Vec<(&'static str, &Value, Value)> {
    let check = &verdict["checks"][0];
    let mut facts = vec![
        ("verdict", &verdict["verdict"], json!(expected.verdict)),
        ("reason", &verdict["reason"], expected.reason),
        ("status", &check["status"], json!(expected.status)),
        (
            "termination",
            &check["termination"],
            json!(expected.termination),
        ),
    ];
    if let Some(exit) = expected.check_exit {
        facts.push(("the check's exit", &check["exit"], exit));
    }
    facts
}

/// A file that lets another check fail.
const FAIL: &str = "fail";

/// As manifests and arguments have it.
fn duration(limit: Duration) -> String {
    format!("{}us", limit.as_micros())
}
