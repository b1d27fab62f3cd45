//! From the command line to a verdict: everything that a run and a recording have in common.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context as _;

use crate::bar::agent_mark;
use crate::contain::{self, Containment};
use crate::launch::{Caller, Folder, HomePlace, SearchPath};
use crate::manifest::parse_go_duration;
use crate::model::{Bar, CheckSpec, Host, Profile, Route, RunSettings, Tree, Verdict};
use crate::ratchet::{Baselines, FOLDER, Places};
use crate::report::{
    ASKED_FOR, Detected, bad_manifest_verdict, busy_verdict, empty_verdict, usage_verdict,
};
use crate::run::lock::RootLock;
use crate::run::signals::{Fatal, Signals};
use crate::run::{self, Ended, Entry, Plan};
use crate::text::sha256_hex;
use crate::vcs::Git;

use super::args::{HowArgs, PlaceArgs, SelectArgs};
use super::assemble::{RunFacts, assemble};
use super::holder::{self, Announcement, NotLocked};
use super::host;
use super::judge::{Account, Bench, TreeJudge};
use super::place::{self, NoPlace, Place};
use super::select::{self, Selection, UnknownWord, Wanted};
use super::state::State;

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Bare words.
    pub selectors: &'a [String],
    /// See [`PlaceArgs`].
    pub place: &'a PlaceArgs,
    /// See [`SelectArgs`].
    pub select: &'a SelectArgs,
    /// See [`HowArgs`].
    pub how: &'a HowArgs,
    /// Whether recorded failures are known.
    pub with_baseline: bool,
    /// Whether every row that counts is kept, to be recorded.
    pub recording: bool,
    /// Whether a report wants to know which tree this is; asking git takes its time.
    pub with_tree: bool,
    /// What else a bare word might have been.
    pub commands: &'a [&'a str],
}

/// A run that was judged. The root stays locked while it lives.
pub struct Judged {
    /// See [`Verdict`].
    pub verdict: Verdict,
    /// What may be recorded of each check.
    pub accounts: Vec<Account>,
    /// The recorded failures as they were read before the first check.
    pub baselines: Option<Baselines>,
    /// The signal to be raised again.
    pub interrupted: Option<Fatal>,
    /// See [`State`].
    pub state: Option<State>,
    /// Absolute, links resolved.
    pub root: PathBuf,
    /// What detection found, where there is no manifest.
    pub detected: Option<Detected>,
    _lock: Option<RootLock>,
}

/// A verdict of what never ran.
pub type Unrun = Box<Verdict>;

