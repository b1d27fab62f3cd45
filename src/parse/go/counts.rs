//! What `go test` says it did, over all packages.

use super::super::parser::Tally;
use super::build::Diagnostics;
use super::result_line::Mark;

/// Counts of tests and packages.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// `-v`: each test is shown, so that tests can be counted.
    pub verbose: bool,
    pub unbuilt: bool,
    pub packages: u64,
    pub failed_packages: u64,
    pub empty: u64,
    /// Packages that died before all of their tests had ended.
    pub dead_packages: u64,
    /// go says that its patterns name no package.
    pub without_packages: bool,
    ran: u64,
    skipped: u64,
}

impl Counts {
    /// A test ended.
    pub(super) fn test(&mut self, mark: Mark) {
        match mark {
            Mark::Fail | Mark::Pass => self.ran += 1,
            Mark::Skip => self.skipped += 1,
        }
    }

    /// The whole, `failed` being the rows of tests; `failfast`: the first of them ends the run.
    pub(super) fn tally(&self, failed: u64, failfast: bool, built: &mut Diagnostics) -> Tally {
        let spoke = self.packages > 0 || self.without_packages;
        let seen = spoke || failed > 0 || built.errors > 0 || built.stopped_early;
        let claims = self.failed_packages > 0 || self.unbuilt;
        Tally {
            seen,
            ran: self.verbose.then_some(self.ran),
            failed: seen.then_some(failed + built.errors),
            skipped: self.verbose.then_some(self.skipped),
            claimed: claims.then_some(failed + u64::from(self.unbuilt)),
            stopped_early: built.stopped_early
                || self.dead_packages > 0
                || (failfast && failed > 0),
            nothing_ran: spoke.then_some(self.empty == self.packages),
            not_built: std::mem::take(&mut built.not_built),
            ..Tally::default()
        }
    }
}
