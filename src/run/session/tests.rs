//! What is left of a run that panics: nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Plan, Signals, Versions, run};
use crate::contain;
use crate::launch::{Caller, HomePlace, Surroundings};
use crate::model::{
    CheckId, CheckResult, CheckSpec, Failure, Judge, Limits, Outcome, Profile, RowSink,
    RunSettings, Status,
};
use crate::run::progress::Progress;
use crate::run::{Clock, Entry, ReadBuffer, Times};

/// Panics where a report or a ratchet with a bug in it would: when the check `bug` is over.
struct Buggy;

impl Judge for Buggy {
    fn open(&self, check: &CheckSpec) -> Box<dyn RowSink> {
        Box::new(Sink(check.clone()))
    }

    fn not_run(&self, check: &CheckSpec, status: Status, _reason: String) -> CheckResult {
        CheckResult::new(check, status)
    }
}

struct Sink(CheckSpec);

impl RowSink for Sink {
    fn row(&mut self, _row: Failure) {}

    fn end(self: Box<Self>, _outcome: Outcome) -> CheckResult {
        assert_ne!(self.0.id.as_str(), "bug", "planned");
        CheckResult::new(&self.0, Status::Pass)
    }
}

fn sh(id: &str, script: &str) -> Entry {
    let args = ["-c", script].map(str::to_owned).into();
    Entry {
        check: CheckSpec::new(CheckId::new(id).unwrap(), "/bin/sh", args),
        decided: None,
        look: None,
    }
}

fn settings(root: &Path) -> RunSettings {
    RunSettings {
        root: root.to_owned(),
        limits: Limits {
            cpu_percent: 200,
            memory_bytes: 1 << 32,
            processes: 4096,
            output_bytes: None,
        },
        profile: Profile::LocalSubscription,
        require_containment: false,
        timeout: Duration::from_mins(5),
        grace: Duration::from_mins(1),
        jobs: 2,
    }
}

fn pid_in(file: PathBuf) -> i32 {
    std::fs::read_to_string(file)
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}

#[test]
fn a_panic_leaves_no_process_alive() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let vars = [
        ("TMPDIR", root.clone().into_os_string()),
        ("PATH", "/usr/bin:/bin".into()),
    ];
    let vars = vars.map(|(name, value)| (OsString::from(name), value));
    let caller = Caller::new(BTreeMap::from(vars), Some("/nonexistent".into()), 0);
    let surroundings = Surroundings::new(&caller);
    let homes = HomePlace::new(&caller, &root, false, &[]);
    let containment = contain::mechanism(contain::Place {
        homes: homes.path(),
        runtime: None,
        contains: false,
    });
    let settings = settings(&root);
    // Neither hears TERM, and a minute's grace is not waited for: a bug is no reason to hang.
    let stays = "trap '' TERM; setsid sleep 600 & echo $! > daemon; echo $$ > leader; wait";
    let bug = "while [ ! -s leader ]; do sleep 0.01; done";
    let nobody: Vec<&dyn Progress> = Vec::new();
    let plan = Plan {
        entries: vec![sh("stays", stays), sh("bug", bug)],
        first: None,
        settings: &settings,
        fail_fast: false,
        caller: &caller,
        surroundings: &surroundings,
        sights: None,
        homes: &homes,
        clock: Clock::default(),
        buffer: ReadBuffer::default(),
        containment: &*containment,
        logs: None,
        logs_shown: PathBuf::new(),
        times: &Times::default(),
        versions: &Versions::default(),
        progress: &nobody,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .unwrap();
    let panicked = panic::catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            let mut signals = Signals::listen().unwrap();
            run(&plan, &Buggy, &mut signals).await;
        });
    }));
    assert!(panicked.is_err());
    for file in ["daemon", "leader"] {
        let pid = pid_in(root.join(file));
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit(") ").next().unwrap_or_default();
        assert!(
            stat.is_empty() || state.starts_with(['Z', 'X']),
            "{file}: {stat}"
        );
    }
}
