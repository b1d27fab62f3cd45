//! A run from the first check to the verdict: everything that running and recording share.

use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use crate::contain::{self, Containment, Swept};
use crate::launch::{Caller, HomePlace, SearchPath, Sights, StandIns, Surroundings, Whereabouts};
use crate::model::{Bar, CheckSpec, Host, Leaks, Route, RunSettings, Tree, Verdict};
use crate::ratchet::{Baselines, FOLDER, Places};
use crate::report::{ASKED_FOR, Detected, empty_verdict};
use crate::run::lock::FolderLock;
use crate::run::record::Record;
use crate::run::signals::Fatal;
use crate::run::{self, Clock, Ended, Entry, Logs, Plan, Progress, ReadBuffer};
use crate::text::sha256_hex;
use crate::vcs::Repository;

use super::admission;
use super::assemble::{RunFacts, assemble};
use super::event_loop::EventLoop;
use super::judge::{Account, Bench, TreeJudge};
use super::live::Live;
use super::place::Place;
use super::ready::{Asked, NoRun, Ready};
use super::remembered::Remembered;
use super::state::State;
use super::tree::AskedTree;

/// A run that was judged. The root stays locked while it lives.
pub struct Judged {
    /// See [`Verdict`].
    pub verdict: Verdict,
    /// What may be recorded of each check.
    pub accounts: Vec<Account>,
    /// The recorded failures as they were read before the first check.
    pub baselines: Option<Baselines>,
    /// What of the bar was changed while the checks ran.
    pub moved: Option<String>,
    /// The signal to be raised again.
    pub interrupted: Option<Fatal>,
    /// See [`State`].
    pub state: Option<State>,
    /// Absolute, links resolved.
    pub root: PathBuf,
    /// What detection found, where there is no manifest.
    pub detected: Option<Detected>,
    // In this order: what is said of the holder is true as long as the lock is held.
    _record: Record,
    _lock: Option<FolderLock>,
}

/// What was done, before it is a verdict.
struct Done {
    ended: Ended,
    tree: Tree,
    accounts: Vec<Account>,
    notes: Vec<String>,
    /// Of one of the checks a process that outlives it is a failure.
    leaks_fail: bool,
}

/// Finds, locks, reads, runs and judges. A panic has unwound through everything that ends
/// processes when it comes here; it is no verdict, and every report says so.
pub fn judge(asked: Asked<'_>, caller: &Caller) -> Result<Judged, NoRun> {
    let started = SystemTime::now();
    let judged = panic::catch_unwind(AssertUnwindSafe(|| find_and_judge(asked, caller, started)));
    judged.unwrap_or_else(|panicked| {
        let text = panicked
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned());
        let text = text.or_else(|| panicked.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "it did not say why".to_owned());
        let reason = Some(format!("check itself failed, which is a bug: {text}"));
        let verdict = empty_verdict(reason, Route::Operator, started);
        Err(NoRun::from(Box::new(verdict)))
    })
}

fn find_and_judge(asked: Asked<'_>, caller: &Caller, started: SystemTime) -> Result<Judged, NoRun> {
    let begun = Instant::now();
    let mut ready = Ready::new(asked, caller, started)?;
    let done = perform(&mut ready, asked, caller).map_err(|error| {
        let reason = Some(format!("{error:#}"));
        Box::new(Verdict {
            root: Some(ready.place.root.display().to_string()),
            ..empty_verdict(reason, Route::Operator, started)
        })
    })?;
    let Done {
        ended,
        tree,
        accounts,
        notes,
        leaks_fail,
    } = done;
    let alive = still_alive(&ended.leftovers);
    let leaked = leaked(&ended.leftovers).filter(|_| leaks_fail);
    let moved = bar_moved(&ready.place, ready.baselines.as_ref());
    let facts = RunFacts {
        root: ready.place.root.display().to_string(),
        bar: bar(&ready),
        baseline_path: baseline_path(&ready),
        spoiled: alive.or(leaked).or_else(|| moved.clone()),
        tree,
        manifest: ready.place.manifest.clone(),
        host: Host {
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
        },
        started_at: humantime::format_rfc3339_millis(started).to_string(),
        duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        not_selected: ready.rest,
        partition: None,
        diagnostics: Vec::new(),
        notes,
        interrupted: ended.interrupted.map(|signal| signal.name.to_owned()),
    };
    Ok(Judged {
        verdict: assemble(ended.results, &accounts, facts),
        accounts,
        baselines: ready.baselines,
        moved,
        interrupted: ended.interrupted,
        state: ready.state,
        root: ready.place.root,
        detected: ready.place.detected,
        _record: ready.record,
        _lock: ready.taken.lock,
    })
}

