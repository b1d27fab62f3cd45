//! Records counted for people.

use std::collections::{BTreeMap, BTreeSet};

use crate::ratchet::Record;
use crate::text::{Printable, thousands};

/// How many rules are named before the rest are counted.
const NAMED: usize = 5;

pub(super) fn failures<'a>(records: impl IntoIterator<Item = &'a Record>) -> u64 {
    records
        .into_iter()
        .fold(0, |sum, record| sum.saturating_add(record.count))
}

/// Distinct files.
pub(super) fn files<'a>(records: impl IntoIterator<Item = &'a Record>) -> u64 {
    let paths = records
        .into_iter()
        .filter_map(|record| record.path.as_deref());
    paths.collect::<BTreeSet<_>>().len() as u64
}

/// `errcheck 2, unused 1`: the most first; tests together.
pub(super) fn by_rule<'a>(records: impl IntoIterator<Item = &'a Record>) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for record in records {
        let name = match (&record.rule, &record.test) {
            (Some(rule), _) => rule,
            (None, Some(_)) => "tests",
            (None, None) => "without a rule",
        };
        *counts.entry(name).or_default() += record.count;
    }
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let named = counts.iter().take(NAMED);
    let mut parts: Vec<String> = named
        .map(|(name, count)| format!("{} {}", Printable::new(name), thousands(*count)))
        .collect();
    let rest: u64 = counts.iter().skip(NAMED).map(|(_, count)| count).sum();
    if rest > 0 {
        parts.push(format!("others {}", thousands(rest)));
    }
    parts.join(", ")
}
