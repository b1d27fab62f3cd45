//! The time of a run that is suspended stands still.

use std::fs::File;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::containment::cell::suspend;
use crate::containment::ends::Exit;
use crate::containment::hold::Hold;
use crate::containment::running::{HANG, Running, until};
use crate::containment::shapes::SHAPES;
use crate::containment::surroundings::Mechanism;
use crate::support::{Project, has_tool};

#[test]
fn a_check_and_a_run_that_are_suspended_for_longer_than_they_may_run_lose_no_time() {
    if !has_tool("cc") {
        return;
    }
    for mechanism in Mechanism::available() {
        // On a machine that is too busy for the shorter ones the longest will do.
        let limits = [2, 10, 50].map(Duration::from_secs);
        assert!(
            limits
                .into_iter()
                .any(|limit| outlives_its_limit(limit, mechanism))
        );
    }
}

/// False where half of the limit was over before it was suspended.
fn outlives_its_limit(limit: Duration, mechanism: Mechanism) -> bool {
    let project = Project::new().direct();
    let mut hold = Hold::new(project.root().with_file_name("hold"));
    let argv = SHAPES[0].argv(hold.folder(), false);
    let timeout = format!("{}s", limit.as_secs());
    project.checks(
        &json!([{ "id": "child", "executable": argv[0], "args": argv[1..],
        "timeout": timeout }]),
    );
    let root = project.root().to_str().unwrap();
    let mut command = project.command(["-C", root, "--json", "--timeout", &timeout]);
    let stdout = project.root().with_file_name("stdout");
    command.stdout(File::create(&stdout).unwrap());
    mechanism.surround(&mut command);
    let begun = Instant::now();
    let mut run = Running::start(&mut command, &project.mark());
    until("it is ready", HANG, || hold.ready().is_some()).unwrap();
    suspend(&run).unwrap();
    if begun.elapsed() > limit / 2 {
        return false;
    }
    sleep(limit);
    run.signal(Signal::SIGCONT);
    hold.release_leader();
    let exit = run.wait().unwrap();
    let verdict: Value = serde_json::from_slice(&std::fs::read(stdout).unwrap()).unwrap();
    assert_eq!(exit, Exit::Code(0), "{mechanism}: {verdict}");
    true
}
