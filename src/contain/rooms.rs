//! What every contained start of a run shares: which namespaces this host has turned out to give,
//! and the pipe that every init of ours lives by.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::Path;

use crate::model::{Confinement, Network, View};

use super::StartError;
use super::enclose::{Part, Users};
use super::networks::Networks;
use super::obstacle::{Obstacle, Settings};
use super::scene::{self, Act, Ground};
use super::seen::Watched;
use super::spaces::Spaces;
use super::stage::Stage;

/// See the module.
pub struct Rooms {
    /// Who we are, for user namespaces.
    pub users: Users,
    /// Of checks that are over.
    pub networks: Networks,
    root: bool,
    alive: PipeReader,
    /// Closes when we die, however that is.
    _we_live: PipeWriter,
    /// What is offered; `None` where this host gives no namespace.
    spaces: Option<Spaces>,
    /// A check was started in these.
    proven: Option<Spaces>,
    /// Why less than everything is offered.
    refused: Option<StartError>,
}

/// One launch's namespaces and view, laid out.
pub struct Room {
    pub spaces: Spaces,
    pub outer: Stage,
    pub inner: Stage,
    pub watched: Watched,
}

impl Rooms {
    /// Nothing has been asked for yet.
    pub fn new() -> io::Result<Self> {
        let (alive, we_live) = io::pipe()?;
        let root = nix::unistd::geteuid().is_root();
        Ok(Self {
            users: Users::own(),
            networks: Networks::default(),
            root,
            alive,
            _we_live: we_live,
            spaces: Some(Spaces::all(root)),
            proven: None,
            refused: None,
        })
    }

    /// What a launch gets; `None` where there is nothing to be had.
    pub fn offered(&self, confinement: &Confinement) -> Option<Spaces> {
        let spaces = self.spaces?;
        Some(match confinement.network {
            Network::None => spaces,
            Network::Host => Spaces {
                network: false,
                ..spaces
            },
        })
    }

    /// Lays it out.
    pub fn lay_out(&self, spaces: Spaces, view: &View) -> Result<Room, StartError> {
        Ok(Room {
            spaces,
            outer: Stage::new(scene::outer(view, self.root, &Host))?,
            inner: Stage::new(scene::inner(self.root))?,
            watched: Watched::new(view)?,
        })
    }

    /// The pipe that an init reads.
    pub fn alive(&self) -> BorrowedFd<'_> {
        self.alive.as_fd()
    }

    /// What stands in the way of what is not offered.
    pub fn obstacle(&self) -> Option<Obstacle> {
        let refused = self.refused.as_ref()?;
        let (StartError::System { source, .. } | StartError::Enclose { source, .. }) = refused
        else {
            return Some(Obstacle::Refused(refused.to_string()));
        };
        Some(Settings::read().behind(source, self.root))
    }

    /// These work.
    pub fn prove(&mut self, spaces: Spaces) {
        let before = self.proven.is_some_and(|proven| proven.network);
        self.proven = Some(Spaces {
            network: spaces.network || before,
            ..spaces
        });
    }

    /// Whether these are known to work.
    pub fn are_proven(&self, spaces: Spaces) -> bool {
        self.proven
            .is_some_and(|proven| proven.network || !spaces.network)
    }

    /// What was asked for is not to be had.
    pub fn without(&mut self, part: Option<Part>, why: StartError) {
        self.spaces = self.spaces.and_then(|spaces| spaces.after(part));
        self.refused.get_or_insert(why);
    }
}

impl Room {
    /// Whether a failure there says something of the host, and not of this check.
    pub fn is_the_hosts_refusal(&self, part: Part, step: usize) -> bool {
        match part {
            Part::Users | Part::Loopback | Part::Processes => true,
            Part::Main | Part::Required => false,
            Part::Inner => matches!(self.inner.act(step), Some(Act::Processes)),
            Part::Outer => match self.outer.act(step) {
                Some(Act::Part | Act::CloseAll | Act::Cover(_) | Act::Terminals(_)) => true,
                Some(_) | None => false,
            },
        }
    }
}

/// The file system as we see it.
struct Host;

impl Ground for Host {
    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn exists(&self, path: &Path) -> bool {
        path.symlink_metadata().is_ok()
    }
}
