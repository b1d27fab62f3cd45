//! Homes that are ready: each takes the place of a check's home, and is taken back.
//!
//! A spare that comes back as it went is used again. Another is first made new again, which its
//! check need not wait for.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::Folder;
use super::layout::{Layout, Stamps};

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
    /// Those that are as they should be.
    ready: Vec<Ready>,
    /// The first number that nobody has looked at in this run.
    next: usize,
}

/// A spare that is as it should be.
#[derive(Debug)]
struct Ready {
    number: usize,
    /// What it was when it was found so; `None` where the system does not say.
    stamps: Option<Stamps>,
}

/// One spare, in a check's place or not yet ready again.
#[derive(Debug)]
pub struct Spare {
    number: usize,
    /// Those that tell what has been done to it since it was put into its place.
    stamps: Option<Stamps>,
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
        let ready = self.ready()?;
        let number = ready.number;
        if let Err(error) = homes.swap(name, &self.0.folder, place(number)) {
            self.0.state().ready.push(ready);
            return Err(error);
        }
        let now = SystemTime::now();
        Ok(Spare {
            number,
            stamps: ready.stamps.filter(|stamps| stamps.tell_from(now)),
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
        match shared.found(spare.number, spare.stamps.as_ref()) {
            Ok(Some(ready)) => {
                shared.state().ready.push(ready);
                Returned::Ready
            }
            Ok(None) | Err(_) => Returned::Changed(spare),
        }
    }

    /// One that is as it should be.
    fn ready(&self) -> io::Result<Ready> {
        let shared = &self.0;
        let mut failed = None;
        for _ in 0..MOST_PASSED_OVER {
            let number = {
                let mut state = shared.state();
                if let Some(ready) = state.ready.pop() {
                    return Ok(ready);
                }
                state.next += 1;
                state.next - 1
            };
            if let Ok(Some(ready)) = shared.found(number, None) {
                return Ok(ready);
            }
            match shared.make(number) {
                Ok(ready) => return Ok(ready),
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
        let ready = self.shared.make(self.number)?;
        self.shared.state().ready.push(ready);
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

    /// The spare of this number, where it is as it should be. `stamps`: what it was when it was
    /// found so before.
    fn found(&self, number: usize, stamps: Option<&Stamps>) -> io::Result<Option<Ready>> {
        let spare = self.folder.enter_existing(place(number))?;
        if let Some(stamps) = stamps {
            let still = self.layout.is_still_all_of(&spare, self.uid, stamps)?;
            return Ok(still.then(|| Ready {
                number,
                stamps: Some(stamps.clone()),
            }));
        }
        let ready = self.layout.is_all_of(&spare, self.uid)?;
        Ok(ready.then(|| self.stamped(number, &spare)))
    }

    fn stamped(&self, number: usize, spare: &Folder) -> Ready {
        let stamps = self.layout.stamps(spare).ok();
        Ready { number, stamps }
    }

    /// Makes the spare anew, whatever stands there.
    fn make(&self, number: usize) -> io::Result<Ready> {
        let name = &place(number);
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
        self.layout.make_in(&spare)?;
        Ok(self.stamped(number, &spare))
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
