//! Which of the checks are run: pure, from words to checks.

use crate::model::CheckSpec;
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

/// The checks in two heaps, both in manifest order.
#[derive(Debug)]
pub struct Selection {
    /// To be run.
    pub chosen: Vec<CheckSpec>,
    /// Ids of the rest.
    pub rest: Vec<String>,
}

/// A word that names no check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    /// As typed.
    pub word: String,
    /// Typed where a command might have stood too.
    pub bare: bool,
    /// The nearest word that would have been right.
    pub nearest: Option<String>,
}

/// A word selects the checks of that id (ASCII case is nothing) or area. With no word, all.
pub fn select(
    checks: Vec<CheckSpec>,
    wanted: Wanted<'_>,
    commands: &[&str],
) -> Result<Selection, UnknownWord> {
    let groups = [
        (wanted.selectors, true),
        (wanted.only, false),
        (wanted.skip, false),
    ];
    for (words, bare) in groups {
        for word in words {
            if !checks.iter().any(|check| names(word, check)) {
                return Err(unknown(word, bare, &checks, commands));
            }
        }
    }
    let all = wanted.selectors.is_empty() && wanted.only.is_empty();
    let asked = |check: &CheckSpec| {
        all || wanted
            .selectors
            .iter()
            .chain(wanted.only)
            .any(|word| names(word, check))
    };
    let skipped = |check: &CheckSpec| wanted.skip.iter().any(|word| names(word, check));
    let (chosen, rest): (Vec<_>, Vec<_>) = checks
        .into_iter()
        .partition(|check| asked(check) && !skipped(check));
    let rest = rest.into_iter().map(|check| check.id.to_string()).collect();
    Ok(Selection { chosen, rest })
}

fn names(word: &str, check: &CheckSpec) -> bool {
    let word = word.trim();
    check.id.as_str().eq_ignore_ascii_case(word) || check.area.as_deref() == Some(word)
}

fn unknown(word: &str, bare: bool, checks: &[CheckSpec], commands: &[&str]) -> UnknownWord {
    let ids = checks.iter().map(|check| check.id.as_str());
    let areas = checks.iter().filter_map(|check| check.area.as_deref());
    let mut known: Vec<&str> = ids.chain(areas).collect();
    if bare {
        known.extend(commands);
    }
    UnknownWord {
        word: word.to_owned(),
        bare,
        nearest: nearest(word, &known).map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::{UnknownWord, Wanted, select};
    use crate::model::{CheckId, CheckSpec};

    fn check(id: &str, area: Option<&str>) -> CheckSpec {
        CheckSpec {
            area: area.map(str::to_owned),
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
    fn words_are_ids_and_areas_and_the_rest_is_named() {
        assert_eq!(chosen(&[], &[], &[]).unwrap(), "test lint Docs | ");
        assert_eq!(chosen(&["lint"], &[], &[]).unwrap(), "lint | test Docs");
        assert_eq!(
            chosen(&["api"], &[], &["test"]).unwrap(),
            "lint | test Docs"
        );
        assert_eq!(
            chosen(&["docs"], &["test"], &[]).unwrap(),
            "test Docs | lint"
        );
        assert_eq!(chosen(&[], &[], &["api"]).unwrap(), "Docs | test lint");
    }

    #[test]
    fn an_unknown_word_is_answered_with_the_nearest() {
        let error = chosen(&["tset"], &[], &[]).unwrap_err();
        assert_eq!((error.bare, error.nearest.as_deref()), (true, Some("test")));
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
