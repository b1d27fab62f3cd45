//! Real checks in real namespaces, as whoever runs the tests.

use std::fs;
use std::os::fd::AsFd as _;
use std::path::Path;

use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};

use crate::contain::exec::{Born, Starter};
use crate::contain::{Launch, StartError};
use crate::model::{Confinement, Limits, Network, Streams, View};

/// A tree, and what a check of it sees.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["tree/.check", "home/shown", "home/hidden", "own", "temp"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        for name in ["tree/harness.json", "home/shown/tool", "home/hidden/canary"] {
            fs::write(folder.path().join(name), "here\n").unwrap();
        }
        Self { folder }
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    fn launch(&self, script: &str, network: Network) -> Launch {
        let view = View {
            hidden: vec![self.at("home")],
            shown: vec![self.at("home/shown")],
            layered: Vec::new(),
            writable: vec![self.at("own"), self.at("tree")],
            frozen: vec![self.at("tree/.check"), self.at("tree/harness.json")],
            temp: self.at("temp"),
            holds_home: false,
        };
        Launch {
            program: "/bin/sh".into(),
            argv: ["sh", "-c", script].map(Into::into).to_vec(),
            env: vec![("PATH".into(), "/usr/bin:/bin:/usr/sbin:/sbin".into())],
            cwd: self.at("tree"),
            streams: Streams::Split,
            mark: self.at("own").into(),
            confinement: Some(Confinement {
                view,
                network,
                limits: Limits {
                    cpu_percent: 100,
                    memory_bytes: 1 << 30,
                    processes: 64,
                    output_bytes: None,
                },
                required: false,
            }),
        }
    }
}

/// Starts it, and waits for it: its code, what it printed, and what it was seen to have.
fn run(launch: &Launch) -> Result<(i32, String, Born), StartError> {
    let file = tempfile::tempfile().unwrap();
    let mut starter = Starter::new().unwrap();
    let born = starter.bear(launch, [file.as_fd(), file.as_fd()], None, None)?;
    let status = waitid(Id::PIDFd(born.pidfd.as_fd()), WaitPidFlag::WEXITED).unwrap();
    let WaitStatus::Exited(_, code) = status else {
        panic!("it ended by {status:?}");
    };
    let mut text = String::new();
    let mut file = file;
    std::io::Seek::rewind(&mut file).unwrap();
    std::io::Read::read_to_string(&mut file, &mut text).unwrap();
    Ok((code, text, born))
}

/// Runs `script` and asserts that it says what is expected.
#[track_caller]
fn assert_says(place: &Place, script: &str, expected: &str) {
    let launch = place.launch(script, Network::None);
    let (_, text, born) = run(&launch).unwrap();
    assert_eq!(text, expected, "{script}\n{:?}", born.seen);
}

#[test]
fn every_property_is_seen_from_inside() {
    let (code, text, born) = run(&Place::new().launch("exit 7", Network::None)).unwrap();
    assert_eq!((code, text.as_str()), (7, ""));
    let seen = born.seen;
    assert!(
        seen.network && seen.home && seen.read_only && seen.processes,
        "{seen:?}"
    );
    assert!(born.init.is_some());
}

#[test]
fn the_home_is_hidden_but_for_what_is_shown() {
    let place = Place::new();
    let home = place.at("home");
    let home = home.display();
    assert_says(
        &place,
        &format!(
            "ls {home}; cat {home}/shown/tool; touch {home}/x {home}/shown/x 2>/dev/null; echo $?"
        ),
        "shown\nhere\n1\n",
    );
}

#[test]
fn the_tree_is_writable_and_what_it_is_judged_by_is_not() {
    let place = Place::new();
    assert_says(
        &place,
        "touch made; echo $?; for f in harness.json .check/x /usr/x /etc/x; do
            (echo >> $f) 2>/dev/null || echo no; done
         mv harness.json y 2>/dev/null || echo no; rm -rf .check 2>/dev/null || echo no",
        "0\nno\nno\nno\nno\nno\nno\n",
    );
    assert!(place.at("tree/made").exists());
    assert!(place.at("tree/harness.json").exists());
}

#[test]
fn temporary_files_are_its_own() {
    let place = Place::new();
    let canary = tempfile::NamedTempFile::new_in("/tmp").unwrap();
    let canary = canary.path().display();
    assert_says(
        &place,
        &format!("ls {canary} 2>/dev/null; echo a > /tmp/a; echo b > /var/tmp/b; cat /var/tmp/a"),
        "a\n",
    );
    assert_eq!(fs::read_to_string(place.at("temp/b")).unwrap(), "b\n");
}

#[test]
fn it_sees_its_own_processes_and_a_terminal_of_its_own() {
    let place = Place::new();
    assert_says(
        &place,
        "echo $$; cat /proc/1/comm; ls -d /proc/[0-9]* | wc -l; ls /dev/pts /dev/shm; echo > /dev/null; \
         cat /proc/1/environ 2>/dev/null",
        // ls and wc are there too.
        "2\ninit\n4\n/dev/pts:\nptmx\n\n/dev/shm:\n",
    );
}

#[test]
fn the_hosts_network_is_there_only_where_it_is_asked_for() {
    let place = Place::new();
    let script = "cat /proc/net/dev | sed 1,2d | cut -d: -f1; cat /sys/class/net/lo/operstate";
    let (_, text, born) = run(&place.launch(script, Network::None)).unwrap();
    assert!(text.trim_start().starts_with("lo\n"), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
    let (_, _, host) = run(&place.launch("true", Network::Host)).unwrap();
    assert!(born.seen.network && !host.seen.network);
    assert!(host.seen.home && host.seen.read_only);
}

#[test]
fn loopback_answers() {
    let place = Place::new();
    let script = "python3 -c 'import socket
s = socket.create_server((\"127.0.0.1\", 0)); c = socket.create_connection(s.getsockname()); print(\"answered\")
'";
    assert_says(&place, script, "answered\n");
}

#[test]
fn everything_inside_ends_with_its_init() {
    let place = Place::new();
    let script = "(setsid sh -c 'trap \"\" TERM; exec sleep 1000' &) ; sleep 0.1; exit 3";
    let (code, _, born) = run(&place.launch(script, Network::None)).unwrap();
    assert_eq!(code, 3);
    let init = born.init.unwrap();
    let inside = Path::new("/proc").join(init.pid().to_string()).join("task");
    assert!(inside.exists());
    let children =
        fs::read_to_string(inside.join(init.pid().to_string()).join("children")).unwrap();
    let daemon: i32 = children.trim().parse().unwrap();
    init.kill();
    while !init.is_gone() {
        std::thread::yield_now();
    }
    let left = fs::read_to_string(format!("/proc/{daemon}/stat"));
    assert!(left.is_err(), "{left:?}");
}

#[test]
fn what_cannot_be_shown_is_an_error_that_names_it() {
    let place = Place::new();
    let mut launch = place.launch("true", Network::None);
    let Some(confinement) = &mut launch.confinement else {
        return;
    };
    confinement.view.shown.push("/nonexistent/tool".into());
    let Err(error) = run(&launch) else {
        panic!("it was started")
    };
    let text = error.to_string();
    assert!(
        text.starts_with("could not take up /nonexistent/tool: "),
        "{text}"
    );
}

#[test]
fn what_cannot_be_executed_leaves_nothing() {
    let place = Place::new();
    let mut launch = place.launch("true", Network::None);
    launch.program = "/nonexistent".into();
    assert!(matches!(
        run(&launch),
        Err(StartError::MissingInterpreter(_))
    ));
}
