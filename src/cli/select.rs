//! Which of the checks are run: pure, from words to checks.

use crate::model::{Category, CheckSpec, Role};
use crate::text::nearest;

/// What was asked for, as typed.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Bare words.
    pub selectors: &'a [String],
    /// `--only`.
    pub only: &'a [String],
    /// `--skip`.
    pub skip: &'a [String],
}

/// The checks in three heaps, each in manifest order.
#[derive(Debug)]
pub struct Selection {
    /// To be run.
    pub chosen: Vec<CheckSpec>,
    /// Ids of those that were left out.
    pub rest: Vec<String>,
    /// Ids of those that nobody misses: detected targets that another one stands for.
    pub only_named: Vec<String>,
}

/// A word that names no check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    /// As typed.
    pub word: String,
    /// Behind which flag it was typed; `None` where a command might have stood too.
    pub flag: Option<&'static str>,
    /// The nearest word that would have been right.
    pub nearest: Option<String>,
}

/// The word for what runs where nothing is named.
const ALL: &str = "all";

/// A word selects the check of that id (ASCII case is nothing), and all checks of that area or
/// category; `all` is what runs with no word at all. A check that runs only when it is named is
/// named by its id.
pub fn select(
    checks: Vec<CheckSpec>,
    wanted: Wanted<'_>,
    commands: &[&str],
) -> Result<Selection, UnknownWord> {
    let groups = [
        (wanted.selectors, None),
        (wanted.only, Some("--only")),
        (wanted.skip, Some("--skip")),
    ];
    for (words, flag) in groups {
        for word in words {
            if !is_all(word, &checks) && !checks.iter().any(|check| names(word, check)) {
                return Err(unknown(word, flag, &checks, commands));
            }
        }
    }
    let words: Vec<&str> = wanted
        .selectors
        .iter()
        .chain(wanted.only)
        .map(|word| word.trim())
        .collect();
    let all = words.is_empty() || words.iter().any(|word| is_all(word, &checks));
    let asked = |check: &CheckSpec| {
        let by_id = words.iter().any(|word| is_id(word, check));
        let by_name = all || words.iter().any(|word| names(word, check));
        by_id || (by_name && !waits_to_be_named(check))
    };
    let skipped = |check: &CheckSpec| {
        let skips = |word: &String| is_all(word, &checks) || names(word, check);
        wanted.skip.iter().any(skips)
    };
    let runs: Vec<bool> = checks
        .iter()
        .map(|check| asked(check) && !skipped(check))
        .collect();
    let mut selection = Selection {
        chosen: Vec::new(),
        rest: Vec::new(),
        only_named: Vec::new(),
    };
    for (check, runs) in checks.into_iter().zip(runs) {
        if runs {
            selection.chosen.push(check);
        } else if check.only_named {
            selection.only_named.push(check.id.to_string());
        } else {
            selection.rest.push(check.id.to_string());
        }
    }
    Ok(selection)
}

fn waits_to_be_named(check: &CheckSpec) -> bool {
    check.only_named || check.role == Role::StuckRecovery
}

/// Whether `word` is the one for everything, and no check's own name.
fn is_all(word: &str, checks: &[CheckSpec]) -> bool {
    word.trim() == ALL && !checks.iter().any(|check| names(word, check))
}

fn is_id(word: &str, check: &CheckSpec) -> bool {
    check.id.as_str().eq_ignore_ascii_case(word.trim())
}

fn names(word: &str, check: &CheckSpec) -> bool {
    let word = word.trim();
    is_id(word, check)
        || check.area.as_deref() == Some(word)
        || check
            .category
            .is_some_and(|category| category.word() == word)
}

fn unknown(
    word: &str,
    flag: Option<&'static str>,
    checks: &[CheckSpec],
    commands: &[&str],
) -> UnknownWord {
    let ids = checks.iter().map(|check| check.id.as_str());
    let areas = checks.iter().filter_map(|check| check.area.as_deref());
    let categories = checks
        .iter()
        .filter_map(|check| check.category.map(Category::word));
    let mut known: Vec<&str> = ids.chain(areas).chain(categories).collect();
    if flag.is_none() {
        known.extend(commands);
    }
    UnknownWord {
        word: word.to_owned(),
        flag,
        nearest: nearest(word, &known).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::{UnknownWord, Wanted, select};
    use crate::model::{Category, CheckId, CheckSpec, Role};

    fn check(id: &str, area: Option<&str>) -> CheckSpec {
        CheckSpec {
            area: area.map(str::to_owned),
            category: (id == "Docs").then_some(Category::Maintainability),
            role: if id == "stuck" {
                Role::StuckRecovery
            } else {
                Role::Regular
            },
            only_named: id == "fast",
            ..CheckSpec::new(CheckId::new(id).unwrap(), "true", Vec::new())
        }
    }

    fn chosen(selectors: &[&str], only: &[&str], skip: &[&str]) -> Result<String, UnknownWord> {
        let owned = |words: &[&str]| words.iter().map(|&w| w.to_owned()).collect::<Vec<_>>();
        let (selectors, only, skip) = (owned(selectors), owned(only), owned(skip));
        let wanted = Wanted {
            selectors: &selectors,
            only: &only,
            skip: &skip,
        };
        let checks = vec![
            check("test", Some("api")),
            check("lint", Some("api")),
            check("Docs", None),
            check("stuck", Some("api")),
            check("fast", None),
        ];
        let selection = select(checks, wanted, &["baseline", "last"])?;
        let ids: Vec<_> = selection
            .chosen
            .iter()
            .map(|check| check.id.as_str())
            .collect();
        Ok(format!("{} | {}", ids.join(" "), selection.rest.join(" ")))
    }

    #[test]
    fn words_are_ids_areas_and_categories_and_the_rest_is_named() {
        let of = |selectors: &[&str], only: &[&str], skip: &[&str]| {
            chosen(selectors, only, skip).unwrap()
        };
        assert_eq!(of(&[], &[], &[]), "test lint Docs | stuck");
        assert_eq!(of(&["lint"], &[], &[]), "lint | test Docs stuck");
        assert_eq!(of(&["api"], &[], &["test"]), "lint | test Docs stuck");
        assert_eq!(of(&["docs"], &["test"], &[]), "test Docs | lint stuck");
        assert_eq!(of(&["maintainability"], &[], &[]), "Docs | test lint stuck");
        assert_eq!(of(&[], &[], &["api"]), "Docs | test lint stuck");
    }

    #[test]
    fn what_waits_to_be_named_is_named_by_its_id_alone() {
        let of = |words: &[&str]| chosen(words, &[], &[]).unwrap();
        assert_eq!(of(&["all"]), "test lint Docs | stuck");
        assert_eq!(of(&["stuck"]), "stuck | test lint Docs");
        assert_eq!(
            of(&["all", "stuck", "fast"]),
            "test lint Docs stuck fast | "
        );
        assert_eq!(of(&["fast"]), "fast | test lint Docs stuck");
    }

    #[test]
    fn an_unknown_word_is_answered_with_the_nearest() {
        let error = chosen(&["tset"], &[], &[]).unwrap_err();
        assert_eq!((error.flag, error.nearest.as_deref()), (None, Some("test")));
        assert_eq!(
            chosen(&["basline"], &[], &[])
                .unwrap_err()
                .nearest
                .as_deref(),
            Some("baseline")
        );
        assert_eq!(chosen(&[], &["basline"], &[]).unwrap_err().nearest, None);
        assert_eq!(
            chosen(&[], &[], &["lnt"]).unwrap_err().nearest.as_deref(),
            Some("lint")
        );
    }
}
