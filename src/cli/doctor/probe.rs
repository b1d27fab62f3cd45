//! One launch like any check's, of a process that tries what a check must not be able to do.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, anyhow};

use crate::cli::event_loop::EventLoop;
use crate::cli::judge::{Bench, TreeJudge};
use crate::cli::judging::{mechanism, whereabouts};
use crate::cli::place::Place;
use crate::cli::state::State;
use crate::contain::{Attempts, Bait};
use crate::launch::{Caller, HomePlace, Sights, Surroundings};
use crate::model::{CheckId, CheckSpec, Isolation, RunSettings};
use crate::ratchet::Places;
use crate::run::{self, Clock, Entry, Plan, ReadBuffer, Times, Versions};

/// The hidden command that does the trying.
pub const COMMAND: &str = "__attempts";

/// Each attempt takes two seconds at most, but for one on a bus that lets nobody in.
const LIMIT: Duration = Duration::from_secs(20);

/// What came of it.
pub struct Probed {
    /// What its launch was seen to have.
    pub isolation: Isolation,
    /// What it could do.
    pub attempts: Attempts,
}

/// Launches it in `place`, beside whatever runs there.
pub fn probe(place: &Place, state: Option<&State>, caller: &Caller) -> anyhow::Result<Probed> {
    let program = std::env::current_exe().context("check does not find itself")?;
    let runtime = caller.path_var("XDG_RUNTIME_DIR");
    let bait = Bait::lay_out(caller.home(), runtime.as_deref());
    let words = vec![COMMAND.to_owned(), serde_json::to_string(bait.targets())?];
    let id = CheckId::new("host").map_err(|_| anyhow!("no name for it"))?;
    let mut check = CheckSpec::new(id, program.to_string_lossy(), words);
    check.timeout = Some(LIMIT);
    // Who wants to know why nothing is contained wants it tried all the same.
    let settings = RunSettings {
        require_containment: false,
        ..place.settings.clone()
    };
    let root = &place.root;
    let surroundings = Surroundings::new(caller);
    let top = place.repository.as_ref().map(crate::vcs::Repository::top);
    let safe: Vec<&Path> = std::iter::once(root.as_path()).chain(top).collect();
    // The homes at their stable paths may be in use.
    let homes = HomePlace::new(caller, root, false, &safe);
    let containment = mechanism(caller, &homes, true);
    let sights = Sights::new(
        caller,
        surroundings.path(),
        &homes.toolchains(),
        &whereabouts(place, &place.checks, state),
    );
    let judge = TreeJudge::new(Bench {
        root: root.clone(),
        places: Places::new(root).homes_in(homes.path()).temp(caller.temp()),
        baselines: None,
        limits: place.settings.limits.clone(),
        recording: false,
    });
    let plan = Plan {
        entries: vec![Entry {
            check,
            decided: None,
            look: None,
        }],
        first: None,
        settings: &settings,
        fail_fast: false,
        caller,
        surroundings: &surroundings,
        sights: Some(&sights),
        homes: &homes,
        clock: Clock::default(),
        buffer: ReadBuffer::default(),
        containment: &*containment,
        logs: None,
        logs_shown: std::path::PathBuf::new(),
        times: &Times::default(),
        versions: &Versions::default(),
        progress: &Vec::new(),
    };
    let ended = EventLoop::new()?.run(async |signals| run::run(&plan, &judge, signals).await);
    let result = ended.results.into_iter().next();
    let result = result.context("it was not launched")?;
    let attempts = serde_json::from_str(&result.stdout_tail).map_err(|_| {
        let reason = result.reason.as_deref().unwrap_or("it said nothing");
        let said = result.stderr_tail.lines().next_back().unwrap_or_default();
        anyhow!("{reason} {said}")
    })?;
    Ok(Probed {
        isolation: result.isolation,
        attempts,
    })
}
