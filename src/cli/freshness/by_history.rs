//! Freshness by commits: an artefact's last one has to know each input's.

use std::ops::ControlFlow;
use std::path::Path;

use super::Looked;
use super::globs::{Globs, Part};
use super::missing;
use super::rows::Rows;
use super::unseen::Unseen;
use crate::run::Leash;
use crate::vcs::{AgesError, FileState, Git, Patience, Repository};

/// What is there and was not looked at.
const UNSEEN: &str = "is ignored by git, or another repository's: no commit says how old it is";

/// What is to be found out of files that are as HEAD has them, by their paths from the root.
#[derive(Default)]
struct Committed {
    artefacts: Vec<Vec<u8>>,
    inputs: Vec<Vec<u8>>,
}

/// Asks the history of `root`.
pub fn look(
    globs: &Globs<'_>,
    root: &Path,
    repository: &Repository,
    git: &Git,
    leash: &Leash,
    rows: &mut Rows<'_>,
) -> Result<Looked, Unseen> {
    let over = || leash.is_over();
    let patience = Patience::until(&over);
    let mut hits = globs.no_hits();
    let mut committed = Committed::default();
    let (mut artefacts, mut inputs) = (0_usize, 0);
    let mut sort = |name: &[u8], state| {
        let shown = String::from_utf8_lossy(name);
        if state == FileState::Submodule {
            return not_reached(globs, &shown);
        }
        let Some(part) = globs.part(&shown, &mut hits) else {
            return Ok(());
        };
        let (seen, files) = match part {
            Part::Artefact => (&mut artefacts, &mut committed.artefacts),
            Part::Input => (&mut inputs, &mut committed.inputs),
        };
        *seen += 1;
        if let Some(message) = odd(part, state) {
            return rows.about(shown, message.to_owned());
        }
        files.push(name.to_vec());
        Ok(())
    };
    let wanted = |name: &[u8]| globs.is_any(&String::from_utf8_lossy(name));
    let mut sorted = Ok(());
    repository.files(git, root, patience, &wanted, &mut |name, state| {
        if sorted.is_ok() {
            sorted = sort(name, state);
        }
    })?;
    sorted?;
    missing::inputs(globs, &hits, inputs)?;
    missing::artefacts(globs, &hits, root, UNSEEN, leash, rows)?;
    compare(&committed, root, repository, git, patience, rows)?;
    Ok(Looked {
        artefacts: artefacts as u64,
        notes: Vec::new(),
    })
}

/// What is wrong with a file whose last commit does not tell how old it is.
fn odd(part: Part, state: FileState) -> Option<&'static str> {
    match (state, part) {
        (FileState::Committed, _) | (FileState::LeftOut, Part::Input) => None,
        (FileState::Changed, _) => Some("has changes that are not committed"),
        (FileState::Untracked, _) => Some("is not committed"),
        (FileState::Removed, Part::Artefact) => Some("is not there"),
        (FileState::Removed, Part::Input) => Some("is removed, and that is not committed"),
        (FileState::LeftOut, Part::Artefact) => {
            Some("is not there: a sparse checkout leaves it out")
        }
        (FileState::Unwatched, _) => {
            Some("may have changed: git is told not to look (assume-unchanged, skip-worktree)")
        }
        // Another repository's, which is told before.
        (FileState::Submodule, _) => Some("is a submodule"),
    }
}

/// Rows for what is older, of files that are as HEAD has them.
fn compare(
    committed: &Committed,
    root: &Path,
    repository: &Repository,
    git: &Git,
    patience: Patience<'_>,
    rows: &mut Rows<'_>,
) -> Result<(), Unseen> {
    let Committed { artefacts, inputs } = committed;
    if artefacts.is_empty() || inputs.is_empty() {
        return Ok(());
    }
    let shown = |files: &[Vec<u8>], at: usize| String::from_utf8_lossy(&files[at]).into_owned();
    let told = |error| match error {
        AgesError::Shallow(file) if file < artefacts.len() => {
            Unseen::shallow(&shown(artefacts, file))
        }
        AgesError::Shallow(file) => Unseen::shallow(&shown(inputs, file - artefacts.len())),
        AgesError::TooMany => Unseen::too_many(),
        AgesError::Git(error) => error.into(),
    };
    let of = artefacts.iter().map(Vec::as_slice);
    let from = inputs.iter().map(Vec::as_slice);
    let ages = repository.ages(git, root, of, from, patience);
    let mut taken = Ok(());
    let mut found = |artefact, input, commit: &str| {
        let (input, commit) = (shown(inputs, input), short(commit));
        let message = format!("older than {input} (changed in {commit})");
        taken = rows.about(shown(artefacts, artefact), message);
        match taken {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    };
    ages.and_then(|ages| ages.newer(patience, &mut found))
        .map_err(told)?;
    taken
}

/// The beginning of a commit's name, long enough to have a digit and a letter: of such words
/// identity takes no account, so that a row stays the same when its input changes once more.
fn short(commit: &str) -> &str {
    let beginnings = (7..commit.len()).map(|end| &commit[..end]);
    let mut mixed = beginnings.filter(|text| {
        text.contains(|c: char| c.is_ascii_digit())
            && text.contains(|c: char| c.is_ascii_alphabetic())
    });
    mixed.next().unwrap_or(commit)
}

/// No glob may lead into a submodule: whether its files are as they were is its own matter.
fn not_reached(globs: &Globs<'_>, submodule: &str) -> Result<(), Unseen> {
    let Some(pattern) = globs.reaching(submodule) else {
        return Ok(());
    };
    Err(Unseen::broken(
        format!("{} leads into the submodule {submodule}", pattern.text()),
        &["a submodule is another repository: check freshness there"],
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::short;
    use crate::ratchet::{Places, fold};

    #[test]
    fn a_commits_name_is_short_and_no_part_of_identity() {
        assert_eq!(short("4f2c1d9aa0"), "4f2c1d9");
        assert_eq!(short("1234567890a0"), "1234567890a");
        assert_eq!(short("abcdefab1c"), "abcdefab1");
        let places = Places::new(Path::new("/r"));
        let mut seed: u64 = 7;
        for _ in 0..2000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let commit = format!("{seed:016x}{:016x}00000000", seed.rotate_left(32));
            let message = format!("older than a/b.proto (changed in {})", short(&commit));
            assert_eq!(
                fold(&message, &places),
                "older than a/b.proto (changed in <hex>)",
                "{commit}"
            );
        }
    }
}
