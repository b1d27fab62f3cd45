//! What one run tells the next: how long checks took, and what tools said of themselves. Neither
//! changes a verdict, so a file that is absent, torn or foreign is an empty one.

use crate::model::CheckResult;
use crate::run::{Times, Versions};

use super::state::State;

/// The file in the state folder that holds times.
const TIMES: &str = "times.json";
/// The file in the state folder that holds versions.
const VERSIONS: &str = "versions.json";
/// Larger is no file of ours.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// What is known from earlier runs of this root.
#[derive(Debug, Default)]
pub struct Remembered {
    /// See [`Times`].
    pub times: Times,
    /// See [`Versions`].
    pub versions: Versions,
}

impl Remembered {
    /// Reads what there is.
    pub fn read(state: Option<&State>) -> Self {
        let bytes = |name: &str| {
            let read = state.and_then(|state| state.folder.read(name, MOST_BYTES).ok());
            read.unwrap_or_default()
        };
        Self {
            times: Times::read(&bytes(TIMES)),
            versions: Versions::read(&bytes(VERSIONS)),
        }
    }

    /// Keeps what a run taught. A file that cannot be written costs the next run a little time.
    pub fn keep(mut self, state: Option<&State>, results: &[CheckResult], versions: &Versions) {
        let Some(state) = state else { return };
        if self.times.learn(results) {
            let _ = state.folder.replace(TIMES, &self.times.to_bytes());
        }
        if self.versions != *versions {
            let _ = state.folder.replace(VERSIONS, &versions.to_bytes());
        }
    }
}
