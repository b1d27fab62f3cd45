//! Homes that are ready: each takes the place of a check's home, and is taken back.
//!
//! A spare that comes back as it went is used again. Another is first made new again, which its
//! check need not wait for.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Folder;
use super::layout::Layout;

/// Spares that cannot be made ready are passed over, but not without end.
const MOST_PASSED_OVER: usize = 16;

/// The spares of one root; those that no check has are numbered folders in one of their own.
#[derive(Debug)]
pub struct Spares(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    folder: Folder,
    layout: Layout,
    uid: u32,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Numbers of those that are as they should be.
    ready: Vec<usize>,
    /// The first number that nobody has looked at in this run.
    next: usize,
}

/// One spare, in a check's place or not yet ready again.
#[derive(Debug)]
pub struct Spare {
    number: usize,
    shared: Arc<Shared>,
}

impl Spares {
    /// Those in `folder`, each to hold what `layout` says and to be private to `uid`.
    pub fn new(folder: Folder, layout: Layout, uid: u32) -> Self {
        Self(Arc::new(Shared {
            folder,
            layout,
            uid,
            state: Mutex::default(),
        }))
    }

    /// Puts one in the place of the folder `name` of `homes`.
    pub fn put(&self, homes: &Folder, name: &str) -> io::Result<Spare> {
        let number = self.ready()?;
        if let Err(error) = homes.swap(name, &self.0.folder, place(number)) {
            self.0.state().ready.push(number);
            return Err(error);
        }
        Ok(Spare {
            number,
            shared: Arc::clone(&self.0),
        })
    }

    /// Takes back what is now `name` in `homes`, where the empty folder comes to be again.
    pub fn take_back(&self, spare: Spare, homes: &Folder, name: &OsStr) -> Returned {
        let shared = &self.0;
        let own = place(spare.number);
        match homes.swap(name, &shared.folder, &own) {
            Ok(()) => {}
            // The check has removed or moved its own home.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return match shared.folder.move_to(&own, homes, name) {
                    Ok(()) => Returned::Changed(spare),
                    Err(error) => Returned::Stuck(spare, error),
                };
            }
            Err(error) => return Returned::Stuck(spare, error),
        }
        if shared.is_ready(&own).unwrap_or(false) {
            shared.state().ready.push(spare.number);
            return Returned::Ready;
        }
        Returned::Changed(spare)
    }

    /// The number of one that is as it should be.
    fn ready(&self) -> io::Result<usize> {
        let shared = &self.0;
        let mut failed = None;
        for _ in 0..MOST_PASSED_OVER {
            let number = {
                let mut state = shared.state();
                if let Some(number) = state.ready.pop() {
                    return Ok(number);
                }
                state.next += 1;
                state.next - 1
            };
            let own = place(number);
            if shared.is_ready(&own).unwrap_or(false) {
                return Ok(number);
            }
            match shared.make(&own) {
                Ok(()) => return Ok(number),
                Err(error) => failed = Some(error),
            }
        }
        Err(failed.unwrap_or_else(|| io::Error::other("no home could be made")))
    }
}

/// How a spare came back.
#[derive(Debug)]
pub enum Returned {
    /// As it went.
    Ready,
    /// With something to be removed.
    Changed(Spare),
    /// Not at all: what is in the check's place cannot be moved.
    Stuck(Spare, io::Error),
}

impl Spare {
    /// Where it is when no check has it.
    pub fn path(&self) -> PathBuf {
        self.shared.folder.path().join(place(self.number))
    }

    /// Makes it as it should be again, for the next check to have.
    pub fn restore(&self) -> io::Result<()> {
        self.shared.make(&place(self.number))?;
        self.shared.state().ready.push(self.number);
        Ok(())
    }
}

fn place(number: usize) -> String {
    number.to_string()
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Whoever panicked has changed nothing by halves.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_ready(&self, name: &str) -> io::Result<bool> {
        let spare = self.folder.enter_existing(name)?;
        self.layout.is_all_of(&spare, self.uid)
    }

    /// Makes the spare `name` anew, whatever stands there.
    fn make(&self, name: &str) -> io::Result<()> {
        let spare = self.folder.enter(name).or_else(|_| {
            // No folder, or one that is closed to us too.
            let _ = self.folder.remove_file(name);
            let _ = self.folder.open_up(name);
            self.folder.enter(name)
        })?;
        let _ = self.folder.open_up(name);
        spare.clear()?;
        if !spare.is_private_to(self.uid)? {
            return Err(io::Error::other("it belongs to another user"));
        }
        self.layout.make_in(&spare)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
