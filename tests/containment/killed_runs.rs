//! A tree whose runs are killed with SIGKILL at any moment: nothing of them stays alive, and the next
//! run says what a fresh clone's says.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::dice::Dice;
use super::ends::Exit;
use super::fault::Fault;
use super::hold::Hold;
use super::processes::marked;
use super::running::Running;
use super::shapes::SHAPES;
use super::surroundings::Mechanism;
use crate::support::{Project, Ran};

/// See the module.
pub struct Victim {
    project: Project,
    mechanism: Mechanism,
    /// What a fresh clone's run says, less what differs from run to run.
    fresh: Value,
    /// How long a run takes that nobody kills.
    whole: Duration,
    /// Lets every main process end; what they leave behind stays.
    _hold: Hold,
}

/// What differs from run to run.
const VARYING: [&str; 5] = ["root", "started_at", "duration_ms", "pid", "unit"];

const AFTER_A_KILLED_RUN: &str = "the run before this one was killed";

impl Victim {
    /// A committed tree, run once in a clone of it.
    pub fn new(mechanism: Mechanism) -> Self {
        let contained = mechanism == Mechanism::Namespaces;
        let project = if contained {
            Project::new()
        } else {
            Project::new().direct()
        };
        // What is beside the tree is not there for contained checks.
        let hold = if contained {
            project.path("hold")
        } else {
            project.root().with_file_name("hold")
        };
        let mut hold = Hold::new(hold);
        hold.release_leader();
        let daemon = SHAPES.iter().find(|s| s.program == "daemon").unwrap();
        let argv = daemon.argv(hold.folder(), false);
        let shell = |id: &str, script: &str| {
            // The folder's name is the mark of all that belongs to the run.
            let words = ["-c", script, project.root().to_str().unwrap()];
            json!({ "id": id, "executable": "sh", "args": words })
        };
        let mut passes = shell("passes", "echo fine; sleep 0.02");
        passes["version"] = json!(["sh", "-c", "echo 1.2.3", "tool"]);
        project.checks(&json!([
            passes,
            shell("fails", "echo 'a.txt:1:1: a new mistake'; exit 1"),
            shell("known", "echo 'a.txt:2:1: an old mistake'; exit 1"),
            shell("prints", "yes 'a line of output' | head -c 300000; sleep 0.02; exit 3"),
            { "id": "leaves", "executable": argv[0], "args": argv[1..] },
        ]));
        project.write("a.txt", "one\ntwo\n");
        project.write(".gitignore", "/hold\n");
        project.run(["baseline", "record", "--only", "known"]);
        project.commit();
        let clone = project.root().with_file_name("clone");
        project.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
        // What holds the daemon is nowhere else.
        let fresh = if contained { project.root() } else { &clone };
        let fresh = fresh.to_str().unwrap().to_owned();
        let mut victim = Self {
            project,
            mechanism,
            fresh: Value::Null,
            whole: Duration::ZERO,
            _hold: hold,
        };
        let begun = Instant::now();
        victim.fresh = victim.verdict(&fresh);
        victim.whole = begun.elapsed();
        assert_eq!(victim.fresh["verdict"], "failed", "{}", victim.fresh);
        assert_eq!(victim.fresh["baseline"]["known"], 1, "{}", victim.fresh);
        assert_ne!(victim.fresh["checks"][4]["leaks"], json!([]));
        victim
    }

    /// Kills a run at a moment that the dice choose, in every third round its watchdog before it,
    /// and lets the next one say its verdict. True where the run was still there to be killed.
    pub fn round(&self, dice: &mut Dice) -> Result<bool, Fault> {
        let delay = dice.delay(self.whole);
        let with_watchdog = dice.below(3) == 0;
        let also = if with_watchdog {
            " and its watchdog"
        } else {
            ""
        };
        let place = format!("[a run{also} killed after {delay:?} | {}]", self.mechanism);
        let fault = |fault: Fault| fault.at(&place);
        let mut command = self.command(self.root());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut run = Running::start(&mut command, &self.project.mark());
        sleep(delay);
        if with_watchdog {
            let all = marked(&self.project.mark());
            let forks = all.iter().filter(|p| p.is_check() && p.pid != run.pid());
            forks.for_each(|fork| fork.signal(Signal::SIGKILL));
        }
        run.signal(Signal::SIGKILL);
        let exit = run.wait().map_err(fault)?;
        if !with_watchdog {
            run.wait_for_silence().map_err(fault)?;
        }
        let next = self.verdict(self.root());
        if next != self.fresh {
            let mut apart = Vec::new();
            tell_apart(&next, &self.fresh, "", &mut apart);
            let what = format!("the next run is not a fresh clone's: {}", apart.join("; "));
            return Err(fault(Fault::new(what)));
        }
        run.wait_for_silence().map_err(fault)?;
        Ok(exit == Exit::Signal(Signal::SIGKILL))
    }

    fn root(&self) -> &str {
        self.project.root().to_str().unwrap()
    }

    fn command(&self, root: &str) -> Command {
        let mut command = self.project.command(["-C", root, "--json", "--jobs", "2"]);
        self.mechanism.surround(&mut command);
        command
    }

    fn verdict(&self, root: &str) -> Value {
        let ran = Ran::of(&self.command(root).output().unwrap());
        let verdict = serde_json::from_str(&ran.stdout);
        let mut verdict = verdict.unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        forget_varying(&mut verdict);
        // It says so where it had to end what a killed one left, and nothing else is different.
        let notes = verdict["notes"].as_array_mut().unwrap();
        notes.retain(|note| !note.as_str().unwrap().starts_with(AFTER_A_KILLED_RUN));
        verdict
    }
}

fn forget_varying(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for name in VARYING {
                map.remove(name);
            }
            map.values_mut().for_each(forget_varying);
        }
        Value::Array(values) => values.iter_mut().for_each(forget_varying),
        Value::String(text) => {
            if let Some(place) = text.find("(pid ") {
                text.truncate(place);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Says where two verdicts differ.
fn tell_apart(next: &Value, fresh: &Value, place: &str, apart: &mut Vec<String>) {
    match (next, fresh) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            for (name, value) in a {
                tell_apart(value, &b[name], &format!("{place}.{name}"), apart);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                tell_apart(a, b, &format!("{place}[{index}]"), apart);
            }
        }
        _ if next == fresh => {}
        _ => apart.push(format!("{place} {next}, not {fresh}")),
    }
}
