//! A start in our own namespaces.

use std::ffi::c_void;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::ptr;

use nix::errno::Errno;
use nix::sys::wait::{Id, WaitPidFlag, waitid};

use crate::contain::clone::{Cloned, Stack};
use crate::contain::fenced::Fenced;
use crate::contain::image::{Image, Texts, enter};
use crate::contain::ruleset::Held;
use crate::contain::seen::Watched;
use crate::contain::{Launch, StartError};
use crate::model::Confinement;

use super::{Asked, Born, Means, Starter, joining, start_error, system};

impl Starter {
    /// As [`Starter::bear`], in our own namespaces, its files held by Landlock where the kernel has
    /// it.
    pub(super) fn bear_beside_us(
        &mut self,
        launch: &Launch,
        [out_end, err_end]: [BorrowedFd<'_>; 2],
        Means { cgroup, noted }: Means<'_>,
        asked: Asked,
    ) -> Result<Born, StartError> {
        let fence = match &launch.confinement {
            Some(Confinement { view, .. }) => {
                Held::to(view)?.map(|held| Ok((held, Watched::new(view)?)))
            }
            None => None,
        };
        let fence = fence.transpose()?;
        let mut fenced = fence
            .as_ref()
            .map(|(held, watched)| Fenced::new(held, watched));
        let texts = Texts::new(launch)?;
        let streams = [self.null.as_fd(), out_end, err_end].map(|end| end.as_raw_fd());
        let mut image = Image::new(&texts, streams, &self.ignored, self.own_pid);
        if let Some(fenced) = &mut fenced {
            image.is_fenced(fenced);
        }
        if matches!(asked, Asked::Trial) {
            image.is_trial();
        }
        if cgroup.is_some() {
            // A second line beside the watchdog. Without a cgroup it would take from the watchdog
            // what it goes by: the children of one that has died are nobody's.
            image.dies_with_parent();
        }
        if let Some(noted) = noted {
            image.is_noted(noted);
        }
        let started = start(&mut self.stack, &mut self.by_clone2, &mut image, cgroup);
        let Cloned { pid, pidfd } =
            started.map_err(|errno| system("start the process")(errno.into()))?;
        if cgroup.is_some() && !image.has_begun() {
            // Where our own cgroup was ever killed, newer kernels kill at its birth what we start in
            // another one; see `Slot::was_killed`.
            let _ = waitid(Id::PIDFd(pidfd.as_fd()), WaitPidFlag::WEXITED);
            return Err(StartError::NotInCgroup);
        }
        if let Some((step, errno)) = image.failure() {
            // Nobody else waits for it.
            let _ = waitid(Id::PIDFd(pidfd.as_fd()), WaitPidFlag::WEXITED);
            return Err(start_error(launch, step, errno));
        }
        Ok(Born {
            pid,
            pidfd,
            init: None,
            seen: image.fenced().unwrap_or_default(),
        })
    }
}

/// Starts the child of `image`. `cgroup`: the folder of the one that it is to be in. `by_clone2`:
/// learnt once, that the newer call is not to be had.
fn start(
    stack: &mut Stack,
    by_clone2: &mut bool,
    image: &mut Image<'_>,
    cgroup: Option<BorrowedFd<'_>>,
) -> Result<Cloned, Errno> {
    let argument = ptr::from_mut(image).cast::<c_void>();
    if !*by_clone2 {
        // SAFETY: `enter` keeps to its rules, and this is the image that it takes.
        let cloned = unsafe { stack.start(0, cgroup, enter, argument) };
        match cloned {
            // The older call would fare no better.
            Err(Errno::EAGAIN | Errno::ENOMEM | Errno::EMFILE | Errno::ENFILE) | Ok(_) => {
                return cloned;
            }
            Err(_) => *by_clone2 = true,
        }
    }
    image.has_handlers();
    let procs = cgroup.map(joining).transpose()?;
    if let Some(procs) = &procs {
        image.joins(procs.as_fd());
    }
    let argument = ptr::from_mut(image).cast::<c_void>();
    // SAFETY: as above.
    unsafe { stack.start_by_clone2(0, enter, argument) }
}
