//! What is part of the bar and not there: an empty one is made before the first check, so that it can
//! be read-only for all of them. What is absent could be made by whoever is measured.

use std::fs;
use std::path::PathBuf;

use super::Whereabouts;

/// Empty folders and files that stand for absent ones, as long as this lives. What is in a git folder
/// stays: git makes it itself in most.
#[derive(Debug)]
pub struct StandIns {
    /// The folder of baselines.
    made: Option<PathBuf>,
}

impl StandIns {
    /// Makes them. What cannot be made here, a check cannot make either, or is held by nothing.
    pub fn make(whereabouts: &Whereabouts) -> Self {
        if let Some(git) = &whereabouts.common_git {
            let _ = fs::create_dir(git.join("hooks"));
            let _ = fs::File::create_new(git.join("config"));
        }
        let bar = whereabouts.root.join(".check");
        Self {
            made: fs::create_dir(&bar).is_ok().then_some(bar),
        }
    }
}

/// Nothing of it is left in the tree, but for what somebody has put there meanwhile.
impl Drop for StandIns {
    fn drop(&mut self) {
        if let Some(made) = &self.made {
            let _ = fs::remove_dir(made);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{StandIns, Whereabouts};

    #[test]
    fn what_is_absent_is_there_meanwhile_and_what_is_there_stays() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("tree");
        let git = root.join(".git");
        fs::create_dir_all(&git).unwrap();
        fs::write(git.join("config"), "mine").unwrap();
        let whereabouts = Whereabouts {
            root: root.clone(),
            common_git: Some(git.clone()),
            ..Whereabouts::default()
        };
        let stand_ins = StandIns::make(&whereabouts);
        assert!(root.join(".check").is_dir() && git.join("hooks").is_dir());
        assert_eq!(fs::read_to_string(git.join("config")).unwrap(), "mine");
        drop(stand_ins);
        assert!(!root.join(".check").exists());
        fs::create_dir_all(root.join(".check/baseline")).unwrap();
        drop(StandIns::make(&whereabouts));
        assert!(root.join(".check/baseline").is_dir());
    }
}