/// Finds, locks, reads, runs and judges.
pub fn judge(asked: Asked<'_>, caller: &Caller) -> Result<Judged, Unrun> {
    let started = SystemTime::now();
    let begun = Instant::now();
    let host = host::facts(caller);
    let place = place::find(asked.place, caller, &host).map_err(|no| no_place(no, started))?;
    let rooted = |mut verdict: Verdict| {
        verdict.root = place.root.display().to_string();
        verdict.manifest = place.manifest.clone();
        Box::new(verdict)
    };
    let settings = settings(&place.settings, asked.how).map_err(|message| {
        rooted(usage_verdict(message, Vec::new(), started))
    })?;
    refuse_to_agents(asked, caller).map_err(|reason| {
        let hint = "only a person may ask for that; run check without it".to_owned();
        rooted(usage_verdict(reason, vec![hint], started))
    })?;
    let wanted =
        Wanted { selectors: asked.selectors, only: &asked.select.only, skip: &asked.select.skip };
    let Selection { chosen, rest } = select::select(place.checks.clone(), wanted, asked.commands)
        .map_err(|word| rooted(unknown_word(&word, started)))?;
    let state = State::open(&place.root, place.repository.as_ref(), caller);
    let lock = holder::take(&place.root, asked.how.wait.as_deref(), state.as_ref())
        .map_err(|why| rooted(not_locked(why, started)))?;
    let ids: Vec<_> = chosen.iter().map(|check| check.id.clone()).collect();
    let baselines = if asked.with_baseline {
        let read = Baselines::load(&place.root, &ids);
        Some(read.map_err(|problems| rooted(bad_manifest_verdict(problems, started)))?)
    } else {
        None
    };
    let tree = if asked.with_tree { tree(&place) } else { Tree::default() };

    let path = SearchPath::new(caller.var("PATH").unwrap_or_default());
    let repository_top = place.repository.as_ref().map(crate::vcs::Repository::top);
    let safe: Vec<_> = std::iter::once(place.root.as_path())
        .chain(repository_top.filter(|top| *top != place.root))
        .collect();
    let homes = HomePlace::new(caller, &place.root, lock.is_some(), &safe);
    let containment = contain::mechanism();
    let logs = state.as_ref().and_then(|state| state.folder.enter("logs").ok());
    let announcement = Announcement::new(state.as_ref());
    let places = Places::new(&place.root).homes_in(homes.path()).temp(caller.temp());
    let judge = TreeJudge::new(Bench {
        root: place.root.clone(),
        places,
        baselines: baselines.clone(),
        limits: settings.limits.clone(),
        recording: asked.recording,
    });
    let entries = entries(chosen, &settings, asked.how, &*containment);
    let mut notes = notes(&path, &homes, state.as_ref(), lock.as_ref(), logs.as_ref());
    if !asked.how.uncontained && entries.iter().any(|entry| entry.refused.is_none()) {
        warn_uncontained(&*containment);
    }
    let plan = Plan {
        entries,
        settings: &settings,
        caller,
        path: &path,
        homes: &homes,
        containment: &*containment,
        logs: logs.as_ref(),
        logs_shown: state.as_ref().map_or_else(PathBuf::new, |state| state.shown.join("logs")),
        progress: &announcement,
    };
    let ended = drive(&plan, &judge).map_err(|error| {
        rooted(empty_verdict(Some(format!("{error:#}")), Route::Operator, started))
    })?;
    let Ended { mut results, interrupted, leftovers } = ended;
    if asked.how.uncontained {
        for result in &mut results {
            result.isolation.note = Some(ASKED_FOR.to_owned());
        }
    }
    notes.extend(leftovers.iter().map(|leak| {
        format!("left running and ended, no check can be named for it: {} (pid {})", leak.command, leak.pid)
    }));
    let accounts = judge.accounts();
    let facts = RunFacts {
        root: place.root.display().to_string(),
        tree,
        bar: Bar {
            manifest_sha256: place.manifest.sha256.clone(),
            baseline_sha256: baselines.as_ref().and_then(Baselines::sha256),
            source: "tree".to_owned(),
            trusted: None,
            changes: Vec::new(),
        },
        manifest: place.manifest.clone(),
        host: Host {
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
        },
        started_at: humantime::format_rfc3339_millis(started).to_string(),
        duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        baseline_path: baselines
            .as_ref()
            .filter(|read| !read.digests().is_empty())
            .map(|_| FOLDER.to_owned()),
        not_selected: rest,
        partition: None,
        diagnostics: Vec::new(),
        notes,
        interrupted: interrupted.map(|signal| signal.name.to_owned()),
        spoiled: bar_moved(&place, baselines.as_ref()),
    };
    Ok(Judged {
        verdict: assemble(results, &accounts, facts),
        accounts,
        baselines,
        interrupted,
        state,
        root: place.root,
        detected: place.detected,
        _lock: lock,
    })
}

/// Runs the plan on this thread.
fn drive(plan: &Plan<'_>, judge: &TreeJudge) -> anyhow::Result<Ended> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .context("cannot watch processes")?;
    runtime.block_on(async {
        let mut signals = Signals::listen().context("cannot hear signals")?;
        Ok(run::run(plan, judge, &mut signals).await)
    })
}

/// The manifest's settings under what was typed.
fn settings(declared: &RunSettings, how: &HowArgs) -> Result<RunSettings, String> {
    let mut settings = declared.clone();
    match how.jobs {
        Some(0) => return Err("--jobs must be at least 1".to_owned()),
        Some(jobs) => settings.jobs = jobs,
        None => {}
    }
    if let Some(text) = &how.timeout {
        let positive = parse_go_duration(text).ok().and_then(|n| u64::try_from(n).ok());
        settings.timeout = positive
            .filter(|&nanoseconds| nanoseconds > 0)
            .map(Duration::from_nanos)
            .ok_or_else(|| {
                format!("--timeout takes a positive duration such as 10m or 1h30m, not {text:?}")
            })?;
    }
    settings.require_containment |= how.require_containment;
    Ok(settings)
}

