//! All that is read and taken before the first check: tree, settings, selection, lock, baseline.
//! What it refuses, it refuses as a verdict of what never ran.

use std::time::{Duration, SystemTime};

use crate::bar::agent_mark;
use crate::launch::Caller;
use crate::manifest::parse_go_duration;
use crate::model::{CheckSpec, RunSettings, Tree, Verdict};
use crate::ratchet::Baselines;
use crate::report::{bad_manifest_verdict, busy_verdict, usage_verdict};
use crate::run::lock::RootLock;
use crate::vcs::Git;

use super::args::{Color, HowArgs, PlaceArgs, SelectArgs};
use super::holder::{self, NotLocked};
use super::host;
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
    /// Whether a blocking check's new failure ends the run.
    pub fail_fast: bool,
    /// Whether recorded failures are known.
    pub with_baseline: bool,
    /// Whether every row that counts is kept, to be recorded.
    pub recording: bool,
    /// Whether a report wants to know which tree this is; asking git takes its time.
    pub with_tree: bool,
    /// What else a bare word might have been.
    pub commands: &'a [&'a str],
    /// How the run is told of on standard error while it goes on; `None`: not at all.
    pub live: Option<Color>,
}

/// A run that may begin. The root stays locked while this lives.
pub struct Ready {
    /// Its checks are in `chosen`.
    pub place: Place,
    /// The manifest's, under what was typed.
    pub settings: RunSettings,
    /// To be run, in manifest order.
    pub chosen: Vec<CheckSpec>,
    /// Ids of the rest.
    pub rest: Vec<String>,
    /// See [`State`].
    pub state: Option<State>,
    /// `None` where the root cannot be locked at all.
    pub lock: Option<RootLock>,
    /// `None` where none shall count.
    pub baselines: Option<Baselines>,
    /// See [`Tree`].
    pub tree: Tree,
}

/// A verdict of what never ran.
pub type Unrun = Box<Verdict>;

impl Ready {
    /// Finds, reads and locks what `asked` says.
    pub fn new(asked: Asked<'_>, caller: &Caller, now: SystemTime) -> Result<Self, Unrun> {
        let host = host::facts(caller);
        let place = place::find(asked.place, caller, &host).map_err(|no| no_place(no, now))?;
        let root = Some(place.root.display().to_string());
        let manifest = place.manifest.clone();
        Self::in_place(asked, caller, place, now).map_err(|verdict| {
            Box::new(Verdict {
                root,
                manifest,
                ..verdict
            })
        })
    }

    #[expect(
        clippy::result_large_err,
        reason = "boxed by the only caller, which completes it"
    )]
    fn in_place(
        asked: Asked<'_>,
        caller: &Caller,
        mut place: Place,
        now: SystemTime,
    ) -> Result<Self, Verdict> {
        let settings = settings(&place.settings, asked.how)
            .map_err(|message| usage_verdict(message, Vec::new(), now))?;
        if let Some(mark) = mark(asked.place, caller).filter(|_| asked.how.uncontained) {
            let reason = format!("--uncontained is refused in an agent's run ({mark} is set)");
            let hint = "only a person may ask for that; run check without it".to_owned();
            return Err(usage_verdict(reason, vec![hint], now));
        }
        let wanted = Wanted {
            selectors: asked.selectors,
            only: &asked.select.only,
            skip: &asked.select.skip,
        };
        let checks = std::mem::take(&mut place.checks);
        let Selection { chosen, rest, .. } = select::select(checks, wanted, asked.commands)
            .map_err(|word| unknown_word(&word, now))?;
        let state = State::open(&place.root, place.repository.as_ref(), caller);
        let lock = holder::take(&place.root, asked.how.wait.as_deref(), state.as_ref())
            .map_err(|why| not_locked(why, now))?;
        let ids: Vec<_> = chosen.iter().map(|check| check.id.clone()).collect();
        let baselines = asked
            .with_baseline
            .then(|| Baselines::load(&place.root, &ids))
            .transpose()
            .map_err(|problems| bad_manifest_verdict(problems, now))?;
        let tree = if asked.with_tree {
            tree(&place)
        } else {
            Tree::default()
        };
        Ok(Self {
            place,
            settings,
            chosen,
            rest,
            state,
            lock,
            baselines,
            tree,
        })
    }
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
        settings.timeout = positive_duration(text).ok_or_else(|| {
            format!("--timeout takes a positive duration such as 10m or 1h30m, not {text:?}")
        })?;
    }
    settings.require_containment |= how.require_containment;
    Ok(settings)
}

/// A Go duration above zero.
pub fn positive_duration(text: &str) -> Option<Duration> {
    let nanoseconds = parse_go_duration(text).ok()?;
    u64::try_from(nanoseconds)
        .ok()
        .filter(|&n| n > 0)
        .map(Duration::from_nanos)
}

/// What marks this run as an agent's.
pub fn mark(place: &PlaceArgs, caller: &Caller) -> Option<String> {
    agent_mark(|name| host::value(caller, name), place.agent)
}

fn tree(place: &Place) -> Tree {
    let Some(repository) = &place.repository else {
        return Tree::default();
    };
    let git = Git::find(std::env::vars_os());
    let facts = repository.tree_facts(git.as_ref());
    Tree {
        commit: facts.commit,
        dirty: facts.dirty,
        digest: facts.digest,
    }
}

/// There is nothing to run.
pub fn no_place(no: NoPlace, now: SystemTime) -> Unrun {
    Box::new(match no {
        NoPlace::Usage(message, hints) => usage_verdict(message, hints, now),
        NoPlace::BadManifest(problems) => bad_manifest_verdict(problems, now),
    })
}

/// A word names no check.
pub fn unknown_word(unknown: &UnknownWord, now: SystemTime) -> Verdict {
    let word = &unknown.word;
    // A flag may belong to any command.
    let (kind, before) = match unknown.flag {
        None => ("check and no command", "check"),
        Some(flag) => ("check", flag),
    };
    let did_you_mean = unknown
        .nearest
        .as_ref()
        .map(|nearest| format!("did you mean:  {before} {nearest}"));
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
