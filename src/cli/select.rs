//! Which of the checks are run: pure, from words to checks.

use std::collections::{HashMap, HashSet};

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
    let index = Index::new(&checks);
    let groups = [
        (wanted.selectors, None),
        (wanted.only, Some("--only")),
        (wanted.skip, Some("--skip")),
    ];
    for (words, flag) in groups {
        if let Some(word) = words.iter().find(|word| !index.knows(word)) {
            return Err(unknown(word, flag, &checks, commands));
        }
    }
    let asked = wanted.selectors.iter().chain(wanted.only);
    let asked = index.meant(asked.map(String::as_str));
    let skipped = index.meant(wanted.skip.iter().map(String::as_str));
    let all = asked.all || (wanted.selectors.is_empty() && wanted.only.is_empty());
    let runs = |(at, check): (usize, &CheckSpec)| {
        let by_name = all || asked.named[at];
        let is_asked = asked.by_id[at] || (by_name && !waits_to_be_named(check));
        is_asked && !skipped.all && !skipped.named[at]
    };
    let runs: Vec<bool> = checks.iter().enumerate().map(runs).collect();
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

/// The checks by every word that selects some, so that many words and many checks cost no more
/// than both.
struct Index<'c> {
    /// By id in small letters.
    ids: HashMap<String, usize>,
    /// By area and category.
    groups: HashMap<&'c str, Vec<usize>>,
    checks: usize,
}

/// What some words mean together.
struct Meant {
    /// The word for everything is among them.
    all: bool,
    /// Of each check whether its id is.
    by_id: Vec<bool>,
    /// Of each check whether a word that selects it is.
    named: Vec<bool>,
}

impl<'c> Index<'c> {
    fn new(checks: &'c [CheckSpec]) -> Self {
        let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, check) in checks.iter().enumerate() {
            let area = check.area.as_deref();
            let category = check.category.map(Category::word);
            for word in [area, category].into_iter().flatten() {
                groups.entry(word).or_default().push(at);
            }
        }
        let ids = checks.iter().map(|check| check.id.as_str());
        Self {
            ids: ids.map(str::to_ascii_lowercase).zip(0..).collect(),
            groups,
            checks: checks.len(),
        }
    }

    /// Whether `word` is a check's own name.
    fn names(&self, word: &str) -> bool {
        self.ids.contains_key(&word.to_ascii_lowercase()) || self.groups.contains_key(word)
    }

    fn knows(&self, word: &str) -> bool {
        let word = word.trim();
        word == ALL || self.names(word)
    }

    fn meant<'w>(&self, words: impl Iterator<Item = &'w str>) -> Meant {
        let mut meant = Meant {
            all: false,
            by_id: vec![false; self.checks],
            named: vec![false; self.checks],
        };
        // A word that is given twice says nothing more.
        let words: HashSet<&str> = words.map(str::trim).collect();
        for word in words {
            // A check's own name wins over the word for everything.
            meant.all |= word == ALL && !self.names(word);
            if let Some(at) = self.ids.get(&word.to_ascii_lowercase()) {
                meant.by_id[*at] = true;
                meant.named[*at] = true;
            }
            for at in self.groups.get(word).into_iter().flatten() {
                meant.named[*at] = true;
            }
        }
        meant
    }
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
    fn a_checks_own_name_wins_over_the_word_for_everything() {
        let wanted = |words: &[&str]| -> Vec<String> {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            let wanted = Wanted {
                selectors: &words,
                only: &[],
                skip: &[],
            };
            let checks = vec![check("test", Some("all")), check("lint", None)];
            let chosen = select(checks, wanted, &[]).unwrap().chosen;
            chosen.iter().map(|check| check.id.to_string()).collect()
        };
        assert_eq!(wanted(&["all"]), ["test"]);
        assert_eq!(wanted(&[" LINT "]), ["lint"]);
    }

    #[test]
    fn everything_may_be_left_out() {
        assert_eq!(
            chosen(&[], &[], &["all"]).unwrap(),
            " | test lint Docs stuck"
        );
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
