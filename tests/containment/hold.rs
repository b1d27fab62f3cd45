//! What keeps a child alive: a lock that the test holds. Its other end is `fixtures/children/child.h`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

/// Two locks and a place where the child says that it is ready. Where the test ends, however it
/// ends, so does everything that was held.
pub struct Hold {
    folder: PathBuf,
    leader: Option<Flock<File>>,
    company: Option<Flock<File>>,
}

impl Hold {
    /// Makes the folder.
    pub fn new(folder: PathBuf) -> Self {
        fs::create_dir(&folder).unwrap();
        let lock = |name| {
            let file = File::create(folder.join(name)).unwrap();
            Some(Flock::lock(file, FlockArg::LockExclusive).unwrap())
        };
        Self {
            leader: lock("leader"),
            company: lock("company"),
            folder,
        }
    }

    /// Stands in every command line.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The main process's id, once it has said that everything is as it should be.
    pub fn ready(&self) -> Option<i32> {
        let text = fs::read_to_string(self.folder.join("ready")).ok()?;
        Some(text.trim().parse().unwrap())
    }

    /// The main process may end.
    pub fn release_leader(&mut self) {
        self.leader = None;
    }

    /// So may all others.
    pub fn release_company(&mut self) {
        self.company = None;
    }
}
