//! The names of our units, which say whose they are.

use std::fmt;
use std::str::FromStr;

use crate::contain::processes::ProcessKey;

/// `check-PID-START.scope`, of the run with that process: no other's while that lives, since START
/// is when it began (see [`ProcessKey`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitName(pub ProcessKey);

impl fmt::Display for UnitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "check-{}-{}.scope", self.0.pid, self.0.start_time)
    }
}

/// A unit of somebody else's.
#[derive(Debug, PartialEq, Eq)]
pub struct NotOurs;

impl FromStr for UnitName {
    type Err = NotOurs;

    fn from_str(name: &str) -> Result<Self, NotOurs> {
        let parse = || {
            let numbers = name.strip_prefix("check-")?.strip_suffix(".scope")?;
            let (pid, start_time) = numbers.split_once('-')?;
            let key = ProcessKey {
                pid: pid.parse().ok()?,
                start_time: start_time.parse().ok()?,
            };
            // Only as we write it.
            (Self(key).to_string() == name).then_some(Self(key))
        };
        parse().ok_or(NotOurs)
    }
}

#[cfg(test)]
mod tests {
    use super::{NotOurs, ProcessKey, UnitName};

    #[test]
    fn a_name_says_whose_it_is() {
        let name = UnitName(ProcessKey {
            pid: 77,
            start_time: 5,
        });
        assert_eq!(name.to_string(), "check-77-5.scope");
        assert_eq!("check-77-5.scope".parse(), Ok(name));
        for other in [
            "check-77.scope",
            "check-77-5.service",
            "check-077-5.scope",
            "check-77-5-1.scope",
            "checker-77-5.scope",
            "check-x-5.scope",
            "",
        ] {
            assert_eq!(other.parse::<UnitName>(), Err(NotOurs), "{other}");
        }
    }
}
