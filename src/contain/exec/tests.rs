use std::ffi::OsString;
use std::os::fd::AsRawFd as _;
use std::path::Path;

use super::{Launch, Spawned, StartError, Starter, Streams};
use crate::contain::Read;
use crate::contain::cgroup::Place;
use crate::contain::processes;
use crate::model::Exit;

fn launch(program: &str, script: &str, cwd: &str) -> Launch {
    Launch {
        program: program.into(),
        argv: ["sh", "-c", script].map(OsString::from).into(),
        env: vec![("ONLY".into(), "this".into())],
        cwd: cwd.into(),
        streams: Streams::Joined,
        mark: "/nonexistent".into(),
        confinement: None,
    }
}

fn on_a_runtime<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .unwrap()
        .block_on(work)
}

/// What it printed, and how it ended.
async fn outcome(spawned: Spawned) -> (String, Exit) {
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        spawned.stdout.readable().await.unwrap();
        match spawned.stdout.read(&mut buffer).unwrap() {
            Read::Bytes(count) => text.extend_from_slice(&buffer[..count]),
            Read::Empty => {}
            Read::End => break,
        }
    }
    let exit = spawned.leader.ended().await.unwrap();
    spawned.leader.reap();
    (String::from_utf8(text).unwrap(), exit)
}

/// A starter that goes the newer or the older way, whatever the kernel has.
fn starter(by_clone2: bool) -> Starter {
    Starter {
        by_clone2,
        ..Starter::new().unwrap()
    }
}

#[test]
fn a_child_is_sterile_and_in_its_cgroup_either_way() {
    // As a shell may hand on: a descriptor that is not close-on-exec, and an ignored signal.
    let inherited = std::fs::File::open("/dev/null").unwrap();
    // SAFETY: both calls take integers.
    unsafe {
        nix::libc::dup2(inherited.as_raw_fd(), 199);
        nix::libc::signal(nix::libc::SIGUSR2, nix::libc::SIG_IGN);
    }
    let script = "echo $$; ls /proc/$$/fd; env | sort; umask; pwd; ulimit -c; \
                  cat /proc/$$/cgroup; exec grep -E '^Sig(Blk|Ign)' /proc/self/status";
    for by_clone2 in [false, true] {
        let mut place = Place::new(processes::own().unwrap());
        let slot = place.as_mut().map(|place| place.take().unwrap());
        let mut starter = starter(by_clone2);
        let (text, exit) = on_a_runtime(async {
            let launch = launch("/bin/sh", script, "/");
            let cgroup = slot.as_ref().map(crate::contain::cgroup::Slot::folder);
            outcome(starter.spawn(&launch, cgroup, None).unwrap()).await
        });
        assert_eq!(exit, Exit::Code(0), "{text}");
        let (pid, rest) = text.split_once('\n').unwrap();
        let none = "0000000000000000";
        let expected = format!(
            "0\n1\n2\nONLY=this\nPWD=/\n0022\n/\n0\n\
             SigBlk:\t{none}\nSigIgn:\t{none}\n"
        );
        let sterile: String = rest
            .lines()
            .filter(|line| !line.starts_with("_=") && !line.starts_with("OLDPWD"))
            .filter(|line| !line.contains(":/") && !line.contains("::"))
            .flat_map(|line| [line, "\n"])
            .collect();
        assert_eq!(sterile, expected, "{text}");
        if let (Some(slot), Some(place)) = (slot, &mut place) {
            assert!(text.contains(slot.name()), "{text}");
            place.give_back(slot);
        }
        assert!(!Path::new("/proc").join(pid).exists(), "it was waited for");
    }
}

#[test]
fn what_cannot_be_started_says_why_and_leaves_no_child() {
    for by_clone2 in [false, true] {
        let mut starter = starter(by_clone2);
        on_a_runtime(async {
            let mut refused = |program, cwd| starter.spawn(&launch(program, "", cwd), None, None);
            assert!(matches!(
                refused("/nonexistent/sh", "/"),
                Err(StartError::MissingInterpreter(_))
            ));
            assert!(matches!(
                refused("/dev/null", "/"),
                Err(StartError::Denied(_))
            ));
            let Err(error) = refused("/bin/sh", "/nonexistent") else {
                panic!("it was started");
            };
            let text = error.to_string();
            assert!(
                text.starts_with("enter the folder that it runs in: "),
                "{text}"
            );
        });
    }
}
