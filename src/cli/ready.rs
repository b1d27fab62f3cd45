//! All that is read and taken before the first check: tree, settings, selection, lock, baseline.
//! What it refuses, it refuses as a verdict of what never ran.

use std::time::{Duration, SystemTime};

use crate::bar::{agent_mark, is_set};
use crate::launch::Caller;
use crate::manifest::parse_go_duration;
use crate::model::{CheckSpec, Route, RunSettings, Verdict};
use crate::ratchet::Baselines;
use crate::report::{
    bad_manifest_verdict, busy_verdict, empty_verdict, interrupted_verdict, nested_verdict,
    usage_verdict,
};
use crate::run::record::Record;
use crate::run::signals::Fatal;

use super::args::{Color, HowArgs, PlaceArgs, SelectArgs};
use super::clock::milliseconds;
use super::holder::{self, NotLocked, Taken};
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
    /// What others can read of this run.
    pub record: Record,
    /// The root.
    pub taken: Taken,
    /// `None` where none shall count.
    pub baselines: Option<Baselines>,
}

/// A verdict of what never ran.
pub type Unrun = Box<Verdict>;

/// Why there was no run.
pub struct NoRun {
    /// A verdict of what never ran.
    pub verdict: Unrun,
    /// The signal that ended the wait for it, to be raised again.
    pub interrupted: Option<Fatal>,
}

impl From<Unrun> for NoRun {
    fn from(verdict: Unrun) -> Self {
        Self {
            verdict,
            interrupted: None,
        }
    }
}

/// What is to be done, as far as it hangs on the manifest.
struct Chosen {
    place: Place,
    settings: RunSettings,
    selection: Selection,
}

impl Ready {
    /// Finds, locks and reads what `asked` says.
    pub fn new(asked: Asked<'_>, caller: &Caller, now: SystemTime) -> Result<Self, NoRun> {
        loop {
            let chosen = choose(asked, caller, now)?;
            let root = chosen.place.root.clone();
            let in_place = |why| not_locked(why, &chosen.place, now);
            let state = State::open(&root, chosen.place.repository.as_ref(), caller);
            let wait = asked.how.wait.as_deref();
            let taken = holder::take(&root, wait, state.as_ref(), caller).map_err(in_place)?;
            let begun_ms = milliseconds(SystemTime::now());
            let folder = state.as_ref().map(|state| &state.folder);
            let record = Record::begin(folder.filter(|_| taken.lock.is_some()), begun_ms);
            // What was to be run may be another thing by now.
            let chosen = if taken.waited.is_some() && can_be_read_again(&chosen.place) {
                choose(asked, caller, now)?
            } else {
                chosen
            };
            if chosen.place.root == root {
                return Ok(Self::with(chosen, (state, record, taken), asked, now)?);
            }
        }
    }

    fn with(
        chosen: Chosen,
        (state, record, taken): (Option<State>, Record, Taken),
        asked: Asked<'_>,
        now: SystemTime,
    ) -> Result<Self, Unrun> {
        let Chosen {
            place,
            settings,
            selection: Selection { chosen, rest, .. },
        } = chosen;
        let ids: Vec<_> = chosen.iter().map(|check| check.id.clone()).collect();
        let baselines = asked
            .with_baseline
            .then(|| Baselines::load(&place.root, &ids))
            .transpose()
            .map_err(|problems| at(&place, bad_manifest_verdict(problems, now)))?;
        Ok(Self {
            place,
            settings,
            chosen,
            rest,
            state,
            record,
            taken,
            baselines,
        })
    }
}

/// Reads what there is to run, and what of it is asked for.
fn choose(asked: Asked<'_>, caller: &Caller, now: SystemTime) -> Result<Chosen, Unrun> {
    let host = host::facts(caller);
    let mut place = place::find(asked.place, caller, &host).map_err(|no| no_place(no, now))?;
    let settings = settings(&place.settings, asked.how)
        .map_err(|message| at(&place, usage_verdict(message, Vec::new(), now)))?;
    if let Some(mark) = mark(asked.place, caller).filter(|_| asked.how.uncontained) {
        let set = is_set(&mark);
        let reason = format!("--uncontained is refused in an agent's run ({set})");
        let hint = "only a person may ask for that; run check without it".to_owned();
        return Err(at(&place, usage_verdict(reason, vec![hint], now)));
    }
    let wanted = Wanted {
        selectors: asked.selectors,
        only: &asked.select.only,
        skip: &asked.select.skip,
    };
    let checks = std::mem::take(&mut place.checks);
    let selection = select::select(checks, wanted, asked.commands)
        .map_err(|word| at(&place, unknown_word(&word, now)))?;
    Ok(Chosen {
        place,
        settings,
        selection,
    })
}

/// Whether what says what to run can be asked twice: a pipe says it once.
fn can_be_read_again(place: &Place) -> bool {
    let file = place.file.as_deref().and_then(|file| file.metadata().ok());
    file.is_none_or(|meta| meta.is_file())
}

/// The verdict `verdict`, which is about `place`.
fn at(place: &Place, verdict: Verdict) -> Unrun {
    Box::new(Verdict {
        root: Some(place.root.display().to_string()),
        manifest: place.manifest.clone(),
        ..verdict
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

fn not_locked(why: NotLocked, place: &Place, now: SystemTime) -> NoRun {
    let mut interrupted = None;
    let verdict = match why {
        NotLocked::Busy(busy) => busy_verdict(&busy, now),
        NotLocked::Nested(outer) => nested_verdict(outer, now),
        NotLocked::Interrupted(signal) => {
            interrupted = Some(signal);
            interrupted_verdict(signal.name, now)
        }
        NotLocked::Deaf(error) => empty_verdict(Some(format!("{error:#}")), Route::Operator, now),
        NotLocked::BadWait(text) => {
            let message =
                format!("--wait takes a positive duration such as 30s or 5m, not {text:?}");
            usage_verdict(message, Vec::new(), now)
        }
    };
    NoRun {
        verdict: at(place, verdict),
        interrupted,
    }
}
