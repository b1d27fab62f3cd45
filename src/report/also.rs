//! One finding that several checks made is one finding to a reader.

use std::collections::BTreeMap;

use crate::model::{CheckResult, JudgedFailure};

/// Two rows are one finding where path, line and message are the same.
pub(super) type Place = (String, u32, String);

/// What a finding is known by; none without a line to tell it apart.
pub(super) fn place(row: &JudgedFailure) -> Option<Place> {
    Some((row.path.clone()?, row.line?, row.message.clone()))
}

/// Fills `also` of every row with the ids of the other checks that made the same finding, in
/// manifest order.
pub fn link_also(checks: &mut [CheckResult]) {
    let mut found_by: BTreeMap<Place, Vec<String>> = BTreeMap::new();
    for check in checks.iter() {
        for place in check.failures.iter().filter_map(place) {
            let ids = found_by.entry(place).or_default();
            if ids.last() != Some(&check.id) {
                ids.push(check.id.clone());
            }
        }
    }
    for check in checks {
        for row in &mut check.failures {
            let ids = place(row).and_then(|place| found_by.get(&place));
            let others = ids.into_iter().flatten().filter(|id| **id != check.id);
            row.also = others.cloned().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::link_also;
    use crate::model::Status;
    use crate::report::sample::{check, failure, located};

    #[test]
    fn only_the_same_place_and_words_are_the_same_finding() {
        let mut checks = [
            check("vet", Status::Fail),
            check("lint", Status::Fail),
            check("test", Status::Fail),
        ];
        checks[0].failures = vec![located("a.go", 3, "unused x"), failure("boom")];
        checks[1].failures = vec![located("a.go", 3, "unused x"), failure("boom")];
        checks[2].failures = vec![located("a.go", 4, "unused x")];
        link_also(&mut checks);
        assert_eq!(checks[0].failures[0].also, ["lint"]);
        assert_eq!(checks[1].failures[0].also, ["vet"]);
        assert!(checks[1].failures[1].also.is_empty());
        assert!(checks[2].failures[0].also.is_empty());
    }
}
