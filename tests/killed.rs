//! `check` killed without a word, and its watchdog with it: the next run of the root ends what was
//! left running, and nothing else.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Project, check_of, is_alive, wait_until};

fn kill(pid: i32) {
    let pid = nix::unistd::Pid::from_raw(pid);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
}

fn pid_in(project: &Project, file: &str) -> i32 {
    wait_until(file, || {
        fs::read_to_string(project.path(file)).is_ok_and(|text| text.ends_with('\n'))
    });
    project.read(file).trim().parse().unwrap()
}

/// A project whose check leaves a daemon and waits, until `again` is there.
fn daemons() -> Project {
    let project = Project::new().direct();
    let script = "if [ -e again ]; then exit 0; fi; setsid sleep 600 & echo $! > daemon; \
                  echo $$ > leader; exec sleep 600";
    project.checks(&json!([{ "id": "test", "executable": "sh", "args": ["-c", script] }]));
    project
}

#[test]
fn the_next_run_ends_what_a_killed_run_left() {
    let project = daemons();
    // Before the run, with nothing of it: never to be touched.
    let mut bystander = std::process::Command::new("sleep")
        .arg("600")
        .spawn()
        .unwrap();
    let mut command = project.command(["--json"]);
    let mut check = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (daemon, leader) = (pid_in(&project, "daemon"), pid_in(&project, "leader"));
    let record: Value = serde_json::from_str(&project.read(".git/check/run.json")).unwrap();
    let watchdog = record["traces"]["watchdog"][0].as_i64().unwrap();
    kill(i32::try_from(watchdog).unwrap());
    check.kill().unwrap();
    check.wait().unwrap();
    assert!(is_alive(daemon), "nobody was there to end it");

    project.write("again", "");
    let ran = project.run(["--json"]);
    let verdict: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran.code, 0, "{verdict}");
    assert!(!is_alive(daemon) && !is_alive(leader));
    assert!(
        verdict["notes"].to_string().contains("was killed"),
        "{verdict}"
    );
    let bystanders = i32::try_from(bystander.id()).unwrap();
    assert!(is_alive(bystanders));
    // And it is over with that.
    let ran = project.run(["--json"]);
    assert!(!ran.stdout.contains("was killed"), "{}", ran.stdout);
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

#[test]
fn the_watchdog_ends_what_a_killed_run_left() {
    let project = daemons();
    let mut command = project.command(["--json"]);
    let mut check = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (daemon, leader) = (pid_in(&project, "daemon"), pid_in(&project, "leader"));
    check.kill().unwrap();
    check.wait().unwrap();
    wait_until("the daemon to be gone", || {
        !is_alive(daemon) && !is_alive(leader)
    });
}

#[test]
fn a_record_that_lies_moves_nothing() {
    // Whoever can write the state folder must not have `check` kill for it.
    let project = Project::new().direct();
    project.check("test", &["true"]);
    let mut innocent = std::process::Command::new("sleep")
        .arg("600")
        .spawn()
        .unwrap();
    let pid = i32::try_from(innocent.id()).unwrap();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let started: u64 = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split(' ')
        .nth(20)
        .unwrap()
        .parse()
        .unwrap();
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap();
    let namespace: String = namespace
        .to_str()
        .unwrap()
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    let own: u64 = namespace.parse().unwrap();
    for cgroups in [
        "/sys/fs/cgroup/unified",
        "/sys/fs/cgroup",
        "/",
        "/sys/fs/cgroup/check-1-2",
    ] {
        let lie = json!({
            "pid": 1, "start_time": 2, "pid_namespace": own, "started_ms": 1, "check": null,
            "traces": { "cgroups": cgroups, "watchdog": [pid, started] },
        });
        fs::create_dir_all(project.path(".git/check")).unwrap();
        project.write(".git/check/run.json", lie.to_string());
        let (code, verdict) = project.json(&[]);
        assert_eq!(
            (code, &check_of(&verdict, "test")["status"]),
            (0, &json!("pass"))
        );
        assert!(is_alive(pid), "{cgroups}");
    }
    innocent.kill().unwrap();
    innocent.wait().unwrap();
}