/// `--uncontained` lowers the bar, so an agent cannot grant it.
fn refuse_to_agents(asked: Asked<'_>, caller: &Caller) -> Result<(), String> {
    let mark = agent_mark(|name| host::value(caller, name), asked.place.agent);
    match mark {
        Some(mark) if asked.how.uncontained => {
            Err(format!("--uncontained is refused in an agent's run ({mark} is set)"))
        }
        _ => Ok(()),
    }
}

/// Each check with the reason why it may not be launched, if there is one.
fn entries(
    chosen: Vec<CheckSpec>,
    settings: &RunSettings,
    how: &HowArgs,
    containment: &dyn Containment,
) -> Vec<Entry> {
    let achieved = containment.achieved();
    let refused = |check: &CheckSpec| {
        let id = check.id.as_str();
        if settings.require_containment && !achieved.contained {
            let note = achieved.note.as_deref().unwrap_or("nothing here contains them");
            return Some(format!(
                "command check \"{id}\" containment: the host can't contain checks ({note}) and \
                 checks_require_containment is set"
            ));
        }
        (settings.profile == Profile::UncontainedDevelopment && !how.uncontained).then(|| {
            format!(
                "command check \"{id}\" profile: uncontained_development is for the caller to \
                 grant, with --uncontained (authority_required)"
            )
        })
    };
    chosen.into_iter().map(|check| Entry { refused: refused(&check), check }).collect()
}

fn warn_uncontained(containment: &dyn Containment) {
    if !containment.achieved().contained {
        super::say("check: checks will run uncontained");
    }
}

fn notes(
    path: &SearchPath,
    homes: &HomePlace,
    state: Option<&State>,
    lock: Option<&RootLock>,
    logs: Option<&Folder>,
) -> Vec<String> {
    let mut notes = Vec::new();
    if !path.dropped.is_empty() {
        let named: Vec<_> = path.dropped.iter().map(|entry| format!("{entry:?}")).collect();
        notes.push(format!(
            "PATH entries that are not absolute were left out: {}",
            named.join(", ")
        ));
    }
    if lock.is_none() {
        notes.push("the root cannot be locked here, so another run may be in it".to_owned());
    }
    notes.extend(homes.note.clone());
    match state {
        None => notes.push("no folder for state can be written: nothing of this run is kept".to_owned()),
        Some(state) => {
            notes.extend(state.note.clone());
            if logs.is_none() {
                notes.push("no folder for logs can be written".to_owned());
            }
        }
    }
    notes
}

fn tree(place: &Place) -> Tree {
    let Some(repository) = &place.repository else { return Tree::default() };
    let git = Git::find(std::env::vars_os());
    let facts = repository.tree_facts(git.as_ref());
    Tree { commit: facts.commit, dirty: facts.dirty, digest: facts.digest }
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

pub fn no_place(no: NoPlace, now: SystemTime) -> Unrun {
    Box::new(match no {
        NoPlace::Usage(message, hints) => usage_verdict(message, hints, now),
        NoPlace::BadManifest(problems) => bad_manifest_verdict(problems, now),
    })
}

pub fn unknown_word(unknown: &UnknownWord, now: SystemTime) -> Verdict {
    let word = &unknown.word;
    let kind = if unknown.bare { "check and no command" } else { "check" };
    let did_you_mean =
        unknown.nearest.as_ref().map(|nearest| format!("did you mean:  check {nearest}"));
    let message = format!("no {kind} is named {word:?}");
    usage_verdict(message, did_you_mean.into_iter().collect(), now)
}

fn not_locked(why: NotLocked, now: SystemTime) -> Verdict {
    match why {
        NotLocked::Busy(busy) => busy_verdict(&busy, now),
        NotLocked::BadWait(text) => {
            let message =
                format!("--wait takes a positive duration such as 30s or 5m, not {text:?}");
            usage_verdict(message, Vec::new(), now)
        }
    }
}
