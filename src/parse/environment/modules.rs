//! Go without a module that only the network has.

use crate::model::EnvironmentFailure;

use super::super::go::is_fetch_error;
use super::super::location::text;
use super::sign::Sign;

/// `go: module@version: Get "https://…": dial tcp: …`, without `go: ` or with a place before it.
pub(super) fn read(words: &[u8]) -> Option<Sign> {
    if !is_fetch_error(words) {
        return None;
    }
    let words = text(words);
    let module = words
        .split([' ', '\t'])
        .map(|word| word.trim_end_matches(':'))
        .find(|word| word.contains('@') && !word.contains("://"))
        .and_then(|word| word.split('@').next());
    let package = words
        .split_once("cannot find module providing package ")
        .and_then(|(_, rest)| rest.split([':', ' ']).next());
    let reason = match module.or(package).filter(|name| !name.is_empty()) {
        Some(name) => format!("module {name} is not downloaded"),
        None => "a module is not downloaded".to_owned(),
    };
    Some(Sign::Unfetched(EnvironmentFailure {
        reason,
        hint: Some("go mod download".to_owned()),
        network: true,
    }))
}