/// Runs the chosen checks.
fn perform(ready: &mut Ready, asked: Asked<'_>, caller: &Caller) -> anyhow::Result<Done> {
    let root = &ready.place.root;
    let surroundings = Surroundings::new(caller);
    let top = ready.place.repository.as_ref().map(Repository::top);
    let safe: Vec<&Path> = std::iter::once(root.as_path())
        .chain(top.filter(|top| top != root))
        .collect();
    let homes = HomePlace::new(caller, root, ready.taken.lock.is_some(), &safe);
    let containment = mechanism(caller, &homes, !asked.how.uncontained);
    let state = ready.state.as_ref();
    let (_stand_ins, sights) = (!asked.how.uncontained)
        .then(|| {
            let whereabouts = whereabouts(&ready.place, &ready.chosen, state);
            let stand_ins = StandIns::make(&whereabouts);
            let toolchains = homes.toolchains();
            let sights = Sights::new(caller, surroundings.path(), &toolchains, &whereabouts);
            (stand_ins, sights)
        })
        .unzip();
    let logs = state.and_then(|state| Logs::open(state.folder.enter("logs").ok()?).ok());
    let judge = TreeJudge::new(Bench {
        root: root.clone(),
        places: Places::new(root).homes_in(homes.path()).temp(caller.temp()),
        baselines: ready.baselines.clone(),
        limits: ready.settings.limits.clone(),
        recording: asked.recording,
    });
    let chosen = std::mem::take(&mut ready.chosen);
    let leaks_fail = chosen.iter().any(|check| check.leaks == Leaks::Fail);
    let entries = admission::entries(
        chosen,
        &ready.settings,
        ready.place.repository.as_ref(),
        asked.how,
        &*containment,
        &judge,
    );
    let mut notes = notes(surroundings.path(), &homes, ready);
    notes.extend(fewer_jobs(&mut ready.settings));
    notes.extend(end_dead_run(&ready.record, homes.path()));
    if entries.iter().any(Entry::is_launched) {
        let limits = &ready.settings.limits;
        if !(asked.how.uncontained || containment.achieved(limits).contained) {
            super::say("check: checks will run uncontained");
        }
        ready.record.leaves(containment.prepare()?);
    }
    if logs.is_none() && state.is_some() {
        notes.push("no folder for logs can be written".to_owned());
    }
    let remembered = Remembered::read(state);
    let tree = AskedTree::default();
    let repository = ready.place.repository.as_ref();
    let live = asked.live.map(|color| Live::on_stderr(color, caller));
    let mut listeners: Vec<&dyn Progress> = vec![&ready.record];
    listeners.extend(live.as_ref().map(|live| live as &dyn Progress));
    let plan = Plan {
        entries,
        first: repository
            .filter(|_| asked.with_tree)
            .map(|repository| tree.errand(repository)),
        settings: &ready.settings,
        fail_fast: asked.how.fail_fast,
        caller,
        surroundings: &surroundings,
        sights: sights.as_ref(),
        homes: &homes,
        clock: Clock::default(),
        buffer: ReadBuffer::default(),
        containment: &*containment,
        logs: logs.as_ref(),
        logs_shown: state.map_or_else(PathBuf::new, |state| state.shown.join("logs")),
        times: &remembered.times,
        versions: &remembered.versions,
        progress: &listeners,
    };
    let mut events = match ready.taken.waited.take() {
        Some(events) => events,
        None => EventLoop::new()?,
    };
    let mut ended = events.run(async |signals| run::run(&plan, &judge, signals).await);
    let (tree, untold) = tree.answer();
    notes.extend(untold);
    remembered.keep(state, &ended.results, &ended.versions);
    if asked.how.uncontained {
        for result in &mut ended.results {
            result.isolation.note = Some(ASKED_FOR.to_owned());
        }
    }
    notes.extend(ended.leftovers.ended.iter().map(|leak| {
        let (command, pid) = (&leak.command, leak.pid);
        format!("left running and ended, no check can be named for it: {command} (pid {pid})")
    }));
    Ok(Done {
        ended,
        tree,
        accounts: judge.accounts(),
        notes,
        leaks_fail,
    })
}

/// How the checks are started and ended.
pub fn mechanism(caller: &Caller, homes: &HomePlace, contains: bool) -> Box<dyn Containment> {
    let runtime = caller.path_var("XDG_RUNTIME_DIR");
    contain::mechanism(contain::Place {
        homes: homes.path(),
        runtime: runtime.as_deref(),
        contains,
    })
}

