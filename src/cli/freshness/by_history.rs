//! Freshness by commits: an artefact's last one has to know each input's.

use std::path::Path;

use super::globs::{Globs, Part};
use super::{Looked, missing, row};
use crate::model::{Broken, Failure};
use crate::vcs::{AgesError, FileState, Git, Repository};

/// What is there and was not looked at.
const UNSEEN: &str = "is ignored by git, or another repository's: no commit says how old it is";

/// A file as git has it, and as people see it.
struct File {
    name: Vec<u8>,
    shown: String,
}

/// Asks the history of `root`.
pub fn look(
    globs: &Globs<'_>,
    root: &Path,
    repository: &Repository,
    git: &Git,
    rows: &mut dyn FnMut(Failure),
) -> Result<Looked, Broken> {
    let files = repository.files(git, root).ok_or_else(git_failed)?;
    let mut hits = globs.no_hits();
    let (mut artefacts, mut inputs) = (Vec::new(), Vec::new());
    let (mut artefacts_seen, mut inputs_seen) = (0, 0);
    for (name, state) in files {
        let shown = String::from_utf8_lossy(&name).into_owned();
        if state == FileState::Submodule {
            not_reached(globs, &shown)?;
            continue;
        }
        let Some(part) = globs.part(&shown, &mut hits) else {
            continue;
        };
        let (seen, committed) = match part {
            Part::Artefact => (&mut artefacts_seen, &mut artefacts),
            Part::Input => (&mut inputs_seen, &mut inputs),
        };
        *seen += 1;
        match odd(part, state) {
            Some(message) => rows(row(shown, message)),
            None => committed.push(File { name, shown }),
        }
    }
    missing::inputs(globs, &hits, inputs_seen)?;
    missing::artefacts(globs, &hits, root, UNSEEN, rows)?;
    compare(&artefacts, &inputs, root, repository, git, rows)?;
    Ok(Looked {
        artefacts: artefacts_seen as u64,
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
    artefacts: &[File],
    inputs: &[File],
    root: &Path,
    repository: &Repository,
    git: &Git,
    rows: &mut dyn FnMut(Failure),
) -> Result<(), Broken> {
    if artefacts.is_empty() || inputs.is_empty() {
        return Ok(());
    }
    let names =
        |files: &[File]| -> Vec<Vec<u8>> { files.iter().map(|file| file.name.clone()).collect() };
    let ages = repository.ages(git, root, &names(artefacts), &names(inputs));
    let ages = ages.map_err(|error| match error {
        AgesError::Shallow(file) => {
            let file = artefacts.iter().chain(inputs).nth(file);
            shallow(file.map_or("a file", |file| &file.shown))
        }
        AgesError::Unreadable => git_failed(),
    })?;
    for (a, artefact) in artefacts.iter().enumerate() {
        for (i, input) in inputs.iter().enumerate() {
            if let Some(commit) = ages.newer(a, i) {
                let (input, commit) = (&input.shown, short(&commit));
                let message = format!("older than {input} (changed in {commit})");
                rows(row(&artefact.shown, message));
            }
        }
    }
    Ok(())
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
fn not_reached(globs: &Globs<'_>, submodule: &str) -> Result<(), Broken> {
    let Some(pattern) = globs.reaching(submodule) else {
        return Ok(());
    };
    Err(Broken {
        reason: format!("{} leads into the submodule {submodule}", pattern.text()),
        details: vec!["a submodule is another repository: check freshness there".to_owned()],
    })
}

fn shallow(file: &str) -> Broken {
    Broken {
        reason: format!("this clone is shallow, and the history of {file} is longer"),
        details: vec![
            "git fetch --unshallow".to_owned(),
            "GitHub: actions/checkout with fetch-depth: 0.  GitLab: GIT_DEPTH: \"0\"".to_owned(),
        ],
    }
}

fn git_failed() -> Broken {
    Broken {
        reason: "git does not tell the state and history of the files".to_owned(),
        details: vec!["see what it says: git status && git log --raw".to_owned()],
    }
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
