//! Which check is started next: one pure function.

/// What the scheduler knows of a check that has not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// Its place in the plan.
    pub index: usize,
    /// It runs alone.
    pub exclusive: bool,
}

/// What runs now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Running {
    /// How many.
    pub count: usize,
    /// One of them runs alone.
    pub exclusive: bool,
}

/// The place in `waiting` of the check to be started now, if any may be. Checks that run alone
/// come after all others: starting one needs an empty machine, and the others fill it.
pub fn next(waiting: &[Waiting], running: Running, jobs: usize) -> Option<usize> {
    if running.exclusive || running.count >= jobs {
        return None;
    }
    if let Some(shared) = waiting.iter().position(|check| !check.exclusive) {
        return Some(shared);
    }
    (running.count == 0 && !waiting.is_empty()).then_some(0)
}

#[cfg(test)]
mod tests {
    use super::{Running, Waiting, next};

    fn waiting(exclusive: &[bool]) -> Vec<Waiting> {
        let check = |(index, &exclusive)| Waiting { index, exclusive };
        exclusive.iter().enumerate().map(check).collect()
    }

    #[test]
    fn checks_fill_the_jobs_and_those_that_run_alone_come_last() {
        let idle = Running::default();
        let one = Running {
            count: 1,
            exclusive: false,
        };
        assert_eq!(next(&waiting(&[true, false]), idle, 2), Some(1));
        assert_eq!(next(&waiting(&[false]), one, 2), Some(0));
        assert_eq!(next(&waiting(&[false]), one, 1), None);
        assert_eq!(next(&waiting(&[true]), one, 2), None);
        assert_eq!(next(&waiting(&[true, true]), idle, 2), Some(0));
        assert_eq!(
            next(
                &waiting(&[true]),
                Running {
                    count: 1,
                    exclusive: true
                },
                2
            ),
            None
        );
        assert_eq!(next(&[], idle, 2), None);
    }
}