/// Where what a check sees is looked for.
pub fn whereabouts(place: &Place, checks: &[CheckSpec], state: Option<&State>) -> Whereabouts {
    let repository = place.repository.as_ref();
    // What a check is told of where its harness is holds for what it sees.
    let said = checks
        .iter()
        .find_map(|check| check.env.get("CHECK_HARNESS_DIR"));
    let said = said.map(PathBuf::from);
    Whereabouts {
        root: place.root.clone(),
        top: repository.map(|repository| repository.top().to_owned()),
        git: repository.and_then(|repository| Some(repository.git_dir()?.to_owned())),
        common_git: repository.and_then(|repository| Some(repository.common_dir()?.to_owned())),
        state: state.map(|state| state.folder.path().to_owned()),
        harness: said.or_else(|| Some(place.file.as_ref()?.parent()?.to_owned())),
        manifest: place.file.clone(),
    }
}

/// As many at once as there are descriptors for.
fn fewer_jobs(settings: &mut RunSettings) -> Option<String> {
    let most = contain::most_at_once();
    if settings.jobs <= most {
        return None;
    }
    let wanted = std::mem::replace(&mut settings.jobs, most);
    Some(format!(
        "{most} checks at once instead of {wanted}: the limit of open files (ulimit -n) is too low"
    ))
}

/// Ends what the run before this one left, where that was killed.
pub fn end_dead_run(record: &Record, homes: &Path) -> Option<String> {
    let left = record.predecessor()?.dead(homes).end();
    (left > 0).then(|| {
        format!("the run before this one was killed; what it left running was ended ({left})")
    })
}

/// What was not as it should be before the first check.
fn notes(path: &SearchPath, homes: &HomePlace, ready: &Ready) -> Vec<String> {
    let mut notes = Vec::new();
    if !path.dropped.is_empty() {
        let named: Vec<_> = path
            .dropped
            .iter()
            .map(|entry| format!("{entry:?}"))
            .collect();
        let named = named.join(", ");
        notes.push(format!(
            "PATH entries that are not absolute were left out: {named}"
        ));
    }
    notes.extend(ready.taken.note.clone());
    notes.extend(homes.note.clone());
    if let Some(state) = &ready.state {
        notes.extend(state.note.clone());
    } else {
        let note = "no folder for state can be written: nothing of this run is kept";
        notes.push(note.to_owned());
    }
    notes
}

fn bar(ready: &Ready) -> Bar {
    Bar {
        manifest_sha256: ready.place.manifest.sha256.clone(),
        baseline_sha256: ready.baselines.as_ref().and_then(Baselines::sha256),
        source: "tree".to_owned(),
        trusted: None,
        changes: Vec::new(),
    }
}

fn baseline_path(ready: &Ready) -> Option<String> {
    let read = ready.baselines.as_ref()?;
    (!read.digests().is_empty()).then(|| FOLDER.to_owned())
}

/// What was left running and cannot be told to be one check's may be that of a check for which
/// this is a failure, so that there is no pass.
fn leaked(left: &Swept) -> Option<String> {
    let first = left.ended.first()?;
    let (command, pid) = (&first.command, first.pid);
    Some(format!(
        "a process was left running, and a check fails for that: {command} (pid {pid})"
    ))
}

/// No pass is said while something of the run lives.
fn still_alive(left: &Swept) -> Option<String> {
    let first = left.alive.first()?;
    let (command, pid) = (&first.command, first.pid);
    Some(format!(
        "a process of the run could not be ended: {command} (pid {pid})"
    ))
}

/// The copy that was read before the first check is what judges. A tree that has another one
/// afterwards was changed by what it measures.
fn bar_moved(place: &Place, baselines: Option<&Baselines>) -> Option<String> {
    if let (Some(file), Some(before)) = (&place.file, &place.manifest.sha256) {
        let now = std::fs::read(file).ok().map(|bytes| sha256_hex(&bytes));
        if now.as_ref() != Some(before) {
            let shown = place.manifest.path.as_deref().unwrap_or("the manifest");
            return Some(format!("{shown} was changed while the checks ran"));
        }
    }
    let before = baselines?;
    let now = Baselines::load(&place.root, &[]).ok();
    (now.as_ref().map(Baselines::digests) != Some(before.digests()))
        .then(|| format!("{FOLDER} was changed while the checks ran"))
}
