//! A start in namespaces of its own.

use std::ffi::c_void;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::ptr;

use nix::errno::Errno;
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

use crate::contain::clone::{Cloned, Stack};
use crate::contain::enclose::{self, Enclosure, Init, Part};
use crate::contain::image::{Image, Texts, enter_enclosed};
use crate::contain::networks;
use crate::contain::rooms::Room;
use crate::contain::signal;
use crate::contain::spaces::Spaces;
use crate::contain::{Launch, StartError};

use super::{Asked, Born, Means, Starter, joining, start_error, system, unwatched};

impl Starter {
    /// As [`Starter::bear`], in namespaces of its own; `None` where this host gives none. What it
    /// does not give is learnt on the way.
    pub(super) fn bear_in_a_room(
        &mut self,
        launch: &Launch,
        ends: [BorrowedFd<'_>; 2],
        means: Means<'_>,
        asked: Asked,
    ) -> Result<Option<Born>, StartError> {
        let Some(confinement) = &launch.confinement else {
            return Ok(None);
        };
        while let Some(spaces) = self.rooms.offered(confinement) {
            let mut room = self.rooms.lay_out(spaces, &confinement.view)?;
            match self.bear_enclosed(launch, ends, means, asked, &mut room) {
                Err(Unborn::NotHere(part, why)) if !self.rooms.are_proven(spaces) => {
                    self.rooms.without(part, why);
                }
                Err(Unborn::NotHere(_, why) | Unborn::Failed(why)) => return Err(why),
                Ok(born) => {
                    self.rooms.prove(spaces);
                    return Ok(Some(born));
                }
            }
        }
        Ok(None)
    }

    /// As [`Starter::bear`], in this room.
    fn bear_enclosed(
        &mut self,
        launch: &Launch,
        [out_end, err_end]: [BorrowedFd<'_>; 2],
        Means { cgroup, noted }: Means<'_>,
        asked: Asked,
        room: &mut Room,
    ) -> Result<Born, Unborn> {
        let texts = Texts::new(launch)?;
        let streams = [self.null.as_fd(), out_end, err_end].map(|end| end.as_raw_fd());
        let mut image = Image::new(&texts, streams, &self.ignored, self.own_pid);
        image.dies_with_parent();
        if let Some(noted) = noted {
            image.is_noted(noted);
        }
        let procs = cgroup
            .filter(|_| self.by_clone2)
            .map(joining)
            .transpose()
            .map_err(|_| StartError::NotInCgroup)?;
        if let Some(procs) = &procs {
            image.joins(procs.as_fd());
        }
        // Who is not root cannot enter what is another user namespace's.
        let shares = room.spaces.network && !room.spaces.user;
        let offered = if shares {
            self.rooms.networks.take()
        } else {
            None
        };
        let mut enclosure = Enclosure::new(
            room.spaces,
            &self.rooms.users,
            [&mut room.outer, &mut room.inner],
            &room.watched,
            self.rooms.alive(),
            self.stack.inner(),
        );
        if let Some(cgroup) = cgroup.filter(|_| !self.by_clone2) {
            enclosure.is_in(cgroup);
        }
        if let Some(network) = &offered {
            enclosure.may_use(network.as_fd());
        }
        match asked {
            Asked::Trial => enclosure.is_trial(),
            Asked::Required { network } => enclosure.is_required(network),
            Asked::Nothing => {}
        }
        image.is_enclosed(&mut enclosure);
        let made = Spaces {
            network: room.spaces.network && offered.is_none(),
            ..room.spaces
        };
        let builder = build(&mut self.stack, &mut self.by_clone2, made, &mut image);
        let builder = builder.map_err(Unborn::without_builder)?;
        let _ = waitid(Id::PIDFd(builder.pidfd.as_fd()), WaitPidFlag::WEXITED);
        let (begun, failure) = (image.has_begun(), image.failure());
        let enclosed = image.enclosed();
        let enclosed = enclosed.ok_or(StartError::Unsupported("this host"))?;
        // Whatever it was that failed, it takes the init along, and nobody else waits for either.
        let init = (enclosed.init > 0).then(|| Init::new(enclosed.init));
        let mut init = init.transpose().map_err(system("watch the init"))?;
        if let Some(init) = init.as_mut().filter(|_| shares) {
            let offered = offered.filter(|_| enclosed.used);
            init.has_network(offered.or_else(|| networks::of(init.pid())));
        }
        let main = (enclosed.main > 0).then(|| Pid::from_raw(enclosed.main));
        let failed = |why: Unborn| {
            if let Some(main) = main {
                let _ = waitid(Id::Pid(main), WaitPidFlag::WEXITED);
            }
            Err(why)
        };
        if let Some((part, step, errno)) = enclosed.failure {
            let why = if part == Part::Required {
                StartError::NotContained(self.missing())
            } else {
                enclose::error(part, step, errno, [&room.outer, &room.inner])
            };
            return failed(
                if part == Part::Main && cgroup.is_some() && errno != Errno::EAGAIN {
                    StartError::NotInCgroup.into()
                } else if room.is_the_hosts_refusal(part, step) {
                    Unborn::NotHere(Some(part), why)
                } else {
                    why.into()
                },
            );
        }
        if !begun && cgroup.is_some() {
            return failed(StartError::NotInCgroup.into());
        }
        if let Some((step, errno)) = failure {
            return failed(start_error(launch, step, errno).into());
        }
        let (Some(pid), Some(seen)) = (main, enclosed.seen) else {
            let gone = io::Error::other("it was gone before it began");
            return failed(system("start the process")(gone).into());
        };
        Ok(Born {
            pid,
            pidfd: signal::pidfd(pid).map_err(|error| unwatched(pid, error))?,
            init,
            seen,
        })
    }
}

/// Why a check was not born.
enum Unborn {
    /// This host gives no such namespaces: what of them, where it came so far.
    NotHere(Option<Part>, StartError),
    /// Something is wrong that is nothing about the host.
    Failed(StartError),
}

impl Unborn {
    /// Nobody could be started who makes its namespaces.
    fn without_builder(errno: Errno) -> Self {
        let why = system("make namespaces for it")(errno.into());
        let full = [Errno::EAGAIN, Errno::ENOMEM, Errno::EMFILE, Errno::ENFILE];
        if full.contains(&errno) {
            Self::Failed(why)
        } else {
            Self::NotHere(None, why)
        }
    }
}

impl From<StartError> for Unborn {
    fn from(error: StartError) -> Self {
        Self::Failed(error)
    }
}

/// Starts the builder of `image`. `by_clone2`: learnt once, that the newer call is not to be had.
fn build(
    stack: &mut Stack,
    by_clone2: &mut bool,
    spaces: Spaces,
    image: &mut Image<'_>,
) -> Result<Cloned, Errno> {
    let argument = ptr::from_mut(image).cast::<c_void>();
    if !*by_clone2 {
        // SAFETY: the builder keeps to its rules, and this is the image that it takes.
        let cloned = unsafe { stack.start(spaces.flags(), None, enter_enclosed, argument) };
        match cloned {
            Err(Errno::ENOSYS | Errno::E2BIG) => *by_clone2 = true,
            cloned => return cloned,
        }
    }
    image.has_handlers();
    let argument = ptr::from_mut(image).cast::<c_void>();
    // SAFETY: as above.
    unsafe { stack.start_by_clone2(spaces.flags(), enter_enclosed, argument) }
}
