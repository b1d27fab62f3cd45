//! The machine's measures, and the limits that follow from them where nobody sets any.

use std::path::Path;
use std::time::Duration;

use super::{Limits, Profile, RunSettings};

/// What the defaults depend on. Whoever measured it hands it in; nothing below asks again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFacts {
    /// Cores that this process may use.
    pub cores: usize,
    /// `CI` is set and no terminal is attached: nobody else needs the machine.
    pub ci: bool,
    /// Memory of the host in bytes.
    pub memory_bytes: u64,
}

/// A check's memory limit.
const MEMORY_BYTES: u64 = 4 << 30;
/// A check's processes.
const PROCESSES: u64 = 4096;
/// The whole run.
const RUN_TIMEOUT: Duration = Duration::from_mins(30);
/// From TERM to KILL.
const GRACE: Duration = Duration::from_secs(2);

impl HostFacts {
    /// What holds for a run in `root` where nothing is set.
    pub fn default_settings(&self, root: &Path) -> RunSettings {
        RunSettings {
            root: root.to_owned(),
            limits: Limits {
                cpu_percent: self.cpu_percent(),
                memory_bytes: MEMORY_BYTES,
                processes: PROCESSES,
                output_bytes: None,
            },
            profile: Profile::default(),
            require_containment: false,
            timeout: RUN_TIMEOUT,
            grace: GRACE,
            jobs: self.cores.max(1),
        }
    }

    /// All cores but two, so that a person's machine stays usable, and never less than two; where
    /// nobody waits at it, all cores.
    fn cpu_percent(&self) -> u64 {
        let cores = self.cores.max(1) as u64;
        if self.ci {
            cores * 100
        } else {
            (cores.saturating_sub(2) * 100).max(200)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HostFacts;

    #[test]
    fn a_person_keeps_two_cores_and_ci_uses_all() {
        let percent = |cores, ci| {
            HostFacts {
                cores,
                ci,
                memory_bytes: 0,
            }
            .cpu_percent()
        };
        assert_eq!(percent(8, false), 600);
        assert_eq!(percent(3, false), 200);
        assert_eq!(percent(0, false), 200);
        assert_eq!(percent(8, true), 800);
        assert_eq!(percent(1, true), 100);
    }
}
