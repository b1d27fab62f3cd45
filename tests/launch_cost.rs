//! What it costs to start one check, beside a bare start and bubblewrap.
//!
//! `cargo bench --bench launch_cost -- [ROUNDS]` prints medians in ms, of rounds in which every way
//! takes its turn. A way that this machine lacks is left out, and said.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a program run by hand that prints figures"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use harness_check::contain::{Containment, Launch, Place, mechanism};
use harness_check::model::{Confinement, Limits, Network, Streams, View};

const PROGRAM: &str = "/bin/true";
/// Starts in a row, so that one round is long enough to be measured.
const A_ROUND: u32 = 10;

/// What it is called, and one start by it.
type Way<'a> = (&'a str, Box<dyn Fn() + 'a>);

fn main() {
    let rounds = std::env::args().find_map(|word| word.parse().ok());
    let rounds: usize = rounds.unwrap_or(20);
    let place = tempfile::tempdir().expect("a folder for a tree");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let containment = runtime.block_on(async {
        mechanism(Place {
            homes: place.path(),
            runtime: None,
            contains: true,
        })
    });
    let mut ways: Vec<Way<'_>> = vec![("bare", Box::new(bare))];
    let ours = |launch: Launch| {
        let (runtime, containment) = (&runtime, &*containment);
        Box::new(move || runtime.block_on(contained(containment, &launch)))
    };
    for (name, network) in [
        ("check, uncontained", None),
        ("check, contained", Some(Network::None)),
        ("check, host's network", Some(Network::Host)),
    ] {
        ways.push((name, ours(launch(place.path(), network))));
    }
    if bwrap().is_some_and(|status| status.success()) {
        let start = || assert!(bwrap().is_some_and(|status| status.success()));
        ways.push(("bwrap --unshare-all", Box::new(start)));
    } else {
        println!("bwrap does not run here, and is left out");
    }
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); ways.len()];
    for _ in 0..rounds {
        for ((_, way), times) in ways.iter().zip(&mut times) {
            let begun = Instant::now();
            for _ in 0..A_ROUND {
                way();
            }
            times.push(begun.elapsed() / A_ROUND);
        }
    }
    for ((name, _), times) in ways.iter().zip(&mut times) {
        times.sort_unstable();
        let median = times[times.len() / 2].as_secs_f64() * 1000.0;
        println!("{name:<24}{median:8.3} ms");
    }
}

fn bare() {
    let status = Command::new(PROGRAM).status().expect("it starts");
    assert!(status.success());
}

fn bwrap() -> Option<ExitStatus> {
    let bind = [
        "--ro-bind",
        "/",
        "/",
        "--unshare-all",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
    ];
    Command::new("bwrap")
        .args(bind)
        .args([
            "--tmpfs",
            "/home",
            "--tmpfs",
            "/tmp",
            "--die-with-parent",
            PROGRAM,
        ])
        .status()
        .ok()
}

async fn contained(containment: &dyn Containment, launch: &Launch) {
    let started = containment.start(launch).expect("it starts");
    started.leader.ended().await.expect("it is watched");
    let mut cage = started.cage;
    while !cage.is_empty() {}
    cage.close();
    started.leader.reap();
}

/// `network`: that of a contained one.
fn launch(tree: &Path, network: Option<Network>) -> Launch {
    let folder = |name: &str| {
        let folder = tree.join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        folder.canonicalize().expect("it is there")
    };
    let exists = |path: &&str| Path::new(path).is_dir();
    let hidden = ["/home", "/root", "/run"]
        .iter()
        .filter(|path| exists(path));
    let view = View {
        hidden: hidden.map(PathBuf::from).collect(),
        writable: vec![folder("tree"), folder("home")],
        temp: folder("temp"),
        ..View::default()
    };
    Launch {
        program: PROGRAM.into(),
        argv: vec![PROGRAM.into()],
        env: Vec::new(),
        cwd: folder("tree"),
        streams: Streams::Split,
        mark: folder("home").into(),
        confinement: network.map(|network| Confinement {
            view,
            network,
            limits: Limits {
                cpu_percent: 400,
                memory_bytes: 4 << 30,
                processes: 4096,
                output_bytes: None,
            },
            required: false,
        }),
    }
}
